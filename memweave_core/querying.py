"""One search from question to answer: catch up with the files, embed the question, run the pipeline."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ._errors import EmbeddingError, EmbeddingShapeError, RerankerError, StorageError
from .assembly import Runtime
from .config import MemoryConfig
from .indexer import Changes
from .inspection import find_key, pending
from .ports import PostProcessor, Progress, SearchStrategy
from .search import pipeline
from .search import why as reasons
from .search.request import SearchRequest, make_request
from .types import Calibration, SearchResults, Why

if TYPE_CHECKING:
    from .types import FloatArray


PATIENCE = 2.0
"""Seconds a search waits for other indexing in this process before it answers from what is there."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """The vector of a question, and why there is none although there should be."""

    vector: FloatArray | None
    degraded: str | None = None


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
        """Validate, catch up, embed and rank. Raises `ConfigError`, `StrategyError`."""
        request = self._request(query, overrides)
        asked, notes = await self._prepare(request)
        runtime = self._runtime

        def rank(vector: FloatArray | None) -> tuple[pipeline.Ranking, int]:
            with runtime.index.moment():
                ranking = pipeline.rank(
                    runtime.index,
                    request,
                    vector,
                    self._calibration(),
                    strategies=self._strategies,
                    everything=bool(self._processors),
                )
                return ranking, pending(runtime)

        def finish(ranking: pipeline.Ranking, waiting: int) -> tuple[SearchResults, int]:
            return pipeline.finish(ranking, request, self._processors).answer(), waiting

        async def answer(vector: FloatArray | None) -> tuple[SearchResults, int]:
            if request.rerank is None:
                return await runtime.read(lambda: finish(*rank(vector)))
            ranking, waiting = await runtime.read(lambda: rank(vector))
            ranking = await self._reranked(ranking, request)
            return await runtime.read(lambda: finish(ranking, waiting))

        try:
            results, waiting = await answer(asked.vector)
        except EmbeddingShapeError as error:
            asked = _Asked(None, f"Answered from keywords only: {error}")
            results, waiting = await answer(None)
        warnings = (*runtime.news(), *notes, *results.warnings)
        degraded = asked.degraded
        if degraded is None and waiting and request.strategy != "keyword" and runtime.backfill.error:
            degraded = f"{waiting} chunks are found by keywords only: {runtime.backfill.error}"
        return replace(results, degraded=degraded, pending=waiting, warnings=warnings)

    async def why(self, query: str, path: str, overrides: Mapping[str, Any]) -> Why:
        """Run the same search and say what became of one page in it."""
        request = self._request(query, overrides)
        asked, _ = await self._prepare(request)
        runtime = self._runtime

        def examine(vector: FloatArray | None) -> Why | reasons.Examined:
            key = find_key(runtime, path)
            if runtime.store.owner_of(key) not in (None, request.where.user):  # whether it is there or not
                return Why(key, "private", "It lies among the private pages of another user.")
            if key not in runtime.index.known() and runtime.store.stamp(key) is None:
                return Why(key, "not a page", "There is no such file.")
            with runtime.index.moment():
                return reasons.examine(
                    runtime.index,
                    request,
                    vector,
                    self._calibration(),
                    key,
                    strategies=self._strategies,
                    processors=self._processors,
                )

        try:
            seen = await runtime.read(lambda: examine(asked.vector))
        except EmbeddingShapeError:
            seen = await runtime.read(lambda: examine(None))
        if isinstance(seen, Why):
            return seen
        told = len(seen.ranking.warnings)
        examined = replace(seen, ranking=await self._reranked(seen.ranking, request))
        found = await runtime.read(lambda: reasons.conclude(examined, request, self._processors))
        notes = examined.ranking.warnings[told:]
        return replace(found, detail=" ".join((found.detail, *notes)))

    def _request(self, query: str, overrides: Mapping[str, Any]) -> SearchRequest:
        has_reranker = self._runtime.reranker is not None
        return make_request(query, self._config.query, self._today, has_reranker, **overrides)

    async def _reranked(self, ranking: pipeline.Ranking, request: SearchRequest) -> pipeline.Ranking:
        """The ranking as the reranker has it, else as it was with a warning. Not within a moment."""
        reranker = self._runtime.reranker
        texts = [] if request.rerank is None else ranking.texts(request.rerank)
        if reranker is None or not texts:
            return ranking
        try:
            return ranking.reranked(await reranker.rerank(request.query, texts))
        except RerankerError as error:
            return replace(ranking, warnings=(*ranking.warnings, f"Not reranked: {error}"))

    def _calibration(self) -> Calibration:
        embedder = self._runtime.embedder
        return embedder.calibration if embedder is not None else Calibration()

    async def _prepare(self, request: SearchRequest) -> tuple[_Asked, list[str]]:
        asked, notes = await asyncio.gather(self._embed_query(request), self._catch_up(request))
        return asked, notes

    async def _embed_query(self, request: SearchRequest) -> _Asked:
        """The vector of the question. Never raises for a provider's trouble."""
        embedder = self._runtime.embedder
        if embedder is None or request.strategy == "keyword" or not request.query.strip():
            return _Asked(None)
        try:
            vector = await embedder.query(request.query)
            if vector is None:
                return _Asked(None, "Answered from keywords only: the embedder gave the question no vector.")
            return _Asked(vector)
        except EmbeddingError as error:
            return _Asked(None, f"Answered from keywords only: {error}")

    async def _catch_up(self, request: SearchRequest) -> list[str]:
        """Index what has changed since the last look; returns what the caller should know."""
        runtime, sync = self._runtime, self._config.sync
        if not sync.on_search:
            return []
        notes: list[str] = []
        changes, stale, waiting = await runtime.read(self._state)
        if stale:
            try:
                report = await runtime.sync(changes=changes, patience=PATIENCE, progress=self._progress)
            except StorageError as error:
                return [f"Answered from the index as it was: {error}"]
            if report is None:
                notes.append("Other indexing is under way; changes since it began may be missing.")
            else:
                notes += [
                    f"{problem.path}: {problem.reason}"
                    for problem in report.problems
                    if problem.path and runtime.store.owner_of(problem.path) in (None, request.where.user)
                ]
                waiting = waiting or report.chunks > report.cached
        if waiting and request.strategy != "keyword":
            await runtime.backfill.catch_up(sync.embed_on_search)
        return notes

    def _state(self) -> tuple[Changes, bool, bool]:
        """(changes on disk, whether anything is to be indexed, whether any chunk waits for a vector)."""
        runtime = self._runtime
        changes = runtime.indexer.changes()
        stale = bool(changes) or runtime.index.profile() != runtime.indexer.profile()
        return changes, stale, pending(runtime) > 0
