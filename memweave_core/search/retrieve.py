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
    from ..types import FloatArray, KeywordHit

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
    """The best chunks of each leg together, each measured by both.

    "keyword" never looks at vectors, "vector" never at words unless there is no query vector.
    """
    query, where, limit = request.query, request.where, request.pool
    if request.strategy == "keyword":
        query_vector = None
    words = request.strategy != "vector" or query_vector is None
    # Two legs hardly ever score two chunks the same; words alone often do.
    ties = query_vector is None
    found = reader.keyword(query, where=where, limit=limit, ties=ties) if words else []
    hits = {hit.chunk_id: hit for hit in found}
    near = {} if query_vector is None else dict(reader.nearest(query_vector, where=where, limit=limit))
    legs = Gathered([], text=bool(hits), vector=query_vector is not None)
    return _measured(reader, request, query_vector, legs, (hits, near))


def gather_more(
    reader: IndexReader,
    request: SearchRequest,
    query_vector: FloatArray | None,
    gathered: Gathered,
    chunk_ids: Sequence[int],
) -> Gathered:
    """`gathered` with more candidates, by the legs it has. An id of which neither leg knows is left out."""
    hits, near = {}, {}
    if gathered.text and chunk_ids:
        hits = reader.keyword_scores(request.query, chunk_ids, where=request.where)
    if gathered.vector and query_vector is not None and chunk_ids:
        near = reader.cosines(query_vector, chunk_ids)
    known = [one for one in chunk_ids if one in near or one in hits]
    foreign = _foreign(reader, request, gathered, known)
    found = [Candidate(one, near.get(one), hits.get(one), one in foreign) for one in known]
    return replace(gathered, candidates=[*gathered.candidates, *found])


def _measured(
    reader: IndexReader,
    request: SearchRequest,
    query_vector: FloatArray | None,
    legs: Gathered,
    found: tuple[dict[int, KeywordHit], dict[int, float]],
) -> Gathered:
    """What one leg found, measured by the other as well."""
    hits, near = found
    wordless = [chunk_id for chunk_id in near if chunk_id not in hits]
    if legs.text and wordless:
        hits |= reader.keyword_scores(request.query, wordless, where=request.where)
    far = [chunk_id for chunk_id in hits if chunk_id not in near]
    if query_vector is not None and far:
        near |= reader.cosines(query_vector, far)
    ids = list(dict.fromkeys([*hits, *near]))
    foreign = _foreign(reader, request, legs, ids)
    found_by_both = [Candidate(one, near.get(one), hits.get(one), one in foreign) for one in ids]
    return replace(legs, candidates=found_by_both)


def _foreign(
    reader: IndexReader, request: SearchRequest, legs: Gathered, chunk_ids: Sequence[int]
) -> set[int]:
    """Chunks of pages whose language is known and is not that of the query; matters where both legs exist."""
    asked = detect_language(request.query) if legs.text and legs.vector else ""
    if not asked:
        return set()
    languages = reader.languages(chunk_ids)
    return {one for one in chunk_ids if languages.get(one, "") not in ("", asked)}


def beside(chunk_id: int, distance: int) -> list[int]:
    """The ids `distance` before and after a chunk within its page; whether they exist is not known here."""
    file_id = chunk_id >> _FILE_BITS
    return [other for other in (chunk_id - distance, chunk_id + distance) if other >> _FILE_BITS == file_id]


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
        if chunk_id >> _FILE_BITS in allowed
    ]
