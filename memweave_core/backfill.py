"""Fills in the vectors that the index lacks, newest text first.

An embedder can be slow, rate limited or down, so nothing ever waits for all of this but `index`. What is
missing is what the index itself says is missing: a crash costs no more than the batch that was under way.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ._errors import EmbeddingError, MemWeaveError
from .adapters.embedders.resilience import ResilientEmbedder
from .ports import Index, Progress
from .workers import WorkerPool

if TYPE_CHECKING:
    from .types import FloatArray

logger = logging.getLogger(__name__)

PATIENCE = 10.0
"""Seconds that a search or a write waits for the vectors of what has just changed."""


@dataclass(slots=True)
class EmbedReport:
    """What one run did; `error` is why it stopped early."""

    computed: int = 0
    error: str | None = None


@dataclass(slots=True)
class _Run(EmbedReport):
    """A run under way; `reached` is the lowest chunk id looked at, so that no run looks twice."""

    reached: int | None = None


class Backfill:
    """The embedding side of one open memory; usable from several event loops."""

    def __init__(self, index: Index, embedder: ResilientEmbedder | None, writer: WorkerPool) -> None:
        self._index = index
        self._embedder = embedder
        self._writer = writer
        self._batch = embedder.limits.max_batch_items if embedder is not None else 0
        self._turn = threading.Lock()
        self._embedding: tuple[Future[None], asyncio.AbstractEventLoop] | None = None
        self._task: asyncio.Task[None] | None = None
        self.error: str | None = None  # why the last batch failed, None once one has succeeded

    async def run(self, *, limit: int | None = None, progress: Progress | None = None) -> EmbedReport:
        """Embed what is missing, at most `limit` texts. Several runs at once take turns, a batch each."""
        report = _Run()
        if self._embedder is None or limit == 0:
            return report
        waiting = await self._writer.run(self._index.waiting)
        total = waiting if limit is None else min(waiting, limit)
        try:
            while report.computed < total and report.error is None:
                if progress is not None:
                    progress("embedding", report.computed, total)
                if not await self._one_batch(
                    self._embedder, min(self._batch, total - report.computed), report
                ):
                    break
        finally:
            if progress is not None and total:
                progress("embedding", total, total)
        if report.computed:
            await self._writer.run(self._index.trim)
        return report

    async def catch_up(self, limit: int) -> None:
        """Embed up to `limit` texts before returning, but wait no longer than `PATIENCE` seconds.

        The rest follows in the background of this event loop. Returns at once while that is under way.
        """
        task = self._task
        if self._embedder is None or (task and not task.done() and task.get_loop().is_running()):
            return
        first = asyncio.get_running_loop().create_future()

        async def fill() -> None:
            try:
                report = await self.run(limit=limit)
                if not first.done():
                    first.set_result(None)
                more = report.error is None
                while more:  # pages may be written while this runs
                    report = await self.run()
                    more = report.error is None and report.computed > 0
            except MemWeaveError as error:
                logger.warning("Filling in vectors stopped: %s", error)
            finally:
                if not first.done():
                    first.set_result(None)

        self._task = asyncio.get_running_loop().create_task(fill())
        await asyncio.wait([first], timeout=PATIENCE)

    async def stop(self) -> None:
        """End what runs in the background, and wait for it where it belongs to this event loop."""
        task, self._task = self._task, None
        if task is None or task.done():
            return
        loop = task.get_loop()
        if loop is asyncio.get_running_loop():
            task.cancel()
            await asyncio.wait([task])
        elif not loop.is_closed():
            loop.call_soon_threadsafe(task.cancel)

    async def _one_batch(self, embedder: ResilientEmbedder, size: int, report: _Run) -> bool:
        """Embed and store one batch; False when nothing is missing. What was paid for is always stored."""
        mine = await self._take_turn()
        found: dict[str, FloatArray | None] = {}
        try:
            batch = await self._writer.run(lambda: self._index.pending(size, before=report.reached))
            if not batch:
                return False
            report.reached = min(item.chunk_id for item in batch)

            def keep(start: int, vectors: list[FloatArray | None]) -> None:
                texts = batch[start : start + len(vectors)]
                found.update({item.embed_hash: vector for item, vector in zip(texts, vectors, strict=True)})

            try:
                await embedder.documents([item.text for item in batch], keep)
            except EmbeddingError as error:
                report.error = str(error)
            except asyncio.CancelledError:
                self._writer.submit(lambda: self._index.store_vectors(found))
                raise
            self.error = report.error
            await self._writer.run(lambda: self._index.store_vectors(found))
            report.computed += len(found)
            return True
        finally:
            with self._turn:
                if self._embedding is not None and self._embedding[0] is mine:
                    self._embedding = None
            mine.set_result(None)

    async def _take_turn(self) -> Future[None]:
        rested = 0
        while True:
            with self._turn:
                running = self._embedding
                # A loop that is closed, or that nobody runs any more, will not end its turn.
                rested = rested + 1 if running is not None and not running[1].is_running() else 0
                if running is None or running[1].is_closed() or rested > 1:
                    mine: Future[None] = Future()
                    self._embedding = (mine, asyncio.get_running_loop())
                    return mine
            await asyncio.wait([asyncio.wrap_future(running[0])], timeout=1)
