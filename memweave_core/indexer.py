"""From a file on disk to chunks and vectors in the index.

Only words are taken in here, in batches of one short transaction; vectors follow by `backfill`, so that an
embedder can never hold up or lose text.
"""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ._errors import MemWeaveError, UsageError
from .backfill import EmbedReport
from .config import DERIVED, MemoryConfig
from .externals import FILE_NAME, ExternalPaths
from .ports import Index, MarkdownStore, Progress
from .text.passages import CUTTING, passages
from .types import FileStamp, IndexedChunk, IndexResult, KnownFile, Page, Problem
from .workers import WorkerPool

TEXT_BATCH = 500
"""Chunks stored in one transaction: several times quicker than one file at a time, and over in a moment."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Changed or new paths, paths that are gone, the stamps of all files, and files that were left out."""

    changed: list[str]
    gone: list[str]
    stamps: dict[str, FileStamp]
    problems: list[Problem]

    def __bool__(self) -> bool:
        return bool(self.changed or self.gone)


@dataclass(slots=True)
class TextReport:
    """What one text pass did."""

    scanned: int = 0
    indexed: int = 0
    deleted: int = 0
    chunks: int = 0
    cached: int = 0
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A page that is read and cut, ready to be stored."""

    page: Page
    chunks: list[IndexedChunk]


class Indexer:
    """Keeps an index in step with a Markdown store. Text methods block; run them on the writer thread."""

    def __init__(
        self, config: MemoryConfig, store: MarkdownStore, index: Index, externals: ExternalPaths
    ) -> None:
        self._config = config
        self._store = store
        self._index = index
        self._externals = externals
        self._profile = _profile(config)
        self._unreadable: dict[str, FileStamp] = {}
        self.closing = threading.Event()

    def changes(self) -> Changes:
        """What differs between the disk and the index, from a stat scan alone.

        A file that could not be read counts as changed again only when it has changed again.
        """
        known = self._index.known()  # before the scan: what is indexed meanwhile must not look gone
        stamps, problems = self._store.scan()
        for line in self._externals.all():
            try:
                key = self._store.key_for(self._store.disk_path(line))
            except UsageError as error:
                problems.append(Problem(f"{DERIVED}/{FILE_NAME}", f"A line of it is passed over. {error}"))
                continue
            if key not in stamps:
                stamp = self._store.stamp(key)
                if stamp is None:
                    problems.append(Problem(key, "It was added by name and is not there now."))
                else:
                    stamps[key] = stamp
        absent = KnownFile(FileStamp(-1, -1, -1), "", False)
        changed = [path for path, stamp in stamps.items() if known.get(path, absent).stamp != stamp]
        if self._unreadable:
            changed = [path for path in changed if self._unreadable.get(path) != stamps[path]]
        gone = [path for path in known if path not in stamps]
        return Changes(changed, gone, stamps, problems)

    async def sync(
        self,
        writer: WorkerPool,
        *,
        force: bool = False,
        changes: Changes | None = None,
        patience: float | None = None,
        progress: Progress | None = None,
    ) -> TextReport | None:
        """`sync_text` on the writer thread; a cancelled caller ends it at the next file.

        None when other work has held that thread for `patience` seconds and this has not begun.
        """
        return await self._on(
            writer,
            lambda stop: self.sync_text(force=force, changes=changes, stop=stop, progress=progress),
            patience,
        )

    async def take_in(self, writer: WorkerPool, key: str, patience: float) -> TextReport | None:
        """`add` of one page on the writer thread; None as for `sync`."""
        return await self._on(writer, lambda _: self.add(key), patience)

    async def _on(
        self,
        writer: WorkerPool,
        work: Callable[[Callable[[], bool]], TextReport],
        patience: float | None,
    ) -> TextReport | None:
        cancelled = threading.Event()
        turn = writer.submit(lambda: work(lambda: cancelled.is_set() or self.closing.is_set()))
        waited = asyncio.wrap_future(turn)
        try:
            if patience is not None:
                done, _ = await asyncio.wait([waited], timeout=patience)
                if not done and turn.cancel():
                    return None
            return await waited
        except asyncio.CancelledError:
            cancelled.set()
            raise

    def sync_text(
        self,
        *,
        force: bool = False,
        changes: Changes | None = None,
        stop: Callable[[], bool] | None = None,
        progress: Progress | None = None,
    ) -> TextReport:
        """Bring every changed file into the index and forget those that are gone.

        `changes` are those of a scan a moment ago, if there was one. `stop` is asked between files.
        """
        profile = self.profile()
        stale = self._index.profile() != profile
        found = self.changes() if changes is None else changes
        changed = list(found.stamps) if force or stale else found.changed
        report = TextReport(scanned=len(found.stamps), problems=list(found.problems))
        if found.gone:
            report.deleted = self._index.remove(self._still_gone(found.gone))
        known = {} if force or stale else self._index.known()
        prepared: list[_Prepared] = []
        waiting = 0  # chunks of `prepared`
        for done, path in enumerate(changed):
            if stop is not None and stop():
                return report
            if progress is not None:
                progress("indexing", done, len(changed))
            ready = self._prepare(path, known.get(path), found.stamps[path], report)
            prepared += ready
            waiting += sum(len(one.chunks) for one in ready)
            if max(waiting, len(prepared)) >= TEXT_BATCH:
                self._store_all(prepared, report)
                prepared, waiting = [], 0
        self._store_all(prepared, report)
        if progress is not None and changed:
            progress("indexing", len(changed), len(changed))
        if stale:
            self._index.set_profile(profile)
        if changed or found.gone:
            self._index.trim()
        return report

    def _still_gone(self, paths: Sequence[str]) -> list[str]:
        """Those of the missing pages that have not come back since they were missed."""
        if all(self._store.stamp(path) is None for path in paths):
            return list(paths)
        there = self._store.scan()[0].keys() | set(self._externals.all())  # an ignored page is there, too
        return [path for path in paths if path not in there or self._store.stamp(path) is None]

    def add(self, path: str, *, force: bool = False) -> TextReport:
        """Index one file, wherever it lies, by its key; one from outside stays until removed by name."""
        report = TextReport(scanned=1)
        known = None if force else self._index.known().get(path)
        page = self._store.read(path)
        if page.meta.external:
            self._externals.add(path)
        self._store_all(self._prepared(page, known, report), report)
        return report

    def profile(self) -> str:
        """Everything in the settings that changes how text is cut and classified."""
        return self._profile

    def _prepare(
        self, path: str, known: KnownFile | None, stamp: FileStamp, report: TextReport
    ) -> list[_Prepared]:
        """One bad file is named in the report and costs no other file anything."""
        try:
            page = self._store.read(path)
        except FileNotFoundError:
            return []  # gone between scan and read: the next scan forgets it
        except MemWeaveError as error:
            report.problems.append(Problem(path, str(error)))
            if isinstance(error.__cause__, OSError):
                return []  # the system refused, perhaps for a moment: asked again at the next look
            self._unreadable[path] = stamp
            if path in self._index.known():
                self._index.remove([path])  # what it said before is not what it says now
            return []
        self._unreadable.pop(path, None)
        return self._prepared(page, known, report)

    def _prepared(self, page: Page, known: KnownFile | None, report: TextReport) -> list[_Prepared]:
        report.problems.extend(Problem(page.meta.path, warning) for warning in page.warnings)
        if known is not None and known.content_hash == page.content_hash:
            self._index.touch(page.meta.path, page.stamp)
            return []
        size = self._config.chunking
        return [_Prepared(page, passages(page, tokens=size.tokens, overlap=size.overlap))]

    def _store_all(self, prepared: Sequence[_Prepared], report: TextReport) -> None:
        """Many files in one transaction; if one of them is refused, each in its own."""
        if not prepared:
            return
        try:
            cached = self._index.put_all([(one.page, one.chunks) for one in prepared])
        except UsageError as error:  # of one page; a StorageError is of the whole index
            if len(prepared) == 1:
                report.problems.append(Problem(prepared[0].page.meta.path, str(error)))
                return
            for one in prepared:
                self._store_all([one], report)
            return
        report.cached += cached
        report.indexed += len(prepared)
        report.chunks += sum(len(one.chunks) for one in prepared)


def _profile(config: MemoryConfig) -> str:
    settings = (
        CUTTING,
        dataclasses.astuple(config.chunking),
        config.memory_dir,
        config.evergreen_patterns,
        config.extra_paths,
    )
    return hashlib.sha256(repr(settings).encode()).hexdigest()[:16]


def result_of(text: TextReport, vectors: EmbedReport, pending: int, duration_ms: float) -> IndexResult:
    """The public report of one run."""
    problems = list(text.problems)
    if vectors.error is not None:
        problems.append(Problem("", f"{pending} chunks have no vector yet: {vectors.error}"))
    return IndexResult(
        files_scanned=text.scanned,
        files_indexed=text.indexed,
        files_skipped=text.scanned - text.indexed,
        files_deleted=text.deleted,
        chunks_created=text.chunks,
        embeddings_cached=text.cached,
        embeddings_computed=vectors.computed,
        embeddings_pending=pending,
        duration_ms=round(duration_ms, 1),
        problems=tuple(problems),
    )
