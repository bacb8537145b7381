"""Records in a new workspace, with an embedder that knows shared words only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memweave_core import MemoryConfig
from memweave_core.blocking import MemWeave
from memweave_core.records import BlockingRecords
from memweave_core.testing import FakeEmbedder


@pytest.fixture
def config(tmp_path: Path) -> MemoryConfig:
    """The settings of an empty workspace."""
    return MemoryConfig(workspace_dir=str(tmp_path), progress=False)


@pytest.fixture
def memory(config: MemoryConfig) -> Iterator[MemWeave]:
    """An open memory."""
    with MemWeave(config, embedder=FakeEmbedder()) as made:
        yield made


@pytest.fixture
def records(memory: MemWeave) -> BlockingRecords:
    """The records of the folder "store"."""
    return memory.records("store")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the pages of "store" lie."""
    return tmp_path / "memory" / "store"
