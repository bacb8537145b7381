"""Puts the parts of one memory together: place, index, store, embedder and threads."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field

from .adapters.embedders.resilience import ResilientEmbedder
from .adapters.embedders.resolve import resolve
from .adapters.markdown.store import MarkdownFiles
from .adapters.sqlite.index import SqliteIndex
from .config import MemoryConfig
from .indexer import Indexer
from .location import Location, locate
from .workers import WorkerPool

KEYWORDS_ONLY = "none"
"""Identity of the vector space of a memory that has no embedder."""


@dataclass(slots=True)
class Runtime:
    """The open parts of one memory in one process. `closing` asks long work on the writer thread to end."""

    location: Location
    store: MarkdownFiles
    index: SqliteIndex
    embedder: ResilientEmbedder | None
    indexer: Indexer
    writer: WorkerPool
    readers: WorkerPool
    pid: int = field(default_factory=os.getpid)
    closing: threading.Event = field(default_factory=threading.Event)
    healed: int = 0
    _told: int = 0

    def news(self) -> tuple[str, ...]:
        """What the index noted since the last call, for the next reader of warnings."""
        notes = tuple(self.index.notes)
        fresh, self._told = notes[self._told :], len(notes)
        return fresh

    def heal(self, seen: int) -> None:
        """Begin the index anew after damage met in use; run it on the writer thread.

        `seen` is what `healed` was before the damage, so that many who meet it at once begin anew once.
        """
        if self.healed == seen:
            self.healed += 1
            self.index.reset()

    def close(self) -> None:
        """Ask running work to stop and close the index after it. Blocks until it is closed."""
        self.closing.set()
        closed = self.writer.submit(self.index.close)
        self.writer.close()
        try:
            closed.result(timeout=30)
        finally:
            self.readers.close()


def assemble(config: MemoryConfig, embedder: object | str | None, *, read_only: bool) -> Runtime:
    """Open everything. Blocks on disk, never on a network. Raises `StorageError`, `ConfigError`."""
    location = locate(config, read_only=read_only)
    fresh = not location.db_path.exists()
    resilient = resolve(config.embedding, embedder)
    store = MarkdownFiles(config)
    index = SqliteIndex(
        location.db_path,
        engine=config.vector.engine,
        cache_entries=config.cache.max_entries if config.cache.enabled else 0,
    )
    if fresh and location.seed is not None:
        index.copy_from(location.seed)
    index.use_space(resilient.identity if resilient is not None else KEYWORDS_ONLY)
    return Runtime(
        location=location,
        store=store,
        index=index,
        embedder=resilient,
        indexer=Indexer(config, store, index, resilient),
        writer=WorkerPool("memweave-writer"),
        readers=WorkerPool("memweave-reader", size=4),
    )
