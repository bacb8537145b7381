"""One open memory with the deterministic fake embedder, and the parts of it that remember."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from memweave_core import MemoryConfig, MemWeave
from memweave_core.assembly import Runtime, assemble
from memweave_core.remembering.fact_book import FactBook
from memweave_core.remembering.sessions import SessionFiles
from memweave_core.testing import FakeClock, FakeEmbedder


@dataclass(frozen=True)
class Parts:
    """What forgetting needs of an open memory."""

    config: MemoryConfig
    runtime: Runtime
    facts: FactBook
    sessions: SessionFiles


@pytest.fixture(autouse=True)
def apart(cache_folder: Path) -> Path:
    """Each test has a cache folder of its own."""
    return cache_folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The workspace folder."""
    return tmp_path


@pytest.fixture
def embedder() -> FakeEmbedder:
    """The embedder of the memory."""
    return FakeEmbedder()


@pytest.fixture
def clock() -> FakeClock:
    """The clock of the memory: 21 March 2026, noon."""
    return FakeClock()


@pytest.fixture
def config(workspace: Path) -> MemoryConfig:
    """The settings of the memory."""
    return MemoryConfig(workspace_dir=str(workspace))


@pytest.fixture
async def memory(config: MemoryConfig, clock: FakeClock) -> AsyncIterator[MemWeave]:
    """The memory as its users have it; it shares files and index with `parts`."""
    async with MemWeave(config, embedder=FakeEmbedder(), clock=clock) as opened:
        yield opened


@pytest.fixture
def parts(config: MemoryConfig, embedder: FakeEmbedder, clock: FakeClock) -> Iterator[Parts]:
    """The parts of the memory that remember."""
    runtime = assemble(config, embedder, read_only=False)
    book = FactBook(runtime, config, clock)
    yield Parts(config, runtime, book, SessionFiles(runtime.store, clock))
    runtime.close()


@pytest.fixture
def book(parts: Parts) -> FactBook:
    """The facts of all users."""
    return parts.facts
