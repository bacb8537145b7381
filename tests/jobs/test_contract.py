"""The queue in SQLite keeps the contract of every job queue."""

from __future__ import annotations

from pathlib import Path

import pytest

from memweave_core.job_types import JobQueue
from memweave_core.testing.jobs import ATTEMPTS, JobQueueContract, opened


class TestSqliteJobQueue(JobQueueContract):
    @pytest.fixture
    def opening(self, tmp_path: Path) -> str:
        return (
            "from pathlib import Path\n"
            "from memweave_core.adapters.sqlite.jobs import SqliteJobQueue\n"
            "from memweave_core.adapters.sqlite.state import StateDatabase\n"
            f"database = StateDatabase(Path({str(tmp_path)!r}) / 'data' / 'state.sqlite')\n"
            "queue = SqliteJobQueue(database, max_attempts=attempts)\n"
        )

    @pytest.fixture
    def queue(self, opening: str) -> JobQueue:
        return opened(opening, attempts=ATTEMPTS)
