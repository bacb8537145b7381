"""Which fact a person means who names no statement but a thing: "forget my dog"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ..messages import Fact
from ..text.spelling import fold
from .statement import Word, language_of, read

_THING: Final = re.compile(r"(?:my|our|the|mis?|nuestr[oa]s?|el|la|los|las)\s+\S", re.IGNORECASE)
_HAVING: Final = frozenset("have has own owns tengo tiene".split())  # noqa: SIM905  as elsewhere
_LONGEST: Final = 4  # words that name a thing; more are a statement


def about(named: str, facts: Sequence[Fact]) -> list[Fact]:
    """The facts whose subject is what is named ("my dog", "mi número de teléfono"), or that the user has it.

    [] where `named` is no such name, as "I like tea" is not.
    """
    if not _THING.match(named):
        return []
    return [fact for fact in facts if _is_about(named, fact.text)]


def _is_about(named: str, text: str) -> bool:
    language = language_of(named, text)
    wanted, words = read(named, language).words, read(text, language).words
    if not wanted or len(wanted) > _LONGEST:
        return False
    starts = (words, words[1:]) if words and words[0].text in _HAVING else (words,)
    return any(_begins_with(start, wanted) for start in starts)


def _begins_with(words: Sequence[Word], wanted: Sequence[Word]) -> bool:
    pairs = zip(words, wanted, strict=False)  # accents are often left out where one is in a hurry
    return len(words) >= len(wanted) and all(fold(one.stem) == fold(other.stem) for one, other in pairs)
