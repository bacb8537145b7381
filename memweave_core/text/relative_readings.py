"""What weekdays and expressions such as "last week" mean: the days, or None for no time."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from .calendar_spans import Days, ago, moved, stretch, unit_at, weekday_near
from .calendar_words import (
    AGO_AFTER,
    AGO_BEFORE,
    ARTICLE,
    COUNTED_UNITS,
    DAYS,
    NUMBERS,
    OF,
    RELATIONS,
    UNITS,
    WEEKDAYS,
)
from .stopwords import stop_words
from .time_reading import Reading, one_day

_VAGUE: Final = re.compile(r"(?:more\s+than|less\s+than|over|at\s+least|mas\s+de|menos\s+de|mehr\s+als)\s+$")
_MORNING: Final = re.compile(r"(?:^|[^\w])(?:la|de|una|cada|toda|misma)\s+$")
_OFFSET_WIDTH: Final = 32
_SINGULAR: Final = frozenset({"day", "week", "month", "year", "dia", "semana", "mes", "ano"})
_OF_SOMETHING: Final = re.compile(r"\s{1,3}(?:of|de|del)\s")


def _weekday_of_week(reading: Reading) -> Days | None:
    weekday, found = reading.word("w_day", WEEKDAYS), reading.unit("w")
    if weekday is None or found is None:
        return None
    monday, _ = unit_at(found[0].value, found[1], reading.today)
    return one_day(moved(monday, weekday.value))


def _before_last(reading: Reading) -> Days | None:
    unit = reading.word("b_unit", UNITS)
    return unit and unit_at(unit.value, -2, reading.today)


def _day(reading: Reading) -> Days | None:
    day = reading.word("d_day", DAYS)
    name = reading.match["d_day"]
    if day is None or (
        name == "manana" and (reading.match["article"] or reading.match["prep"] or reading.follows(_MORNING))
    ):
        return None
    if name == "hier":  # German for "here"
        place = reading.offsets[reading.match.start()]
        words = re.findall(r"[^\W\d_]+", reading.query[max(0, place - 200) : place + 200].lower())
        french, german = (sum(word in stop_words(language) for word in words) for language in ("fr", "de"))
        if french <= german:
            return None
    return one_day(moved(reading.today, day.value))


def _unit(reading: Reading) -> Days | None:
    found = reading.unit("u")
    if found is None or _OF_SOMETHING.match(reading.folded, reading.match.end()):
        return None
    return unit_at(found[0].value, found[1], reading.today)


def _count(reading: Reading, group: str, languages: frozenset[str]) -> int | None:
    text = reading.match[group]
    if text.isdigit():
        return int(text)
    word = reading.word(group, NUMBERS)
    return word.value if word and word.languages & languages else None


def _ago(reading: Reading) -> Days | None:
    unit = reading.word("a_unit", COUNTED_UNITS)
    marker = reading.word("a_first", AGO_BEFORE) or reading.word("a_last", AGO_AFTER)
    if unit is None or marker is None or reading.follows(_VAGUE):
        return None
    languages = unit.languages & marker.languages
    count = _count(reading, "a_count", languages)
    return ago(unit.value, count, reading.today) if count is not None and languages else None


def _counted(reading: Reading) -> Days | None:
    unit = reading.word("c_unit", COUNTED_UNITS)
    relation = reading.word("c_first", RELATIONS) or reading.word("c_last", RELATIONS)
    if unit is None or relation is None or _OF_SOMETHING.match(reading.folded, reading.match.end()):
        return None
    languages = unit.languages & relation.languages
    count = _count(reading, "c_count" if reading.match["c_count"] else "c_number", languages)
    if not languages or not count or not relation.value:
        return None
    return stretch(unit.value, relation.value * count, reading.today)


def _weekday(reading: Reading) -> Days | None:
    day = reading.word("n_day", WEEKDAYS)
    relation = reading.word("n_before", RELATIONS) or reading.word("n_later", RELATIONS)
    known = reading.preposition()
    if day is None:
        return None
    if relation is not None:
        known_day = relation.languages & day.languages
        return one_day(weekday_near(day.value, reading.today, relation.value)) if known_day else None
    possessive = day.languages == {"en"} and reading.folded.startswith("'s", reading.match.end())
    stands = known is not None and known.value not in (OF, ARTICLE) and known.languages & day.languages
    article = reading.match["article"] in (None, "el", "den", "dem")
    if (stands and article) or possessive or reading.joined:
        return one_day(weekday_near(day.value, reading.today, None))
    return None


def offset_before(folded: str, start: int, pattern: re.Pattern[str]) -> tuple[int, int, int] | None:
    """(start of the text, unit, count) of "two days" right before a "before" or "after" at `start`.

    `pattern` ends at the end of what it is given. None when nothing is counted there, or only about.
    """
    begin = max(0, start - _OFFSET_WIDTH)
    found = pattern.search(folded[begin:start])
    if found is None or _VAGUE.search(folded[:begin] + folded[begin : begin + found.start()]):
        return None
    unit, text = COUNTED_UNITS[" ".join(found["unit"].split())], found["count"]
    if text is None:
        count = 1 if found["unit"] in _SINGULAR else 0
    elif text.isdigit():
        count = int(text)
    else:
        word = NUMBERS.get(" ".join(text.split()))
        count = word.value if word is not None and word.languages & unit.languages else 0
    return (begin + found.start(), unit.value, count) if count else None


RELATIVE_READINGS: Final[Mapping[str, Callable[[Reading], Days | None]]] = {
    "weekday_of_week": _weekday_of_week,
    "before_last": _before_last,
    "day": _day,
    "unit": _unit,
    "ago": _ago,
    "counted": _counted,
    "weekday": _weekday,
}
"""By the name of the form."""
