"""Puts the parts of one memory together: place, index, store, embedder and threads."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from ._errors import StorageError
from .adapters.embedders.resilience import ResilientEmbedder
from .adapters.embedders.resolve import resolve
from .adapters.markdown.store import MarkdownFiles
from .adapters.rerankers.checked import CheckedReranker
from .adapters.rerankers.resolve import resolve as resolve_reranker
from .adapters.sqlite.database import IndexDamagedError
from .adapters.sqlite.index import SqliteIndex
from .backfill import Backfill
from .config import DERIVED, MemoryConfig
from .externals import ExternalPaths
from .indexer import Changes, Indexer, TextReport
from .location import Location, locate
from .ports import Progress
from .workers import WorkerPool

T = TypeVar("T")
logger = logging.getLogger(__name__)

KEYWORDS_ONLY = "none"
"""Identity of the vector space of a memory that has no embedder."""


@dataclass(slots=True)
class Runtime:
    """The open parts of one memory in one process."""

    location: Location
    store: MarkdownFiles
    index: SqliteIndex
    embedder: ResilientEmbedder | None
    reranker: CheckedReranker | None
    externals: ExternalPaths
    indexer: Indexer
    backfill: Backfill
    writer: WorkerPool
    readers: WorkerPool
    pid: int = field(default_factory=os.getpid)
    healed: int = 0
    _told: int = 0
    _noted: set[str] = field(default_factory=set)

    async def read(self, call: Callable[[], T]) -> T:
        """Run a call on a reader thread; if it meets a damaged index, mend that and run it again."""
        return await self._mending(self.readers, call)

    async def write(self, call: Callable[[], T]) -> T:
        """`read` on the writer thread."""
        return await self._mending(self.writer, call)

    async def _mending(self, pool: WorkerPool, call: Callable[[], T]) -> T:
        seen = self.healed
        try:
            return await pool.run(call)
        except IndexDamagedError:
            await self.heal(seen)
            return await pool.run(call)

    async def heal(self, seen: int) -> None:
        """Begin a damaged index anew from the Markdown.

        `seen` is what `healed` was before the damage was met: many who meet it at once begin anew once.
        """

        def renew() -> None:
            if self.healed == seen:
                self.healed += 1
                self.index.reset()

        await self.writer.run(renew)
        await self.indexer.sync(self.writer)

    async def sync(
        self,
        *,
        force: bool = False,
        changes: Changes | None = None,
        patience: float | None = None,
        progress: Progress | None = None,
    ) -> TextReport | None:
        """`Indexer.sync`, which begins a damaged index anew."""
        seen = self.healed
        try:
            return await self.indexer.sync(
                self.writer, force=force, changes=changes, patience=patience, progress=progress
            )
        except IndexDamagedError:
            await self.heal(seen)
            return await self.indexer.sync(self.writer, patience=patience, progress=progress)

    def news(self) -> tuple[str, ...]:
        """What the index noted since the last call, for the next reader of warnings."""
        notes = tuple(self.index.notes)
        fresh, self._told = notes[self._told :], len(notes)
        return fresh

    def cut_short(self) -> tuple[str, ...]:
        """What the embedder noted since the last call of texts that were shortened or refused."""
        notes = self.embedder.notes if self.embedder is not None else ()
        fresh = tuple(note for note in notes if note not in self._noted)
        self._noted.update(fresh)
        return fresh

    def close(self) -> None:
        """Ask running work to stop and close the index after it. Blocks until it is closed."""
        self.indexer.closing.set()
        closed = self.writer.submit(self.index.close)
        self.writer.close()
        try:
            closed.result(timeout=30)
        finally:
            self.readers.close()
            if self.location.temporary is not None:
                shutil.rmtree(self.location.temporary, ignore_errors=True)


def assemble(
    config: MemoryConfig,
    embedder: object | str | None,
    reranker: object | str | None = None,
    *,
    read_only: bool,
    seed: SqliteIndex | None = None,
) -> Runtime:
    """Open everything. Blocks on disk, never on a network. Raises `StorageError`, `ConfigError`.

    A new index begins as a copy of `seed`, or of one that can only be read: nothing is embedded twice.
    """
    location = locate(config, read_only=read_only)
    fresh = not location.db_path.exists()
    resilient = resolve(config.embedding, embedder)
    checked = resolve_reranker(config.query.reranker, reranker)
    store = MarkdownFiles(config)
    index = SqliteIndex(
        location.db_path,
        engine=config.vector.engine,
        cache_entries=config.cache.max_entries if config.cache.enabled else 0,
    )
    if fresh:
        _begin_as_copy(index, seed, location)
    index.use_space(resilient.identity if resilient is not None else KEYWORDS_ONLY)
    externals = ExternalPaths(config.workspace / DERIVED)
    writer = WorkerPool("memweave-writer")
    return Runtime(
        location=location,
        store=store,
        index=index,
        embedder=resilient,
        reranker=checked,
        externals=externals,
        indexer=Indexer(config, store, index, externals),
        backfill=Backfill(index, resilient, writer),
        writer=writer,
        readers=WorkerPool("memweave-reader", size=4),
    )


def _begin_as_copy(index: SqliteIndex, seed: SqliteIndex | None, location: Location) -> None:
    try:
        if seed is not None:
            index.copy_of(seed)
        elif location.seed is not None:
            index.copy_from(location.seed)
    except StorageError as error:  # a copy only saves work
        logger.info("The new index begins empty: %s", error)
