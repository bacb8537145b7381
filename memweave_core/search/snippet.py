"""The piece of a chunk that a result shows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import TypeAlias

from ..text.analysis import Term, detect_language, query_terms, run_words

ELLIPSIS = "…"

_LONG_RUN = 40
_LEVEL = 1e-9
_STOP_WEIGHT = 0.05  # a function word decides only between pieces that are level otherwise
_LEAD = 0.25
"""Share of the snippet that is kept for what stands before the first match."""

_Match: TypeAlias = tuple[int, int, float]
"""(position, which term, weight)."""


def snippet(text: str, query: str, max_chars: int, language: str | None = None) -> str:
    """`text` itself when it fits, else at most `max_chars` of it around the best matches of the query.

    Cut between words where there are any, never within a character that a reader sees as one, with "…" where
    something is left out. `language` is that of the page, if it is known.
    """
    if len(text) <= max_chars:
        return text
    start = _best_start(text, query, max_chars, language)
    start = _word_start(text, start)
    head = ELLIPSIS if text[:start].strip() else ""
    room = max_chars - len(head)
    if len(text) - start <= room:
        return head + text[start:]
    end = _cut(text, start, start + max(0, room - len(ELLIPSIS)))
    return head + text[start:end].rstrip() + ELLIPSIS


def _best_start(text: str, query: str, max_chars: int, language: str | None) -> int:
    """Where the window begins that holds most of the query, the earliest of equals; 0 without a match."""
    matches = _matches(text, query, detect_language(text) if language is None else language)
    lead, room = int(max_chars * _LEAD), max_chars - 2
    all_of_it = sum(_distinct(matches, 0, len(text)).values())
    best, best_value = 0, sum(_distinct(matches, 0, room).values())
    for position, _, _ in matches:
        if best_value >= all_of_it - _LEVEL:
            break
        start = max(0, min(position - lead, len(text) - room))
        value = sum(_distinct(matches, start, start + room).values())
        if value > best_value + _LEVEL:
            best, best_value = start, value
    return best


def _distinct(matches: Sequence[_Match], start: int, end: int) -> dict[int, float]:
    return {term: weight for position, term, weight in matches if start <= position < end}


def _matches(text: str, query: str, language: str) -> list[_Match]:
    """Every place where a term of the query stands in the text, in the order of the text."""
    terms, by_variant = _terms(query, language)
    runs = list(set(text.split()))
    places: list[tuple[int, int, int, float]] = []
    for run, words in zip(runs, run_words(runs, language), strict=True):
        if words in by_variant or (" " in words and not by_variant.keys().isdisjoint(words.split())):
            found = [(terms[i], i) for token in words.split() for i in by_variant.get(token, ())]
            for start in _run_starts(text, run):
                places += [(start, *_weighed(run, term, i)) for term, i in found]
    places.sort(key=itemgetter(0))
    return [(start + offset, index, weight) for start, offset, index, weight in places]


def _run_starts(text: str, run: str) -> Iterator[int]:
    """Where a run stands in the text with white space or nothing around it."""
    start = text.find(run)
    while start >= 0:
        end = start + len(run)
        alone = start == 0 or text[start - 1].isspace()
        if alone and (end == len(text) or text[end].isspace()):
            yield start
        start = text.find(run, end if alone else start + 1)


def _weighed(run: str, term: Term, index: int) -> _Match:
    return _offset(run, term), index, term.weight * (_STOP_WEIGHT if term.stop else 1.0)


@lru_cache(maxsize=64)
def _terms(query: str, language: str) -> tuple[list[Term], dict[str, list[int]]]:
    """The terms of a query, and which of them a token may stand for; the same for all results of a search."""
    terms = query_terms(query, [language])
    by_variant: dict[str, list[int]] = {}
    for index, term in enumerate(terms):
        for variant in term.variants:
            by_variant.setdefault(variant, []).append(index)
    return terms, by_variant


def _offset(run: str, term: Term) -> int:
    """Where in a long run without spaces (Chinese, an address) the term stands; 0 in an ordinary word."""
    if len(run) <= _LONG_RUN:
        return 0
    return max(0, run.casefold().find(term.text))


def _word_start(text: str, position: int) -> int:
    """The next start of a word at or after a position, or the position itself where words are long."""
    if position == 0 or text[position - 1].isspace():
        return position
    space = re.compile(r"\s+").search(text, position, position + _LONG_RUN)
    if space:
        return space.end()
    while position > 0 and not _may_cut(text, position):
        position -= 1
    return position


def _cut(text: str, start: int, limit: int) -> int:
    """The last place at or before `limit` where a snippet may end: after a word, else after a character."""
    if limit >= len(text) or text[limit].isspace():
        return limit
    floor = start + (limit - start) // 2
    for position in range(limit, floor, -1):
        if text[position - 1].isspace():
            return position
    while limit > start and not _may_cut(text, limit):
        limit -= 1
    return limit


def _may_cut(text: str, position: int) -> bool:
    """Whether the characters around a position are seen apart.

    An approximation of the grapheme clusters of UAX #29: marks, joiners, selectors, skin tones, flags,
    jamo, CR LF and surrogate pairs stay with what is before them.
    """
    before, after = text[position - 1], text[position]
    if unicodedata.category(after).startswith("M") or after in "\u200d\u200c" or before == "\u200d":
        return False
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return False
    if _is_flag_half(before) and _is_flag_half(after):
        run = len(text[:position]) - len(text[:position].rstrip(_FLAG_HALVES))
        return run % 2 == 0
    if "\u1160" <= after <= "\u11ff" and "\u1100" <= before <= "\u11ff":
        return False
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return False
    return not (before == "\r" and after == "\n")


_FLAG_HALVES = "".join(map(chr, range(0x1F1E6, 0x1F200)))


def _is_flag_half(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"
