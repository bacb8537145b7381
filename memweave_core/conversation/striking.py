"""Taking out of a summary what says the same as a text that was deleted.

A summary is prose of a model, so what it made of a fact is found by its words: a sentence goes when it has
most of what the deleted text is about, rare words counting more than common ones. A number or address of the
deleted text alone is enough. When in doubt a sentence goes: what was left in a summary comes back in every
answer, and what was struck still stands in the transcript unless that was deleted too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from ..text.analysis import Term, detect_language, document_tokens, query_terms

SHARE: Final = 0.5
"""A sentence with this share of the words of a deleted one, by weight, is struck."""

SHARE_TOLD: Final = 0.6
"""So is one of whose own words this share, and two at least, stand anywhere in the deleted text."""

SHARE_STATED: Final = 0.9
"""A sentence with this share of the words of a fact, by weight, states it."""

_SENTENCE: Final = re.compile(r".+?(?:[.!?…]+[\"'”’)\]]*(?=\s|$)|[。！？]|$)\s*", re.DOTALL)
_MARKER: Final = re.compile(r"\s*(?:[-*+>]|[0-9]{1,3}[.)]|#{1,6})?\s*")
_BETWEEN: Final = re.compile(r"[\s,;()\[\]\"<>]+")
_DAY: Final = re.compile(r"(?:19|20)[0-9]{2}(?:-[0-9]{2}){0,2}")
_DAY_WEIGHT: Final = 0.2  # of a year or day: as much as a common word
_DIGITS: Final = 4  # from which on a number is one of its kind: a telephone, a port, an account
_ALL_OF: Final = 2  # words of a sentence, up to which one alone does not tell that it is meant
_FEW: Final = 3  # sentences from which on a word in most of them says nothing (the user's name)


@dataclass(frozen=True, slots=True)
class Struck:
    """A text without the sentences `struck`, which are given without the mark of a list item."""

    text: str
    struck: tuple[str, ...] = ()


def strike(text: str, deleted: str) -> Struck:
    """`text` without the sentences that hold `deleted`, a fact or message; the same text when none does.

    A line of which nothing is left goes too.
    """
    lines = [(line, _sentences(line)) for line in text.split("\n")]
    wanted = _Deleted(text, Sought(deleted), [sentence for _, sentences in lines for sentence in sentences])
    struck: list[str] = []
    kept: list[str] = []
    for line, sentences in lines:
        left = [sentence for sentence in sentences if not wanted.is_in(sentence)]
        if len(left) == len(sentences):
            kept.append(line)
            continue
        struck += [_MARKER.sub("", one, count=1).strip() for one in sentences if one not in left]
        rest = "".join(left).rstrip()
        marker = _MARKER.match(line)
        if rest:
            kept.append(rest if left[0] == sentences[0] or not marker else marker[0] + rest)
    return Struck("\n".join(kept) if struck else text, tuple(struck))


def mentions(text: str, deleted: str) -> bool:
    """See `Sought.mentioned_in`."""
    return Sought(deleted).mentioned_in(text)


def states(text: str, deleted: str) -> bool:
    """See `Sought.stated_in`."""
    return Sought(deleted).stated_in(text)


class Sought:
    """A deleted text that is looked for in many others; its own words are worked out once."""

    def __init__(self, deleted: str) -> None:
        self.deleted = deleted
        self.texts = _sentences(deleted)
        self.language = detect_language(deleted)
        self.telling = [word for word in map(_bare, _BETWEEN.split(deleted)) if _tells_all(word)]
        self._tokens: dict[str, frozenset[str]] = {}
        self._terms: dict[tuple[str, ...], list[list[Term]]] = {}
        self._forms: dict[tuple[str, ...], frozenset[str]] = {}

    def mentioned_in(self, text: str) -> bool:
        """True when `strike` would take something out of `text`.

        But of a sentence of one or two words that say something, as those of most facts, both must be there.
        """
        if not self._may_be_in(text):
            return False
        sentences = _sentences(text)
        wanted = _Deleted(text, self, sentences)
        return any(wanted.is_in(sentence, strictly=True) for sentence in sentences)

    def stated_in(self, text: str) -> bool:
        """True when `text` says all that was deleted: far less than a mention, for what cannot be undone."""
        if not self._may_be_in(text):
            return False
        sentences = _sentences(text)
        return any(map(_Deleted(text, self, sentences).is_stated_in, sentences))

    def languages(self, text: str) -> tuple[str, ...]:
        """The languages in which a text is compared with the deleted one."""
        return tuple(dict.fromkeys((detect_language(text), self.language)))

    def tokens(self, language: str) -> frozenset[str]:
        """The words of the deleted text."""
        if language not in self._tokens:
            self._tokens[language] = frozenset(document_tokens(self.deleted, language))
        return self._tokens[language]

    def terms(self, languages: tuple[str, ...]) -> list[list[Term]]:
        """What each sentence of the deleted text is about."""
        if languages not in self._terms:
            self._terms[languages] = [_terms(part, languages) for part in self.texts]
        return self._terms[languages]

    def _may_be_in(self, text: str) -> bool:
        """Whether one word that says something is in both: false for most texts, and quick to say."""
        folded = text.casefold()
        if any(word in folded for word in self.telling):
            return True
        languages = self.languages(text)
        if languages not in self._forms:
            terms = (term for part in self.terms(languages) for term in part)
            self._forms[languages] = frozenset(form for term in terms for form in term.variants)
        forms = self._forms[languages]
        return any(not forms.isdisjoint(document_tokens(text, language)) for language in languages)


class _Deleted:
    """What is looked for in the sentences of one text."""

    def __init__(self, text: str, sought: Sought, sentences: list[str]) -> None:
        self.languages = sought.languages(text)
        self.tokens = {token for language in self.languages for token in sought.tokens(language)}
        self.telling = sought.telling
        self.held = {
            sentence: {token for language in self.languages for token in document_tokens(sentence, language)}
            for sentence in sentences
        }
        self.whole = sought.terms(self.languages)
        self.parts = [self._distinct(part) for part in self.whole]

    def is_in(self, sentence: str, *, strictly: bool = False) -> bool:
        """True for a sentence that holds a part of the deleted text, or is mostly made of its words."""
        folded = sentence.casefold()
        if any(word in folded for word in self.telling):
            return True
        held = self.held[sentence]
        for whole, part in zip(self.whole, self.parts, strict=True):
            all_of_it = strictly and len(whole) <= _ALL_OF
            share, words = _share(whole if all_of_it else part, held)
            if words == len(whole) if all_of_it and words else share >= SHARE:
                return True
        if held.isdisjoint(self.tokens):
            return False  # most sentences, at little cost: the words of one are among its own tokens
        share, words = _share(self._distinct(_terms(sentence, self.languages)), self.tokens)
        return share >= SHARE_TOLD and words > 1

    def is_stated_in(self, sentence: str) -> bool:
        """True for a sentence with nearly all words of one of the deleted text, or its number or address."""
        folded = sentence.casefold()
        if any(word in folded for word in self.telling):
            return True
        held = self.held[sentence]
        return any(_share(part, held)[0] >= SHARE_STATED for part in self.whole)

    def _distinct(self, terms: list[Term]) -> list[Term]:
        """The terms without those that most sentences have, as long as others are left."""
        if len(self.held) < _FEW:
            return terms
        often = [sum(_has(tokens, term) for tokens in self.held.values()) for term in terms]
        return [
            term for term, count in zip(terms, often, strict=True) if 2 * count <= len(self.held)
        ] or terms


def _terms(text: str, languages: tuple[str, ...]) -> list[Term]:
    terms = [term for term in query_terms(text, languages) if not term.stop]
    return [replace(term, weight=_DAY_WEIGHT) if _DAY.fullmatch(term.text) else term for term in terms]


def _share(terms: list[Term], tokens: set[str]) -> tuple[float, int]:
    """The share of the terms, by weight, that are among the tokens, and how many are."""
    there = [term.weight for term in terms if _has(tokens, term)]
    return (sum(there) / sum(term.weight for term in terms) if there else 0.0), len(there)


def _has(tokens: set[str], term: Term) -> bool:
    return not tokens.isdisjoint(term.variants)


def _sentences(text: str) -> list[str]:
    return [found for found in _SENTENCE.findall(text) if found.strip()]


def _bare(word: str) -> str:
    return word.strip(".:!?'").casefold()


def _tells_all(word: str) -> bool:
    """True for what names one thing in the world: a long number, an address; not for a day or year."""
    if "@" in word[1:] or "://" in word:
        return True
    return sum(map(str.isdigit, word)) >= _DIGITS and not _DAY.fullmatch(word)
