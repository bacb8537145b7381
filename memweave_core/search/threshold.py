"""The noise gate."""

from __future__ import annotations

from collections.abc import Sequence

from .hits import Scored


def gate(scored: Sequence[Scored], min_score: float) -> tuple[list[Scored], list[Scored]]:
    """(kept, cut): what scores at least `min_score`, and what does not, each in the order given."""
    kept = [one.moved(one.score, "gate", min_score=min_score) for one in scored if one.score >= min_score]
    return kept, [one for one in scored if one.score < min_score]
