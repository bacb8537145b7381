"""How expressions of time are written: one pattern made of the words of the calendar tables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from .calendar_words import (
    AGO_AFTER,
    AGO_BEFORE,
    COUNTED_UNITS,
    DAY_ORDINALS,
    DAY_WORDS,
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
    UNITS,
    WEEK,
    WEEKDAYS,
    Word,
)


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
_DAY_WORD: Final = _one_of(DAY_WORDS)
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
    "day_in_words": rf"(?:(?P<dw_from>{_DAY_WORD}){_TO})?(?P<dw_day>{_DAY_WORD})\s{{1,3}}"
    rf"(?:of|de)\s{{1,3}}(?:the\s)?(?P<dw_month>{_MONTH})(?:\.?,?\s{{1,3}}{_OF}{_year('dw')})?",
    "month_and_word": rf"(?P<mw_month>{_MONTH})\s{{1,3}}(?:the\s)?(?P<mw_day>{_one_of(DAY_ORDINALS)})"
    rf"(?:,?\s{{1,3}}{_year('mw')})?",
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


# "antes de ayer" is one word to those who say it, but not in "dos días antes de ayer".
_ANTEAYER: Final = r"(?:(?<=dias )|(?!antes\s{1,3}de\s{1,3}(?:ayer|ontem)(?!\w)))"
_START: Final = (
    rf"(?<![\w.@/#\\-])(?=[a-z0-9])(?:{_ANTEAYER}(?P<prep>{_one_of(PREPOSITIONS)}){_GAP})?{_ARTICLE}"
)
JOIN: Final = re.compile(
    r"\s{1,3}(?:(?P<both>and|y|e|und|et)|to|through|till|until|a|al|hasta|ate|bis|zum|au)\s{1,3}(?=[a-z0-9])"
)
DASH: Final = re.compile(
    r"(?:\s{0,3}-\s{0,3}|\s{1,3}(?:to|through|till|until|al|hasta|bis)\s{1,3})(?P<both>)(?=[a-z0-9])"
)
DATES: Final = frozenset({"iso", "figures", "day_month", "month_day", "day_in_words", "month_and_word"})


@cache
def offset() -> re.Pattern[str]:
    """A counted or single unit of time that ends the text."""
    return re.compile(
        rf"(?<!\w)(?:(?P<count>{_COUNT})|the|el|la)\s{{1,3}}(?P<unit>{_one_of(COUNTED_UNITS)})\s{{1,3}}$"
    )


@cache
def scanner() -> re.Pattern[str]:
    """All forms in one pattern. Compiling it takes longer than importing the rest, so it waits for a question
    that needs it.
    """
    forms = "|".join(f"(?P<{name}>{form}{'' if name == 'iso' else _WORDY})" for name, form in _FORMS.items())
    return re.compile(f"{_START}(?:{forms})")
