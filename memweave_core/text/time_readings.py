"""What each form of an expression of time means: from a match of its pattern to the days, or None."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .calendar_spans import (
    Days,
    ago,
    day_near,
    day_of,
    month_near,
    months,
    moved,
    stretch,
    third,
    unit_at,
    weekday_near,
)
from .calendar_words import (
    AGO_AFTER,
    AGO_BEFORE,
    ALWAYS_MONTHS,
    ARTICLE,
    BETWEEN,
    COUNTED_UNITS,
    DAYS,
    MONTHS,
    NUMBERS,
    OF,
    ON,
    ORDINALS,
    PARTS,
    PREPOSITIONS,
    RELATIONS,
    SEASONS,
    SHORT_MONTHS,
    UNITS,
    VERBS,
    WEEKDAYS,
    Word,
)
from .stopwords import stop_words

_CLOSED: Final = re.compile(r"\s*(?:[?!.,;:)\"'»]|$)")
_THINGS: Final = re.compile(r"\s{1,3}[a-z]{1,20}s(?!\w)")
_NOT_THINGS: Final = re.compile(
    r"\s{1,3}(?:was|is|has|does|as|vs|this|us|los|las|nos|mis|sus|des|les|nous|[a-z]+mos)(?!\w)"
)
_VAGUE: Final = re.compile(r"(?:more\s+than|less\s+than|over|at\s+least|mas\s+de|menos\s+de|mehr\s+als)\s+$")
_MORNING: Final = re.compile(r"(?:^|[^\w])(?:la|de|una|cada|toda|misma)\s+$")
_OF_SOMETHING: Final = re.compile(r"\s{1,3}(?:of|de|del)\s")
_ENGLISH: Final = frozenset({"en"})


@dataclass(frozen=True, slots=True)
class Reading:
    """A match in the folded query, and what is needed to judge it. `joined` follows "from A to"."""

    query: str
    folded: str
    offsets: Sequence[int]
    match: re.Match[str]
    today: dt.date
    joined: bool = False

    def word(self, group: str, *tables: Mapping[str, Word]) -> Word | None:
        """The entry of a group's word, or None when the group took no part."""
        text = self.match[group]
        if text is None:
            return None
        key = " ".join(text.split())
        return next((table[key] for table in tables if key in table), None)

    def number(self, group: str) -> int | None:
        text = self.match[group]
        return int(re.sub("[^0-9]", "", text)) if text else None

    def preposition(self) -> Word | None:
        return self.word("prep", PREPOSITIONS)

    def closed(self) -> bool:
        """Whether the question or its clause ends here."""
        return _CLOSED.match(self.folded, self.match.end()) is not None

    def counts_things(self) -> bool:
        """Whether the number at the end counts what follows, as in "2000 tokens"."""
        end = self.match.end()
        return _THINGS.match(self.folded, end) is not None and not _NOT_THINGS.match(self.folded, end)

    def follows(self, pattern: re.Pattern[str]) -> bool:
        start = self.match.start()
        return pattern.search(self.folded[max(0, start - 16) : start]) is not None

    def capital(self, group: str) -> bool:
        return self.query[self.offsets[self.match.start(group)]].isupper()

    def unit(self, name: str) -> tuple[Word, int] | None:
        """The unit and relation of groups `name`_before, _unit, _later and _after in one language."""
        unit = self.word(f"{name}_unit", UNITS) or self.word(f"{name}_later", UNITS)
        relation = self.word(f"{name}_before", RELATIONS) or self.word(f"{name}_after", RELATIONS)
        if unit is None or relation is None or not unit.languages & relation.languages:
            return None
        return unit, relation.value

    def year(self, name: str) -> int | None:
        """The year of groups made for `name`, in figures or as "last year"."""
        found = self.unit(f"{name}y") if self.match[f"{name}_year"] is None else None
        return self.number(f"{name}_year") if found is None else self.today.year + found[1]


def _figures(reading: Reading) -> Days | None:
    first, second, third_number = (
        int(part) for part in re.findall("[0-9]+", reading.match[reading.match.lastgroup or ""])
    )
    if reading.match.lastgroup == "iso":
        return _one(day_of(first, second, third_number))
    return _one(day_of(third_number, second, first) or day_of(third_number, first, second))


def _one(day: dt.date | None) -> Days | None:
    return None if day is None else (day, day)


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
        return _one(end)
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


def _weekday_of_week(reading: Reading) -> Days | None:
    weekday, found = reading.word("w_day", WEEKDAYS), reading.unit("w")
    if weekday is None or found is None:
        return None
    monday, _ = unit_at(found[0].value, found[1], reading.today)
    return _one(moved(monday, weekday.value))


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
        words = re.findall(r"[^\W\d_]+", reading.query.lower())[:64]
        french, german = (sum(word in stop_words(language) for word in words) for language in ("fr", "de"))
        if french <= german:
            return None
    return _one(moved(reading.today, day.value))


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
        return _one(weekday_near(day.value, reading.today, relation.value)) if known_day else None
    possessive = day.languages == _ENGLISH and reading.folded.startswith("'s", reading.match.end())
    stands = known is not None and known.value not in (OF, ARTICLE) and known.languages & day.languages
    article = reading.match["article"] in (None, "el", "den", "dem")
    if (stands and article) or possessive or reading.joined:
        return _one(weekday_near(day.value, reading.today, None))
    return None


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


READINGS: Final[Mapping[str, Callable[[Reading], Days | None]]] = {
    "iso": _figures,
    "figures": _figures,
    "iso_month": _iso_month,
    "day_month": _day_month,
    "month_day": _month_day,
    "quarter": _quarter,
    "season": _season,
    "weekday_of_week": _weekday_of_week,
    "month": _month,
    "before_last": _before_last,
    "day": _day,
    "unit": _unit,
    "ago": _ago,
    "counted": _counted,
    "weekday": _weekday,
    "year": _year,
    "day_alone": _day_alone,
}
"""By the name of the form."""
