"""The formulas of the keyword leg: how rare a term is, and BM25."""

from __future__ import annotations

import math

K1 = 1.2
"""BM25: how soon repeating a term stops to count."""

B = 0.75
"""BM25: how much the length of a text counts, from 0 (not) to 1 (fully)."""


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
