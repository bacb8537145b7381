"""The watcher waits for quiet, then indexes once."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from watchfiles import awatch

from memweave_core import MemoryConfig, MemWeave
from memweave_core._errors import StorageError
from memweave_core.testing import FakeEmbedder
from memweave_core.watcher import Watcher

from .conftest import WriteNote


async def until(condition: Callable[[], bool], seconds: float = 15) -> None:
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "it did not happen in time"
        await asyncio.sleep(0.02)


def settings(folder: Path, **sync: object) -> MemoryConfig:
    return MemoryConfig.from_dict({"workspace_dir": str(folder), "sync": {"on_search": False, **sync}})


@pytest.mark.parametrize("polling", [False, True])
async def test_a_change_is_indexed_without_being_asked(
    tmp_path: Path, note: WriteNote, polling: bool
) -> None:
    """A file that changes is searchable after the quiet period, by events and by polling."""
    config = settings(tmp_path, watch=True, watch_debounce_ms=100, watch_polling=polling)
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        assert (await memory.status()).watcher_active
        await asyncio.sleep(0.5)
        note("memory/a.md", "The lantern is green.")
        deadline = time.monotonic() + 15
        while not await memory.search("lantern", strategy="keyword"):
            assert time.monotonic() < deadline
            await asyncio.sleep(0.05)
        assert (await memory.status()).watcher_last_event is not None
    assert not (await memory.status()).watcher_active
    await memory.close()


async def test_a_burst_of_writes_is_one_run(tmp_path: Path, note: WriteNote) -> None:
    """Writes that follow each other faster than the quiet period are indexed once, after the last."""
    runs: list[float] = []

    async def index() -> None:
        runs.append(time.monotonic())

    watcher = Watcher([tmp_path / "memory"], settings(tmp_path, watch_debounce_ms=600).sync, index)
    await watcher.start()
    await asyncio.sleep(0.5)
    for number in range(12):
        note("memory/a.md", f"Version {number}.")
        await asyncio.sleep(0.1)
    last = time.monotonic()
    await until(lambda: bool(runs))
    await asyncio.sleep(0.8)
    await watcher.stop()
    assert len(runs) == 1
    assert runs[0] - last > 0.3


async def test_the_timer_indexes_without_events(tmp_path: Path, note: WriteNote) -> None:
    """`sync.interval_minutes` re-indexes on a timer while the memory is open."""
    config = settings(tmp_path, interval_minutes=0.002)
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        note("memory/a.md", "The lantern is green.")
        deadline = time.monotonic() + 15
        while not await memory.search("lantern", strategy="keyword"):
            assert time.monotonic() < deadline
            await asyncio.sleep(0.05)


class Counted:
    """An index function that counts its runs, and fails while it has failures left."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.runs = 0

    async def __call__(self) -> None:
        self.runs += 1
        if self.failures:
            raise self.failures.pop(0)


@asynccontextmanager
async def watching(folder: Path, index: Counted, *, create: bool = True) -> AsyncIterator[Watcher]:
    """A watcher of one folder, given time to see what was written before it began."""
    watcher = Watcher([folder], settings(folder, watch_debounce_ms=50).sync, index, create=create)
    await watcher.start()
    await asyncio.sleep(0.3)
    try:
        yield watcher
    finally:
        await watcher.stop()


async def test_a_memory_may_lie_below_hidden_folders(tmp_path: Path) -> None:
    """Only the path below the watched folder decides what is hidden."""
    folder = tmp_path / ".memweave" / ".venv" / "site-packages" / "memory"
    index = Counted()
    async with watching(folder, index):
        (folder / "a.md").write_text("one")
        await until(lambda: index.runs == 1)


async def test_what_is_no_memory_starts_nothing(tmp_path: Path) -> None:
    """Hidden folders, packages, the index itself and files that are not Markdown are passed over."""
    folder = tmp_path / "memory"
    for name in (".memweave", "node_modules", ".git"):
        (folder / name).mkdir(parents=True)
    index = Counted()
    async with watching(folder, index):
        for name in (".memweave/a.md", "node_modules/a.md", ".git/a.md", ".a.md", "a.png", "index.db-wal"):
            (folder / name).write_text("one")
        (folder / "index.db-wal").unlink()
        await asyncio.sleep(1)
        assert index.runs == 0


async def test_folders_that_come_and_go_count(tmp_path: Path) -> None:
    """A folder that is renamed, moved in or moved away is a change, whatever its name."""
    folder, elsewhere = tmp_path / "memory", tmp_path / "notes.v1"
    (folder / "old").mkdir(parents=True)
    (folder / "old" / "a.md").write_text("one")
    index = Counted()
    async with watching(folder, index):
        (folder / "old").rename(folder / "notes.v1")
        await until(lambda: index.runs == 1)
        (folder / "notes.v1").rename(elsewhere)
        await until(lambda: index.runs == 2)
        elsewhere.rename(folder / "back")
        await until(lambda: index.runs == 3)


async def test_a_folder_made_anew_is_watched_again(tmp_path: Path, note: WriteNote) -> None:
    """After the memory folder was deleted and made anew, its pages are indexed within seconds."""
    note("memory/a.md", "The lantern is green.")
    config = settings(tmp_path, watch=True, watch_debounce_ms=50)
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        await memory.index()
        for word in ("kettle", "anchor"):
            shutil.rmtree(tmp_path / "memory")
            note("memory/b.md", f"The {word} is red.")
            deadline = time.monotonic() + 10
            while [hit.path for hit in await memory.search(word, strategy="keyword")] != ["memory/b.md"]:
                assert time.monotonic() < deadline
                await asyncio.sleep(0.05)
        assert (await memory.status()).watcher_active


async def test_a_folder_deleted_for_a_while_is_watched_again(tmp_path: Path) -> None:
    """The watcher waits for a folder that is gone and does not make it."""
    folder = tmp_path / "memory"
    index = Counted()
    async with watching(folder, index) as watcher:
        folder.rmdir()
        await asyncio.sleep(2.5)
        assert not folder.exists()
        folder.mkdir()
        await until(lambda: index.runs > 0)
        await asyncio.sleep(0.5)
        before = index.runs
        (folder / "a.md").write_text("one")
        await until(lambda: index.runs > before)
        assert (watcher.active, watcher.error) == (True, None)


async def test_nothing_is_created_for_a_reader(tmp_path: Path) -> None:
    """Without creation a missing folder stays missing, and is watched as soon as it is there."""
    folder = tmp_path / "memory"
    index = Counted()
    async with watching(folder, index, create=False):
        await asyncio.sleep(0.5)
        assert not folder.exists()
        folder.mkdir()
        (folder / "a.md").write_text("one")
        await until(lambda: index.runs > 0)


@pytest.mark.parametrize("error", [StorageError("locked"), OSError("disk"), RuntimeError("odd")])
async def test_a_failed_run_is_told_and_tried_again(tmp_path: Path, error: Exception) -> None:
    """Whatever a run raises is kept in `error`, and the next run follows by itself."""
    index = Counted(error)
    async with watching(tmp_path, index) as watcher:
        (tmp_path / "a.md").write_text("one")
        await until(lambda: watcher.error is not None)
        assert str(error) in (watcher.error or "")
        await until(lambda: index.runs == 2)
        await asyncio.sleep(0.1)
        assert (watcher.active, watcher.error) == (True, None)


async def test_a_watch_that_the_system_refuses_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When watching fails, the reason is kept and watching begins anew after a pause."""
    refusals = [OSError("too many watches")]

    def refusing(*paths: Path, **options: Any) -> Any:
        if refusals:
            raise refusals.pop()
        return awatch(*paths, **options)

    monkeypatch.setattr("memweave_core.watcher.awatch", refusing)
    index = Counted()
    async with watching(tmp_path, index) as watcher:
        assert "too many watches" in (watcher.error or "")
        (tmp_path / "a.md").write_text("one")
        await until(lambda: index.runs > 0)
        await until(lambda: watcher.error is None)
        assert watcher.active


async def test_a_single_page_is_watched(tmp_path: Path) -> None:
    """A page named by itself is watched, also after it was replaced, and no folder is made in its place."""
    page, draft = tmp_path / "one.md", tmp_path / "draft.md"
    index = Counted()
    async with watching(page, index) as watcher:
        assert not page.exists()
        page.write_text("one")
        await until(lambda: index.runs > 0)
        for text in ("two", "three"):
            before = index.runs
            draft.write_text(text)
            draft.replace(page)
            await until(lambda before=before: index.runs > before)  # type: ignore[misc]  # bound by value
        assert watcher.error is None


@pytest.mark.parametrize("steps", range(6))
async def test_a_change_in_the_moment_of_stopping_keeps_nobody_waiting(tmp_path: Path, steps: int) -> None:
    """Stopping ends the watcher also when a change is noticed at that very moment."""

    async def index() -> None:
        await asyncio.sleep(0)

    watcher = Watcher([tmp_path], settings(tmp_path, watch_debounce_ms=60_000).sync, index, create=False)
    await watcher.start()
    watcher._tasks.pop(0).cancel()  # what listens would take its time to end first
    watcher._noticed()
    await asyncio.sleep(0.05)  # now it waits for quiet
    watcher._noticed()
    for _ in range(steps):
        await asyncio.sleep(0)
    stopping = asyncio.create_task(watcher.stop())
    done, _ = await asyncio.wait([stopping], timeout=10)
    stopping.cancel()
    assert done
