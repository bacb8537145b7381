"""A form of time found in a question, and what around it tells whether it is one."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .calendar_spans import Days
from .calendar_words import PREPOSITIONS, RELATIONS, UNITS, Word

_CLOSED: Final = re.compile(r"\s*(?:[?!.,;:)\"'»]|$)")
_THINGS: Final = re.compile(r"\s{1,3}[a-z]{1,20}s(?!\w)")
_NOT_THINGS: Final = re.compile(
    r"\s{1,3}(?:was|is|has|does|as|vs|this|us|los|las|nos|mis|sus|des|les|nous|[a-z]+mos)(?!\w)"
)


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
        """The figures of a group, or None when it took no part."""
        text = self.match[group]
        return int(re.sub("[^0-9]", "", text)) if text else None

    def preposition(self) -> Word | None:
        """The preposition before the form, if any."""
        return self.word("prep", PREPOSITIONS)

    def closed(self) -> bool:
        """Whether the question or its clause ends here."""
        return _CLOSED.match(self.folded, self.match.end()) is not None

    def counts_things(self) -> bool:
        """Whether the number at the end counts what follows, as in "2000 tokens"."""
        end = self.match.end()
        return _THINGS.match(self.folded, end) is not None and not _NOT_THINGS.match(self.folded, end)

    def follows(self, pattern: re.Pattern[str]) -> bool:
        """Whether the few characters before the form end in the pattern."""
        start = self.match.start()
        return pattern.search(self.folded[max(0, start - 16) : start]) is not None

    def capital(self, group: str) -> bool:
        """Whether the question has the group's word with a capital."""
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


def one_day(day: dt.date | None) -> Days | None:
    """A day as a stretch of days."""
    return None if day is None else (day, day)
