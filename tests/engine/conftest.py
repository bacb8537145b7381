"""A workspace folder and a memory over it with the deterministic fake embedder."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from memweave_core import MemoryConfig, MemWeave
from memweave_core.testing import FakeEmbedder

WriteNote = Callable[[str, str], Path]


@pytest.fixture(autouse=True)
def apart(cache_folder: Path) -> Path:
    """Each test has a cache folder of its own."""
    return cache_folder


@pytest.fixture
def note(tmp_path: Path) -> WriteNote:
    """Write a file under the workspace as another program would, without the memory's knowledge."""

    def write(path: str, text: str) -> Path:
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return target

    return write


@pytest.fixture
def config(tmp_path: Path) -> MemoryConfig:
    return MemoryConfig(workspace_dir=str(tmp_path))


@pytest.fixture
async def memory(config: MemoryConfig) -> AsyncIterator[MemWeave]:
    async with MemWeave(config, embedder=FakeEmbedder()) as opened:
        yield opened
