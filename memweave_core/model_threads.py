"""Threads for models, so that they block no event loop and never keep Python from exiting.

Arithmetic in this process has one thread: the matrix library uses the other cores itself. Blocking calls of
other people's objects have a few of their own, because they may hang; those of language models again others:
a reply takes seconds, and an embedding that somebody waits for must not stand behind it.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from typing import TypeVar

from .workers import WorkerPool

T = TypeVar("T")
_THREADS = 4


class BlockingCalls:
    """A few threads for calls that may hang: a call that is given up takes its threads with it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.renew()

    def renew(self) -> None:
        """Begin with new threads; in a forked child the old ones are gone and a lock may have been held."""
        self._lock = threading.Lock()
        self._pool = WorkerPool(self._name, _THREADS)

    async def run(self, call: Callable[[], T]) -> T:
        """Await `call` on one of the threads, from any event loop.

        A call that runs when its waiting is cancelled, as a time-out does, is left behind with its threads:
        later calls get new ones, so that one that hangs holds up nobody.
        """
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
                self._pool = WorkerPool(self._name, _THREADS)
                pool.close()


_arithmetic = WorkerPool("memweave-embed")
_blocking = BlockingCalls("memweave-embed-call")
_replies = BlockingCalls("memweave-chat")


async def compute(call: Callable[[], T]) -> T:
    """Await `call` on the arithmetic thread, from any event loop. A cancelled call that waits is not run."""
    return await _arithmetic.run(call)


async def call_blocking(call: Callable[[], T]) -> T:
    """Await a call of an embedder or reranker; see `BlockingCalls.run`."""
    return await _blocking.run(call)


async def await_reply(call: Callable[[], T]) -> T:
    """Await a call of a language model; see `BlockingCalls.run`."""
    return await _replies.run(call)


def _renew() -> None:
    global _arithmetic
    _arithmetic = WorkerPool("memweave-embed")
    _blocking.renew()
    _replies.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
