"""Runs durable jobs in the caller's process, on the caller's event loop.

The queue is asked on a daemon thread, so the loop is never blocked and nothing keeps Python from exiting. A
job that a dying process leaves behind is taken up by another worker when its lease has run out.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from random import SystemRandom
from typing import TypeAlias, TypeVar

from .job_types import Job, JobQueue, WorkerOptions, backoff
from .ports import Clock
from .text.redaction import describe
from .text.secrets import mask
from .workers import WorkerPool

T = TypeVar("T")
Handler: TypeAlias = Callable[[Job], Awaitable[None]]
_chance = SystemRandom().random
logger = logging.getLogger(__name__)

_FIRST_LOOK = 0.01
_LONGEST_LOOK = 0.25
_LONGEST_WISH = 86_400.0
_STUBBORN = 5.0  # seconds that a handler may take to end when it is cancelled


@dataclass(eq=False, slots=True)
class _Run:
    """The work of one event loop."""

    loop: asyncio.AbstractEventLoop
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    held: dict[asyncio.Task[None], Job] = field(default_factory=dict)
    recording: set[int] = field(default_factory=set)  # jobs whose handlers have ended
    main: asyncio.Task[None] | None = None
    closing: bool = False
    patience: float = 0.0

    def call(self, action: Callable[[], object]) -> None:
        """Do something on the loop, from any thread; nothing when the loop is closed."""
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(action)


class Worker:
    """Takes jobs of the kinds in `handlers` from `queue` and runs them; others are left to other workers.

    A handler that returns has done its job; it may also acknowledge it itself, in one transaction with what
    it stores in the same database. One that raises has it tried again later, not before the `retry_after`
    seconds of the error where it has such, or parked at once where `gives_up` says that trying is useless.
    It is cancelled when the worker stops or another process has taken the job over: then the job is given
    back, and that does not count as an attempt.

    Usable from several event loops, one after another or at once: jobs run on the first that still runs.
    """

    def __init__(
        self,
        queue: JobQueue,
        handlers: Mapping[str, Handler],
        *,
        clock: Clock,
        options: WorkerOptions | None = None,
        gives_up: Callable[[Exception], bool] | None = None,
    ) -> None:
        self.error: str | None = None  # why the queue could not be used last, None once it could
        self._queue = queue
        self._handlers = dict(handlers)
        self._clock = clock
        self._options = options or WorkerOptions()
        self._gives_up = gives_up
        self._begin()

    def _begin(self) -> None:
        self._pid = os.getpid()
        self._pool = WorkerPool("memweave-jobs")
        self._lock = threading.Lock()
        self._run: _Run | None = None
        self._unlisten: Callable[[], None] | None = None

    @property
    def active(self) -> bool:
        """Whether jobs are being worked on, or would be if there were any."""
        run = self._run
        return run is not None and run.loop.is_running() and not run.closing and self._pid == os.getpid()

    async def start(self) -> None:
        """Begin to work on this event loop, unless a running one already does; costs nothing to repeat."""
        if self._pid != os.getpid():  # threads and tasks do not survive a fork
            if self._unlisten is not None:
                self._unlisten()
            self._begin()
        here = asyncio.get_running_loop()
        with self._lock:
            old = self._run
            if old is not None and not old.closing and (old.loop is here or old.loop.is_running()):
                return
            run = self._run = _Run(here)
            if self._unlisten is None:
                self._unlisten = self._queue.listen(self._wake)
            run.main = here.create_task(self._work(run))
        if old is not None:
            await self._give_back(old)

    async def stop(self, *, patience: float = 2.0) -> None:
        """Start no more jobs, wait `patience` seconds for those that run, cancel and give back the rest."""
        if self._pid != os.getpid():
            return
        with self._lock:
            run, self._run = self._run, None
            unlisten, self._unlisten = self._unlisten, None
        if unlisten is not None:
            unlisten()
        if run is None:
            return
        if run.loop is asyncio.get_running_loop():
            await self._end(run, patience)
        elif run.loop.is_running():
            ending = asyncio.run_coroutine_threadsafe(self._end(run, patience), run.loop)
            await asyncio.wait([asyncio.wrap_future(ending)], timeout=patience + 1)
        else:
            await self._give_back(run)

    async def drain(self, timeout: float = 60.0) -> bool:  # noqa: ASYNC109 - says how far it came, raises not
        """Work until no job of these kinds is due or pauses; False when `timeout` seconds were not enough."""
        loop = asyncio.get_running_loop()
        until, look = loop.time() + timeout, _FIRST_LOOK
        while True:
            await self.start()
            counts = await self._ask(lambda: self._queue.counts(now=self._clock(), kinds=self._handlers))
            if counts.pending == 0:
                return True
            if loop.time() >= until:
                return False
            await asyncio.sleep(max(0.0, min(look, until - loop.time())))
            look = min(look * 1.5, _LONGEST_LOOK)

    def _wake(self) -> None:
        run = self._run
        if run is not None and self._pid == os.getpid():
            run.call(run.wake.set)

    async def _ask(self, call: Callable[[], T]) -> T:
        return await self._pool.run(call)

    async def _end(self, run: _Run, patience: float) -> None:
        run.closing, run.patience = True, patience
        run.wake.set()
        if run.main is not None:
            await asyncio.wait([run.main])

    async def _give_back(self, run: _Run) -> None:
        """Release what a loop that no longer runs had taken; should it go on, it finds its jobs gone."""
        run.closing = True
        for task, job in list(run.held.items()):
            run.call(task.cancel)
            await self._ask(partial(self._release, job))
        run.call(run.wake.set)

    # --- the work of one loop --------------------------------------------------------------------------

    async def _work(self, run: _Run) -> None:
        beating = run.loop.create_task(self._beat(run))
        try:
            while not run.closing:
                run.wake.clear()
                if not await self._take(run):
                    with suppress(TimeoutError):  # `wait_for` may lose a cancellation in Python 3.11
                        async with asyncio.timeout(self._options.poll):
                            await run.wake.wait()
            if run.held:
                await asyncio.wait(list(run.held), timeout=run.patience)
        except asyncio.CancelledError:  # a loop that ends, as `asyncio.run` does, cancels this
            run.closing = True
            await self._abort(run)
            raise
        else:
            await self._abort(run)
        finally:
            beating.cancel()

    async def _abort(self, run: _Run) -> None:
        for task in run.held:
            if not task.cancelling():  # a second time would disturb it while it gives its job back
                task.cancel()
        if run.held:
            await asyncio.wait(list(run.held), timeout=_STUBBORN)

    async def _take(self, run: _Run) -> bool:
        """Start what may be started; False when that was nothing."""
        free = self._options.concurrency - len(run.held)
        if free <= 0 or run.closing:
            return False
        claiming = self._pool.submit(
            lambda: self._queue.claim(
                free, lease_seconds=self._options.lease, now=self._clock(), kinds=self._handlers
            )
        )
        try:
            jobs = await asyncio.wrap_future(claiming)
        except asyncio.CancelledError:
            claiming.add_done_callback(self._untake)
            raise
        except Exception as error:  # a queue may fail in any way; it is asked again
            if self.error is None:
                logger.warning("Jobs cannot be taken: %s", _told(error))
            self.error = _told(error)
            return False
        self.error = None
        if run.closing:
            self._untake(claiming)
            return False
        for job in jobs:
            task = run.loop.create_task(self._do(run, job))
            run.held[task] = job
            task.add_done_callback(lambda done: self._ended(run, done))
        return bool(jobs)

    def _untake(self, claiming: Future[list[Job]]) -> None:
        """Give back what was claimed for a run that ended meanwhile."""
        if not claiming.cancelled() and claiming.exception() is None:
            for job in claiming.result():
                self._pool.submit(partial(self._release, job))

    def _ended(self, run: _Run, task: asyncio.Task[None]) -> None:
        job = run.held.pop(task)
        run.recording.discard(job.id)
        run.wake.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("Job %d could not be recorded: %s", job.id, _told(error))

    async def _beat(self, run: _Run) -> None:
        """Renew the leases of what runs, and cancel what another worker has taken over."""
        while True:
            await asyncio.sleep(self._options.lease / 3)
            held = [job for job in run.held.values() if job.id not in run.recording]
            if not held:
                continue
            try:
                kept = await self._ask(partial(self._extend, held))
            except Exception as error:
                logger.warning("Leases of jobs cannot be renewed: %s", error)
                continue
            for task, job in list(run.held.items()):
                if job in held and job.id not in kept and job.id not in run.recording:
                    logger.warning("Job %d (%s) was taken over by another worker.", job.id, job.kind)
                    task.cancel()

    # --- one job ---------------------------------------------------------------------------------------

    async def _do(self, run: _Run, job: Job) -> None:
        try:
            failure = await self._attempt(job)
        except asyncio.CancelledError:
            run.recording.add(job.id)
            giving_back = self._pool.submit(partial(self._release, job))
            await asyncio.wait([asyncio.wrap_future(giving_back)])
            raise
        except BaseException:  # the program is ending, or the loop was closed with the job under way
            self._pool.submit(partial(self._release, job))
            raise
        run.recording.add(job.id)
        recording = self._pool.submit(partial(self._record, job, failure))
        await asyncio.wait([asyncio.wrap_future(recording)])

    async def _attempt(self, job: Job) -> Exception | None:
        """Run the handler; what it raised, None when it has done its job."""
        own = asyncio.current_task()
        try:
            async with asyncio.timeout(self._options.longest) as limit:
                await self._handlers[job.kind](job)
        except asyncio.CancelledError:
            if own is None or own.cancelling():
                raise
            return RuntimeError("The handler was cancelled from within.")
        except Exception as error:
            if limit.expired():
                return TimeoutError(f"It was not done after {self._options.longest:g} s.")
            return error
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # of a library that has such, or a generator's end that got out of it
            if _running_task() is not own:
                raise  # nobody runs this any more: the loop is closed, and what waits in it is ended
            return RuntimeError(f"The handler ended with {type(error).__name__}: {error}")
        return None

    # --- on the thread of the queue; these raise nothing that nobody would hear -------------------------

    def _extend(self, jobs: list[Job]) -> set[int]:
        return self._queue.extend(jobs, lease_seconds=self._options.lease, now=self._clock())

    def _release(self, job: Job) -> None:
        try:
            self._queue.release(job, now=self._clock())
        except Exception as error:
            logger.warning("Job %d could not be given back and waits for its lease: %s", job.id, error)

    def _record(self, job: Job, failure: Exception | None) -> None:
        try:
            if failure is None:
                if not self._queue.done(job, now=self._clock()) and not self._is_done(job):
                    logger.warning("Job %d (%s) was done, but not by this worker alone.", job.id, job.kind)
            else:
                self._failed(job, failure)
        except Exception as error:
            logger.warning("Job %d is run again, for it could not be recorded: %s", job.id, error)

    def _is_done(self, job: Job) -> bool:
        """Whether its handler acknowledged it, in one transaction with what it did."""
        found = self._queue.get(job.id)
        return found is not None and found.state == "done"

    def _failed(self, job: Job, failure: Exception) -> None:
        told, now = _told(failure), self._clock()
        if self._gives_up is not None and self._gives_up(failure):
            parked = self._queue.park(job, told, now=now)
        else:
            options = self._options
            delay = backoff(job.attempts, base=options.pause, longest=options.longest_pause, chance=_chance())
            wished = getattr(failure, "retry_after", None)
            if isinstance(wished, int | float):
                delay = max(delay, min(float(wished), _LONGEST_WISH))
            parked = self._queue.retry(job, told, delay=delay, now=now) == "parked"
        logger.log(
            logging.ERROR if parked else logging.WARNING,
            "Job %d (%s) failed %d times%s: %s",
            job.id,
            job.kind,
            job.attempts,
            " and was parked" if parked else "",
            told,
        )


def _running_task() -> asyncio.Task[object] | None:
    """The task that runs here; None outside of any event loop."""
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


def _told(error: BaseException) -> str:
    return mask(describe(error)).text
