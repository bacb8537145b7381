"""A fact taken apart for comparison: its words in order, without what never makes a difference.

Only what is the same in every sentence is left out: articles, the present of "to be", the user as subject,
punctuation. A number, a name, a unit, a negation, a tense or a direction is a word like any other, so two
facts that differ in one have different words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ..text.stemming import stemmer
from ..text.stopwords import stop_words
from . import statement_words as words

_TOKEN: Final = re.compile(
    r"(?:(?<![\w)])[-−+](?=[$€£¥]?\d))?[$€£¥@#]?\w(?:[\w'@&#%°€$£¥+/_-]|[.:](?=\w)|(?<=\d),(?=\d))*|[^\w\s]"
)
_IGNORED: Final = frozenset(".!¡¿\"'`*“”‘’«»…")
_PAUSES: Final = frozenset(",;:()[]–—-")
_SENTENCE: Final = re.compile(r"[.;!]\s+\S")


@dataclass(frozen=True, slots=True)
class Word:
    """One word in lower case. `name` says that it is written like a name, `pause` that a pause is before it.

    `one` marks a noun after "a": it must not be taken for its plural. `verb` marks an infinitive.
    """

    text: str
    stem: str
    name: bool = False
    pause: bool = False
    one: bool = False
    verb: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """`plain` is the text with usual phrases made alike; `words` are what counts in it, in order.

    `stress` are the words that only add weight ("really"); `now` says that it stresses the present, `also`
    that it adds to something, `negated` that it denies something, `parts` how many sentences it has.
    """

    plain: str
    words: tuple[Word, ...]
    language: str
    stress: frozenset[str]
    now: bool
    also: bool
    negated: bool
    parts: int


@lru_cache(maxsize=4096)
def read(text: str, language: str) -> Statement:
    """Take a fact apart; `language` is "en" or "es"."""
    plain = " ".join(unicodedata.normalize("NFC", text).replace("’", "'").replace("`", "'").split())
    parts = 1 + len(_SENTENCE.findall(plain))
    plain, of_user = _without_subject(plain)
    for pattern, replacement in words.REWRITES:
        plain = pattern.sub(replacement, plain)
    for pattern, replacement in words.REWRITES_BY_LANGUAGE[language]:
        plain = pattern.sub(replacement, plain)
    plain = " ".join(plain.split())
    found = _words(plain, language, of_user)
    texts = {word.text for word in found}
    negated = not texts.isdisjoint(words.NEGATIONS)
    stress = frozenset() if negated else frozenset(texts & words.STRESS)
    left = tuple(word for word in found if word.text not in stress and word.text not in words.PRESENT)
    now, also = not texts.isdisjoint(words.PRESENT), not texts.isdisjoint(words.ALSO)
    return Statement(plain, left or found, language, stress, now, also, negated, parts)


def alike(one: Word, other: Word) -> bool:
    """Whether two words differ in nothing but the ending of a verb or of a plural."""
    if one.text == other.text:
        return True
    if one.name or other.name or one.stem != other.stem or _has_digit(one.text + other.text):
        return False
    if one.verb != other.verb and (one.text.endswith("ing") or other.text.endswith("ing")):
        return True
    short, long = sorted((one, other), key=lambda word: len(word.text))
    plural = long.text in (short.text + "s", short.text + "es", short.text[:-1] + "ies")
    return plural and not short.one


def same_words(one: Sequence[Word], other: Sequence[Word]) -> bool:
    """Whether two sequences are alike word for word."""
    return len(one) == len(other) and all(map(alike, one, other))


def begins_with(longer: Sequence[Word], shorter: Sequence[Word]) -> bool:
    """Whether one sequence is the beginning of another."""
    return len(shorter) <= len(longer) and all(map(alike, longer, shorter))


def words_of(part: str, language: str) -> tuple[Word, ...]:
    """The words that count in a part of a statement's `plain` text."""
    skipped = words.STRESS | words.PRESENT
    return tuple(word for word in _words(part, language, False) if word.text not in skipped)


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def language_of(*texts: str) -> str:
    """The language that facts to be compared are read in: "es" when any of them is Spanish, else "en"."""
    return "es" if any(_language(text) == "es" for text in texts) else "en"


@lru_cache(maxsize=4096)
def _language(text: str) -> str:
    found = re.findall(r"[^\W\d_]+", text.casefold())
    spanish = sum(word in stop_words("es") or word in words.SPANISH for word in found)
    english = sum(word in stop_words("en") for word in found)
    return "es" if spanish > english else "en"


def _without_subject(text: str) -> tuple[str, bool]:
    match = words.SUBJECT.match(text)
    return (text[match.end() :], bool(match["user"])) if match else (text, False)


def _words(plain: str, language: str, of_user: bool) -> tuple[Word, ...]:
    """Every word but articles, "to be" in the present, and possessives that mean the user's."""
    skipped, stem = words.SKIPPED[language], stemmer(language)
    found: list[Word] = []
    pause = one = verb = False
    for match in _TOKEN.finditer(plain):
        raw = match[0].rstrip("-'/_") or match[0]
        text = words.FORMS.get(raw.casefold(), raw.casefold())
        if len(text) == 1 and not text.isalnum():
            if text in _IGNORED:
                continue
            if text in _PAUSES:
                pause = True
                continue
        if text in words.POSSESSIVE or (of_user and text in words.USERS):
            text = words.POSSESSION if found else ""
        if text in skipped or not text:
            one = one or text in words.ONE
            continue
        if text == "to" and found and found[-1].text in words.SENTIMENTS:
            verb = True
            continue
        name = bool(found) and raw[:1].isupper()
        found.append(Word(text, stem(text), name, pause, one, verb))
        pause = one = verb = False
    return tuple(found)
