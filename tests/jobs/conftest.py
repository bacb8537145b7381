"""A queue in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memweave_core.adapters.sqlite.jobs import SqliteJobQueue
from memweave_core.adapters.sqlite.state import StateDatabase


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "state.sqlite"


@pytest.fixture
def database(path: Path) -> Iterator[StateDatabase]:
    database = StateDatabase(path)
    yield database
    database.close()


@pytest.fixture
def queue(database: StateDatabase) -> SqliteJobQueue:
    return SqliteJobQueue(database, max_attempts=3)
