"""What dates, months, quarters, seasons and years in a question mean: the days, or None for no time."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from .calendar_spans import Days, day_near, day_of, month_near, months, third, unit_at
from .calendar_words import (
    ALWAYS_MONTHS,
    ARTICLE,
    BETWEEN,
    DAY_WORDS,
    MONTHS,
    OF,
    ON,
    ORDINALS,
    PARTS,
    RELATIONS,
    SEASONS,
    SHORT_MONTHS,
    UNITS,
    VERBS,
    Word,
)
from .time_reading import Reading, one_day


def _figures(reading: Reading) -> Days | None:
    first, second, third_number = (
        int(part) for part in re.findall("[0-9]+", reading.match[reading.match.lastgroup or ""])
    )
    if reading.match.lastgroup == "iso":
        return one_day(day_of(first, second, third_number))
    return one_day(day_of(third_number, second, first) or day_of(third_number, first, second))


def _iso_month(reading: Reading) -> Days:
    text = reading.match["iso_month"]
    return months(int(text[:4]), int(text[5:]))


def _day_month(reading: Reading) -> Days | None:
    relation = reading.word("dm_next", RELATIONS)
    month = reading.word("dm_month", MONTHS, SHORT_MONTHS)
    year = reading.year("dm")
    plain = reading.match["dm_day"].isdigit()
    if month is None or (plain and year is None and not _is_month(reading, "dm_month")):
        return None
    days = reading.number("dm_from"), reading.number("dm_day")
    return _days(reading, days, month.value, year, ahead=relation is not None and relation.value > 0)


def _is_month(reading: Reading, group: str) -> bool:
    """Whether a word such as "may" is a month: by its capital, a preposition, or where it stands."""
    if reading.match[group] not in VERBS:
        return True
    return reading.preposition() is not None or reading.capital(group) or reading.closed()


def _month_day(reading: Reading) -> Days | None:
    month = reading.word("md_month", MONTHS, SHORT_MONTHS)
    year = reading.year("md")
    if month is None or (
        year is None
        and reading.match["md_day"].isdigit()
        and (
            not _is_month(reading, "md_month")
            or (reading.match["md_month"] in VERBS and reading.counts_things())
        )
    ):
        return None
    last = reading.number("md_to")
    first = reading.number("md_day")
    days = (None, first) if last is None else (first, last)
    return _days(reading, days, month.value, year, ahead=False)


def _day_in_words(reading: Reading) -> Days | None:
    """The day of ``the second of May``, ``el dos de mayo``, from another one on if there is one."""
    day, month = reading.word("dw_day", DAY_WORDS), reading.word("dw_month", MONTHS, SHORT_MONTHS)
    first = reading.word("dw_from", DAY_WORDS)
    if day is None or month is None or not day.languages & month.languages:
        return None
    days = first.value if first else None, day.value
    return _days(reading, days, month.value, reading.year("dw"), ahead=False)


def _month_and_word(reading: Reading) -> Days | None:
    """The day of ``May the second``, ``on March third``."""
    day, month = reading.word("mw_day", DAY_WORDS), reading.word("mw_month", MONTHS, SHORT_MONTHS)
    if (
        day is None
        or month is None
        or not (day.languages & month.languages and _is_month(reading, "mw_month"))
    ):
        return None
    return _days(reading, (None, day.value), month.value, reading.year("mw"), ahead=False)


def _days(
    reading: Reading, days: tuple[int | None, int | None], month: int, year: int | None, *, ahead: bool
) -> Days | None:
    first, last = days
    end = (
        day_near(month, last or 0, reading.today, ahead=ahead)
        if year is None
        else day_of(year, month, last or 0)
    )
    if end is None or first is None:
        return one_day(end)
    start = day_of(end.year, month, first)
    return None if start is None or start > end else (start, end)


def _quarter(reading: Reading) -> Days | None:
    ordinal = reading.word("q_ordinal", ORDINALS)
    number = ordinal.value if ordinal else reading.number("q_late") or reading.number("q_figure") or 1
    year = reading.number("q_early") or reading.year("q")
    if year is not None:
        return months(year, 3 * number - 2, 3)
    if reading.match["q_figure"] and reading.match["quarter"][0] == "t":
        return None
    known = reading.preposition() is not None or reading.match["article"] is not None or reading.joined
    return month_near(3 * number - 2, reading.today, None, 3) if known else None


def _season(reading: Reading) -> Days | None:
    season = reading.word("s_name", SEASONS)
    relation = reading.word("s_before", RELATIONS) or reading.word("s_later", RELATIONS)
    year = reading.year("s")
    if season is None:
        return None
    if year is not None:
        return months(year, season.value, 3)
    name = reading.match["s_name"]
    if relation is None:
        known = reading.preposition()
        inside = (
            known is not None and known.languages & season.languages and known.value not in (ON, OF, ARTICLE)
        )
        sure = name not in ("spring", "fall", "ete") or (
            reading.match["article"] == "the" and reading.closed()
        )
        return month_near(season.value, reading.today, None, 3) if inside and sure else None
    if not relation.languages & season.languages or (
        name in ("spring", "fall") and relation.value == 0 and not reading.closed()
    ):
        return None
    return month_near(season.value, reading.today, relation.value, 3)


def _month(reading: Reading) -> Days | None:
    month = reading.word("m_month", MONTHS, SHORT_MONTHS)
    part = reading.word("m_part", PARTS)
    if month is None or (part is not None and not part.languages & month.languages):
        return None
    relation = reading.word("m_before", RELATIONS) or reading.word("m_later", RELATIONS)
    if relation is not None and not relation.languages & month.languages:
        return None
    year = reading.year("m")
    if year is not None:
        name = reading.match["m_month"]
        thing = name in VERBS and not reading.capital("m_month") and reading.counts_things()
        days = None if thing else months(year, month.value)
    elif _stands_as_month(reading, month, part is not None, relation):
        days = month_near(month.value, reading.today, relation.value if relation else None)
    else:
        days = None
    return third(days, part.value) if days is not None and part is not None else days


def _stands_as_month(reading: Reading, month: Word, has_part: bool, relation: Word | None) -> bool:
    """Whether the name of a month without a day or year is one."""
    name = reading.match["m_month"]
    if relation is not None:
        free = (relation.value != 0 and reading.match["article"] != "the") or name not in VERBS
        return free or reading.capital("m_month") or reading.closed()
    if has_part or reading.match["m_of"] or reading.joined:
        return True
    known = reading.preposition()
    if known is None or reading.match["article"] is not None:
        return name in ALWAYS_MONTHS and known is None
    if name in SHORT_MONTHS and name not in MONTHS and (name in VERBS or known.value == OF):
        return False
    if known.value == OF and name in VERBS and not (reading.capital("m_month") or reading.closed()):
        return False
    if known.value in (ON, ARTICLE):
        return False
    return bool(known.languages & month.languages)


def _year(reading: Reading) -> Days | None:
    part, known = reading.word("y_part", PARTS), reading.preposition()
    number = reading.number("y_year") or 1
    if reading.counts_things():
        return None
    stands = part is not None or reading.match["y_word"] or reading.joined
    if known is not None and reading.match["article"] in (None, "le", "el"):
        of_year = known.value == OF and reading.closed()
        stands = (
            stands
            or of_year
            or (known.value not in (OF, ON, ARTICLE) and reading.match["prep"] not in ("a", "by"))
        )
    days = months(number, 1, 12)
    return None if not stands else days if part is None else third(days, part.value)


def _day_alone(reading: Reading) -> Days | None:
    known, number = reading.preposition(), reading.number("day_alone") or 0
    english = known is not None and known.value not in (OF, BETWEEN) and reading.match["article"] == "the"
    if (
        not (english or (reading.match["o_dia"] and (known or reading.match["article"])))
        or not reading.closed()
    ):
        return None
    for back in range(3):  # not every month has a 31st, but one of two neighbours has
        start, _ = unit_at(UNITS["month"].value, -back, reading.today)
        day = day_of(start.year, start.month, number)
        if day is not None and day <= reading.today:
            return day, day
    return None


CALENDAR_READINGS: Final[Mapping[str, Callable[[Reading], Days | None]]] = {
    "iso": _figures,
    "figures": _figures,
    "iso_month": _iso_month,
    "day_month": _day_month,
    "month_day": _month_day,
    "day_in_words": _day_in_words,
    "month_and_word": _month_and_word,
    "quarter": _quarter,
    "season": _season,
    "month": _month,
    "year": _year,
    "day_alone": _day_alone,
}
"""By the name of the form."""
