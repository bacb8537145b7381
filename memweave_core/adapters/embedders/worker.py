"""One thread for the arithmetic of in-process models, so that it blocks no event loop.

One is enough: the matrix library uses the other cores itself. The thread is a daemon, so that it never
keeps Python from exiting, and it is started anew in a forked child, where threads do not survive.
"""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")
_Job: TypeAlias = tuple[Future[Any], Callable[[], Any]]


class _Worker:
    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def submit(self, call: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="memweave-embed", daemon=True)
                self._thread.start()
        self._jobs.put((future, call))
        return future

    def _run(self) -> None:
        while True:
            future, call = self._jobs.get()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = call()
            except BaseException as error:  # handed to whoever awaits the result
                future.set_exception(error)
            else:
                future.set_result(result)
            del future, call


_worker = _Worker()


def _renew() -> None:
    global _worker
    _worker = _Worker()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


async def compute(call: Callable[[], T]) -> T:
    """Await `call` on the embedding thread, from any event loop. A cancelled call that waits is not run."""
    return await asyncio.wrap_future(_worker.submit(call))
