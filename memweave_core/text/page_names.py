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
    tokens = (_token(_WORD.findall(name), language) for name in names)
    return [token for token in dict.fromkeys(tokens) if token]


def asked_names(query: str, languages: Sequence[str]) -> list[str]:
    """Tokens of every name that could stand in a question, for pages in any of `languages`."""
    words = _WORD.findall(query)[:_MOST_WORDS]
    spans = [
        words[start:end]
        for start in range(len(words))
        for end in range(start + 1, min(start + LONGEST, len(words)) + 1)
    ]
    tokens = (_token(span, language) for language in languages or [""] for span in spans)
    return [token for token in dict.fromkeys(tokens) if token]


def _token(words: Sequence[str], language: str) -> str:
    """The token of a name; "" when it is empty, too long, of function words only, or one common word."""
    language = language or DEFAULT_LANGUAGE
    if not 1 <= len(words) <= LONGEST:
        return ""
    functional = stop_words(language)
    content = [word for word in words if word.casefold() not in functional]
    if not content or (len(words) == 1 and (len(words[0]) < 2 or rarity(words[0]) < TELLING)):
        return ""
    stem = stemmer(language)
    return _MARK + "_".join(fold(stem(word)) for word in words)
