"""A worker does the jobs of a queue on the caller's event loop."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memweave_core import ConfigError
from memweave_core.adapters.sqlite.jobs import SqliteJobQueue
from memweave_core.adapters.sqlite.state import StateDatabase
from memweave_core.job_types import Job, WorkerOptions, backoff
from memweave_core.working import Handler, Worker

QUICK = WorkerOptions(poll=0.02, pause=0.01, longest_pause=0.02)
Make = Callable[..., Worker]


def now() -> datetime:
    return datetime.now(UTC)


def add(queue: SqliteJobQueue, *names: str, group: str = "g") -> list[int]:
    """Enqueue a job of kind "k" for each name."""
    return [queue.enqueue("k", {"name": name}, group=group, now=now()) for name in names]


async def until(is_so: Callable[[], bool]) -> None:
    """Wait for something to become so."""
    async with asyncio.timeout(5):
        while not is_so():
            await asyncio.sleep(0.005)


class Diary:
    """A handler that writes down what it does, and lingers until it may end."""

    def __init__(self, *, lingers: bool = False) -> None:
        self.began: list[str] = []
        self.ended: list[str] = []
        self.cancelled: list[str] = []
        self.lingers = lingers

    async def __call__(self, job: Job) -> None:
        name = job.payload["name"]
        self.began.append(name)
        try:
            while self.lingers:
                await asyncio.sleep(0.005)
        except asyncio.CancelledError:
            self.cancelled.append(name)
            raise
        self.ended.append(name)


@pytest.fixture
async def make(queue: SqliteJobQueue) -> AsyncIterator[Make]:
    """Make a worker of jobs of kind "k" that is stopped at the end."""
    made: list[Worker] = []

    def build(handler: Handler, options: WorkerOptions = QUICK, **more: object) -> Worker:
        made.append(Worker(queue, {"k": handler}, clock=now, options=options, **more))  # type: ignore[arg-type]  # keywords of Worker
        return made[-1]

    yield build
    for worker in made:
        await worker.stop(patience=0)


async def test_groups_run_at_once_and_keep_their_order(queue: SqliteJobQueue, make: Make) -> None:
    """Jobs of different groups overlap, up to the limit, and those of one group follow each other."""
    diary = Diary(lingers=True)
    for group in "abcdef":
        add(queue, f"{group}1", f"{group}2", group=group)
    worker = make(diary)
    await worker.start()
    await until(lambda: len(diary.began) == 4)
    await asyncio.sleep(0.05)
    assert sorted(diary.began) == ["a1", "b1", "c1", "d1"]
    diary.lingers = False
    assert await worker.drain(5)
    assert all(diary.ended.index(f"{group}1") < diary.ended.index(f"{group}2") for group in "abcdef")


async def test_a_job_of_this_process_starts_at_once(queue: SqliteJobQueue, make: Make) -> None:
    """An idle worker is woken by a job stored in its process, without waiting for its next look."""
    diary = Diary()
    worker = make(diary, WorkerOptions(poll=1_000))
    assert await worker.drain(5)
    await asyncio.to_thread(add, queue, "a")
    await until(lambda: diary.ended == ["a"])


async def test_jobs_of_other_processes_are_found(queue: SqliteJobQueue, make: Make, path: Path) -> None:
    """A job stored through another connection is found at the next look."""
    diary = Diary()
    await make(diary).start()
    other = StateDatabase(path)
    add(SqliteJobQueue(other), "a")
    other.close()
    await until(lambda: diary.ended == ["a"])


async def test_failures_are_tried_again_then_parked(queue: SqliteJobQueue, make: Make) -> None:
    """A job that fails is tried as often as the queue says; its error is stored without secrets."""
    tried: list[int] = []

    async def fail(job: Job) -> None:
        tried.append(job.attempts)
        raise ValueError("refused: token ghp_" + "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2")

    [job_id] = add(queue, "a")
    assert await make(fail).drain(5)
    job = queue.get(job_id)
    assert (tried, job and job.state) == ([1, 2, 3], "parked")
    assert job is not None and job.error.startswith("ValueError: refused") and "Ab1Cd2" not in job.error


async def test_an_error_may_say_that_trying_is_useless(queue: SqliteJobQueue, make: Make) -> None:
    """What `gives_up` recognises is parked at the first attempt."""

    async def fail(job: Job) -> None:
        raise PermissionError("no key")

    add(queue, "a")
    worker = make(fail, gives_up=lambda error: isinstance(error, PermissionError))
    assert await worker.drain(5)
    assert [(job.state, job.attempts) for job in queue.jobs()] == [("parked", 1)]


async def test_an_error_may_say_how_long_to_wait(queue: SqliteJobQueue, make: Make) -> None:
    """A job whose error has `retry_after` is not tried before that many seconds."""

    async def fail(job: Job) -> None:
        error = RuntimeError("too many")
        error.retry_after = 500  # type: ignore[attr-defined]  # as the errors of models have it
        raise error

    [job_id] = add(queue, "a")
    await make(fail).start()
    await until(lambda: (job := queue.get(job_id)) is not None and job.error != "")
    job = queue.get(job_id)
    assert job is not None and 490 < (job.ready_at - now()).total_seconds() <= 500


async def test_a_job_that_hangs_counts_as_failed(queue: SqliteJobQueue, make: Make) -> None:
    """A handler that takes longer than it may is cancelled, and that is an attempt."""
    diary = Diary(lingers=True)
    add(queue, "a")
    worker = make(diary, WorkerOptions(poll=0.02, pause=0.01, longest=0.03))
    assert await worker.drain(5)
    [job] = queue.jobs(states=["parked"])
    assert (job.attempts, "0.03 s" in job.error, len(diary.cancelled)) == (3, True, 3)


async def test_a_handler_that_cancels_itself_has_failed(queue: SqliteJobQueue, make: Make) -> None:
    """A cancellation that comes from within a handler is an attempt like another."""

    async def fail(job: Job) -> None:
        raise asyncio.CancelledError

    add(queue, "a")
    assert await make(fail).drain(5)
    assert [job.state for job in queue.jobs()] == ["parked"]


async def test_stopping_gives_back_what_runs(queue: SqliteJobQueue, make: Make) -> None:
    """A stopped worker cancels its job and gives it back uncounted; a later start takes it up again."""
    diary = Diary(lingers=True)
    [job_id] = add(queue, "a", "b")[:1]
    worker = make(diary)
    await worker.start()
    await until(lambda: diary.began == ["a"])
    await worker.stop(patience=0)
    job = queue.get(job_id)
    assert (diary.cancelled, worker.active) == (["a"], False)
    assert job is not None and (job.state, job.attempts) == ("waiting", 0)
    diary.lingers = False
    assert await worker.drain(5)
    assert diary.ended == ["a", "b"]


async def test_stopping_waits_for_what_is_nearly_done(queue: SqliteJobQueue, make: Make) -> None:
    """Within its patience a stop lets the running job finish, and starts no other."""
    diary = Diary(lingers=True)
    add(queue, "a", "b")
    worker = make(diary)
    await worker.start()
    await until(lambda: diary.began == ["a"])
    stopping = asyncio.create_task(worker.stop(patience=5))
    await asyncio.sleep(0.02)
    diary.lingers = False
    await stopping
    assert (diary.ended, [job.state for job in queue.jobs()]) == (["a"], ["done", "waiting"])


async def test_leases_are_renewed(queue: SqliteJobQueue, make: Make) -> None:
    """A job that takes several leases is not taken by another worker, and is done once."""
    diary = Diary(lingers=True)
    add(queue, "a")
    options = WorkerOptions(lease=0.2, poll=0.02)
    first, second = make(diary, options), make(diary, options)
    await first.start()
    await second.start()
    await asyncio.sleep(0.6)
    diary.lingers = False
    assert await first.drain(5)
    assert (diary.began, diary.ended, queue.jobs()[0].attempts) == (["a"], ["a"], 1)


async def test_a_job_that_was_taken_over_is_cancelled(queue: SqliteJobQueue, make: Make) -> None:
    """A worker that finds its job is another's, or was removed, ends its handler."""
    diary = Diary(lingers=True)
    [job_id] = add(queue, "a")
    await make(diary, WorkerOptions(lease=0.1, poll=0.02)).start()
    await until(lambda: diary.began == ["a"])
    queue.remove([job_id])
    await until(lambda: diary.cancelled == ["a"])
    assert queue.jobs() == []


async def test_a_handler_may_acknowledge_its_job(
    queue: SqliteJobQueue, make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    """What a handler stores and its acknowledgement can be one transaction; the worker has no objection."""

    async def move_on(job: Job) -> None:
        with queue.transaction():
            add(queue, "b", group="next") if job.payload["name"] == "a" else None
            queue.done(job, now=now())

    add(queue, "a")
    assert await make(move_on).drain(5)
    assert ([job.state for job in queue.jobs()], caplog.text) == (["done", "done"], "")


async def test_a_failing_queue_is_asked_again(
    queue: SqliteJobQueue, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the queue cannot be used the worker says why, and goes on when it can."""
    diary = Diary()
    claim, broken = queue.claim, [True]

    def claim_or_fail(*args: int, **more: object) -> list[Job]:
        if broken:
            raise OSError("no disk")
        return claim(*args, **more)  # type: ignore[arg-type]  # passed on

    monkeypatch.setattr(queue, "claim", claim_or_fail)
    add(queue, "a")
    worker = make(diary)
    await worker.start()
    await until(lambda: worker.error is not None)
    assert "no disk" in str(worker.error)
    broken.clear()
    await until(lambda: diary.ended == ["a"])
    assert worker.error is None


async def test_a_drain_that_runs_out_of_time_says_so(queue: SqliteJobQueue, make: Make) -> None:
    """It returns False and leaves the worker at work; jobs for later do not hold it up."""
    diary = Diary(lingers=True)
    queue.enqueue("k", {"name": "later"}, group="l", now=now(), run_at=datetime(2100, 1, 1, tzinfo=UTC))
    add(queue, "a")
    worker = make(diary)
    assert not await worker.drain(0.05)
    assert worker.active
    diary.lingers = False
    assert await worker.drain(5)


def test_one_loop_after_another(queue: SqliteJobQueue) -> None:
    """What a loop that ended was doing is given back, and the worker goes on in the next loop."""
    diary = Diary(lingers=True)
    worker = Worker(queue, {"k": diary}, clock=now, options=QUICK)
    [job_id] = add(queue, "a")

    async def begin() -> None:
        await worker.start()
        await until(lambda: diary.began == ["a"])

    async def finish() -> None:
        diary.lingers = False
        assert await worker.drain(5)
        await worker.stop()

    asyncio.run(begin())
    job = queue.get(job_id)
    assert job is not None and (job.state, job.attempts) == ("waiting", 0)
    asyncio.run(finish())
    assert diary.ended == ["a"]


async def test_a_worker_of_another_thread_is_stopped(queue: SqliteJobQueue) -> None:
    """A stop from another event loop ends the work on the loop where it runs, and gives back its job."""
    diary = Diary(lingers=True)
    worker = Worker(queue, {"k": diary}, clock=now, options=QUICK)
    add(queue, "a")
    elsewhere = asyncio.new_event_loop()
    thread = threading.Thread(target=elsewhere.run_forever)
    thread.start()
    asyncio.run_coroutine_threadsafe(worker.start(), elsewhere).result(5)
    await until(lambda: diary.began == ["a"])
    await worker.start()
    await worker.stop(patience=0)
    assert (diary.cancelled, [job.state for job in queue.jobs()]) == (["a"], ["waiting"])
    elsewhere.call_soon_threadsafe(elsewhere.stop)
    await asyncio.to_thread(thread.join)
    elsewhere.close()


def test_a_loop_that_rests_is_left(queue: SqliteJobQueue) -> None:
    """A job that was begun on a loop which nobody runs any more is done by the next loop at once."""
    diary = Diary(lingers=True)
    worker = Worker(queue, {"k": diary}, clock=now, options=QUICK)
    add(queue, "a")
    rests = asyncio.new_event_loop()
    rests.run_until_complete(worker.start())
    rests.run_until_complete(until(lambda: diary.began == ["a"]))

    async def finish() -> None:
        await worker.start()
        diary.lingers = False
        assert await worker.drain(5)
        await worker.stop()

    asyncio.run(finish())
    rests.run_until_complete(asyncio.sleep(0.05))
    rests.close()
    assert (diary.began, diary.ended, diary.cancelled) == (["a", "a"], ["a"], ["a"])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_works_for_itself(queue: SqliteJobQueue) -> None:
    """A worker that was used before a fork does new jobs in the child and in the parent."""
    diary = Diary()
    worker = Worker(queue, {"k": diary}, clock=now, options=QUICK)

    async def work() -> None:
        add(queue, "a")
        assert await worker.drain(5)
        await worker.stop()

    asyncio.run(work())
    child = multiprocessing.get_context("fork").Process(target=lambda: asyncio.run(work()))
    child.start()
    child.join(30)
    asyncio.run(work())
    assert (child.exitcode, diary.ended, queue.counts(now=now()).done) == (0, ["a", "a"], 3)


def test_a_program_ends_with_its_work_under_way(path: Path) -> None:
    """Python exits at once though a worker runs a job, and the job is still there."""
    script = f"""
import asyncio, datetime, sys
from pathlib import Path
from memweave_core.adapters.sqlite.jobs import SqliteJobQueue
from memweave_core.adapters.sqlite.state import StateDatabase
from memweave_core.working import Worker
queue = SqliteJobQueue(StateDatabase(Path({str(path)!r})))
clock = lambda: datetime.datetime.now(datetime.UTC)
begun = asyncio.Event()
async def hang(job):
    begun.set()
    await asyncio.sleep(1_000)
async def main():
    queue.enqueue("k", {{}}, group="g", now=clock())
    await Worker(queue, {{"k": hang}}, clock=clock).start()
    await begun.wait()
asyncio.run(main())
"""
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")
    assert time.monotonic() - began < 20
    database = StateDatabase(path)
    assert [job.state for job in SqliteJobQueue(database).jobs()] == ["waiting"]
    database.close()


@pytest.mark.parametrize(
    ("attempts", "chance", "seconds"),
    [
        (1, 1, 2),
        (1, 0, 1),
        (2, 1, 4),
        (5, 0.5, 24),
        (9, 1, 512),
        (10, 1, 600),
        (10, 0, 300),
        (10_000, 1, 600),
    ],
)
def test_pauses_grow_to_a_bound(attempts: int, chance: float, seconds: float) -> None:
    """The pause doubles with each attempt up to ten minutes, and chance takes at most half of it away."""
    assert backoff(attempts, chance=chance) == seconds


@pytest.mark.parametrize("name", ["concurrency", "lease", "poll", "longest", "pause", "longest_pause"])
def test_options_must_be_positive(name: str) -> None:
    """An option of zero or less is refused by its name."""
    with pytest.raises(ConfigError, match=name):
        WorkerOptions(**{name: 0})


class OwnEnd(BaseException):
    """An exception as some libraries have them."""


@pytest.mark.parametrize("error", [GeneratorExit(), OwnEnd("no more")])
async def test_what_is_no_exception_fails_a_job_too(
    queue: SqliteJobQueue, make: Make, error: BaseException
) -> None:
    """A handler that raises what is no `Exception` has failed: its job is tried again, and parked at last."""
    calls: list[str] = []

    async def handler(job: Job) -> None:
        calls.append(job.payload["name"])
        raise error

    add(queue, "bad")
    await make(handler).start()
    await until(lambda: queue.jobs()[0].state == "parked")
    assert len(calls) == queue.jobs()[0].attempts > 1
    assert type(error).__name__ in queue.jobs()[0].error
