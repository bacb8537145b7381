"""Maximal marginal relevance: results that do not repeat each other."""

from __future__ import annotations

from collections.abc import Sequence

from ..text.analysis import document_tokens
from .hits import Hit, in_order


def token_set(text: str) -> frozenset[str]:
    """The distinct index tokens of a text in any script; a text without words stands for itself."""
    return frozenset(document_tokens(text, "")) or frozenset([text])


def similarity(left: frozenset[str], right: frozenset[str]) -> float:
    """Jaccard index of two token sets, in [0, 1]; 0 when either is empty."""
    if not left or not right:
        return 0.0
    common = len(left & right)
    return common / (len(left) + len(right) - common)


def mmr(hits: Sequence[Hit], lambda_param: float, limit: int, *, ordered: bool = False) -> list[Hit]:
    """Up to `limit` hits, each the best by ``λ · score - (1 - λ) · max similarity`` to all picked before.

    Carbonell & Goldstein, SIGIR 1998, with the Jaccard index over index tokens. λ = 1 is pure order of
    relevance, 0 the most diverse. Equal values go to the higher score. Scores stay as they are.

    With `ordered` the hits come in an order of relevance that is not that of their scores: the first counts
    as much as the best score among them, the second as the next best, and so on.
    """
    left = list(hits) if ordered else sorted(hits, key=lambda hit: in_order(hit.scored))
    scores = sorted((hit.score for hit in left), reverse=True)
    relevance = {hit.row.id: score for hit, score in zip(left, scores, strict=True)}
    tokens = {hit.row.id: token_set(hit.row.chunk.text) for hit in left}
    nearest = dict.fromkeys(tokens, 0.0)
    picked: list[Hit] = []
    while left and len(picked) < limit:
        values = [
            lambda_param * relevance[hit.row.id] - (1 - lambda_param) * nearest[hit.row.id] for hit in left
        ]
        best = left.pop(values.index(max(values)))
        value, repeats = max(values), nearest[best.row.id]
        picked.append(best.moved(best.score, "mmr", value=value, max_similarity=repeats))
        for hit in left:
            again = similarity(tokens[best.row.id], tokens[hit.row.id])
            nearest[hit.row.id] = max(nearest[hit.row.id], again)
    return picked
