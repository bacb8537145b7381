"""Candidates from both legs, each measured by both legs."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._errors import StrategyError
from ..ports import IndexReader, SearchStrategy
from .hits import Candidate, Scored
from .request import SearchRequest

if TYPE_CHECKING:
    from ..types import FloatArray

_FILE_BITS = 20


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
    """The best chunks of each leg together, and their neighbours where those lend their score.

    Every candidate gets its cosine and its keyword scores, whichever leg brought it up. "keyword" never looks
    at vectors, "vector" never at words.
    """
    query, where, limit = request.query, request.where, request.pool
    if request.strategy == "keyword":
        query_vector = None
    words = request.strategy != "vector" or query_vector is None
    hits = reader.keyword(query, where=where, limit=limit) if words else []
    near = [] if query_vector is None else reader.nearest(query_vector, where=where, limit=limit)
    ids = list(dict.fromkeys([hit.chunk_id for hit in hits] + [chunk_id for chunk_id, _ in near]))
    if request.hybrid.neighbour_weight > 0:
        ids = list(dict.fromkeys([*ids, *neighbours(ids)]))
    keyword = reader.keyword_scores(query, ids, where=where) if hits else {}
    cosines = {} if query_vector is None or not ids else reader.cosines(query_vector, ids)
    candidates = [
        Candidate(chunk_id, cosines.get(chunk_id), keyword.get(chunk_id))
        for chunk_id in ids
        if chunk_id in cosines or chunk_id in keyword
    ]
    return Gathered(candidates, text=bool(hits), vector=query_vector is not None)


def neighbours(chunk_ids: Iterable[int]) -> Iterable[int]:
    """The ids before and after each chunk in its own page; the last page end is not known here."""
    for chunk_id in chunk_ids:
        yield from adjacent(chunk_id)


def adjacent(chunk_id: int) -> list[int]:
    """Ids next to a chunk within its page."""
    file_id = chunk_id >> _FILE_BITS
    return [other for other in (chunk_id - 1, chunk_id + 1) if other >> _FILE_BITS == file_id]


def ask_strategy(
    strategy: SearchStrategy, reader: IndexReader, request: SearchRequest, query_vector: FloatArray | None
) -> list[Scored]:
    """The answer of a custom strategy, held to its contract. Raises `StrategyError` naming it."""
    name = f"strategy {request.strategy!r} ({type(strategy).__name__})"
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
        Scored(chunk_id, 0.0).moved(score, "strategy", name=request.strategy)
        for chunk_id, score in best.items()
        if chunk_id >> _FILE_BITS in allowed
    ]
