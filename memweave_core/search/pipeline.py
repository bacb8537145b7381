"""One search: candidates, fusion, noise gate, decay, reranker, MMR, custom processors, snippets.

`rank` asks the index; `Ranking.reranked` takes in what a reranker says; `finish` needs neither.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .._errors import StrategyError
from ..checks import nearest_name
from ..ports import IndexReader, PostProcessor, SearchStrategy
from ..types import Calibration, SearchMode, SearchResult, SearchResults
from .decay import decay
from .fusion import fuse
from .hits import Hit, Scored, in_order
from .marks import heading_or_title, without_marks
from .mmr import mmr
from .request import SearchRequest
from .retrieve import ask_strategy, gather
from .snippet import snippet
from .threshold import confident, gate

if TYPE_CHECKING:
    from ..types import FloatArray

BUILT_IN = ("hybrid", "keyword", "vector")
"""Names of the strategies that need no registration."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What the index said, in order, before the stages that need no index.

    `strategy` is the one that ranked. `cut` fell at the gate, `ranked` is the order after decay, and `hits`
    are the best of it with their texts, as many as later stages look at.
    """

    strategy: str
    mode: SearchMode
    cut: list[Scored]
    ranked: list[Scored]
    hits: list[Hit]
    warnings: tuple[str, ...] = ()

    def texts(self, count: int) -> list[str]:
        """The texts of the best `count` hits, best first: what a reranker reads."""
        return [hit.row.chunk.text for hit in self.hits[:count]]

    def reranked(self, scores: Sequence[float]) -> Ranking:
        """The best `len(scores)` hits in the order of these numbers, highest first; the rest after them.

        The scores of the hits stay, and so does the order of hits with equal numbers.
        """
        best = zip(self.hits, scores, strict=False)
        read = [_read(hit, score, place) for place, (hit, score) in enumerate(best, start=1)]
        hits = sorted(read, key=lambda hit: -(hit.rerank or 0.0)) + self.hits[len(read) :]
        moved = {hit.row.id for hit in read}
        rest = [one for one in self.ranked if one.chunk_id not in moved]
        return replace(self, hits=hits, ranked=[hit.scored for hit in hits[: len(read)]] + rest)


@dataclass(frozen=True, slots=True)
class Trace:
    """What became of every candidate: a ranking, and what the stages after it made of it.

    `offered` (chunk ids) is what MMR left, or else the best, as given to the processors.
    """

    ranking: Ranking
    offered: list[int]
    results: tuple[SearchResult, ...]
    warnings: tuple[str, ...]

    def answer(self) -> SearchResults:
        """What the caller of a search gets."""
        return SearchResults(
            self.results,
            mode=self.ranking.mode,
            dropped=len(self.ranking.cut),
            warnings=self.warnings,
            low_confidence=not any(result.confident for result in self.results),
        )


def run(
    reader: IndexReader,
    request: SearchRequest,
    query_vector: FloatArray | None,
    calibration: Calibration,
    *,
    strategies: Mapping[str, SearchStrategy],
    processors: Sequence[PostProcessor],
) -> SearchResults:
    """The results of a search without a reranker: `rank` and `finish`."""
    everything = bool(processors)
    ranking = rank(reader, request, query_vector, calibration, strategies=strategies, everything=everything)
    return finish(ranking, request, processors).answer()


def rank(
    reader: IndexReader,
    request: SearchRequest,
    query_vector: FloatArray | None,
    calibration: Calibration,
    *,
    strategies: Mapping[str, SearchStrategy],
    everything: bool,
) -> Ranking:
    """All stages that ask the index. Raises `StrategyError` for an unknown strategy.

    A custom strategy that fails or breaks its contract is named in the warnings; "hybrid" answers instead.
    With `everything` all hits get their texts, as processors need.
    """
    warnings: list[str] = []
    own = None
    if request.strategy not in BUILT_IN:
        own, request = _own(reader, request, query_vector, strategies, warnings)
    if own is not None:
        scored, vector = own, query_vector is not None
    else:
        scored, vector = _fused(reader, request, query_vector, calibration)
        if request.strategy == "vector" and not vector and request.query.strip():
            warnings.append("There is no query vector; answered from keywords instead.")
    kept, cut = gate(sorted(scored, key=in_order), request.min_score)
    ranked, hits = _ranked(reader, kept, request, everything=everything)
    mode = _mode(vector, request.strategy)
    return Ranking(request.strategy, mode, cut, ranked, hits, tuple(warnings))


def finish(ranking: Ranking, request: SearchRequest, processors: Sequence[PostProcessor]) -> Trace:
    """The stages after the index and the reranker: MMR, processors, snippets."""
    warnings, hits = list(ranking.warnings), ranking.hits
    if request.mmr_lambda is not None:
        # Without processors nothing can drop out after MMR, so that it need not order more than is shown.
        limit = request.pool if processors else request.max_results
        reranked = any(hit.rerank is not None for hit in hits)
        hits = mmr(hits[: request.pool], request.mmr_lambda, limit, ordered=reranked)
    offered = hits if processors else hits[: request.max_results]
    results = [_result(hit, request) for hit in offered]
    languages = {_place(result): hit.row.language for result, hit in zip(results, offered, strict=True)}
    for processor in processors:
        results = _processed(processor, results, request, warnings)
    shown = tuple(
        replace(result, snippet=_snippet(result, request, languages[_place(result)]))
        for result in results[: request.max_results]
    )
    ids = [hit.row.id for hit in offered]
    return Trace(ranking, ids, shown, tuple(warnings))


def _snippet(result: SearchResult, request: SearchRequest, language: str | None) -> str:
    text = without_marks(result.path, result.snippet)
    return snippet(text, request.query, request.snippet_max_chars, language)


def _read(hit: Hit, score: float, place: int) -> Hit:
    """A hit with what the reranker said of it."""
    scored = hit.scored
    if scored.stages is not None:
        stage = {"score": score, "rank_before": place}
        scored = replace(scored, stages={**scored.stages, "rerank": stage})
    return Hit(scored, hit.row, score)


def _own(
    reader: IndexReader,
    request: SearchRequest,
    query_vector: FloatArray | None,
    strategies: Mapping[str, SearchStrategy],
    warnings: list[str],
) -> tuple[list[Scored] | None, SearchRequest]:
    """(the answer of a custom strategy, the request); (None, a hybrid request) when it fails."""
    strategy = _named(request.strategy, strategies)
    try:
        return ask_strategy(strategy, reader, request, query_vector), request
    except StrategyError as error:
        warnings.append(f"{str(error).rstrip('.')}. Answered by hybrid search instead.")
        return None, replace(request, strategy="hybrid")


def _fused(
    reader: IndexReader, request: SearchRequest, query_vector: FloatArray | None, calibration: Calibration
) -> tuple[list[Scored], bool]:
    """The scored candidates of a built-in strategy, and whether they have a vector leg."""
    gathered = gather(reader, request, query_vector)
    scored = fuse(gathered, request.hybrid, calibration, explain=request.explain)
    return scored, gathered.vector


def _mode(vector: bool, strategy: str) -> SearchMode:
    if not vector:
        return "keyword-only"
    return "vector-only" if strategy == "vector" else "hybrid"


def _named(name: str, strategies: Mapping[str, SearchStrategy]) -> SearchStrategy:
    if name not in strategies:
        known = [*BUILT_IN, *strategies]
        raise StrategyError(
            f"Unknown strategy {name!r}.{nearest_name(name, known)} Known: {', '.join(known)}."
        )
    return strategies[name]


def _ranked(
    reader: IndexReader, kept: Sequence[Scored], request: SearchRequest, *, everything: bool
) -> tuple[list[Scored], list[Hit]]:
    """What passed the gate in its final order, and the texts of as much of it as later stages look at."""
    if request.half_life_days is not None:
        aged = decay(_hits(reader, kept), request.today, request.half_life_days)
        return [hit.scored for hit in aged], aged
    if everything:
        return list(kept), _hits(reader, kept)
    wanted = request.max_results if request.mmr_lambda is None else request.pool
    wanted = max(wanted, request.rerank or 0)
    hits = _hits(reader, kept[:wanted])
    if len(hits) < min(wanted, len(kept)):  # a file was replaced meanwhile: make up for its chunks
        hits = _hits(reader, kept)
    return list(kept), hits


def _hits(reader: IndexReader, scored: Sequence[Scored]) -> list[Hit]:
    """The chunks behind the scores; ids that are gone are left out."""
    rows = reader.rows([one.chunk_id for one in scored]) if scored else {}
    return [Hit(one, rows[one.chunk_id]) for one in scored if one.chunk_id in rows]


def _result(hit: Hit, request: SearchRequest) -> SearchResult:
    """A hit as the caller sees it, still with its whole text."""
    scored, chunk, meta = hit.scored, hit.row.chunk, hit.row.meta
    return SearchResult(
        path=meta.path,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        score=scored.score,
        snippet=chunk.text,
        source=meta.source,
        vector_score=scored.vector,
        text_score=scored.text,
        heading=heading_or_title(chunk.heading, meta.path, meta.title),
        tier=meta.tier,
        date=meta.date,
        tags=meta.tags,
        stages=scored.stages or {},
        rerank_score=hit.rerank,
        # Without `superseded` there are only pages that hold: one that names no page is not replaced.
        superseded_by=meta.superseded_by if request.where.superseded else None,
        confident=confident(hit, request.spans),
    )


def _processed(
    processor: PostProcessor, results: list[SearchResult], request: SearchRequest, warnings: list[str]
) -> list[SearchResult]:
    """What a processor makes of the results; one that fails or breaks its contract is named and skipped."""
    name = type(processor).__name__
    try:
        answer = list(processor.process(tuple(results), request.query, request.today))
    except Exception as error:
        warnings.append(f"Processor {name} failed and was skipped: {type(error).__name__}: {error}")
        return results
    known = {_place(result) for result in results}
    if all(isinstance(one, SearchResult) and _place(one) in known and 0 <= one.score <= 1 for one in answer):
        return answer
    warnings.append(f"Processor {name} invented a result or a score outside [0, 1] and was skipped.")
    return results


def _place(result: SearchResult) -> tuple[str, int, int]:
    return (result.path, result.start_line, result.end_line)
