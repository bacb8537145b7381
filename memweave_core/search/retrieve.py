"""Candidates from both legs, each measured by both legs."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
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
    """The best chunks of each leg together, each with its cosine and its keyword scores.

    "keyword" never looks at vectors, "vector" never at words unless there is no query vector.
    """
    query, where, limit = request.query, request.where, request.pool
    if request.strategy == "keyword":
        query_vector = None
    words = request.strategy != "vector" or query_vector is None
    hits = reader.keyword(query, where=where, limit=limit) if words else []
    near = [] if query_vector is None else reader.nearest(query_vector, where=where, limit=limit)
    ids = dict.fromkeys([hit.chunk_id for hit in hits] + [chunk_id for chunk_id, _ in near])
    nothing = Gathered([], text=bool(hits), vector=query_vector is not None)
    return measure(reader, request, query_vector, nothing, list(ids))


def measure(
    reader: IndexReader,
    request: SearchRequest,
    query_vector: FloatArray | None,
    gathered: Gathered,
    chunk_ids: Sequence[int],
) -> Gathered:
    """`gathered` with more candidates, by the legs it has. An id of which neither leg knows is left out."""
    use_vector = gathered.vector and query_vector is not None and bool(chunk_ids)
    cosines = reader.cosines(query_vector, chunk_ids) if use_vector and query_vector is not None else {}
    keyword = {}
    if gathered.text and chunk_ids:
        keyword = reader.keyword_scores(request.query, chunk_ids, where=request.where)
    found = [
        Candidate(chunk_id, cosines.get(chunk_id), keyword.get(chunk_id))
        for chunk_id in chunk_ids
        if chunk_id in cosines or chunk_id in keyword
    ]
    return replace(gathered, candidates=[*gathered.candidates, *found])


def beside(chunk_id: int, distance: int) -> list[int]:
    """The ids `distance` before and after a chunk within its page; whether they exist is not known here."""
    file_id = chunk_id >> _FILE_BITS
    return [other for other in (chunk_id - distance, chunk_id + distance) if other >> _FILE_BITS == file_id]


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
