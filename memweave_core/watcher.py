"""Indexes changed files as they come: waits for a quiet period after the last change, then runs once."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path

from watchfiles import DefaultFilter, awatch

from ._errors import MemWeaveError
from .config import SyncConfig

logger = logging.getLogger(__name__)

LONGEST_WAIT = 10.0
"""In quiet periods: a stream of changes that never pauses is indexed after this many of them."""


class Watcher:
    """Watches folders while its loop runs. `last_event` is in seconds since the epoch."""

    def __init__(
        self, folders: Sequence[Path], sync: SyncConfig, index: Callable[[], Awaitable[object]]
    ) -> None:
        self._folders = folders
        self._sync = sync
        self._index = index
        self._tasks: list[asyncio.Task[None]] = []
        self._changed = asyncio.Event()
        self._stop = asyncio.Event()
        self.last_event: float | None = None
        self.error: str | None = None

    @property
    def active(self) -> bool:
        """True while every part of it runs."""
        return bool(self._tasks) and all(not task.done() for task in self._tasks)

    async def start(self) -> None:
        """Begin; returns when the folders are being watched."""
        loop = asyncio.get_running_loop()
        for folder in self._folders:
            folder.mkdir(parents=True, exist_ok=True)
        self._tasks = [loop.create_task(self._listen()), loop.create_task(self._work())]
        if self._sync.interval_minutes:
            self._tasks.append(loop.create_task(self._tick()))
        await asyncio.sleep(0)

    async def stop(self) -> None:
        """End and wait for the tasks, when called on the loop they run on."""
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            loop = task.get_loop()
            if loop is asyncio.get_running_loop():
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            elif not loop.is_closed():
                loop.call_soon_threadsafe(task.cancel)

    async def _listen(self) -> None:
        changes = awatch(
            *self._folders,
            watch_filter=DefaultFilter(ignore_dirs=(*DefaultFilter.ignore_dirs, ".memweave")),
            debounce=50,
            step=50,
            stop_event=self._stop,
            force_polling=self._sync.watch_polling or None,
        )
        async for _ in changes:
            self.last_event = time.time()
            self._changed.set()

    async def _work(self) -> None:
        quiet = self._sync.watch_debounce_ms / 1000
        while True:
            await self._changed.wait()
            began = time.monotonic()
            while self._changed.is_set() and time.monotonic() - began < quiet * LONGEST_WAIT:
                self._changed.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._changed.wait(), quiet)
            self._changed.clear()
            await self._run()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(self._sync.interval_minutes * 60)
            await self._run()

    async def _run(self) -> None:
        try:
            await self._index()
            self.error = None
        except MemWeaveError as error:
            # The watcher outlives one failed run; the next change or search tries again.
            self.error = str(error)
            logger.warning("Indexing after a change failed: %s", error)
