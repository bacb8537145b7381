"""What every job queue must survive: several processes at once, and workers that are killed."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ..job_types import JobQueue

Start = Callable[..., "subprocess.Popen[str]"]

KILLS = 20
JOBS = 300
GROUPS = 12

_TAKER = """
print("ready", flush=True); sys.stdin.readline()
taken = []
while jobs := queue.claim(3, lease_seconds=600, now=now()):
    taken += [job.id for job in jobs]
    for job in jobs:
        queue.done(job, now=now())
print(*taken)
"""

_ENQUEUER = """
print("ready", flush=True)
for number in range(100_000):
    queue.enqueue("k", {"n": number}, group=str(number % 7), now=now(), key=f"{sys.argv[1]}-{number}")
    print(number, flush=True)
"""

_WORKER = """
import asyncio
from memweave_core.job_types import WorkerOptions
from memweave_core.working import Worker

async def effect(job):
    log = Path(sys.argv[1], job.group)
    await asyncio.sleep(0.002)
    line = f"{job.payload['n']}\\n"
    with log.open("a+") as file:
        file.seek(0)
        if line not in file.readlines():
            file.write(line)
    await asyncio.sleep(0.002)

async def main():
    options = WorkerOptions(lease=0.4, poll=0.05)
    worker = Worker(queue, {"k": effect}, clock=now, options=options)
    print("ready", flush=True)
    sys.exit(0 if await worker.drain(30) else 1)

asyncio.run(main())
"""


def now() -> datetime:
    """The real moment: several processes share no other clock."""
    return datetime.now(UTC)


def ready(process: subprocess.Popen[str]) -> None:
    """Wait until a started script has opened its queue."""
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"


class JobCrashContract:
    """The part of `JobQueueContract` that needs other processes."""

    @pytest.fixture
    def start(self, opening: str) -> Iterator[Start]:
        """Start a script with the queue open in another process."""
        running: list[subprocess.Popen[str]] = []
        head = (
            "import sys\nfrom datetime import UTC, datetime\nfrom pathlib import Path\nattempts = 1_000\n"
            f"{opening}\ndef now(): return datetime.now(UTC)\n"
        )

        def run(script: str, *arguments: str) -> subprocess.Popen[str]:
            process = subprocess.Popen(  # noqa: S603 - a script of this file
                [sys.executable, "-c", head + script, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            running.append(process)
            return process

        yield run
        for process in running:
            process.kill()
            process.communicate()

    def test_processes_take_different_jobs(self, queue: JobQueue, start: Start) -> None:
        """Two processes that claim as fast as they can take every job once between them."""
        ids = [queue.enqueue("k", {}, group=str(number), now=now()) for number in range(60)]
        takers = [start(_TAKER), start(_TAKER)]
        for taker in takers:
            ready(taker)
        answers = [taker.communicate("\n", timeout=30)[0] for taker in takers]
        assert sorted(int(word) for answer in answers for word in answer.split()) == ids

    def test_what_was_enqueued_survives_a_kill(self, queue: JobQueue, start: Start) -> None:
        """Every job that a killed process was told is stored is there, once and in order."""
        for turn in range(3):
            enqueuer = start(_ENQUEUER, str(turn))
            ready(enqueuer)
            time.sleep(0.03 * (turn + 1))
            enqueuer.kill()
            told = [int(line) for line in enqueuer.communicate()[0].split()]
            stored = [
                job.payload["n"]
                for job in queue.jobs(limit=100_000)
                if job.key == f"{turn}-{job.payload['n']}"
            ]
            assert stored == list(range(len(stored)))
            assert len(told) <= len(stored) <= len(told) + 1

    def test_killed_workers_lose_and_double_nothing(
        self, queue: JobQueue, start: Start, tmp_path: Path
    ) -> None:
        """Workers are killed twenty times; then every job is done, its effect once, in order in its group."""
        with queue.transaction():
            for number in range(JOBS):
                queue.enqueue("k", {"n": number}, group=f"{number % GROUPS}", now=now(), key=f"{number}")
        logs = tmp_path / "effects"
        logs.mkdir()
        chance = random.Random(20260321)  # noqa: S311 - moments of a test
        for _ in range(KILLS // 2):
            pair = [start(_WORKER, str(logs)) for _ in range(2)]
            for worker in pair:
                ready(worker)
                time.sleep(chance.uniform(0, 0.08))
            for worker in pair:
                worker.kill()
                worker.wait()
        assert start(_WORKER, str(logs)).wait(40) == 0
        assert queue.counts(now=now()).done == JOBS
        assert any(job.attempts > 1 for job in queue.jobs(limit=JOBS)), "no kill came in the middle of a job"
        for group in range(GROUPS):
            done = [int(line) for line in (logs / str(group)).read_text().split()]
            assert done == list(range(group, JOBS, GROUPS))
