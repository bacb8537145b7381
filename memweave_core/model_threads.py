"""Threads for models, so that they block no event loop and never keep Python from exiting.

Arithmetic in this process has one thread: the matrix library uses the other cores itself. Blocking calls of
other people's objects have a few of their own, because they may hang.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from typing import TypeVar

from .workers import WorkerPool

T = TypeVar("T")
_BLOCKING_THREADS = 4

_lock = threading.Lock()
_arithmetic = WorkerPool("memweave-embed")
_blocking = WorkerPool("memweave-embed-call", _BLOCKING_THREADS)


async def compute(call: Callable[[], T]) -> T:
    """Await `call` on the arithmetic thread, from any event loop. A cancelled call that waits is not run."""
    return await _arithmetic.run(call)


async def call_blocking(call: Callable[[], T]) -> T:
    """Await `call` on one of a few threads, from any event loop.

    A call that runs when its waiting is cancelled, as a time-out does, is left behind with its threads:
    later calls get new ones, so that one that hangs holds up nobody.
    """
    with _lock:
        pool = _blocking
        future = pool.submit(call)
    try:
        return await asyncio.wrap_future(future)
    except asyncio.CancelledError:
        if future.running():
            _leave(pool)
        raise


def _leave(pool: WorkerPool) -> None:
    global _blocking
    with _lock:
        if _blocking is pool:
            _blocking = WorkerPool("memweave-embed-call", _BLOCKING_THREADS)
            pool.close()


def _renew() -> None:
    """In a forked child, where threads do not survive and a lock may have been held."""
    global _lock, _arithmetic, _blocking
    _lock = threading.Lock()
    _arithmetic = WorkerPool("memweave-embed")
    _blocking = WorkerPool("memweave-embed-call", _BLOCKING_THREADS)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
