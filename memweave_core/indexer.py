"""From a file on disk to chunks and vectors in the index.

Two passes, so that an embedder can never hold up or lose text: `sync_text` brings the words of every changed
file into the index, `embed_pending` then fills in vectors; each works in batches of one short transaction.
What is missing is always what the index itself says is missing, so a crash at any point costs nothing but
the batch that was under way.
"""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from ._errors import EmbeddingError, MemWeaveError, UsageError
from .adapters.embedders.resilience import ResilientEmbedder
from .config import MemoryConfig
from .ports import Index, MarkdownStore, Progress
from .text.chunker import chunk
from .text.frontmatter import split
from .types import Chunk, FileStamp, IndexedChunk, IndexResult, KnownFile, Page, Problem
from .workers import WorkerPool

CUTTING = 2
"""Raised whenever the same page would be cut into other chunks: every page is then cut anew."""

TEXT_BATCH = 200
"""Chunks stored in one transaction: several times quicker than one file at a time, and over in a moment."""

EMBED_BATCH = 256
"""Texts handed to the embedder and stored in one go; what a crash can cost."""


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


@dataclass(slots=True)
class EmbedReport:
    """What one embedding pass did; `error` is why it stopped early."""

    computed: int = 0
    error: str | None = None


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A page that is read and cut, ready to be stored."""

    page: Page
    chunks: list[IndexedChunk]


class Indexer:
    """Keeps an index in step with a Markdown store. Text methods block; run them on the writer thread."""

    def __init__(
        self, config: MemoryConfig, store: MarkdownStore, index: Index, embedder: ResilientEmbedder | None
    ) -> None:
        self._config = config
        self._store = store
        self._index = index
        self._embedder = embedder
        self._profile = _profile(config)
        self._turn = threading.Lock()
        self._embedding: Future[None] | None = None

    # --- text ------------------------------------------------------------------------------------------

    def changes(self) -> Changes:
        """What differs between the disk and the index, from a stat scan alone."""
        stamps, problems = self._store.scan()
        known = self._index.known()
        for path in known.keys() - stamps.keys():
            if known[path].external and (stamp := self._store.stamp(path)) is not None:
                stamps[path] = stamp
        absent = KnownFile(FileStamp(-1, -1, -1), "", False)
        changed = [path for path, stamp in stamps.items() if known.get(path, absent).stamp != stamp]
        gone = [path for path in known if path not in stamps]
        return Changes(changed, gone, stamps, problems)

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
        found = changes or self.changes()
        changed = list(found.stamps) if force or stale else found.changed
        report = TextReport(scanned=len(found.stamps), problems=list(found.problems))
        if found.gone:
            report.deleted = self._index.remove(found.gone)
        known = {} if force or stale else self._index.known()
        prepared: list[_Prepared] = []
        for done, path in enumerate(changed):
            if stop is not None and stop():
                return report
            if progress is not None:
                progress("indexing", done, len(changed))
            prepared.extend(self._prepare(path, known.get(path), report))
            if sum(len(one.chunks) for one in prepared) >= TEXT_BATCH or len(prepared) >= TEXT_BATCH:
                self._store_all(prepared, report)
                prepared = []
        self._store_all(prepared, report)
        if progress is not None and changed:
            progress("indexing", len(changed), len(changed))
        if stale:
            self._index.set_profile(profile)
        if changed or found.gone:
            self._index.trim()
        return report

    def add(self, path: str, *, force: bool = False) -> TextReport:
        """Index one file, wherever it lies, by its key."""
        report = TextReport(scanned=1)
        known = None if force else self._index.known().get(path)
        self._store_all(self._prepared(self._store.read(path), known, report), report)
        return report

    def profile(self) -> str:
        """Everything in the settings that changes how text is cut and classified."""
        return self._profile

    def _prepare(self, path: str, known: KnownFile | None, report: TextReport) -> list[_Prepared]:
        """One bad file is named in the report and costs no other file anything."""
        try:
            page = self._store.read(path)
        except FileNotFoundError:
            return []  # gone between scan and read: the next scan forgets it
        except MemWeaveError as error:
            report.problems.append(Problem(path, str(error)))
            return []
        return self._prepared(page, known, report)

    def _prepared(self, page: Page, known: KnownFile | None, report: TextReport) -> list[_Prepared]:
        report.problems.extend(Problem(page.meta.path, warning) for warning in page.warnings)
        if known is not None and known.content_hash == page.content_hash:
            self._index.touch(page.meta.path, page.stamp)
            return []
        return [_Prepared(page, indexed_chunks(page, self._config))]

    def _store_all(self, prepared: Sequence[_Prepared], report: TextReport) -> None:
        """Many files in one transaction; if one of them is refused, each in its own."""
        try:
            with self._index.batch():
                cached = sum(self._index.put(one.page, one.chunks) for one in prepared)
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

    # --- vectors ---------------------------------------------------------------------------------------

    async def embed_pending(
        self, writer: WorkerPool, *, limit: int | None = None, progress: Progress | None = None
    ) -> EmbedReport:
        """Fill in missing vectors, at most `limit`. One pass at a time; a second caller waits."""
        report = EmbedReport()
        if self._embedder is None or limit == 0:
            return report
        mine = await self._take_turn()
        try:
            await self._embed(self._embedder, writer, report, limit, progress)
        finally:
            with self._turn:
                self._embedding = None
            mine.set_result(None)
        return report

    async def _take_turn(self) -> Future[None]:
        while True:
            with self._turn:
                running = self._embedding
                if running is None:
                    mine: Future[None] = Future()
                    self._embedding = mine
                    return mine
            await asyncio.shield(asyncio.wrap_future(running))

    async def _embed(
        self,
        embedder: ResilientEmbedder,
        writer: WorkerPool,
        report: EmbedReport,
        limit: int | None,
        progress: Progress | None,
    ) -> None:
        total = await writer.run(self._index.waiting)
        total = total if limit is None else min(total, limit)
        while report.computed < total:
            wanted = min(EMBED_BATCH, total - report.computed)
            batch = await writer.run(lambda n=wanted: self._index.pending(n))  # type: ignore[misc]  # mypy: default argument
            if not batch:
                return
            if progress is not None:
                progress("embedding", report.computed, total)
            try:
                vectors = await embedder.documents([item.text for item in batch])
            except EmbeddingError as error:
                report.error = str(error)
                return
            found = {item.embed_hash: vector for item, vector in zip(batch, vectors, strict=True)}
            await writer.run(lambda found=found: self._index.store_vectors(found))  # type: ignore[misc]
            report.computed += len(batch)
        if progress is not None and total:
            progress("embedding", report.computed, total)


def _profile(config: MemoryConfig) -> str:
    settings = (
        CUTTING,
        dataclasses.astuple(config.chunking),
        config.memory_dir,
        config.evergreen_patterns,
        config.extra_paths,
    )
    return hashlib.sha256(repr(settings).encode()).hexdigest()[:16]


def indexed_chunks(page: Page, config: MemoryConfig) -> list[IndexedChunk]:
    """Cut a page and give each chunk its searchable context and the text for the embedder."""
    front = split(page.text)
    size = {"tokens": config.chunking.tokens, "overlap": config.chunking.overlap}
    pieces = chunk(page.text, **size, skip_lines=front.body_start_line - 1)
    if not pieces:  # a page of properties alone is found by its name and by what they say
        pieces = chunk(front.raw, **size, first_line=2)
    meta = page.meta
    name = PurePosixPath(meta.path).with_suffix("").as_posix()
    about = [meta.title, name, meta.date.isoformat() if meta.date else "", *meta.aliases, *meta.tags]
    return [_indexed(piece, meta.title, about) for piece in pieces]


def _indexed(piece: Chunk, title: str, about: Iterable[str]) -> IndexedChunk:
    above = _headings_above(piece, title)
    embed_text = f"{' > '.join(above)}\n{piece.text}" if above else piece.text
    context = " ".join(dict.fromkeys(part for part in (*about, piece.heading) if part))
    digest = hashlib.sha256(embed_text.encode("utf-8", "surrogatepass")).hexdigest()
    return IndexedChunk(chunk=piece, context=context, embed_text=embed_text, embed_hash=digest)


def _headings_above(piece: Chunk, title: str) -> list[str]:
    """Title and headings that do not stand in the piece itself, so that nothing is embedded twice."""
    path = dict.fromkeys(part for part in (title, *piece.heading.split(" > ")) if part)
    return [part for part in path if part not in piece.text]


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
