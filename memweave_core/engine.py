"""`MemWeave`: one memory, asynchronous. It wires the ports together and holds no logic of its own.

Safe to use from several tasks, threads and event loops, twice in one process, and after a fork. Blocking work
runs on daemon threads. `memweave_core.blocking.MemWeave` is the same object for code without a loop.

What a memory needs to work is imported by its first call, so that importing the package costs little.
"""

from __future__ import annotations

import datetime as dt
import logging
import os
import threading
import time
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._errors import ConfigError, MemWeaveError, ReadOnlyError
from .config import MemoryConfig, SyncConfig
from .ports import Clock, PostProcessor, Progress, SearchStrategy
from .progress import terminal_progress
from .records.verbs import RecordKeeping
from .remembering.verbs import Remembering
from .status_types import Finding, StoreStatus
from .types import FileInfo, IndexResult, PageText, Problem, SearchResults, Why
from .workers import run_apart

if TYPE_CHECKING:
    from .adapters.sqlite.index import SqliteIndex
    from .assembly import Runtime
    from .backfill import EmbedReport
    from .indexer import TextReport
    from .querying import Searcher
    from .remembering.services import Services
    from .watcher import Watcher


logger = logging.getLogger(__name__)


def _utc_now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


class MemWeave(Remembering, RecordKeeping):
    """A folder of Markdown that can be written, indexed and searched, and that remembers conversations.

    `embedder` is a model name, an `Embedder`, or any object with LangChain's or LlamaIndex's embedding
    methods; by default `config.embedding` decides. `reranker` is a model name, a `Reranker`, or a function
    that gives a number for each text, from (question, texts); by default `config.query.reranker` decides.
    `llm` is a model name, a `ChatModel`, a chat model of LangChain or LlamaIndex, or a function from a prompt
    to a reply; by default `config.llm` decides, and by its default there is none.
    `clock` gives the present moment. With `read_only` nothing is created or changed in the workspace.
    `progress` is called during long work; by default a bar shows on stderr when that is a terminal.
    """

    def __init__(
        self,
        config: MemoryConfig | None = None,
        *,
        embedder: object | str | None = None,
        reranker: object | str | None = None,
        llm: object | str | None = None,
        clock: Clock | None = None,
        read_only: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self.config = config or MemoryConfig()
        self.read_only = read_only
        self._embedder = embedder
        self._reranker = reranker
        self._llm = llm
        self._clock = clock or _utc_now
        self._progress = progress
        self._strategies: dict[str, SearchStrategy] = {}
        self._processors: list[PostProcessor] = []
        self._opening = threading.Lock()
        self._opening_pid = os.getpid()
        self._runtime: Runtime | None = None
        self._services: Services | None = None
        self._seed: SqliteIndex | None = None
        self._watcher: Watcher | None = None

    # --- life ------------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Open the memory now rather than at the first call; starts what the settings ask to run.

        Jobs that an earlier process left behind are gone on with.
        """
        await self._ready()
        if not self.read_only and self.config.jobs.background and self.config.state_path.exists():
            await (await self._remembering(write=True)).resume()
        if self.config.sync.watch or self.config.sync.interval_minutes:
            await self.start_watching()

    async def close(self) -> None:
        """Stop watcher and background work and close the index. The object can be opened again."""
        await self.stop_watching()
        await self._close_records()
        services, self._services = self._services, None
        if services is not None and services.runtime.pid == os.getpid():
            await services.close()
        runtime, self._runtime = self._runtime, None
        if runtime is not None and runtime.pid == os.getpid():
            await runtime.backfill.stop()
            await run_apart(runtime.close)

    async def __aenter__(self) -> MemWeave:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # --- writing ---------------------------------------------------------------------------------------

    async def write(
        self, path: str, text: str, *, overwrite: bool = False, expected_hash: str | None = None
    ) -> str:
        """Write a page and index it; returns its path.

        An existing page is refused with `ConflictError`, unless `overwrite`, or `expected_hash` is the hash
        that `get` gave for it.
        """
        runtime = await self._writable()
        key = await runtime.readers.run(
            lambda: runtime.store.write(path, text, overwrite=overwrite, expected_hash=expected_hash)
        )
        await self._take_in(runtime, key)
        return key

    async def append(self, path: str, text: str) -> str:
        """Add text at the end of a page, which is made if it is not there; returns its path."""
        runtime = await self._writable()
        key = await runtime.readers.run(lambda: runtime.store.append(path, text))
        await self._take_in(runtime, key)
        return key

    async def remove(self, path: str | os.PathLike[str]) -> bool:
        """Delete a page, or forget an external file without touching it. False when there was neither.

        A copy of a deleted page stays in ``.memweave/trash``.
        """
        from . import inspection

        runtime = await self._writable()
        return await runtime.read(lambda: inspection.remove(runtime, self.config, path))

    async def get(self, path: str) -> PageText:
        """The text of a page as it is on disk. Raises `NotFoundError`."""
        from . import inspection

        runtime = await self._ready()
        return await runtime.read(lambda: runtime.store.get(inspection.find_key(runtime, path)))

    # --- indexing --------------------------------------------------------------------------------------

    async def index(self, *, force: bool = False) -> IndexResult:
        """Bring the index up to date with every file; with `force` cut and index all of them anew."""
        runtime = await self._ready()
        began = time.perf_counter()
        progress = self._reporter()
        text = await runtime.sync(force=force, progress=progress)
        vectors = await runtime.backfill.run(progress=progress)
        return await self._result(runtime, text, vectors, began)

    async def add(self, path: str | os.PathLike[str], *, force: bool = False) -> IndexResult:
        """Index one Markdown file at once; one from outside stays indexed until it is removed by name.

        A relative path is looked for in the memory, in the workspace, and then in the current folder.
        """
        from . import inspection

        runtime = await self._writable()
        began = time.perf_counter()
        key = await runtime.read(lambda: inspection.find_key(runtime, path))
        text = await runtime.write(lambda: runtime.indexer.add(key, force=force))
        vectors = await runtime.backfill.run(limit=text.chunks)
        return await self._result(runtime, text, vectors, began)

    # --- searching -------------------------------------------------------------------------------------

    async def search(
        self, query: str, *, as_of: str | dt.date | None = None, **overrides: Any
    ) -> SearchResults:
        """The best chunks for a question, best first.

        Overrides: `max_results, min_score, strategy, source_filter, user_id, where, mmr_lambda,
        decay_half_life_days, rerank, snippet_max_chars, include_superseded, explain`. `where` narrows by
        `source, tier, since, until, date, tags, metadata, path`. `as_of` is a date or git revision: the
        memory as it stood then.
        Raises `ConfigError` for an unknown or invalid override; a failing embedder or reranker never raises,
        see `SearchResults.degraded` and `warnings`.
        """
        if as_of is not None:
            async with await self._past(as_of) as past:
                return await past.search(query, **overrides)
        runtime = await self._ready()
        return await self._searcher(runtime).search(query, overrides)

    async def why(
        self, query: str, path: str, *, as_of: str | dt.date | None = None, **overrides: Any
    ) -> Why:
        """Why a page is or is not among the results of a query; takes the overrides of `search`."""
        if as_of is not None:
            async with await self._past(as_of) as past:
                return await past.why(query, path, **overrides)
        return await self._searcher(await self._ready()).why(query, path, overrides)

    def register_strategy(self, name: str, strategy: SearchStrategy) -> None:
        """Make a ranking of your own available as ``strategy=name``."""
        from .search.pipeline import BUILT_IN

        if not name or name in BUILT_IN:
            raise ConfigError(f"The strategy name {name!r} is taken or empty; choose another.")
        self._strategies[name] = strategy

    def register_postprocessor(self, processor: PostProcessor) -> None:
        """Add a last stage of your own; stages run in the order in which they were registered."""
        self._processors.append(processor)

    # --- looking ---------------------------------------------------------------------------------------

    async def files(self, *, source: str | None = None) -> list[FileInfo]:
        """Every page in path order, private ones included."""
        from . import inspection

        runtime = await self._ready()
        if self.config.sync.on_search:
            await runtime.sync(progress=self._reporter())
        return await runtime.read(lambda: inspection.files(runtime, source))

    async def status(self) -> StoreStatus:
        """A picture of the store; calls no embedder."""
        from . import inspection

        runtime = await self._ready()
        watcher = self._watcher
        picture = await runtime.read(lambda: inspection.status(runtime, self.config, self.read_only))
        if self.config.state_path.exists():
            services = await self._remembering(write=False)
            picture = replace(picture, jobs=await services.run(services.background.counts))
        if watcher is None:
            return picture
        notes = (*picture.notes, watcher.error) if watcher.error else picture.notes
        return replace(
            picture, watcher_active=watcher.active, watcher_last_event=watcher.last_event, notes=notes
        )

    async def doctor(self, *, repair: bool = False) -> list[Finding]:
        """Check everything from the driver to the counts; with `repair` rebuild a faulty index."""
        from . import inspection
        from .remembering import checking

        runtime = await self._ready()
        findings = await runtime.writer.run(lambda: inspection.doctor(runtime, self.config, repair=repair))
        services = await self._remembering(write=False)
        findings += await services.run(lambda: checking.findings(runtime.store, services.background))
        if repair:
            await self.index()
        return findings

    async def start_watching(self) -> None:
        """Index changed files as they come, after `config.sync.watch_debounce_ms` of quiet."""
        from .watcher import Watcher

        runtime = await self._ready()
        folders = await runtime.readers.run(runtime.store.roots)
        if self._watcher is None:  # asked after the last await: two callers at once start one watcher
            self._watcher = Watcher(folders, self.config.sync, self.index, create=not self.read_only)
            await self._watcher.start()

    async def stop_watching(self) -> None:
        """Stop the watcher; does nothing when none runs."""
        watcher, self._watcher = self._watcher, None
        if watcher is not None:
            await watcher.stop()

    # --- inside ----------------------------------------------------------------------------------------

    async def _ready(self) -> Runtime:
        runtime = self._runtime
        if runtime is not None and runtime.pid == os.getpid():
            return runtime
        return await run_apart(self._assemble)

    def _assemble(self) -> Runtime:
        from .assembly import assemble

        if self._opening_pid != os.getpid():  # a lock held during a fork stays locked in the child
            self._opening, self._opening_pid = threading.Lock(), os.getpid()
        with self._opening:
            if self._runtime is None or self._runtime.pid != os.getpid():
                self._runtime = assemble(
                    self.config,
                    self._embedder,
                    self._reranker,
                    read_only=self.read_only,
                    seed=self._seed,
                )
            return self._runtime

    async def _writable(self) -> Runtime:
        if self.read_only:
            raise ReadOnlyError("This memory was opened with read_only=True; open it without to write.")
        return await self._ready()

    async def _remembering(self, *, write: bool) -> Services:
        from .remembering.services import Services

        runtime = await (self._writable() if write else self._ready())
        with self._opening:
            if self._services is None or self._services.runtime is not runtime:
                llm = self.config.llm.model if self._llm is None else self._llm
                self._services = Services(self.config, self._clock, runtime, llm)
            return self._services

    def _searcher(self, runtime: Runtime) -> Searcher:
        from .querying import Searcher

        today = self.config.day(self._clock())
        return Searcher(runtime, self.config, today, self._strategies, self._processors, self._reporter())

    def _reporter(self) -> Progress | None:
        if self._progress is not None:
            return self._progress
        return terminal_progress() if self.config.progress else None

    async def _take_in(self, runtime: Runtime, key: str) -> None:
        """Index what was just written, but do not wait long for other work: the next search looks again."""
        from .querying import PATIENCE

        try:
            report = await runtime.indexer.take_in(runtime.writer, key, PATIENCE)
        except MemWeaveError as error:  # the text is on disk, which is what was asked
            logger.warning("The page is written and not indexed yet: %s", error)
            return
        if report is not None and report.chunks > report.cached:
            await runtime.backfill.catch_up(self.config.sync.embed_on_search)

    async def _result(
        self, runtime: Runtime, text: TextReport | None, vectors: EmbedReport, began: float
    ) -> IndexResult:
        from .indexer import TextReport, result_of
        from .inspection import pending

        waiting = await runtime.read(lambda: pending(runtime))
        text = text or TextReport()
        text.problems += [Problem("", note) for note in runtime.cut_short()]
        return result_of(text, vectors, waiting, (time.perf_counter() - began) * 1000)

    async def _past(self, as_of: str | dt.date) -> MemWeave:
        """A memory of its own over the workspace as it stood then, indexed and not open to writing."""
        from . import history

        runtime = await self._ready()
        past = await runtime.readers.run(lambda: history.checkout(self.config, as_of))
        config = replace(
            self.config,
            workspace_dir=str(past.folder),
            db_path=str(past.db_path),
            extra_paths=(),
            sync=SyncConfig(),
        )
        memory = MemWeave(
            config,
            embedder=self._embedder,
            reranker=runtime.reranker,  # not by its name: the model stays loaded
            clock=lambda: past.moment,
            progress=self._progress,
        )
        memory._strategies, memory._processors = self._strategies, self._processors
        memory._seed = runtime.index
        await memory.index()
        return memory
