"""The noise gate."""

from __future__ import annotations

from collections.abc import Sequence

from ..text.timespans import TimeSpan, time_spans
from .hits import Hit, Scored

CONFIDENT = 0.45
"""The best score from which on an answer is more than a guess.

Without what a page gets for its name, unless nothing but the page is asked for. How many of our own questions
that nothing answers pass it all the same stands in docs/quality.md.
"""

_WEEK = 7


def gate(scored: Sequence[Scored], min_score: float) -> tuple[list[Scored], list[Scored]]:
    """(kept, cut): what scores at least `min_score`, and what does not, each in the order given."""
    kept = [
        one if one.stages is None else one.moved(one.score, "gate", min_score=min_score)
        for one in scored
        if one.score >= min_score
    ]
    return kept, [one for one in scored if one.score < min_score]


def confident(hit: Hit, spans: Sequence[TimeSpan]) -> bool:
    """Whether a hit is more than a guess: its content speaks for it, and it is of the days asked for."""
    scored = hit.scored
    evidence = scored.score if scored.evidence is None else scored.evidence
    return evidence >= CONFIDENT and (not spans or not _of_other_days(hit, spans))


def _of_other_days(hit: Hit, spans: Sequence[TimeSpan]) -> bool:
    """Whether a page is dated out of all the days that a query names, and does not speak of them either.

    A page that does not age is of no day. What a text says is meant from its own date on; an expression of a
    longer time than is asked for ("2026") says nothing.
    """
    meta, text = hit.row.meta, hit.row.chunk.text
    if meta.date is None or meta.evergreen or any(span.start <= meta.date <= span.end for span in spans):
        return False
    longest = max(_WEEK, *(_days(span) for span in spans))
    written = [said for said in time_spans(text, meta.date) if _days(said) <= longest]
    return not any(said.start <= span.end and span.start <= said.end for said in written for span in spans)


def _days(span: TimeSpan) -> int:
    return (span.end - span.start).days + 1
