"""From text to index tokens and query terms, in every script.

A word is a run of letters, digits and underscores. It is stemmed in the language of its page, then stripped
of accents. What is written in one piece (``BENCH-100821``, ``GB/s``, ``C++``, ``user@example.org``) is kept
whole besides its parts, so that it can be asked for literally. Scripts that put no spaces between words
become single characters and pairs of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from .commonness import rarity
from .spelling import MAX_TOKEN, Piece, fold, pieces
from .stemming import DEFAULT_LANGUAGE, stemmer
from .stopwords import LANGUAGES, stop_words

ANALYZER_VERSION: int = 2
"""Raised whenever the same text would give other tokens: an index of another version must be rebuilt."""

MAX_TERMS = 64
"""Distinct terms that a query is cut to; the longest are kept."""

PART_WEIGHT = 0.25
"""How much a part of an identifier counts beside the whole, which counts 1."""

_MEMO_ENTRIES = 1 << 17
_MEMO_RUN = 100
_BEFORE = "\"'([{*"
_AFTER = "\"')]}>*.,;:!?"
"""Punctuation that joins nothing at the beginning and at the end of a run: `pieces` leaves it out."""
_DETECT_CHARS = 2000
_LETTERS = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_ASCII_LETTERS = re.compile(r"[a-z]+(?:'[a-z]+)?")
"""What `_LETTERS` finds in ASCII without capitals, several times quicker."""
_ZH_PARTICLES = frozenset("的了吗呢吧么嘛着")


@dataclass(frozen=True, slots=True)
class Term:
    """One distinct thing a query asks for. A text has it when it has any of the `variants`.

    `text` is the surface form. `stop` marks a function word. `weight` in (0, 1] scales its rarity in the
    index: by how common the word is anyhow, and for parts of an identifier by `PART_WEIGHT`.
    """

    text: str
    variants: tuple[str, ...]
    stop: bool
    weight: float = 1.0


class _Memo(dict[str, str]):
    """The index tokens of each run of characters without white space, joined by spaces, in one language."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language
        self._stem = stemmer(language)

    def __missing__(self, run: str) -> str:
        words = self._analysed(run)
        if len(run) <= _MEMO_RUN:
            if len(self) >= _MEMO_ENTRIES:
                self.clear()
            self[run] = words
        return words

    def _analysed(self, run: str) -> str:
        core = run.lstrip(_BEFORE).rstrip(_AFTER)
        if core != run:
            return self[core] if core else ""
        if run.isascii():
            if run.isalpha() and (run[1:].islower() or len(run) == 1 or run.isupper()):
                stem = self._stem(run)  # most runs: an ordinary word needs no taking apart
                return run if stem == run else stem  # one string in memory, not two
            if run.isdigit():
                return run[:MAX_TOKEN]  # no stemmer changes a number
        found: list[str] = []
        for piece in pieces(run):
            found += self._tokens(piece)
        return " ".join(filter(None, found))  # of a mark without a letter, folding leaves nothing

    def _tokens(self, piece: Piece) -> Iterable[str]:
        kind, whole, parts, subs = piece
        if kind == "cjk":
            return (*whole, *map("".join, pairwise(whole)))
        stems = list(map(self._stem_of, parts))
        if kind == "word":
            return stems
        if subs:
            stems += map(fold, subs)
        return dict.fromkeys((*stems, *_whole_forms(piece, self._stem)))

    def _stem_of(self, part: str) -> str:
        """The stem of a word in lower case; parts of identifiers come again more often than the whole."""
        simple = part.isascii() and (part.isalpha() or part.isdigit())
        return self[part] if simple else self._stem(part)


@cache
def _memo(language: str) -> _Memo:
    return _Memo(language)


def run_words(runs: Iterable[str], language: str) -> list[str]:
    """For each run of characters without white space its index tokens, with a space between."""
    return list(map(_memo(language or DEFAULT_LANGUAGE).__getitem__, runs))


def document_words(text: str, language: str) -> str:
    """`document_tokens` with a space between, as an index keeps them."""
    memo = _memo(language or DEFAULT_LANGUAGE)
    return " ".join(filter(None, map(memo.__getitem__, text.split())))


def document_counts(text: str, language: str) -> Counter[str]:
    """How often each of the `document_tokens` occurs. The quickest of the three: it makes no new strings."""
    counts = Counter(map(_memo(language or DEFAULT_LANGUAGE).__getitem__, text.split()))
    counts.pop("", None)
    for several in [tokens for tokens in counts if " " in tokens]:
        again = counts.pop(several)
        for token in several.split():
            counts[token] = counts.get(token, 0) + again
    return counts


def document_tokens(text: str, language: str) -> list[str]:
    """The tokens to index for a text, in order; none is empty or contains white space.

    `language` is what `detect_language` gave; an unknown one is stemmed as English, as queries are.
    """
    return document_words(text, language).split()


def _whole_forms(piece: Piece, stem: Callable[[str], str]) -> tuple[str, ...]:
    """How a compound as a whole stands in the index."""
    if piece.kind == "name":
        return (stem(piece.whole),)
    if piece.kind == "hyphen":
        return (fold(piece.whole), stem(piece.whole.replace("-", "")))
    return (fold(piece.whole),)


def query_terms(query: str, languages: Iterable[str]) -> list[Term]:
    """One `Term` for each distinct thing the query asks for, in order, at most `MAX_TERMS`.

    `languages` are those of the index ("" for pages whose language is unsure): a word's variants are its
    stems under each of them. Any string is a valid query and has no syntax.
    """
    known = tuple(dict.fromkeys(language or DEFAULT_LANGUAGE for language in languages)) or (
        DEFAULT_LANGUAGE,
    )
    stops = _query_stop_words(query, known)
    found: dict[tuple[str, ...], Term] = {}
    for run in dict.fromkeys(query.split()):
        for piece in pieces(run):
            for term in filter(_says_something, _piece_terms(piece, known, stops)):
                held = found.get(term.variants)
                if held is None or held.weight < term.weight:
                    found[term.variants] = term
    terms = list(found.values())
    if len(terms) > MAX_TERMS:
        best = sorted(terms, key=lambda t: (t.stop, -t.weight, -len(t.text)))[:MAX_TERMS]
        kept = {term.variants for term in best}
        terms = [term for term in terms if term.variants in kept]
    return terms


def _says_something(term: Term) -> bool:
    return any(term.variants)


def _piece_terms(piece: Piece, languages: tuple[str, ...], stops: frozenset[str]) -> list[Term]:
    if piece.kind == "cjk":
        return _cjk_terms(piece.whole)
    if piece.kind == "word":
        return [_word_term(piece.whole, piece.parts, languages, stops)]
    whole = tuple(
        dict.fromkeys(form for language in languages for form in _whole_forms(piece, stemmer(language)))
    )
    if piece.kind == "name":
        return [Term(piece.whole, whole, False)]
    if piece.kind == "hyphen":
        words = [_word_term(part, (part,), languages, stops) for part in piece.parts]
        return [*words, Term(piece.whole, whole, False, PART_WEIGHT)]
    parts = [_word_term(part, (part,), languages, stops, PART_WEIGHT) for part in piece.parts]
    subs = [Term(sub, (fold(sub),), False, PART_WEIGHT) for sub in piece.subs]
    return [Term(piece.whole, whole, False), *subs, *parts]


def _word_term(
    text: str, forms: tuple[str, ...], languages: tuple[str, ...], stops: frozenset[str], weight: float = 1.0
) -> Term:
    variants = dict.fromkeys(stemmer(language)(form) for language in languages for form in forms)
    return Term(text, tuple(variants), fold(text) in stops, weight * rarity(text))


def _cjk_terms(text: str) -> list[Term]:
    if len(text) == 1:
        return [Term(text, (text,), False)]
    pairs = map("".join, pairwise(text))
    return [Term(pair, (pair,), _is_function_pair(pair)) for pair in pairs]


def _is_function_pair(pair: str) -> bool:
    """Pairs of Hiragana are mostly particles and endings; so is what holds a Chinese particle."""
    return all("\u3041" <= c <= "\u309f" for c in pair) or not _ZH_PARTICLES.isdisjoint(pair)


# --- language ------------------------------------------------------------------------------------------


@cache
def _folded_stop_words(language: str) -> frozenset[str]:
    return frozenset(fold(word) for word in stop_words(language))


@cache
def _languages_of_stop_words() -> dict[str, tuple[str, ...]]:
    languages: dict[str, tuple[str, ...]] = {}
    for language in LANGUAGES:
        for word in stop_words(language):
            languages[word] = (*languages.get(word, ()), language)
    return languages


def _stop_word_hits(text: str) -> tuple[Counter[str], int]:
    """How many words of the text are function words of each language, and how many words there are."""
    languages = _languages_of_stop_words()
    text = text.casefold().replace("’", "'")
    words = (_ASCII_LETTERS if text.isascii() else _LETTERS).findall(text)
    counts = Counter(words)
    hits: Counter[str] = Counter()
    for word in filter(languages.__contains__, counts):
        for language in languages[word]:
            hits[language] += counts[word]
    return hits, len(words)


def detect_language(text: str) -> str:
    """The ISO 639-1 code whose function words are most frequent in the first 2,000 characters.

    "" when unsure: fewer than two of them, less than a tenth of the words, or two languages level. Also ""
    for Chinese, Japanese, Korean and Thai, which need no stemmer.
    """
    hits, words = _stop_word_hits(text[:_DETECT_CHARS])
    if not hits:
        return ""
    (best, count), *others = hits.most_common(2)
    if count < 2 or count < words / 10 or (others and others[0][1] == count):
        return ""
    return best


def _query_stop_words(query: str, languages: tuple[str, ...]) -> frozenset[str]:
    """Function words of the language of the query; between level languages those of the index win."""
    hits, _ = _stop_word_hits(query[:_DETECT_CHARS])
    if not hits:
        return frozenset()
    top = max(hits.values())
    level = [language for language, count in hits.items() if count == top]
    chosen = [language for language in level if language in languages] or level
    return frozenset().union(*map(_folded_stop_words, chosen))
