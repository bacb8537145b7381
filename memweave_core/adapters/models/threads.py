"""Threads for models that block while they answer, apart from those of embedders.

A reply takes seconds; an embedding that somebody waits for must not stand behind it.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from typing import TypeVar

from ...workers import WorkerPool

T = TypeVar("T")
_THREADS = 4


class _Threads:
    """A pool that is replaced when a call in it has been given up, and in a forked child."""

    def __init__(self) -> None:
        self._renew()

    def _renew(self) -> None:
        self._lock = threading.Lock()
        self._pool = WorkerPool("memweave-chat", _THREADS)
        if hasattr(os, "register_at_fork") and not hasattr(self, "_told"):
            self._told = True
            os.register_at_fork(after_in_child=self._renew)

    async def run(self, call: Callable[[], T]) -> T:
        with self._lock:
            pool = self._pool
            future = pool.submit(call)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if future.running():
                self._leave(pool)
            raise

    def _leave(self, pool: WorkerPool) -> None:
        with self._lock:
            if self._pool is pool:
                self._pool = WorkerPool("memweave-chat", _THREADS)
                pool.close()


_threads = _Threads()


async def call_blocking(call: Callable[[], T]) -> T:
    """Await `call` on one of a few threads. One that hangs when its waiting is cancelled holds up nobody."""
    return await _threads.run(call)
