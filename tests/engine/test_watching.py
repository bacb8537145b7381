"""The watcher waits for quiet, then indexes once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memweave_core import MemoryConfig, MemWeave
from memweave_core.testing import FakeEmbedder

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
    from memweave_core.watcher import Watcher

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
