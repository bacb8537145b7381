"""Threads for blocking work: they never block an event loop and never keep Python from exiting.

`concurrent.futures.ThreadPoolExecutor` joins its threads at exit, so that a long indexing run would hold
up a program that has already finished; these threads are daemons.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeAlias, TypeVar

from ._errors import StorageError

T = TypeVar("T")
_Job: TypeAlias = tuple[Future[Any], Callable[[], Any]]


class WorkerPool:
    """`size` daemon threads, started when first needed, that run submitted calls in order of arrival."""

    def __init__(self, name: str, size: int = 1) -> None:
        self._name = name
        self._size = size
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._closed = False

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """Queue a call. Raises `StorageError` after `close`."""
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise StorageError("The memory was closed while this call was under way.")
            if len(self._threads) < self._size:
                thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                thread.start()
                self._threads.append(thread)
        self._jobs.put((future, call))
        return future

    async def run(self, call: Callable[[], T]) -> T:
        """Await a call's result from any event loop."""
        return await asyncio.wrap_future(self.submit(call))

    def close(self) -> None:
        """Let the threads end after the calls already queued. Does not wait."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            for _ in self._threads:
                self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, call = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(call())
            except BaseException as error:
                future.set_exception(_for_a_loop(error))
            del job, future, call  # an idle thread must not keep the last call's objects alive


async def run_apart(call: Callable[[], T]) -> T:
    """The result of a blocking call that is made seldom, on a thread that ends with it.

    The event loop's own executor would keep its threads as long as the loop lives.
    """
    pool = WorkerPool("memweave-opening")
    try:
        return await pool.run(call)
    finally:
        pool.close()


def _for_a_loop(error: BaseException) -> BaseException:
    """The error as an event loop may be given it.

    SystemExit or KeyboardInterrupt, raised by a callback, would end the loop of whoever awaits; StopIteration
    no future of a loop takes, so that the awaiting would have no end.
    """
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    ended = RuntimeError(f"A call was ended by {type(error).__name__}.")
    ended.__cause__ = error
    return ended
