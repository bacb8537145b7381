"""What a page is called, and which names stand in a question.

A name is kept as one token of the word index that no text can contain. So a question finds the pages that it
names at the price of looking a few tokens up, however many pages there are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from .commonness import rarity
from .spelling import fold
from .stemming import DEFAULT_LANGUAGE, stemmer
from .stopwords import stop_words

LONGEST: Final = 8
"""Words of a name; a longer title is hardly ever repeated in a question."""

TELLING: Final = 0.6
"""`rarity` that a name of one word must have: a page called "Notes" is not meant by the word."""

_MARK: Final = "\u00b6"
_WORD: Final = re.compile(r"\w+")
_MOST_WORDS: Final = 64


def name_tokens(names: Iterable[str], language: str) -> list[str]:
    """Index tokens of what a page is called (title, aliases); none for what tells nothing."""
    found = (_Words(name, language) for name in names)
    tokens = (words.token(0, len(words.stems)) for words in found)
    return [token for token in dict.fromkeys(tokens) if token]


def asked_names(query: str, languages: Sequence[str]) -> list[str]:
    """Tokens of every name that could stand in a question, for pages in any of `languages`."""
    tokens: dict[str, None] = {}
    for language in languages or [""]:
        words = _Words(query, language)
        count = min(len(words.stems), _MOST_WORDS)
        for start in range(count):
            for end in range(start + 1, min(start + LONGEST, count) + 1):
                tokens[words.token(start, end)] = None
    tokens.pop("", None)
    return list(tokens)


class _Words:
    """The words of a text, stemmed once; any run of them may be a name."""

    def __init__(self, text: str, language: str) -> None:
        language = language or DEFAULT_LANGUAGE
        words = _WORD.findall(text)
        stem, functional = stemmer(language), stop_words(language)
        self.stems = [fold(stem(word)) for word in words]
        self._content = [word.casefold() not in functional for word in words]
        self._alone = [len(word) > 1 and rarity(word) >= TELLING for word in words]

    def token(self, start: int, end: int) -> str:
        """The token of some words; "" when these are none, too many, all functional, or one common word."""
        if not 1 <= end - start <= LONGEST or not any(self._content[start:end]):
            return ""
        if end - start == 1 and not self._alone[start]:
            return ""
        return _MARK + "_".join(self.stems[start:end])
