"""Questions about the store itself: its files, its state, its health. Everything here blocks."""

from __future__ import annotations

import os
from pathlib import Path

from ._errors import MemWeaveError, NameRefusedError, NotFoundError, StorageError
from .assembly import Runtime
from .config import MemoryConfig
from .status_types import Finding, StoreStatus
from .text.successors import Replaceable, successors
from .types import EmbedderHealth, FileInfo, IndexedFile, SearchMode


def files(runtime: Runtime, source: str | None) -> list[FileInfo]:
    """Every indexed file in path order, or those with one source label."""
    every = runtime.index.files()
    return [_info(file) for file in every if source is None or file.meta.source == source]


def _info(file: IndexedFile) -> FileInfo:
    meta = file.meta
    return FileInfo(
        path=meta.path,
        size=file.stamp.size,
        hash=file.content_hash,
        mtime=file.stamp.mtime_ns / 1e9,
        chunks=file.chunks,
        is_evergreen=meta.evergreen,
        source=meta.source,
        tier=meta.tier,
        date=meta.date,
        title=meta.title,
        owner=meta.owner,
    )


def pending(runtime: Runtime) -> int:
    """Chunks that wait for a vector; none ever do without an embedder."""
    return runtime.index.waiting() if runtime.embedder is not None else 0


def find_key(runtime: Runtime, path: str | os.PathLike[str]) -> str:
    """The key of a page as a person names it: from the memory, the workspace, or the current folder.

    Raises `NameRefusedError`, and `NotFoundError` for a path out of the workspace where no page is.
    """
    try:
        key = runtime.store.key_for(path)
        outside = False
        if runtime.store.stamp(key) is not None or key in runtime.index.known():
            return key
    except NameRefusedError:
        if not isinstance(path, str | os.PathLike) or ".." not in Path(path).parts:
            raise
        key, outside = "", True
    here = runtime.store.key_for(os.path.abspath(path)) if outside or os.path.isfile(path) else key  # noqa: PTH100, PTH113 - they never raise
    if outside and here not in runtime.externals.all() and runtime.store.stamp(here) is None:
        raise NotFoundError(f"There is no page {os.fspath(path)}.")
    return here


def remove(runtime: Runtime, config: MemoryConfig, path: str | os.PathLike[str]) -> bool:
    """Delete a page of the workspace, or forget an external file. True when something went."""
    key = find_key(runtime, path)
    deleted = False
    if key in runtime.externals.all():
        runtime.externals.discard(key)
        deleted = True
    else:
        try:
            runtime.store.remove(key, keep_in=config.trash)
            deleted = True
        except NotFoundError:
            deleted = False
    return bool(runtime.index.remove([key])) or deleted


def status(runtime: Runtime, config: MemoryConfig, read_only: bool) -> StoreStatus:
    """A picture of the store from the index and a stat scan; calls no embedder."""
    counts = runtime.index.counts()
    embedder = runtime.embedder
    return StoreStatus(
        files=counts.files,
        chunks=counts.chunks,
        dirty=bool(runtime.indexer.changes()),
        workspace_dir=str(config.workspace),
        db_path=str(runtime.location.db_path),
        search_mode=_mode(runtime),
        provider=embedder.identity.split(":", 1)[0] if embedder is not None else "none",
        model=embedder.identity if embedder is not None else "none",
        fts_available=True,
        vector_available=embedder is not None,
        vector_engine=runtime.index.vector_engine,
        cache_entries=counts.cached,
        cache_max_entries=config.cache.max_entries if config.cache.enabled else 0,
        pending=pending(runtime),
        embedder=embedder.health() if embedder is not None else EmbedderHealth(),
        watcher_active=False,
        watcher_last_event=None,
        read_only=read_only,
        sqlite=f"{runtime.index.driver.name} {runtime.index.driver.version}",
        notes=_notes(runtime),
    )


def _mode(runtime: Runtime) -> SearchMode:
    embedder = runtime.embedder
    if embedder is None or embedder.health().state == "open":
        return "keyword-only"
    return "hybrid"


def _notes(runtime: Runtime) -> tuple[str, ...]:
    hint = runtime.store.hint()
    own = (hint,) if hint else ()
    return (*own, *runtime.index.notes)


def doctor(runtime: Runtime, config: MemoryConfig, *, repair: bool) -> list[Finding]:
    """Check driver, engine, index, files and embedder, in this order."""
    index = _check_index(runtime, repair=repair)
    broken = any(finding.level == "error" for finding in index)
    return [
        *_check_driver(runtime),
        *index,
        *([] if broken else _check_files(runtime)),
        *_check_embedder(runtime, config),
    ]


def _check_driver(runtime: Runtime) -> list[Finding]:
    driver = runtime.index.driver
    library = f"{driver.name}, SQLite {driver.version}"
    vectors = f"vector engine {runtime.index.vector_engine}"
    if driver.wal_reset_bug:
        found = Finding(
            "sqlite",
            "warning",
            f"{library} has a known fault when two processes write and checkpoint at once",
            "Install the package pysqlite3; the index can always be rebuilt from the Markdown.",
        )
    else:
        found = Finding("sqlite", "ok", library)
    extension = "loadable" if driver.has_extension else "not loadable here, which costs nothing but speed"
    return [found, Finding("vectors", "ok", f"{vectors}; SQLite extensions are {extension}")]


def _check_index(runtime: Runtime, *, repair: bool) -> list[Finding]:
    try:
        faults = runtime.index.integrity()
    except StorageError as error:
        faults = [str(error)]
    if not faults:
        counts = runtime.index.counts()
        return [
            Finding("index", "ok", f"{counts.files} files, {counts.chunks} chunks, {counts.vectors} vectors")
        ]
    if repair:
        runtime.index.reset()
        return [
            Finding("index", "note", f"Rebuilt from the Markdown; it had {len(faults)} faults: {faults[0]}")
        ]
    return [Finding("index", "error", fault, "Run doctor with --repair to rebuild it.") for fault in faults]


def _check_files(runtime: Runtime) -> list[Finding]:
    changes = runtime.indexer.changes()
    found = [Finding("files", "note", f"{problem.path}: {problem.reason}") for problem in changes.problems]
    for path in changes.stamps:
        try:
            warnings = runtime.store.read(path).warnings
        except MemWeaveError as error:
            warnings = (str(error),)
        found.extend(Finding("files", "warning", f"{path}: {warning}") for warning in warnings)
    found.extend(_not_replaced(runtime))
    if changes:
        detail = f"{len(changes.changed)} changed and {len(changes.gone)} gone since the last indexing"
        found.append(Finding("files", "note", detail, "The next search or index run takes them in."))
    return found or [Finding("files", "ok", f"{len(changes.stamps)} files, all indexed")]


def _not_replaced(runtime: Runtime) -> list[Finding]:
    """Pages that say they are replaced, and are not."""
    metas = [file.meta for file in runtime.index.files()]
    after = successors(
        Replaceable(meta.path, meta.owner, (meta.title, *meta.aliases), meta.superseded_by) for meta in metas
    )
    return [
        Finding(
            "files",
            "warning",
            f"{meta.path}: superseded_by {meta.superseded_by!r} names no other page of this memory that "
            "everyone who sees this one may see, or leads back here; searches find the page as before",
            "Write the path of the page that replaces it, or take the line out.",
        )
        for meta in metas
        if meta.superseded_by and meta.path not in after
    ]


def _check_embedder(runtime: Runtime, config: MemoryConfig) -> list[Finding]:
    embedder = runtime.embedder
    if embedder is None:
        return [Finding("embedder", "note", "none configured: search answers from keywords only")]
    health = embedder.health()
    if health.state != "ok":
        return [Finding("embedder", "warning", f"{config.embedding.model}: {health.reason}")]
    waiting = pending(runtime)
    if waiting:
        return [Finding("embedder", "note", f"{waiting} chunks have no vector yet", "Run index.")]
    return [Finding("embedder", "ok", embedder.identity)]
