"""Why a page is, or is not, among the results of a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict, Unpack

from ..ports import IndexReader, PostProcessor, SearchStrategy
from ..text.names import MARKDOWN_SUFFIXES, is_markdown
from ..types import Calibration, IndexedFile, Where, Why
from .fusion import fuse
from .hits import Candidate, Scored, Stages
from .pipeline import BUILT_IN, Ranking, Trace, finish, rank
from .request import SearchRequest
from .retrieve import Gathered

if TYPE_CHECKING:
    from ..types import FloatArray


class Extensions(TypedDict):
    """What the user registered."""

    strategies: Mapping[str, SearchStrategy]
    processors: Sequence[PostProcessor]


@dataclass(frozen=True, slots=True)
class Examined:
    """A page that came up in a search, on its way through the stages after the index."""

    path: str
    ids: frozenset[int]
    ranking: Ranking


def why(
    reader: IndexReader,
    request: SearchRequest,
    query_vector: FloatArray | None,
    calibration: Calibration,
    path: str,
    **extensions: Unpack[Extensions],
) -> Why:
    """Run the search and say what became of the page at `path`: `examine` and `conclude`."""
    seen = examine(reader, request, query_vector, calibration, path, **extensions)
    return seen if isinstance(seen, Why) else conclude(seen, request, extensions["processors"])


def examine(
    reader: IndexReader,
    request: SearchRequest,
    query_vector: FloatArray | None,
    calibration: Calibration,
    path: str,
    **extensions: Unpack[Extensions],
) -> Why | Examined:
    """Rank, and say what became of the page; where that depends on later stages, what these need to know.

    Raises what the search itself would raise.
    """
    file = next((file for file in reader.files() if file.meta.path == path), None)
    if file is None:
        return _absent(path)
    unseen = _out_of_scope(reader, request.where, file)
    if unseen is not None:
        return unseen
    ranking = rank(
        reader,
        replace(request, explain=True),
        query_vector,
        calibration,
        strategies=extensions["strategies"],
        everything=bool(extensions["processors"]),
    )
    ids = reader.chunk_ids(path)
    if not {one.chunk_id for one in (*ranking.ranked, *ranking.cut)}.isdisjoint(ids):
        return Examined(path, frozenset(ids), ranking)
    request = replace(request, strategy=ranking.strategy)
    return _never_a_candidate(reader, request, query_vector, calibration, (path, ids))


def conclude(examined: Examined, request: SearchRequest, processors: Sequence[PostProcessor]) -> Why:
    """What became of the page in the stages after the index."""
    path, done = examined.path, finish(examined.ranking, request, processors)
    for place, result in enumerate(done.results, start=1):
        if result.path == path:
            detail = f"It is result {place} of {len(done.results)} with score {result.score:.3f}"
            detail = f"{detail}{_before(result.stages)}.{_taken(result.stages)}"
            return Why(path, "returned", detail, place, result)
    return _fallen(done, request, path, examined.ids)


def _absent(path: str) -> Why:
    if not is_markdown(path):
        return Why(path, "not a page", f"Pages are Markdown files: {', '.join(MARKDOWN_SUFFIXES)}.")
    return Why(
        path, "not indexed", "The index holds no such page: it is missing, ignored, or not indexed yet."
    )


def _out_of_scope(reader: IndexReader, where: Where, file: IndexedFile) -> Why | None:
    path, owner = file.meta.path, file.meta.owner
    if owner is not None and owner != where.user:
        asked = "names no user" if where.user is None else "names another user"
        return Why(path, "private", f"It belongs to one user, and the search {asked}.")
    if any(seen.id == file.id for seen in reader.files(where=where)):
        return None
    for name in ("source", "tier", "since", "until", "tags", "metadata", "paths"):
        value = getattr(where, name)
        if not value:
            continue
        alone = replace(Where(user=where.user, superseded=True), **{name: value})
        if all(seen.id != file.id for seen in reader.files(where=alone)):
            return Why(path, "filtered", f"The filter {name}={value!r} leaves it out.")
    if file.meta.superseded_by and not where.superseded:
        detail = f"{file.meta.superseded_by} replaces it; include_superseded finds it all the same."
        return Why(path, "superseded", detail)
    return Why(path, "filtered", "The filters of the search leave it out.")


def _fallen(done: Trace, request: SearchRequest, path: str, ids: frozenset[int]) -> Why:
    """The stage after retrieval at which the page fell."""
    ranks = [rank for rank, one in enumerate(done.ranking.ranked, start=1) if one.chunk_id in ids]
    if not ranks:
        best = max((one for one in done.ranking.cut if one.chunk_id in ids), key=_score)
        return _below(path, best, request)
    rank, one = ranks[0], done.ranking.ranked[ranks[0] - 1]
    before = _before(one.stages or {})
    offered = [place for place, chunk_id in enumerate(done.offered, start=1) if chunk_id in ids]
    if offered and offered[0] <= request.max_results:
        return Why(path, "dropped by a processor", f"It was number {offered[0]} before the processors.", rank)
    if request.mmr_lambda is not None and rank <= request.max_results:
        by = "By the reranker" if before else "By score alone"
        detail = (
            f"{by} ({one.score:.3f}{before}) it is number {rank}, but it repeats what was picked before it."
        )
        return Why(path, "dropped by MMR", detail, rank)
    detail = f"It is number {rank} with score {one.score:.3f}{before}; "
    detail += f"{request.max_results} results were asked for.{_taken(one.stages or {})}"
    return Why(path, "outranked", detail, rank)


def _before(stages: Stages) -> str:
    """Where a hit that the reranker read stood before; "" for one that it did not."""
    return f", number {stages['rerank']['rank_before']} before the reranker" if "rerank" in stages else ""


def _taken(stages: Stages) -> str:
    """Which words of the query were taken for others; "" when none was."""
    guesses = stages.get("text", {}).get("taken_for", {})
    return "".join(f" No page knows {word!r}; it was taken for: {for_}." for word, for_ in guesses.items())


def _score(scored: Scored) -> float:
    return scored.score


def _below(path: str, best: Scored, request: SearchRequest) -> Why:
    missing = request.min_score - best.score
    legs = ", ".join(
        f"{name} {value:.3f}"
        for name, value in (("vector", best.vector), ("text", best.text))
        if value is not None
    )
    detail = (
        f"Its best score {best.score:.3f} ({legs}) is {missing:.3f} below min_score {request.min_score:g}."
    )
    return Why(path, "below the gate", detail + _taken(best.stages or {}))


def _never_a_candidate(
    reader: IndexReader,
    request: SearchRequest,
    query_vector: FloatArray | None,
    calibration: Calibration,
    page: tuple[str, Sequence[int]],
) -> Why:
    """A page that neither leg brought up: measure its chunks by themselves."""
    path, ids = page
    if request.strategy not in BUILT_IN:
        return Why(path, "no match", f"The strategy {request.strategy!r} did not bring it up.")
    vector = None if request.strategy == "keyword" else query_vector
    words = request.strategy != "vector" or vector is None
    spans = request.spans
    keyword = reader.keyword_scores(request.query, ids, where=request.where, spans=spans) if words else {}
    cosines = {} if vector is None else reader.cosines(vector, ids)
    known = [Candidate(id_, cosines.get(id_), keyword.get(id_)) for id_ in ids]
    gathered = Gathered(known, text=words, vector=vector is not None)
    best = max(fuse(gathered, request.hybrid, calibration, explain=True), key=_score, default=None)
    if best is None or best.score <= 0:
        return Why(
            path, "no match", "No term of the query stands in it, and its vectors are far from the query's."
        )
    if best.score < request.min_score:
        return _below(path, best, request)
    detail = f"Its best score is {best.score:.3f}, but {request.pool} chunks came before it in each leg."
    return Why(path, "outranked", detail + _taken(best.stages or {}))
