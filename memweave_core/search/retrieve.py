"""Candidates from both legs, each measured by both legs."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .._errors import StrategyError
from ..ports import IndexReader, SearchStrategy
from ..text.analysis import detect_language
from .hits import Candidate, Scored
from .request import SearchRequest

if TYPE_CHECKING:
    from ..types import FloatArray

_FILE_BITS = 20
_SEEDS = 2  # hits per result asked for whose neighbours become candidates


@dataclass(frozen=True, slots=True)
class Gathered:
    """The candidates, and which legs exist for this query at all.

    `text` is False when no chunk in scope holds any term of the query, `vector` when there is no query
    vector.
    """

    candidates: list[Candidate]
    text: bool
    vector: bool


def gather(reader: IndexReader, request: SearchRequest, query_vector: FloatArray | None) -> Gathered:
    """The best chunks of each leg together and what stands beside the best by words, each measured by both.

    "keyword" never looks at vectors, "vector" never at words unless there is no query vector.
    """
    query, where, limit = request.query, request.where, request.pool
    if request.strategy == "keyword":
        query_vector = None
    words = request.strategy != "vector" or query_vector is None
    # Two legs hardly ever score two chunks the same; words alone often do.
    ties = query_vector is None
    spans = request.spans
    found = reader.keyword(query, where=where, limit=limit, ties=ties, spans=spans) if words else []
    near = {} if query_vector is None else dict(reader.nearest(query_vector, where=where, limit=limit))
    best = found[: _SEEDS * request.max_results] if request.hybrid.neighbour_weight > 0 else []
    next_to = (other for hit in best for other in beside(hit.chunk_id))
    ids = list(dict.fromkeys([*(hit.chunk_id for hit in found), *near, *next_to]))
    hits = reader.keyword_scores(query, ids, where=where, spans=spans) if found else {}
    hits |= {hit.chunk_id: replace(hits[hit.chunk_id], bm25=hit.bm25) for hit in found if hit.bm25}
    if query_vector is not None:
        near |= reader.cosines(query_vector, [one for one in ids if one not in near])
    legs = Gathered([], text=bool(found), vector=query_vector is not None)
    known = [one for one in ids if one in hits or one in near]
    foreign = _foreign(reader, request, legs, known)
    candidates = [Candidate(one, near.get(one), hits.get(one), one in foreign) for one in known]
    return replace(legs, candidates=candidates)


def _foreign(
    reader: IndexReader, request: SearchRequest, legs: Gathered, chunk_ids: Sequence[int]
) -> set[int]:
    """Chunks of pages whose language is known and is not that of the query; matters where both legs exist."""
    asked = detect_language(request.query) if legs.text and legs.vector else ""
    if not asked:
        return set()
    languages = reader.languages(chunk_ids)
    return {one for one in chunk_ids if languages.get(one, "") not in ("", asked)}


def file_of(chunk_id: int) -> int:
    """The file id of a chunk, as `IndexReader` promises."""
    return chunk_id >> _FILE_BITS


def beside(chunk_id: int) -> list[int]:
    """The ids before and after a chunk within its page; whether they exist is not known here."""
    return [other for other in (chunk_id - 1, chunk_id + 1) if file_of(other) == file_of(chunk_id)]


def ask_strategy(
    strategy: SearchStrategy, reader: IndexReader, request: SearchRequest, query_vector: FloatArray | None
) -> list[Scored]:
    """The answer of a custom strategy, held to its contract. Raises `StrategyError` naming it."""
    name = f"Strategy {request.strategy!r} ({type(strategy).__name__})"
    try:
        answer = strategy.search(reader, request.query, query_vector, where=request.where, limit=request.pool)
        pairs = [(operator.index(chunk_id), float(score)) for chunk_id, score in answer]
    except Exception as error:
        raise StrategyError(f"{name} failed: {type(error).__name__}: {error}") from error
    for chunk_id, score in pairs:
        if not 0 <= score <= 1:
            raise StrategyError(f"{name} gave chunk {chunk_id} the score {score!r}; scores are in [0, 1].")
    allowed = {file.id for file in reader.files(where=request.where)}
    best = dict(sorted(pairs, key=lambda pair: pair[1]))
    return [
        Scored(chunk_id, score, stages={} if request.explain else None).moved(
            score, "strategy", name=request.strategy
        )
        for chunk_id, score in best.items()
        if file_of(chunk_id) in allowed
    ]
