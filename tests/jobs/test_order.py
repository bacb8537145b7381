"""Whatever happens to the jobs of a group, they run one at a time and in order."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core.adapters.sqlite.jobs import SqliteJobQueue
from memweave_core.adapters.sqlite.state import StateDatabase
from memweave_core.job_types import Job

NOON = datetime(2026, 3, 21, 12, 0, tzinfo=UTC)
STEPS = st.sampled_from(["add a", "add b", "claim", "done", "retry", "park", "release", "revive", "extend"])


def step(queue: SqliteJobQueue, what: str, held: list[Job], now: datetime) -> list[Job]:
    """Do one thing, to the longest held job where it takes one; returns what was claimed."""
    if what.startswith("add"):
        queue.enqueue("k", {}, group=what[-1], now=now)
    elif what == "claim":
        return queue.claim(2, lease_seconds=10, now=now)
    elif what == "revive":
        for job in queue.jobs(states=["parked"]):
            queue.revive(job.id, now=now)
    elif what == "extend":
        queue.extend(held, lease_seconds=10, now=now)
    elif held:
        job = held.pop(0)
        if what == "retry":
            queue.retry(job, "x", delay=3, now=now)
        elif what == "park":
            queue.park(job, "x", now=now)
        elif what == "release":
            queue.release(job, now=now)
        else:
            queue.done(job, now=now)
    return []


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(STEPS, st.integers(-15, 15)), max_size=40))
def test_a_group_has_one_running_job_and_it_is_the_oldest(steps: list[tuple[str, int]]) -> None:
    """After any steps and jumps of the clock only the oldest open job of a group is claimed, and alone."""
    with tempfile.TemporaryDirectory() as folder:
        database = StateDatabase(Path(folder) / "state.sqlite")
        queue, now, held = SqliteJobQueue(database, max_attempts=2), NOON, list[Job]()
        for what, seconds in steps:
            now += timedelta(seconds=seconds)
            claimed = step(queue, what, held, now)
            held += claimed
            still_open = queue.jobs(states=["waiting", "running"], limit=1_000)
            for job in claimed:
                assert job.id == min(other.id for other in still_open if other.group == job.group)
            running = [job.group for job in still_open if job.state == "running"]
            assert len(running) == len(set(running))
        while claimed := queue.claim(9, lease_seconds=10, now=(now := now + timedelta(seconds=20))):
            assert all(queue.done(job, now=now) for job in claimed)
        assert queue.counts(now=now).pending == 0
        database.close()
