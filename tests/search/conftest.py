"""An index of a few pages in memory, for tests of the pipeline that need no database."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from memweave_core.config import QueryConfig
from memweave_core.search import pipeline
from memweave_core.search.request import make_request
from memweave_core.text.analysis import document_tokens, query_terms
from memweave_core.text.lexical import bm25, idf
from memweave_core.types import (
    Calibration,
    Chunk,
    ChunkRow,
    FileStamp,
    IndexCounts,
    IndexedFile,
    KeywordHit,
    PageMeta,
    SearchResults,
    Where,
)

TODAY = dt.date(2026, 4, 1)


class MemoryIndex:
    """Answers the questions of an `IndexReader` by looking at every chunk."""

    def __init__(self) -> None:
        self.pages: list[IndexedFile] = []
        self.chunks: dict[int, ChunkRow] = {}
        self.vectors: dict[int, Any] = {}
        self.language_of: dict[str, str] = {}

    def add(self, path: str, *texts: str, vectors: Sequence[Sequence[float]] = (), **meta: Any) -> list[int]:
        """One page with a chunk for each text; returns the chunk ids."""
        page_meta = PageMeta(path, meta.pop("source", "memory"), **meta)
        file = IndexedFile(len(self.pages) + 1, page_meta, FileStamp(1, 1, 1), "", len(texts))
        self.pages.append(file)
        ids = []
        for ordinal, text in enumerate(texts):
            chunk_id = file.id << 20 | ordinal
            chunk = Chunk(ordinal, ordinal + 1, ordinal + 1, text)
            self.chunks[chunk_id] = ChunkRow(chunk_id, file.id, chunk, page_meta)
            if ordinal < len(vectors):
                self.vectors[chunk_id] = np.array(vectors[ordinal], dtype=np.float32)
            ids.append(chunk_id)
        return ids

    def _tokens(self, chunk_id: int) -> list[str]:
        return document_tokens(self.chunks[chunk_id].chunk.text, "en")

    def keyword(
        self, query: str, *, where: Where, limit: int, ties: bool = True, spans: object = ()
    ) -> list[KeywordHit]:
        scores = self.keyword_scores(query, list(self.chunks), where=where).values()
        hits = [replace(hit, near=0.0, far=0.0) for hit in scores if hit.share]
        return sorted(hits, key=lambda hit: (-hit.share, -hit.bm25))[:limit]

    def keyword_scores(
        self, query: str, chunk_ids: Sequence[int], *, where: Where, spans: object = ()
    ) -> dict[int, KeywordHit]:
        terms = query_terms(query, ["en"])
        terms = [term for term in terms if not term.stop] or terms
        tokens = {chunk_id: self._tokens(chunk_id) for chunk_id in self.chunks}
        holds = {c: [i for i, t in enumerate(terms) if set(t.variants) & set(tokens[c])] for c in tokens}
        dfs = [sum(i in held for held in holds.values()) for i in range(len(terms))]
        raw = [idf(df, len(tokens)) * term.weight for term, df in zip(terms, dfs, strict=True)]
        allowed, mean = self._allowed(where), sum(map(len, tokens.values())) / max(1, len(tokens))
        found = {}
        for c in chunk_ids:
            whole = {i for other, held in holds.items() if other >> 20 == c >> 20 for i in held}
            if c not in tokens or not whole or c >> 20 not in allowed:
                continue
            own, near = set(holds[c]), {i for o in (c - 1, c + 1) for i in holds.get(o, ())}
            far = {i for o in (c - 2, c + 2) for i in holds.get(o, ())} - near - own
            rank = sum(
                bm25(sum(map(tokens[c].count, terms[i].variants)), dfs[i], len(tokens), len(tokens[c]), mean)
                for i in holds[c]
            )
            parts = (sum(raw[i] for i in part) / sum(raw) for part in (own, whole, near - own, far))
            share, page, beside, beyond = parts
            found[c] = KeywordHit(c, share, page, rank, near=beside, far=beyond)
        return found

    def nearest(self, vector: Any, *, where: Where, limit: int) -> list[tuple[int, float]]:
        allowed = self._allowed(where)
        cosines = self.cosines(vector, [c for c in self.vectors if c >> 20 in allowed])
        return sorted(cosines.items(), key=lambda pair: -pair[1])[:limit]

    def cosines(self, vector: Any, chunk_ids: Sequence[int]) -> dict[int, float]:
        norm = float(np.linalg.norm(vector))
        return {
            c: float(self.vectors[c] @ vector) / (norm * float(np.linalg.norm(self.vectors[c])))
            for c in chunk_ids
            if c in self.vectors
        }

    def rows(self, chunk_ids: Sequence[int]) -> dict[int, ChunkRow]:
        return {c: self.chunks[c] for c in chunk_ids if c in self.chunks}

    def languages(self, chunk_ids: Sequence[int]) -> dict[int, str]:
        return {c: self.language_of.get(self.chunks[c].meta.path, "") for c in chunk_ids if c in self.chunks}

    def files(self, *, where: Where | None = None) -> list[IndexedFile]:
        return [file for file in self.pages if where is None or self._lets(file.meta, where)]

    def chunk_ids(self, path: str) -> list[int]:
        return [c for c, row in self.chunks.items() if row.meta.path == path]

    def counts(self) -> IndexCounts:
        return IndexCounts(len(self.pages), len(self.chunks), len(self.vectors), 0, 0)

    def _allowed(self, where: Where) -> set[int]:
        return {file.id for file in self.files(where=where)}

    @staticmethod
    def _lets(meta: PageMeta, where: Where) -> bool:
        return (
            meta.owner in (None, where.user)
            and (not where.source or meta.source in where.source)
            and (not where.tier or meta.tier in where.tier)
            and set(where.tags) <= set(meta.tags)
            and (where.superseded or not meta.superseded_by)
        )


@pytest.fixture
def index() -> MemoryIndex:
    """An empty index."""
    return MemoryIndex()


@pytest.fixture
def ask(index: MemoryIndex) -> Callable[..., SearchResults]:
    """Search `index` with the defaults, or with overrides by name."""

    def search(
        query: str,
        vector: Sequence[float] | None = None,
        *,
        config: QueryConfig | None = None,
        strategies: Mapping[str, Any] | None = None,
        processors: Sequence[Any] = (),
        **overrides: Any,
    ) -> SearchResults:
        request = make_request(query, config or QueryConfig(), TODAY, **overrides)
        query_vector = None if vector is None else np.array(vector, dtype=np.float32)
        return pipeline.run(
            index,
            request,
            query_vector,
            Calibration(0.0, 1.0),
            strategies=strategies or {},
            processors=processors,
        )

    return search
