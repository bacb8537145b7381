"""The formulas of the keyword leg: how rare a term is, how much of a query a text holds, and BM25."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from .analysis import Term

K1 = 1.2
"""BM25: how soon repeating a term stops to count."""

B = 0.75
"""BM25: how much the length of a text counts, from 0 (not) to 1 (fully)."""

STOP_WEIGHT = 0.05
"""What a function word counts beside a word that carries meaning."""


def idf(df: int, n: int) -> float:
    """Rarity of a term that stands in `df` of `n` texts; > 0, the rarer the larger.

    ``ln(1 + (n - df + 0.5) / (df + 0.5))``: Robertson & Spärck Jones, the 1 + keeps it positive.
    """
    return math.log1p((max(n - df, 0) + 0.5) / (df + 0.5))


def bm25(tf: float, df: int, n: int, length: float, mean_length: float) -> float:
    """What one term adds to the BM25 score of a text of `length` tokens; 0 when `tf` is 0.

    Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), eq. 3.15, with
    `K1` and `B` above.
    """
    if tf <= 0:
        return 0.0
    relative = length / mean_length if mean_length > 0 else 1.0
    return idf(df, n) * tf * (K1 + 1) / (tf + K1 * (1 - B + B * relative))


def term_weights(terms: Sequence[Term], dfs: Sequence[int], n: int) -> list[float]:
    """The part of the query that each term makes up: in [0, 1], together 1 (empty for no terms).

    `dfs[i]` counts the texts, of `n`, that hold any variant of `terms[i]`; 0 for a term unknown to the index,
    which then weighs most, so that a query about something else does not look answered. Function words
    count `STOP_WEIGHT`, or fully when the query has nothing else.
    """
    all_stop = all(term.stop for term in terms)
    raw = [
        idf(df, n) * term.weight * (STOP_WEIGHT if term.stop and not all_stop else 1.0)
        for term, df in zip(terms, dfs, strict=True)
    ]
    total = math.fsum(raw)
    return [weight / total for weight in raw]


def share(weights: Sequence[float], present: Iterable[int]) -> float:
    """The share of the query, in [0, 1], that a text holds. `present` are distinct positions in `weights`."""
    return min(1.0, math.fsum(weights[position] for position in present))
