"""What every job queue must do, as tests. Subclass `JobQueueContract` and give it two fixtures.

class TestMyQueue(JobQueueContract):
    @pytest.fixture
    def opening(self, tmp_path):
        return f"from mine import MyQueue; queue = MyQueue({str(tmp_path)!r}, max_attempts=attempts)"

    @pytest.fixture
    def queue(self, opening):
        return opened(opening, attempts=ATTEMPTS)

`opening` is Python source that opens the queue of this test as `queue`, also in another process; `attempts`,
how often a job may be started, is defined when it runs.
"""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from .._errors import ConfigError
from ..job_types import Job, JobQueue
from .job_crashes import JobCrashContract

ATTEMPTS = 3
NOON = dt.datetime(2026, 3, 21, 12, 0, tzinfo=dt.UTC)


def opened(opening: str, *, attempts: int) -> JobQueue:
    """The queue that the source `opening` opens."""
    names: dict[str, object] = {"attempts": attempts}
    exec(opening, names)  # noqa: S102 - the source of a test
    return names["queue"]  # type: ignore[return-value]  # as `opening` promises


def at(seconds: float) -> dt.datetime:
    """A moment of the story, in seconds after noon."""
    return NOON + dt.timedelta(seconds=seconds)


def add(
    queue: JobQueue, *names: str, group: str = "g", seconds: float = 0, key: str | None = None
) -> list[int]:
    """Enqueue a job of kind "k" for each name."""
    return [queue.enqueue("k", {"name": name}, group=group, now=at(seconds), key=key) for name in names]


def claim(queue: JobQueue, seconds: float = 0, *, limit: int = 10) -> list[Job]:
    """What is claimed at a moment, for 60 seconds."""
    return queue.claim(limit, lease_seconds=60, now=at(seconds))


def names(jobs: Sequence[Job]) -> list[str]:
    """The names of jobs, in order."""
    return [job.payload["name"] for job in jobs]


def work_off(queue: JobQueue, seconds: float = 0) -> list[str]:
    """Do whatever can be done at a moment, and return the names in order."""
    order = []
    while jobs := claim(queue, seconds):
        order += names(jobs)
        assert all(queue.done(job, now=at(seconds)) for job in jobs)
    return order


class _Enqueueing:
    def test_a_job_comes_out_as_it_went_in(self, queue: JobQueue) -> None:
        """A claimed job has its kind, payload, group and key, is on its first attempt and is done once."""
        payload = {"text": "día 日本 \x00 🎉", "n": [1, 2.5, None, {"deep": True}]}
        job_id = queue.enqueue("kind", payload, group="ana/1", now=NOON, key="one")
        [job] = claim(queue)
        assert (job.id, job.kind, job.payload, job.group, job.key) == (
            job_id,
            "kind",
            payload,
            "ana/1",
            "one",
        )
        assert (job.attempts, job.error, job.enqueued_at) == (1, "", NOON)
        assert (queue.done(job, now=NOON), queue.done(job, now=NOON)) == (True, False)
        assert claim(queue) == []

    def test_a_key_makes_one_job(self, queue: JobQueue) -> None:
        """A second enqueue with a key is the same job, also when that is done, until it is purged."""
        [first] = add(queue, "a", key="same")
        assert add(queue, "b", key="same", group="other") == [first]
        assert work_off(queue) == ["a"]
        assert add(queue, "c", key="same", seconds=1) == [first]
        assert work_off(queue, 1) == []
        assert queue.purge(before=at(2)) == 1
        assert add(queue, "d", key="same", seconds=3) != [first]

    def test_threads_with_one_key_make_one_job(self, queue: JobQueue) -> None:
        """Eight threads that enqueue forty keys at once get one id for each key."""
        gate = threading.Barrier(8)

        def enqueue(_: int) -> list[int]:
            gate.wait()
            return [add(queue, f"{turn}", key=f"key {turn}", group=f"{turn % 5}")[0] for turn in range(40)]

        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(enqueue, range(8)))
        assert all(answer == answers[0] for answer in answers)
        assert queue.counts(now=NOON).waiting == len(set(answers[0])) == 40

    def test_a_transaction_is_all_or_nothing(self, queue: JobQueue) -> None:
        """What is raised within a transaction undoes its jobs, those of an inner one too."""
        with pytest.raises(ZeroDivisionError), queue.transaction():
            add(queue, "a")
            with queue.transaction():
                add(queue, "b")
            raise ZeroDivisionError
        assert queue.counts(now=NOON).waiting == 0
        with queue.transaction():
            add(queue, "c", "d")
        assert work_off(queue) == ["c", "d"]

    def test_listeners_hear_of_stored_jobs(self, queue: JobQueue) -> None:
        """A listener is called after the commit, not for what was undone, and not when it has been ended."""
        heard: list[int] = []
        end = queue.listen(lambda: heard.append(queue.counts(now=NOON).waiting))
        with queue.transaction():
            add(queue, "a")
            assert heard == []
        assert heard == [1]
        with pytest.raises(ZeroDivisionError), queue.transaction():
            add(queue, "b")
            raise ZeroDivisionError
        end()
        add(queue, "c")
        assert heard == [1]

    def test_wrong_arguments_are_refused(self, queue: JobQueue) -> None:
        """A payload that is no JSON object and a moment without a timezone are `ConfigError`."""
        for payload in ({"x": object()}, {"x": float("nan")}):
            with pytest.raises(ConfigError, match="JSON"):
                queue.enqueue("k", payload, group="g", now=NOON)
        with pytest.raises(ConfigError, match="timezone"):
            queue.enqueue("k", {}, group="g", now=NOON.replace(tzinfo=None))
        assert queue.counts(now=NOON).waiting == 0


class _Order:
    def test_a_group_runs_one_at_a_time_in_order(self, queue: JobQueue) -> None:
        """Of each group only the oldest is handed out, and the next when that is done."""
        add(queue, "a1", "a2", group="a")
        add(queue, "b1", "b2", group="b")
        first = claim(queue)
        assert (names(first), claim(queue)) == (["a1", "b1"], [])
        queue.done(first[1], now=NOON)
        assert names(claim(queue)) == ["b2"]

    def test_the_limit_takes_the_oldest(self, queue: JobQueue) -> None:
        """With a limit the groups whose first job is oldest come first."""
        for group in "cab":
            add(queue, group, group=group)
        assert [names(claim(queue, limit=1)) for _ in range(4)] == [["c"], ["a"], ["b"], []]

    def test_other_kinds_are_left_in_their_place(self, queue: JobQueue) -> None:
        """A job of a kind that was not asked for is not handed out, nor what comes after it in its group."""
        queue.enqueue("other", {"name": "x"}, group="g", now=NOON)
        add(queue, "after")
        add(queue, "free", group="h")
        assert names(queue.claim(9, lease_seconds=60, now=NOON, kinds=["k"])) == ["free"]
        assert names(queue.claim(9, lease_seconds=60, now=NOON, kinds=["k", "other"])) == ["x"]

    def test_a_job_for_later_holds_up_nobody(self, queue: JobQueue) -> None:
        """A job with a time to come is not due before it, lets others pass, and then takes its place."""
        queue.enqueue("k", {"name": "later"}, group="g", now=NOON, run_at=at(60))
        add(queue, "a", "b")
        assert queue.counts(now=NOON).later == 1
        [job] = claim(queue, 59)
        assert job.payload["name"] == "a"
        assert claim(queue, 60) == []
        queue.done(job, now=at(60))
        assert work_off(queue, 60) == ["later", "b"]

    def test_a_failed_job_holds_up_its_group(self, queue: JobQueue) -> None:
        """Until its pause is over nothing after it runs; then it comes first, with its error and attempts."""
        add(queue, "a", "b")
        [job] = claim(queue)
        assert queue.retry(job, "no answer", delay=30, now=at(1)) == "waiting"
        assert claim(queue, 30) == []
        [again] = claim(queue, 31)
        assert (names([again]), again.error, again.attempts) == (["a"], "no answer", 2)


class _Leases:
    def test_a_lost_lease_is_handed_out_again(self, queue: JobQueue) -> None:
        """When a lease runs out another may take the job, and the first has no more say in it."""
        add(queue, "a")
        [old] = claim(queue)
        assert claim(queue, 59.9) == []
        [new] = claim(queue, 60)
        assert (new.id, new.attempts) == (old.id, 2)
        refused = [
            queue.done(old, now=at(60)),
            queue.release(old, now=at(60)),
            queue.park(old, "x", now=at(60)),
        ]
        assert (refused, queue.retry(old, "x", delay=0, now=at(60))) == ([False] * 3, None)
        assert queue.extend([old, new], lease_seconds=60, now=at(61)) == {new.id}
        assert queue.done(new, now=at(61))

    def test_a_lease_can_be_extended(self, queue: JobQueue) -> None:
        """A job that was extended stays with its worker for the whole new time."""
        add(queue, "a")
        [job] = claim(queue)
        assert queue.extend([job], lease_seconds=60, now=at(50)) == {job.id}
        assert (claim(queue, 109), names(claim(queue, 110))) == ([], ["a"])

    def test_what_was_late_may_still_be_done(self, queue: JobQueue) -> None:
        """A lease that ran out but was given to nobody else still acknowledges."""
        add(queue, "a")
        [job] = claim(queue)
        assert queue.done(job, now=at(500))

    def test_a_released_job_was_never_started(self, queue: JobQueue) -> None:
        """A released job is first in its group again at once, and the start does not count."""
        add(queue, "a", "b")
        for _ in range(ATTEMPTS + 2):
            [job] = claim(queue)
            assert (names([job]), job.attempts) == (["a"], 1)
            assert queue.release(job, now=NOON)

    def test_a_clock_that_goes_back_keeps_nobody_waiting(self, queue: JobQueue) -> None:
        """After the clock went back a day, leases and pauses last no longer than they should have."""
        day = 86_400
        add(queue, "held", group="a", seconds=day)
        add(queue, "paused", group="b", seconds=day)
        held, paused = claim(queue, day)
        queue.retry(paused, "x", delay=30, now=at(day))
        add(queue, "new", group="c", seconds=day)
        assert work_off(queue, 0) == ["new"]
        assert (work_off(queue, 29), work_off(queue, 30)) == ([], ["paused"])
        assert (claim(queue, 59), names(claim(queue, 60))) == ([], ["held"])
        assert not queue.done(held, now=at(60))

    def test_a_time_to_come_is_kept_when_the_clock_goes_back(self, queue: JobQueue) -> None:
        """A job for a given moment still waits for that moment."""
        queue.enqueue("k", {"name": "later"}, group="g", now=at(100), run_at=at(200))
        assert (claim(queue, 0), claim(queue, 199), names(claim(queue, 200))) == ([], [], ["later"])


class _DeadLetters:
    def test_a_poisoned_job_is_parked(self, queue: JobQueue) -> None:
        """After the last attempt it is parked with its error, is seen, and those behind it run."""
        add(queue, "bad", "good")
        for attempt in range(1, ATTEMPTS + 1):
            [job] = claim(queue)
            state = queue.retry(job, f"error {attempt}", delay=0, now=NOON)
        assert state == "parked"
        [seen] = queue.jobs(states=["parked"])
        assert (names([seen]), seen.error, seen.attempts) == (["bad"], f"error {ATTEMPTS}", ATTEMPTS)
        assert (queue.counts(now=NOON).parked, work_off(queue)) == (1, ["good"])

    def test_a_job_that_kills_its_workers_is_parked(self, queue: JobQueue) -> None:
        """A job whose lease runs out on every attempt is parked, and says why."""
        add(queue, "deadly", "good")
        turns = [names(claim(queue, 60 * turn)) for turn in range(ATTEMPTS + 1)]
        assert turns == [["deadly"]] * ATTEMPTS + [["good"]]
        [seen] = queue.jobs(states=["parked"])
        assert seen.error

    def test_a_job_can_be_parked_at_once(self, queue: JobQueue) -> None:
        """What failed for good is not tried again."""
        add(queue, "bad")
        [job] = claim(queue)
        assert queue.park(job, "no key", now=NOON)
        assert (work_off(queue, 1_000), queue.jobs()[0].error) == ([], "no key")

    def test_a_revived_job_has_all_attempts(self, queue: JobQueue) -> None:
        """It runs in its old place as often as a new one, and only a parked one can be revived."""
        [bad, *_] = add(queue, "bad", "good")
        [job] = claim(queue)
        queue.park(job, "x", now=NOON)
        assert [queue.revive(bad, now=at(1)), queue.revive(bad, now=at(1))] == [True, False]
        [again] = claim(queue, 1)
        assert (again.id, again.attempts) == (bad, 1)
        queue.release(again, now=at(1))
        assert work_off(queue, 1) == ["bad", "good"]

    def test_a_job_for_later_can_be_hastened(self, queue: JobQueue) -> None:
        """It is due at once and pending; one that waits for no moment, or is not there, is left as it is."""
        later = queue.enqueue("k", {"name": "later"}, group="g", now=NOON, run_at=at(60))
        assert [queue.hasten(one, now=at(1)) for one in (later, later, 999)] == [True, False, False]
        assert queue.counts(now=at(1)).pending == 1
        assert names(claim(queue, 1)) == ["later"]
        assert not queue.hasten(later, now=at(2))


class _Looking:
    def test_counts_and_lists_agree(self, queue: JobQueue) -> None:
        """Every state is counted, of all kinds or of some, and listed in order of enqueueing."""
        ids = [add(queue, name, group=name)[0] for name in "abcd"]
        jobs = claim(queue, limit=3)
        queue.done(jobs[0], now=NOON)
        queue.park(jobs[1], "x", now=NOON)
        counts = queue.counts(now=NOON)
        assert (counts.done, counts.parked, counts.running, counts.waiting, counts.pending) == (1, 1, 1, 1, 2)
        assert queue.counts(now=NOON, kinds=["other"]).pending == 0
        assert [job.id for job in queue.jobs()] == ids
        assert [job.id for job in queue.jobs(states=["done", "waiting"], limit=2)] == [ids[0], ids[3]]
        found = queue.get(ids[1])
        assert found is not None and (found.state, found.lease) == ("parked", "")

    def test_only_old_done_jobs_are_purged(self, queue: JobQueue) -> None:
        """A purge takes what was done before the moment, and nothing that is parked or open."""
        add(queue, "a", "b", "c", "d")
        for seconds in (0, 10):
            [job] = claim(queue, seconds)
            queue.done(job, now=at(seconds))
        [bad] = claim(queue, 10)
        queue.park(bad, "x", now=NOON)
        assert queue.purge(before=at(10)) == 1
        assert names(queue.jobs()) == ["b", "c", "d"]

    def test_removed_jobs_are_gone(self, queue: JobQueue) -> None:
        """A job can be removed in any state; its worker is then told that it is not its own."""
        ids = add(queue, "a", "b")
        [job] = claim(queue)
        assert queue.remove([*ids, 999]) == 2
        assert (queue.get(ids[0]), queue.done(job, now=NOON), queue.jobs()) == (None, False, [])


class JobQueueContract(_Enqueueing, _Order, _Leases, _DeadLetters, _Looking, JobCrashContract):
    """Runs against an empty queue that parks a job after `ATTEMPTS` attempts."""

    @pytest.fixture
    def opening(self) -> str:
        """Source that opens the queue; override it."""
        raise NotImplementedError("Give the subclass an `opening` fixture.")

    @pytest.fixture
    def queue(self) -> JobQueue:
        """An empty queue; override it."""
        raise NotImplementedError("Give the subclass a `queue` fixture that returns an empty queue.")
