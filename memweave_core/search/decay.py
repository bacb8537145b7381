"""Ranking by age."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from ..types import PageMeta
from .hits import Hit, in_order


def age_in_days(meta: PageMeta, today: dt.date) -> int | None:
    """Days since the date of a page, 0 for one of the future; None for a page that does not age."""
    if meta.evergreen or meta.date is None:
        return None
    return max(0, (today - meta.date).days)


def multiplier(age: float, half_life_days: float) -> float:
    """``2^(-age / half_life)``, in [0, 1]: half after one half-life, a quarter after two."""
    return float(2.0 ** (-age / half_life_days))


def decay(hits: Sequence[Hit], today: dt.date, half_life_days: float) -> list[Hit]:
    """Dated pages scored down by age, and all hits in their new order. Nothing is dropped."""
    aged = []
    for hit in hits:
        age = age_in_days(hit.row.meta, today)
        factor = 1.0 if age is None else multiplier(age, half_life_days)
        aged.append(hit.moved(hit.score * factor, "decay", age_days=age, multiplier=factor))
    return sorted(aged, key=lambda hit: in_order(hit.scored))
