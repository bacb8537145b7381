"""One search from question to answer: catch up with the files, embed the question, run the pipeline."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from ._errors import EmbeddingError, StorageError
from .adapters.sqlite.database import IndexDamagedError
from .assembly import Runtime
from .config import MemoryConfig
from .indexer import Changes, TextReport
from .inspection import pending
from .ports import PostProcessor, Progress, SearchStrategy
from .search import pipeline
from .search import why as reasons
from .search.request import SearchRequest, make_request
from .types import Calibration, SearchResults, Why

if TYPE_CHECKING:
    from .types import FloatArray

    _Embedded: TypeAlias = tuple[FloatArray | None, str | None]

PATIENCE = 2.0
"""Seconds a search waits for other indexing in this process before it answers from what is there."""


class Searcher:
    """The search side of one open memory on one day."""

    def __init__(
        self,
        runtime: Runtime,
        config: MemoryConfig,
        today: dt.date,
        strategies: Mapping[str, SearchStrategy],
        processors: Sequence[PostProcessor],
        progress: Progress | None,
    ) -> None:
        self._runtime = runtime
        self._config = config
        self._today = today
        self._strategies = strategies
        self._processors = processors
        self._progress = progress

    async def search(self, query: str, overrides: Mapping[str, Any]) -> SearchResults:
        """Validate, catch up, embed and rank. Raises `ConfigError`, `StrategyError`.

        An index that turns out to be damaged is begun anew from the Markdown, and the search made again.
        """
        request = make_request(query, self._config.query, self._today, **overrides)
        runtime, seen = self._runtime, self._runtime.healed
        try:
            return await self._search(request)
        except IndexDamagedError:
            await runtime.writer.run(lambda: runtime.heal(seen))
            await runtime.writer.run(lambda: runtime.indexer.sync_text(progress=self._progress))
            return await self._search(request)

    async def _search(self, request: SearchRequest) -> SearchResults:
        (vector, degraded), notes = await self._prepare(request)
        runtime = self._runtime

        def rank() -> tuple[SearchResults, int]:
            with runtime.index.moment():
                ranked = pipeline.run(
                    runtime.index,
                    request,
                    vector,
                    self._calibration(),
                    strategies=self._strategies,
                    processors=self._processors,
                )
                return ranked, pending(runtime)

        results, waiting = await runtime.readers.run(rank)
        warnings = (*runtime.news(), *notes, *results.warnings)
        return replace(results, degraded=degraded, pending=waiting, warnings=warnings)

    async def why(self, query: str, path: str, overrides: Mapping[str, Any]) -> Why:
        """Run the same search and say what became of one page in it."""
        request = make_request(query, self._config.query, self._today, **overrides)
        (vector, _), _ = await self._prepare(request)
        runtime = self._runtime
        key = runtime.store.key_for(path)
        if key not in runtime.index.known() and runtime.store.stamp(key) is None:
            return Why(key, "not a page", "There is no such file.")

        def explain() -> Why:
            with runtime.index.moment():
                return reasons.why(
                    runtime.index,
                    request,
                    vector,
                    self._calibration(),
                    key,
                    strategies=self._strategies,
                    processors=self._processors,
                )

        return await runtime.readers.run(explain)

    def _calibration(self) -> Calibration:
        embedder = self._runtime.embedder
        return embedder.calibration if embedder is not None else Calibration()

    async def _prepare(self, request: SearchRequest) -> tuple[_Embedded, list[str]]:
        embedded, notes = await asyncio.gather(self._embed_query(request), self._catch_up())
        return embedded, notes

    async def _embed_query(self, request: SearchRequest) -> _Embedded:
        """(vector, why there is none although there should be). Never raises for a provider's trouble."""
        embedder = self._runtime.embedder
        if embedder is None or request.strategy == "keyword" or not request.query.strip():
            return None, None
        try:
            return await embedder.query(request.query), None
        except EmbeddingError as error:
            return None, f"Answered from keywords only: {error}"

    async def _catch_up(self) -> list[str]:
        """Index what has changed since the last look; returns what the caller should know."""
        runtime = self._runtime
        if not self._config.sync.on_search:
            return []
        changes, stale, waiting = await runtime.readers.run(self._state)
        if not stale:
            if waiting:
                await self._embed_some()
            return []
        stop, progress = runtime.closing.is_set, self._progress
        turn = runtime.writer.submit(
            lambda: runtime.indexer.sync_text(changes=changes, stop=stop, progress=progress)
        )
        waited = asyncio.wrap_future(turn)
        done, _ = await asyncio.wait([waited], timeout=PATIENCE)
        if not done and turn.cancel():
            return ["Other indexing is under way; changes since it began may be missing."]
        try:
            report: TextReport = await waited
        except IndexDamagedError:
            raise
        except StorageError as error:
            return [f"Answered from the index as it was: {error}"]
        await self._embed_some()
        return [f"{problem.path}: {problem.reason}" for problem in report.problems if problem.path]

    def _state(self) -> tuple[Changes, bool, bool]:
        """(changes on disk, whether anything is to be indexed, whether any chunk waits for a vector)."""
        runtime = self._runtime
        changes = runtime.indexer.changes()
        stale = bool(changes) or runtime.index.profile() != runtime.indexer.profile()
        return changes, stale, pending(runtime) > 0

    async def _embed_some(self) -> None:
        """Embed a bounded number of chunks now, so that a small edit is found by meaning at once."""
        limit = self._config.sync.embed_on_search
        await self._runtime.indexer.embed_pending(self._runtime.writer, limit=limit, progress=self._progress)
