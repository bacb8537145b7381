"""How near facts are to what was said by their words alone, for when there are no vectors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ..text.analysis import detect_language, document_tokens, query_terms


def overlaps(query: str, texts: Sequence[str]) -> list[float]:
    """For each text the share in [0, 1] of the words of `query`, by weight, that it holds.

    Words are compared by their stems; words such as "the" count only when nothing else was said.
    """
    held = [_tokens(text) for text in texts]
    terms = query_terms(query, {language for language, _ in held} | {detect_language(query)})
    terms = [term for term in terms if not term.stop] or terms
    whole = sum(term.weight for term in terms)
    if not whole:
        return [0.0] * len(texts)
    return [
        sum(term.weight for term in terms if not tokens.isdisjoint(term.variants)) / whole
        for _, tokens in held
    ]


def tokens_of(text: str) -> frozenset[str]:
    """The stems of the words of a text."""
    return _tokens(text)[1]


def forget_words() -> None:
    """Drop what is kept in memory of texts that were compared."""
    _tokens.cache_clear()


@lru_cache(maxsize=2048)
def _tokens(text: str) -> tuple[str, frozenset[str]]:
    language = detect_language(text)
    return language, frozenset(document_tokens(text, language))
