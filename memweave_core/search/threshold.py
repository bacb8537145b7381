"""The noise gate."""

from __future__ import annotations

from collections.abc import Sequence

from .hits import Scored

CONFIDENT = 0.45
"""The best score from which on an answer is more than a guess.

How many of our own questions that nothing answers pass it all the same stands in docs/quality.md.
"""


def gate(scored: Sequence[Scored], min_score: float) -> tuple[list[Scored], list[Scored]]:
    """(kept, cut): what scores at least `min_score`, and what does not, each in the order given."""
    kept = [
        one if one.stages is None else one.moved(one.score, "gate", min_score=min_score)
        for one in scored
        if one.score >= min_score
    ]
    return kept, [one for one in scored if one.score < min_score]
