"""Durable jobs: the values, and the port of a queue that keeps them.

A job is work that must happen although the process may die before it does. It runs at least once: a worker
that is killed after the effect and before `JobQueue.done` has its job run again, so effects must be
idempotent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol, TypeAlias

from ._errors import ConfigError

JobState: TypeAlias = Literal["waiting", "running", "parked", "done"]
"""`parked` is a dead letter: it has failed too often, or for good, and waits for a person."""

Payload: TypeAlias = Mapping[str, Any]
"""A JSON object: what a handler needs to find its work. Name things by id; keep people's text out of it."""


@dataclass(frozen=True, slots=True)
class Job:
    """One job as it was when it was read.

    `group` is what it keeps its order in. `attempts` is how often it has been started, the present time
    included, less the times it was released. `error` is why it failed last, "" if it has not. `ready_at` is
    when it may run, or when its lease ends. `lease` names the claim it was handed out under; "" in a list.
    """

    id: int
    kind: str
    payload: Payload
    group: str
    key: str | None
    state: JobState
    attempts: int
    error: str
    enqueued_at: datetime
    ready_at: datetime
    lease: str = ""


@dataclass(frozen=True, slots=True)
class JobCounts:
    """How many jobs are in each state; `later` are those of `waiting` enqueued for a time to come."""

    waiting: int = 0
    running: int = 0
    parked: int = 0
    done: int = 0
    later: int = 0

    @property
    def pending(self) -> int:
        """Jobs that are running, could, or will when their pause is over or those before them are done."""
        return self.waiting - self.later + self.running


class JobQueue(Protocol):
    """Keeps jobs over crashes and hands them out. Methods block; call them from a worker thread.

    At most one job of a group runs at a time, in the order of enqueueing. A failed job holds up its group
    until it succeeds or is parked; a parked one does not, and neither does one enqueued for a time to come.
    Every moment comes in as an argument, with a timezone. It may go backwards: then leases and pauses last
    no longer than they were meant to. Errors of the store are `StorageError`; a payload that is no JSON
    object and a moment without a timezone are `ConfigError`.
    """

    def transaction(self) -> AbstractContextManager[object]:
        """Within it all changes of this thread are one transaction; what is raised within undoes them all."""
        ...

    def enqueue(
        self,
        kind: str,
        payload: Payload,
        *,
        group: str,
        now: datetime,
        key: str | None = None,
        run_at: datetime | None = None,
    ) -> int:
        """Store a job and return its id.

        A `key` that was seen before, also of a job that is done and not purged, gives the id of that job and
        changes nothing. `run_at` is the earliest moment to start it.
        """
        ...

    def claim(
        self, limit: int, *, lease_seconds: float, now: datetime, kinds: Collection[str] | None = None
    ) -> list[Job]:
        """Take up to `limit` jobs, the longest enqueued first, each the first of its group.

        They are this worker's for `lease_seconds`; after that others may take them. A first job of another
        kind than `kinds` is left, and with it its group. A job whose lease ran out on its last attempt is
        parked.
        """
        ...

    def extend(self, jobs: Sequence[Job], *, lease_seconds: float, now: datetime) -> set[int]:
        """Lease claimed jobs for `lease_seconds` from now; returns the ids of those that are still yours."""
        ...

    def done(self, job: Job, *, now: datetime) -> bool:
        """Acknowledge a claimed job. False, and nothing changes, when the claim is no longer yours."""
        ...

    def retry(self, job: Job, error: str, *, delay: float, now: datetime) -> JobState | None:
        """A claimed job failed: it waits `delay` seconds, or is parked when that was its last attempt.

        Returns which of the two, None when the claim is no longer yours.
        """
        ...

    def park(self, job: Job, error: str, *, now: datetime) -> bool:
        """A claimed job failed for good. False when the claim is no longer yours."""
        ...

    def release(self, job: Job, *, now: datetime) -> bool:
        """Give back a claimed job as if it had not been started. False when the claim is no longer yours."""
        ...

    def revive(self, job_id: int, *, now: datetime) -> bool:
        """Let a parked job run again, with all attempts, in its old place; False if it was not parked."""
        ...

    def hasten(self, job_id: int, *, now: datetime) -> bool:
        """Make a job due that was enqueued for a time to come; False if it does not wait for one."""
        ...

    def remove(self, job_ids: Collection[int]) -> int:
        """Delete jobs, whatever their state; returns how many were there. A running one ends unrecorded."""
        ...

    def purge(self, *, before: datetime) -> int:
        """Delete jobs that were done before a moment, and their keys; returns how many."""
        ...

    def counts(self, *, now: datetime, kinds: Collection[str] | None = None) -> JobCounts: ...

    def jobs(self, *, states: Collection[JobState] | None = None, limit: int = 100) -> list[Job]:
        """Jobs in the order of enqueueing."""
        ...

    def get(self, job_id: int) -> Job | None: ...

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Have `listener` called, on any thread, after this process stored a job that can run.

        It must be quick. Returns what ends it. Jobs of other processes are found by asking.
        """
        ...


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """How a `Worker` works; times in seconds.

    `concurrency` is how many jobs run at once. `lease` is how long a job of a worker that was killed stays
    untouched; it is renewed while the job runs. `poll` is how often jobs of other processes are looked for.
    `longest` is what one run of a job may take before it counts as failed. `pause` and `longest_pause` bound
    the wait after a failure, see `backoff`.
    """

    concurrency: int = 4
    lease: float = 60.0
    poll: float = 1.0
    longest: float = 600.0
    pause: float = 2.0
    longest_pause: float = 600.0

    def __post_init__(self) -> None:
        for name in ("concurrency", "lease", "poll", "longest", "pause", "longest_pause"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"{name} of a worker must be above 0, not {getattr(self, name)!r}.")


def backoff(attempts: int, *, base: float = 2.0, longest: float = 600.0, chance: float = 1.0) -> float:
    """Seconds to wait after so many failed attempts: `base`, doubled each time, but never above `longest`.

    `chance` in [0, 1] says how much of its second half is waited: jobs that failed together do not come back
    together when it is random. Written out here because the attempts of a job outlive the process, and
    libraries for retries keep count within one call.
    """
    doubled = base * 2.0 ** min(max(attempts, 1) - 1, 60)
    return min(doubled, longest) * (0.5 + 0.5 * chance)
