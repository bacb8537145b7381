"""What a page is called, and which names stand in a question.

A name is kept as one token of the word index that no text can contain. So a question finds the pages that it
names at the price of looking a few tokens up, however many pages there are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import Final, NamedTuple

from .commonness import rarity
from .spelling import UNSPACED, fold
from .stemming import DEFAULT_LANGUAGE, stemmer
from .stopwords import stop_words

LONGEST: Final = 8
"""Words of a name; a longer title is hardly ever repeated in a question."""

CHARACTERS: Final = 3
"""Characters of a script without spaces that are as long as a word."""

TELLING: Final = 0.6
"""`rarity` that a name of one word must have: a page called "Notes" is not meant by the word."""

AFTER_START: Final = "`"
"""No token of a name that begins with a start of `AskedNames` comes after the start with this added."""

_MARK: Final = "\u00b6"
_WORD: Final = re.compile(r"\w+")
_MOST_WORDS: Final = 64


class Name(NamedTuple):
    """Words of a question that may be a name.

    `tokens` are its tokens, one for each way to stem it. `share` in [0, 1] is the part of the question that
    it is, by words that are not function words; 1 when nothing else is asked for.
    """

    tokens: tuple[str, ...]
    share: float


def name_tokens(names: Iterable[str], language: str) -> list[str]:
    """Index tokens of what a page is called (title, aliases); none for what tells nothing."""
    found = (_Words(name, language) for name in names)
    tokens = (words.token(0, len(words.stems)) for words in found)
    return [token for token in dict.fromkeys(tokens) if token]


class AskedNames:
    """The names that could stand in a question, for pages in any of `languages`."""

    def __init__(self, query: str, languages: Sequence[str]) -> None:
        self._read = [_Words(query, language) for language in languages or [""]]

    @property
    def starts(self) -> list[str]:
        """What the tokens of these names begin with: many are asked about at once by asking for these."""
        starts = (words.start(at) for words in self._read for at in range(words.count))
        return list(dict.fromkeys(starts))

    def beginning(self, starts: Collection[str]) -> list[Name]:
        """The names whose tokens begin with any of `starts`."""
        found: dict[tuple[str, ...], Name] = {}
        for start in range(self._read[0].count):
            reading = [words for words in self._read if words.start(start) in starts]
            if not reading:
                continue
            for end in range(start + 1, reading[0].last(start) + 1):
                tokens = tuple(dict.fromkeys(filter(None, (words.token(start, end) for words in reading))))
                if tokens:
                    share = max(words.share(start, end) for words in reading)
                    found[tokens] = max(Name(tokens, share), found.get(tokens, Name(tokens, 0.0)))
        return list(found.values())


class _Words:
    """The words of a text, stemmed once; any run of them may be a name.

    A character of a script without spaces is a word by itself: a name may stand between others.
    """

    def __init__(self, text: str, language: str) -> None:
        language = language or DEFAULT_LANGUAGE
        words = _WORD.findall(text) if text.isascii() else _pattern().findall(text)
        stem, functional = stemmer(language), stop_words(language)
        self.stems = [fold(stem(word)) for word in words]
        self.count = min(len(words), _MOST_WORDS)
        self._lengths = [1 if _is_unspaced(word) else CHARACTERS for word in words]
        self._content = [word.casefold() not in functional for word in words]
        self._alone = [len(word) > 1 and rarity(word) >= TELLING for word in words]

    def start(self, at: int) -> str:
        """What the token of any name that begins with this word begins with."""
        return _MARK + self.stems[at]

    def last(self, start: int) -> int:
        """Where the longest name ends that begins at `start`."""
        end, length = start, 0
        while end < self.count and length + self._lengths[end] <= LONGEST * CHARACTERS:
            length += self._lengths[end]
            end += 1
        return end

    def share(self, start: int, end: int) -> float:
        """The part of the words that tell something which stands between."""
        return sum(self._content[start:end]) / (sum(self._content) or 1)

    def token(self, start: int, end: int) -> str:
        """The token of some words; "" when these are none, too many, all functional, or one common word."""
        if not 0 < sum(self._lengths[start:end]) <= LONGEST * CHARACTERS or not any(self._content[start:end]):
            return ""
        if end - start == 1 and not self._alone[start]:
            return ""
        return _MARK + "_".join(self.stems[start:end])


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(rf"[{UNSPACED}]|(?:(?![{UNSPACED}])\w)+")


def _is_unspaced(word: str) -> bool:
    return len(word) == 1 and not word.isascii() and _unspaced().match(word) is not None


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(f"[{UNSPACED}]")
