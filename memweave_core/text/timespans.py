"""Expressions of time in a search question: "last week", "on 17 March", "in May", "¿qué hice ayer?".

There is own code for it because the libraries that parse dates take hundreds of milliseconds to load and to
search a sentence, and read too much as a date. This is one pass of one regular expression whose words come
from a table, and it prefers to miss an expression over seeing one that is not there.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from .calendar_readings import CALENDAR_READINGS
from .calendar_spans import Days, ago
from .calendar_words import (
    AFTER,
    BEFORE,
    BETWEEN,
    CLUES,
    ON,
    SINCE,
    UNTIL,
    WITHIN,
)
from .relative_readings import RELATIVE_READINGS, offset_before
from .time_forms import DASH, DATES, JOIN, offset, scanner
from .time_reading import Reading


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """The days `start` to `end` (both included), asked for by ``query[text_start:text_end]``.

    The text includes the preposition when one stands before the expression.
    """

    start: dt.date
    end: dt.date
    text_start: int
    text_end: int


def time_spans(query: str, today: dt.date) -> list[TimeSpan]:
    """The expressions of time in a question, in order and disjoint, in any letter case, accents optional.

    English and Spanish; of German, French, Portuguese and Italian dates with month names and the frequent
    relative ones. A word that is also something else ("may", "spring", a number) counts only with a
    preposition, a year or the like. An impossible date is no span. Days beyond the calendar are cut off.

    - ``03/04/2026`` is 3 April: the day comes first unless that is impossible.
    - A month or day without a year, and "on Monday": the latest not after `today`. With "last" the latest
      that is over, with "next" the first to come, with "this" the one of this year or week.
    - Weeks run from Monday to Sunday. "past week" is "last week". "last 3 days" is from three days before
      `today` up to it. "3 days ago" is that day, "two weeks ago" that week, "two months ago" that month.
    - "since" ends today, "before" ends on the day before, "until" at the end of what follows; "after" begins
      on the day after and has no end. "between A and B" and "from A to B" are one span,
      between dates also "A to B" and "A - B".
    - "two days before" a day is that day, "a week after" it that week; so with "the day before".
    - Early, mid and late are thirds: of a month ten days and the rest, of a year four months.
    - Seasons are northern, of three whole months; winter 2025 begins in December 2025.
    """
    folded, offsets = _folded(query)
    if not _maybe(folded):
        return []
    pattern, found, position = scanner(), [], 0
    while match := pattern.search(folded, position):
        position = match.end()
        reading = Reading(query, folded, offsets, match, today)
        days = _read(reading)
        if days is None:
            continue
        preposition = reading.preposition()
        kind = preposition.value if preposition else WITHIN
        if until := _second_of_range(reading, kind):
            position = until.match.end()
        start = match.start()
        if shifted := _shifted(reading, days, kind) if not until else None:
            days, start = shifted
        else:
            days = _joined(reading, until) if until else _bounded(days, kind, today)
        if days is not None:
            found.append(TimeSpan(*days, offsets[start], offsets[position]))
    return found


_READINGS: Final = {**CALENDAR_READINGS, **RELATIVE_READINGS}


def _read(reading: Reading) -> Days | None:
    return _READINGS[reading.match.lastgroup or ""](reading)


def _second_of_range(first: Reading, kind: int) -> Reading | None:
    """The B of "between A and B", "from A to B", "since A until B", when it is a time.

    Between two dates "to" or a dash is enough.
    """
    dates = kind in (WITHIN, ON) and first.match.lastgroup in DATES
    join = (DASH if dates else JOIN).match(first.folded, first.match.end())
    if join is None or not (dates or kind in (BETWEEN, SINCE)) or (kind == SINCE and join["both"]):
        return None
    match = scanner().match(first.folded, join.end())
    if dates and match is not None and (match["prep"] or match.lastgroup not in DATES):
        return None
    second = replace(first, match=match, joined=True) if match else None
    return second if second and _read(second) else None


def _shifted(reading: Reading, days: Days, kind: int) -> tuple[Days, int] | None:
    """The day, week, ... of "two days before 5 May" and where its text begins; None if nothing is counted."""
    if kind not in (BEFORE, AFTER) or days[0] != days[1]:
        return None
    counted = offset_before(reading.folded, reading.match.start(), offset())
    if counted is None:
        return None
    start, unit, count = counted
    moved = ago(unit, count if kind == BEFORE else -count, days[0])
    return (moved, start) if moved is not None else None


def _joined(first: Reading, second: Reading) -> Days | None:
    """From A to B; "from Friday to Monday" means the Friday before that Monday."""
    days, until = _read(first), _read(second)
    if days and until and days[0] > until[0]:
        days = _read(replace(first, today=until[1])) or days
    if not days or not until:
        return days
    return (days[0], until[1]) if days[0] <= until[1] else (until[0], days[1])


def _bounded(days: Days, kind: int, today: dt.date) -> Days | None:
    """The days since, before, until or after some days; None when the calendar has none."""
    start, end = days
    if kind == SINCE:
        return start, (today if start <= today else end)
    if kind == UNTIL:
        return dt.date.min, end
    if kind == BEFORE:
        return (dt.date.min, start - dt.timedelta(1)) if start > dt.date.min else None
    if kind == AFTER:
        return (end + dt.timedelta(1), dt.date.max) if end < dt.date.max else None
    return days


_WORD: Final = re.compile("[a-z]+")
_NUMBER: Final = re.compile("[0-9]{4}|[0-9](?:st|nd|rd|th)")


def _maybe(folded: str) -> bool:
    return not CLUES.isdisjoint(_WORD.findall(folded)) or _NUMBER.search(folded) is not None


def _folded(text: str) -> tuple[str, range | list[int]]:
    """Lower case without accents, and where each of its characters (and its end) is in the text."""
    if text.isascii():
        return text.lower(), range(len(text) + 1)
    plain, offsets = [], []
    for place, character in enumerate(text):
        for part in _plain(character):
            plain.append(part)
            offsets.append(place)
    return "".join(plain), [*offsets, len(text)]


@lru_cache(maxsize=1024)
def _plain(character: str) -> str:
    if "\u0300" <= character <= "\u036f":
        return ""
    if character in "’‘ʼ":
        return "'"
    if character in "–—‐‑":
        return "-"
    if character > "\u024f":
        return character
    return unicodedata.normalize("NFD", character.lower())[:1]
