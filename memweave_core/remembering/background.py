"""The durable jobs of one memory in this process: their database, their queue and who works on them."""

from __future__ import annotations

import datetime as dt
import os
import threading
from collections.abc import Awaitable, Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from .._errors import (
    ConfigError,
    ModelAuthError,
    ModelInputError,
    ModelMissingError,
    NameRefusedError,
    UsageError,
)
from ..conversation_config import JobsConfig
from ..job_types import Job, JobCounts, JobState, WorkerOptions

if TYPE_CHECKING:
    from ..adapters.sqlite.jobs import SqliteJobQueue
    from ..adapters.sqlite.shown import ShownFacts
    from ..adapters.sqlite.state import StateDatabase
    from ..ports import Clock
    from ..workers import WorkerPool
    from ..working import Worker

Handlers: TypeAlias = Mapping[str, Callable[[Job], Awaitable[None]]]

KEPT_DAYS = 7
"""How long a job that is done can still be seen, and its key keeps it from being stored again."""

_USELESS = (ConfigError, ModelAuthError, ModelInputError, ModelMissingError, NameRefusedError, UsageError)
"""What trying again does not mend; a person does, and revives the job."""

_MISTAKES = (AttributeError, NameError, TypeError)
"""A model that fails with one of these is a function that does not fit."""


class Background:
    """Opens the state database when it is first needed. Methods block unless they say otherwise.

    `handlers` are the kinds of jobs that this process can do: those that need a language model are among
    them when it has one.
    """

    def __init__(
        self, path: Path, handlers: Handlers, settings: JobsConfig, clock: Clock, threads: WorkerPool
    ) -> None:
        self.path = path
        self._threads = threads
        self._handlers = handlers
        self._settings = settings
        self._clock = clock
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._database: StateDatabase | None = None
        self._queue: SqliteJobQueue | None = None
        self._worker: Worker | None = None
        self._purged: dt.date | None = None
        """The day on which this process last deleted jobs that are long done."""

    @property
    def there(self) -> bool:
        """Whether there is a state database, without making one."""
        return self.path.exists()

    def database(self) -> StateDatabase:
        """The state database, made when it is not there."""
        from ..adapters.sqlite.state import StateDatabase

        self._renew_after_fork()
        with self._lock:
            if self._database is None:
                self._database = StateDatabase(self.path)
            return self._database

    def queue(self) -> SqliteJobQueue:
        """The queue of jobs."""
        from ..adapters.sqlite.jobs import SqliteJobQueue

        database = self.database()
        with self._lock:
            if self._queue is None:
                self._queue = SqliteJobQueue(database, max_attempts=self._settings.max_attempts)
            return self._queue

    def shown(self) -> ShownFacts:
        """Which facts were shown in which conversation."""
        from ..adapters.sqlite.shown import ShownFacts

        return ShownFacts(self.database())

    def can(self, kind: str) -> bool:
        """Whether this process has what a kind of jobs needs."""
        return kind in self._handlers

    def counts(self) -> JobCounts:
        """How many jobs are in each state; none when there is no state database."""
        return self.queue().counts(now=self._clock()) if self.there else JobCounts()

    def waiting(self) -> bool:
        """Whether a job of a kind that this process can do is waiting or left behind."""
        return self.there and self.queue().counts(now=self._clock(), kinds=self._handlers).pending > 0

    def jobs(self, states: Collection[JobState] | None, limit: int) -> list[Job]:
        """Jobs in the order of enqueueing."""
        return self.queue().jobs(states=states, limit=limit) if self.there else []

    def revive(self, job_id: int) -> bool:
        """Let a parked job run again; False when it was not parked."""
        return self.there and self.queue().revive(job_id, now=self._clock())

    def remove(self, job_ids: Collection[int]) -> int:
        """Delete jobs; how many were there."""
        return self.queue().remove(job_ids) if self.there else 0

    def purge(self) -> int:
        """Delete the jobs that were done more than a week ago."""
        before = self._clock() - dt.timedelta(days=KEPT_DAYS)
        return self.queue().purge(before=before) if self.there else 0

    # --- working, on the caller's event loop -----------------------------------------------------------

    async def wake(self) -> None:
        """Begin to work in this process, if `jobs.background` lets it."""
        if self._settings.background:
            await (await self._ready_worker()).start()

    async def drain(self, timeout: float) -> bool:  # noqa: ASYNC109 - says how far it came, raises not
        """Work until nothing is due; False when `timeout` seconds were not enough."""
        return not self.there or await (await self._ready_worker()).drain(timeout)

    async def stop(self) -> None:
        """Give back what is under way and close the database."""
        worker, self._worker = self._worker, None
        if self._pid != os.getpid():
            return
        if worker is not None:
            await worker.stop()
        with self._lock:
            database, self._database, self._queue = self._database, None, None
        if database is not None:
            await self._threads.run(database.close)

    async def _ready_worker(self) -> Worker:
        from ..working import Worker

        queue = await self._threads.run(self.queue)
        day = self._clock().date()
        if self._purged != day:
            self._purged = day
            await self._threads.run(self.purge)
        if self._worker is None:
            self._worker = Worker(
                queue,
                self._handlers,
                clock=self._clock,
                options=WorkerOptions(concurrency=self._settings.concurrency, lease=self._settings.lease),
                gives_up=_is_useless,
            )
        return self._worker

    def _renew_after_fork(self) -> None:
        """A lock held during a fork stays locked in the child."""
        if self._pid != os.getpid():
            self._pid, self._lock = os.getpid(), threading.Lock()


def _is_useless(error: BaseException | None) -> bool:
    return isinstance(error, _USELESS) or (error is not None and isinstance(error.__cause__, _MISTAKES))
