"""Two legs, one score in [0, 1] that means the same in a store of ten pages and of ten thousand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..config import HybridConfig
from ..types import Calibration, KeywordHit
from .hits import Candidate, Scored, Stages
from .retrieve import Gathered, file_of

SOLE_EVIDENCE = 0.65
"""What the score of one leg counts when the other says nothing.

So that an answer in other words than the question's, or an identifier that means nothing to the model, is
not lost. What it is worth stands in docs/quality.md ("one leg alone counts nothing").
"""

NAMED = 0.45
"""What the best chunk of a page scores at least whose title or alias stands in the query.

However long the rest of a question is, who names a page means it. What it is worth stands in docs/quality.md.
"""

FAR = 0.4
"""How much a term two chunks away counts of what it would count next to a chunk."""

RRF_K = 60
"""Constant of reciprocal rank fusion: Cormack, Clarke & Büttcher, SIGIR 2009."""


def calibrated(cosine: float, calibration: Calibration) -> float:
    """Relevance in [0, 1] from a raw cosine, by the embedder's own scale."""
    span = calibration.high - calibration.low
    if span <= 0:
        return 1.0 if cosine >= calibration.high else 0.0
    return min(1.0, max(0.0, (cosine - calibration.low) / span))


def text_score(hit: KeywordHit | None, hybrid: HybridConfig) -> float:
    """The keyword leg in [0, 1]: the share of the query in and beside the chunk, mixed with that in its page.

    A term that stands in the next chunk only counts `neighbour_weight` of what it would count in the chunk
    itself, one that stands two away `FAR` of that again: the answer to a question in a dialogue often stands
    beside the words of the question (docs/quality.md, "no neighbours"). Terms are lent, not scores: what
    both have is not counted twice.
    """
    if hit is None:
        return 0.0
    share = hit.share + hybrid.neighbour_weight * (hit.near + FAR * hit.far)
    return min(1.0, max(0.0, (1 - hybrid.file_weight) * share + hybrid.file_weight * hit.file_share))


def leg_weights(vector: float | None, text: float | None, hybrid: HybridConfig) -> tuple[float, float]:
    """The weights used for one chunk: that of a leg that does not exist goes to the other."""
    if vector is None:
        return (0.0, 0.0 if text is None else 1.0)
    if text is None:
        return (1.0, 0.0)
    return (hybrid.vector_weight, hybrid.text_weight)


def linear(vector: float | None, text: float | None, hybrid: HybridConfig) -> float:
    """The weighted mean of the legs, or `SOLE_EVIDENCE` of the stronger one if that is more.

    In [0, 1] and monotone in each leg. Without the second rule a question in another language than its
    answer, which only vectors can meet, and an identifier, which only words can, would fall to the weight
    of their leg. A leg of weight 0 is not heard at all.
    """
    vector_weight, text_weight = leg_weights(vector, text, hybrid)
    by_vector, by_text = vector or 0.0, text or 0.0
    mean = vector_weight * by_vector + text_weight * by_text
    alone = max(by_vector if vector_weight > 0 else 0.0, by_text if text_weight > 0 else 0.0)
    return min(1.0, max(mean, SOLE_EVIDENCE * alone))


def fuse(
    gathered: Gathered, hybrid: HybridConfig, calibration: Calibration, *, explain: bool = False
) -> list[Scored]:
    """Every candidate with its score, in the order given; with `explain` also what made it up."""
    candidates = gathered.candidates
    legs = [_legs(candidate, gathered, hybrid, calibration) for candidate in candidates]
    if hybrid.fusion == "rrf":
        scores = _reciprocal_ranks(legs, hybrid)
    else:
        scores = [linear(vector, text, hybrid) for vector, text in legs]
    fused = [
        Scored(one.chunk_id, score, vector, text, one.keyword.bm25 if one.keyword else 0.0)
        for one, (vector, text), score in zip(candidates, legs, scores, strict=True)
    ]
    if explain:
        fused = [
            replace(one, stages=_explained(candidate, one, hybrid))
            for candidate, one in zip(candidates, fused, strict=True)
        ]
    for place, share in _named(candidates, scores):
        if fused[place].score < NAMED:
            fused[place] = fused[place].moved(NAMED, "name", share=share)
        if share >= 1:  # nothing is asked for but the page itself
            fused[place] = replace(fused[place], evidence=fused[place].score)
    return fused


def _named(candidates: Sequence[Candidate], scores: Sequence[float]) -> list[tuple[int, float]]:
    """Where the best chunk of each named page stands, and how much of the query its name is."""
    best: dict[int, int] = {}
    for place, candidate in enumerate(candidates):
        if candidate.keyword is not None and candidate.keyword.named:
            page = file_of(candidate.chunk_id)
            if page not in best or scores[place] > scores[best[page]]:
                best[page] = place
    hits = ((place, candidates[place].keyword) for place in best.values())
    return [(place, hit.named) for place, hit in hits if hit is not None]


def _legs(
    candidate: Candidate, gathered: Gathered, hybrid: HybridConfig, calibration: Calibration
) -> tuple[float | None, float | None]:
    """What the two legs say of a candidate; None for one that does not exist."""
    cosine, hit = candidate.cosine, candidate.keyword
    vector = calibrated(cosine, calibration) if gathered.vector and cosine is not None else None
    text = text_score(hit, hybrid) if gathered.text else None
    if candidate.foreign and vector is not None and text is not None:
        # A page in another language cannot be expected to share the words of the question: those that no
        # page knows count less against it (the geometric mean of its share of all and of the known ones
        # measured best), and too few shared ones say nothing.
        text = min(1.0, text / math.sqrt(hit.known)) if hit is not None and hit.known > 0 else 0.0
        text = text if text >= vector else None
    return vector, text


def _explained(candidate: Candidate, scored: Scored, hybrid: HybridConfig) -> Stages:
    stages: dict[str, Mapping[str, object]] = {}
    if scored.vector is not None:
        stages["vector"] = {"cosine": candidate.cosine, "score": scored.vector}
    if scored.text is not None:
        hit = candidate.keyword or KeywordHit(candidate.chunk_id, 0.0, 0.0)
        ties = {"bm25": hit.bm25} if hit.bm25 else {}  # computed only where words alone decide
        beside = {"near": hit.near, "far": hit.far} if hit.near or hit.far else {}
        named = {"named": hit.named} if hit.named else {}
        taken = {"taken_for": {word: " ".join(for_) for word, for_ in hit.taken.items()}} if hit.taken else {}
        shares = {"share": hit.share, **beside, "file_share": hit.file_share, **named, **taken}
        stages["text"] = {**shares, **ties, "score": scored.text}
    elif candidate.keyword is not None and candidate.keyword.named:
        stages["text"] = {"named": candidate.keyword.named}  # its words say too little, its name all the same
    vector_weight, text_weight = leg_weights(scored.vector, scored.text, hybrid)
    weights = {"vector_weight": vector_weight, "text_weight": text_weight}
    stages["fusion"] = {"method": hybrid.fusion, **weights, "score": scored.score}
    return stages


def _reciprocal_ranks(legs: Sequence[tuple[float | None, float | None]], hybrid: HybridConfig) -> list[float]:
    """Weighted sum of 1 / (60 + rank), scaled so that first in every leg is 1.

    A chunk that a leg gives nothing gets nothing from it. The scale knows ranks only: the best of a bad lot
    scores as high as the best of a good one.
    """
    by_vector = _ranks([vector or 0.0 for vector, _ in legs])
    by_text = _ranks([text or 0.0 for _, text in legs])
    scores = []
    for (vector, text), vector_rank, text_rank in zip(legs, by_vector, by_text, strict=True):
        vector_weight, text_weight = leg_weights(vector, text, hybrid)
        total = vector_weight * _reciprocal(vector_rank) + text_weight * _reciprocal(text_rank)
        scores.append(min(1.0, total * (RRF_K + 1)))
    return scores


def _reciprocal(rank: int | None) -> float:
    return 0.0 if rank is None else 1 / (RRF_K + rank)


def _ranks(scores: Sequence[float]) -> list[int | None]:
    """Rank from 1 of each score, equal scores sharing the better rank; None for a score of 0."""
    place: dict[float, int] = {}
    for rank, score in enumerate(sorted(scores, reverse=True), start=1):
        place.setdefault(score, rank)
    return [place[score] if score > 0 else None for score in scores]
