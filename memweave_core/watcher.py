"""Indexes changed files as they come: waits for a quiet period after the last change, then runs once."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from pathlib import Path

from watchfiles import Change, awatch

from ._errors import UsageError
from .adapters.markdown.layout import is_skipped
from .config import SyncConfig
from .text.names import is_markdown

logger = logging.getLogger(__name__)

LONGEST_WAIT = 10.0
"""In quiet periods: a stream of changes that never pauses is indexed after this many of them."""
LOOK_EVERY = 1.0
"""Seconds between two looks at whether the watched folders are still the same ones."""
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
"""Seconds before something that failed is tried again: the first pause, doubled each time up to the last."""
_DATABASE_ENDS = ("-wal", "-shm", "-journal")


class Watcher:
    """Watches folders while its loop runs. `last_event` is in seconds since the epoch.

    With `create` folders that are missing at the start are made. Without it, and after one was deleted, a
    missing folder is watched from the moment it is there.
    """

    def __init__(
        self,
        folders: Sequence[Path],
        sync: SyncConfig,
        index: Callable[[], Awaitable[object]],
        *,
        create: bool = True,
    ) -> None:
        self._folders = folders
        self._sync = sync
        self._index = index
        self._create = create
        self._tasks: list[asyncio.Task[None]] = []
        self._changed = asyncio.Event()
        self._errors: dict[str, str] = {}
        self.last_event: float | None = None

    @property
    def active(self) -> bool:
        """True while every part of it runs."""
        return bool(self._tasks) and all(not task.done() for task in self._tasks)

    @property
    def error(self) -> str | None:
        """What failed last and has not succeeded since; it is tried again by itself."""
        return " ".join(self._errors.values()) or None

    async def start(self) -> None:
        """Begin; returns when the folders that exist are being watched."""
        loop = asyncio.get_running_loop()
        if self._create:
            self._make_folders()
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

    def _make_folders(self) -> None:
        for folder in self._folders:
            if folder.exists() or is_markdown(folder.name):
                continue  # one of `extra_paths` may be a single page
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                logger.warning("%s cannot be made; it is watched once it is there: %s", folder, error)

    async def _listen(self) -> None:
        """Watch for ever, from anew when a folder was deleted, replaced or made."""
        pause = FIRST_PAUSE
        known: dict[Path, tuple[int, int]] | None = None
        while True:
            places = _places(self._folders)
            if known is not None and places:
                self._noticed()  # something may have changed while nothing was watched
            known = places
            try:
                await self._watch(places)
            except Exception as error:  # the system refused: too many watches, a folder just deleted
                self._failed("Watching", error)
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
            else:
                self._errors.pop("Watching", None)
                pause = FIRST_PAUSE

    async def _watch(self, places: dict[Path, tuple[int, int]]) -> None:
        """Note changes until the folders that exist are others than `places`."""
        while not places:
            await asyncio.sleep(LOOK_EVERY)
            if _places(self._folders):
                return
        relevant = Relevance(list(places))
        changes = awatch(
            *places,
            watch_filter=relevant,
            debounce=50,
            step=50,
            rust_timeout=int(LOOK_EVERY * 1000),
            yield_on_timeout=True,
            force_polling=self._sync.watch_polling or None,
        )
        async with aclosing(changes):
            async for found in changes:
                self._errors.pop("Watching", None)
                if found:
                    self._noticed()
                if relevant.root_gone or _places(self._folders) != places:
                    return

    def _noticed(self) -> None:
        self.last_event = time.time()
        self._changed.set()

    async def _work(self) -> None:
        quiet = self._sync.watch_debounce_ms / 1000
        pause = FIRST_PAUSE
        while True:
            await self._changed.wait()
            began = time.monotonic()
            while self._changed.is_set() and time.monotonic() - began < quiet * LONGEST_WAIT:
                self._changed.clear()
                await self._change_within(quiet)
            self._changed.clear()
            if await self._run():
                pause = FIRST_PAUSE
                continue
            await self._change_within(pause)
            self._changed.set()
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _change_within(self, seconds: float) -> None:
        """Wait for a change, or for so long; `wait_for` of Python 3.11 may lose a cancellation meanwhile."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(self._sync.interval_minutes * 60)
            await self._run()

    async def _run(self) -> bool:
        """Index once; False when it failed in a way that may pass. The watcher outlives every failure."""
        try:
            await self._index()
        except Exception as error:
            self._failed("Indexing", error)
            return isinstance(error, UsageError)
        self._errors.pop("Indexing", None)
        return True

    def _failed(self, what: str, error: Exception) -> None:
        self._errors[what] = f"{what} failed: {error or type(error).__name__}"
        logger.warning("%s", self._errors[what])


class Relevance:
    """A filter of file events: True for what may have changed a page below one of `roots`.

    Only the part of a path below its root counts, so that a memory may itself lie in a hidden folder.
    Folders count when they come or go. `root_gone` tells that a root itself was deleted.
    """

    def __init__(self, roots: Sequence[Path]) -> None:
        # Some systems report the real path of what is watched under a link.
        self._roots = {form for root in roots for form in (root, root.resolve())}
        self.root_gone = False

    def __call__(self, change: Change, path: str) -> bool:
        where = Path(path)
        if where in self._roots:
            self.root_gone = self.root_gone or change is Change.deleted
            return change is not Change.modified or not where.is_dir()
        inside = [where.relative_to(root) for root in self._roots if where.is_relative_to(root)]
        if not any(not any(is_skipped(part) for part in below.parts) for below in inside):
            return False
        if is_markdown(where.name):
            return True
        if change is Change.deleted:  # what it was cannot be seen any more
            return not where.name.endswith(_DATABASE_ENDS)
        return change is Change.added and where.is_dir()


def _places(folders: Sequence[Path]) -> dict[Path, tuple[int, int]]:
    """Which of the folders exist, each with its device and inode."""
    found = {}
    for folder in folders:
        try:
            status = folder.stat()
        except OSError:
            continue
        found[folder] = (status.st_dev, status.st_ino)
    return found
