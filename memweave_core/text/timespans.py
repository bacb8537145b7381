"""Expressions of time in a search question: "last week", "on 17 March", "in May", "¿qué hice ayer?".

There is own code for it because the libraries that parse dates take hundreds of milliseconds to load and to
search a sentence, and read too much as a date. This is one pass of one regular expression whose words come
from a table, and it prefers to miss an expression over seeing one that is not there.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Final

from .calendar_readings import CALENDAR_READINGS
from .calendar_spans import Days
from .calendar_words import (
    AFTER,
    AGO_AFTER,
    AGO_BEFORE,
    BEFORE,
    BETWEEN,
    CLUES,
    COUNTED_UNITS,
    DAYS,
    MONTHS,
    NUMBERS,
    ORDINALS,
    PARTS,
    POSTPOSED,
    PREPOSITIONS,
    RELATIONS,
    SEASONS,
    SHORT_MONTHS,
    SINCE,
    UNITS,
    UNTIL,
    WEEK,
    WEEKDAYS,
    WITHIN,
    Word,
)
from .relative_readings import RELATIVE_READINGS
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
      on the day after and has no end. "between A and B" and "from A to B" are one span.
    - Early, mid and late are thirds: of a month ten days and the rest, of a year four months.
    - Seasons are northern, of three whole months; winter 2025 begins in December 2025.
    """
    folded, offsets = _folded(query)
    if not _maybe(folded):
        return []
    scanner, found, position = _scanner(), [], 0
    while match := scanner.search(folded, position):
        position = match.end()
        reading = Reading(query, folded, offsets, match, today)
        days = _read(reading)
        if days is None:
            continue
        preposition = reading.preposition()
        kind = preposition.value if preposition else WITHIN
        if until := _second_of_range(reading, kind):
            position = until.match.end()
        days = _joined(reading, until) if until else _bounded(days, kind, today)
        if days is not None:
            found.append(TimeSpan(*days, offsets[match.start()], offsets[position]))
    return found


_READINGS: Final = {**CALENDAR_READINGS, **RELATIVE_READINGS}


def _read(reading: Reading) -> Days | None:
    return _READINGS[reading.match.lastgroup or ""](reading)


def _second_of_range(first: Reading, kind: int) -> Reading | None:
    """The B of "between A and B", "from A to B", "since A until B", when it is a time."""
    join = _JOIN.match(first.folded, first.match.end()) if kind in (BETWEEN, SINCE) else None
    if join is None or (kind == SINCE and join["both"]):
        return None
    match = _scanner().match(first.folded, join.end())
    second = replace(first, match=match, joined=True) if match else None
    return second if second and _read(second) else None


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


def _one_of(*tables: Mapping[str, Word]) -> str:
    words = sorted({word for table in tables for word in table}, key=len, reverse=True)
    return "(?:" + "|".join(re.escape(word).replace(r"\ ", r"\s{1,3}") for word in words) + r")(?!\w)"


_GAP: Final = r"(?:\s{1,3}|(?<='))"
_OF: Final = r"(?:(?:of|del|de|di)\s{1,3}(?:the\s|la\s)?|d')?"
_MONTH: Final = _one_of(MONTHS, SHORT_MONTHS)
_RELATION: Final = _one_of(RELATIONS).removesuffix(r"(?!\w)") + r"(?:(?!\w)|(?<='))"
_AFTERWARDS: Final = _one_of({word: RELATIONS[word] for word in POSTPOSED})
_WEEKDAY: Final = _one_of(WEEKDAYS)
_DAY: Final = r"[0-9]{1,2}(?:st|nd|rd|th|er|ro|o|º|°|\.)?(?![\w%:])"
_TO: Final = r"\s?(?:-|(?<=\s)(?:to|and|through|until|bis|und|au|al|a|y|e)(?=\s))\s?(?:the\s|el\s|den\s)?"
_COUNT: Final = rf"(?:[0-9]{{1,3}}(?![\w.,:])|{_one_of(NUMBERS)})"


def _unit(name: str, unit: str = _one_of(UNITS)) -> str:
    """A unit with a relation before or after it; the groups are `<name>_before`, `_unit`, `_after`."""
    return (
        rf"(?:(?P<{name}_before>{_RELATION}){_GAP}(?P<{name}_unit>{unit})"
        rf"|(?P<{name}_later>{unit})\s{{1,3}}(?P<{name}_after>{_AFTERWARDS}))"
    )


def _year(name: str) -> str:
    """A year, in figures or as "last year"; the groups are as in `_unit`, with `y` after the name."""
    return (
        rf"(?:(?P<{name}_year>(?:19|20|21)[0-9]{{2}})(?![\w:%]|[.,][0-9])"
        rf"|(?P<{name}y_before>last|this|next|este)\s{{1,3}}(?P<{name}y_unit>year|ano)"
        rf"|(?P<{name}y_later>ano)\s{{1,3}}(?P<{name}y_after>pasado|passado|que\s{{1,3}}viene))"
    )


_WEEK_WORDS: Final = _one_of({word: entry for word, entry in UNITS.items() if entry.value == WEEK})
_YEAR_WORDS: Final = r"(?:year|ano|jahre?|annee|anno)"
_DATE_WEEKDAY: Final = rf"(?:{_WEEKDAY}\.?,?\s{{1,3}}(?:den\s|the\s)?)?"

_FORMS: Final[dict[str, str]] = {
    "iso": r"[0-9]{4}(?:-[0-9]{1,2}-[0-9]{1,2}|/[0-9]{1,2}/[0-9]{1,2})(?![0-9]|[-/.][0-9])",
    "figures": r"[0-9]{1,2}(?:/[0-9]{1,2}/|\.[0-9]{1,2}\.|-[0-9]{1,2}-)[0-9]{4}(?![\w]|[-/.][0-9])",
    "iso_month": r"(?:19|20|21)[0-9]{2}-(?:0[1-9]|1[0-2])(?!\w|[-/.:]\w)",
    "day_month": rf"{_DATE_WEEKDAY}(?:(?P<dm_next>next|coming|proximo|nachsten|prochain|prossimo)\s)?"
    rf"(?:(?P<dm_from>{_DAY}){_TO})?(?P<dm_day>{_DAY})(?:\s{{1,3}}|-|(?<=\.)){_OF}(?P<dm_month>{_MONTH})"
    rf"(?:\.?,?(?:\s{{1,3}}|-){_OF}{_year('dm')})?",
    "month_day": rf"{_DATE_WEEKDAY}(?P<md_month>{_MONTH})\.?\s{{1,3}}(?:the\s)?(?P<md_day>{_DAY})"
    rf"(?![/.][0-9])(?:{_TO}(?P<md_to>{_DAY}))?(?:,?\s{{1,3}}{_year('md')})?",
    "quarter": rf"(?:(?P<q_early>(?:19|20|21)[0-9]{{2}})[ -]?[qt](?P<q_late>[1-4])(?!\w)"
    rf"|(?:[qt](?P<q_figure>[1-4])(?!\w)|(?P<q_ordinal>{_one_of(ORDINALS)})\s{{1,3}}(?:quarter|trimestre)(?!\w))"
    rf"(?:[ /-]{{0,2}}{_OF}{_year('q')})?)",
    "season": rf"(?:(?P<s_before>{_RELATION}){_GAP})?(?P<s_name>{_one_of(SEASONS)})"
    rf"(?:\s{{1,3}}{_OF}{_year('s')}|\s{{1,3}}(?P<s_later>{_AFTERWARDS}))?",
    "weekday_of_week": rf"(?P<w_day>{_WEEKDAY})\s{{1,3}}(?:(?:of|der|da)\s{{1,3}}|de\sla\s{{1,3}})?"
    rf"{_unit('w', _WEEK_WORDS)}",
    "month": rf"(?:(?P<m_part>{_one_of(PARTS)})(?:\s{{1,3}}|-))?(?:(?P<m_before>{_RELATION})\s{{1,3}})?"
    r"(?P<m_of>(?:month\sof|mes\sde|mois\sde|mois\sd'|monat|mese\sdi)\s?)?"
    rf"(?P<m_month>{_MONTH})(?:\.?,?\s{{1,3}}{_OF}{_year('m')}|\s{{1,3}}(?P<m_later>{_AFTERWARDS}))?",
    "before_last": r"(?:the\s{1,3})?(?P<b_unit>week|weekend|month|year)\s{1,3}before\s{1,3}last(?!\w)",
    "day": rf"(?P<d_day>{_one_of(DAYS)})",
    "unit": _unit("u"),
    "ago": rf"(?:(?P<a_first>{_one_of(AGO_BEFORE)})\s{{1,3}})?(?P<a_count>{_COUNT})\s{{1,3}}"
    rf"(?P<a_unit>{_one_of(COUNTED_UNITS)})(?(a_first)|\s{{1,3}}(?P<a_last>{_one_of(AGO_AFTER)}))",
    "counted": rf"(?:(?P<c_first>{_RELATION})\s{{1,3}}(?P<c_count>{_COUNT})|(?P<c_number>{_COUNT})\s{{1,3}}"
    rf"(?P<c_last>{_RELATION}))\s{{1,3}}(?P<c_unit>{_one_of(COUNTED_UNITS)})",
    "weekday": rf"(?:(?P<n_before>{_RELATION})\s{{1,3}})?(?P<n_day>{_WEEKDAY})"
    rf"(?:\s{{1,3}}(?P<n_later>{_AFTERWARDS}))?",
    "year": rf"(?:(?P<y_part>{_one_of(PARTS)})(?:\s{{1,3}}|-))?(?P<y_word>{_YEAR_WORDS}\s{{1,3}})?"
    r"(?P<y_year>(?:19|20|21)[0-9]{2})(?![:%]|[.,/-]\w)",
    "day_alone": r"(?:(?P<o_dia>dia)\s{1,3}[0-9]{1,2}|[0-9]{1,2}(?:st|nd|rd|th))",
}
"""What is tried, in this order, at the start of each word. The names are those of the readings."""

_WORDY: Final = r"(?!\w|@|[.-]\w)"  # not in "monday.com", "today.md", "march-in"
_ARTICLE: Final = r"(?:(?P<article>the|el|la|los|las|den|dem|der|le|il|lo)\s{1,3}|l')?"


_START: Final = rf"(?<![\w.@/#\\-])(?=[a-z0-9])(?:(?P<prep>{_one_of(PREPOSITIONS)}){_GAP})?{_ARTICLE}"
_JOIN: Final = re.compile(
    r"\s{1,3}(?:(?P<both>and|y|e|und|et)|to|through|till|until|a|al|hasta|ate|bis|zum|au)\s{1,3}(?=[a-z0-9])"
)


@cache
def _scanner() -> re.Pattern[str]:
    """All forms in one pattern. Compiling it takes longer than importing the rest, so it waits for a question
    that needs it.
    """
    forms = "|".join(f"(?P<{name}>{form}{'' if name == 'iso' else _WORDY})" for name, form in _FORMS.items())
    return re.compile(f"{_START}(?:{forms})")
