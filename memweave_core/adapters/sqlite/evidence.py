"""What the words of a question say about every chunk that holds one of them: the idf-weighted shares.

The share needs posting lists only, no text.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ...text.analysis import Term, query_terms
from ...text.lexical import idf
from ...text.page_names import AFTER_START, AskedNames
from ...types import Where
from . import misspelt
from .codec import plain
from .files import storable_words
from .postings import Frequencies, Postings
from .schema import CHUNK_BITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...text.timespans import TimeSpan
    from .driver import Connection
    from .snapshot import Allowed, Ids, Mask, Snapshot

    Floats = NDArray[np.float64]
    Number = TypeVar("Number", bound=np.generic)

ROW_BUDGET = 40_000
"""Posting list entries one question may read; the rarest terms come first. At 0.2 µs each: 8 ms."""

UNKNOWN_WORD = 0.5
"""What an ordinary word that no page uses counts, as a missing part, beside the rarest word that one does."""

FEW = 100
"""Rarity is measured as if there were at least so many chunks: among three notes no word is really common."""

NAMESAKES = 5
"""Visible pages that may bear a name in a question and be meant by it all the same."""

_LANGUAGES = 4  # of the index, under which a question is looked through for names
_WRITTEN_OUT = 7  # days; of a longer span only pages that bear a date are looked at
_FREQUENT = 0.5
_FREQUENT_FROM = 1_000
_IDENTIFIER = frozenset("0123456789_-./+#")


def weight_when_unknown(text: str) -> float:
    """How much a term that stands nowhere in the index counts as a missing part of the query.

    Fully for what looks like an identifier (a digit or one of ``_-./+#`` in it): who asks for BENCH-100822 is
    not served by BENCH-100821. An ordinary word may only be another way to put it.
    """
    return UNKNOWN_WORD if _IDENTIFIER.isdisjoint(text) else 1.0


def holds(ascending: Ids, chunk_ids: Ids) -> Mask:
    """Which of the chunks are in a list of ids, which is not empty."""
    held: Mask = ascending.take(np.searchsorted(ascending, chunk_ids), mode="clip") == chunk_ids
    return held


def _none() -> Ids:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Question:
    """A query, who asks it, and the days it names.

    How rare a word is, is counted over the pages that `user` may see alone: what others keep to themselves
    must show in no score.
    """

    query: str
    user: str | None
    visible: Allowed
    spans: tuple[TimeSpan, ...] = ()


@dataclass(frozen=True)
class Evidence:
    """What the words of one query say, before any filter.

    `ids` are the chunks with any of its terms, ascending; `share` belongs to them. `per_file` is
    the share of every file of the snapshot, and 0 for none. `words`
    describes the terms that were looked up, `postings` are their chunks, `weights` their parts of the whole
    query; `known` is the sum of these. `named` are the first chunks of the pages whose
    title or alias stands in it.
    """

    ids: Ids
    share: Floats
    per_file: Floats
    words: tuple[frozenset[str], ...] = ()
    postings: tuple[Ids, ...] = ()
    weights: tuple[float, ...] = ()
    named: Mapping[int, float] = field(default_factory=dict)
    taken: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def known(self) -> float:
        return min(1.0, sum(self.weights))

    @property
    def named_chunks(self) -> Ids:
        """The first chunks of the named pages, ascending."""
        return np.array(sorted(self.named), dtype=np.int64) << CHUNK_BITS

    def files(self, snapshot: Snapshot, chunk_ids: Ids) -> Floats:
        """The share of the query in the whole page of each chunk."""
        return self.per_file[snapshot.places(chunk_ids)]

    def beside(self, chunk_ids: Ids) -> tuple[Floats, Floats]:
        """The shares of the query that a chunk lacks but one next to it in its page has, and that these lack
        but one two away has."""
        at = np.concatenate([chunk_ids + distance for distance in (0, -1, 1, -2, 2)])
        near, far = np.zeros(len(chunk_ids)), np.zeros(len(chunk_ids))
        for posting, weight in zip(self.postings, self.weights, strict=True):
            here, before, after, before2, after2 = holds(posting, at).reshape(5, -1)
            next_to = (before | after) & ~here
            near += weight * next_to
            far += weight * ((before2 | after2) & ~next_to & ~here)
        return near, far


@dataclass(frozen=True)
class _Wanted:
    """A term to look up: its words as they stand in the index, how frequent it may be, its own weight."""

    text: str
    words: tuple[str, ...]
    bound: int
    weight: float
    dated: Ids | None = None
    """The chunks of pages of the day that the term names, if it does."""
    farther: tuple[str, ...] = ()
    """Words that the term, which is misspelt, may be meant for too, though `words` are more like it."""
    taken: bool = False
    """Whether `words` are not those of the query, but what these may be meant for."""


class Witness:
    """Finds the evidence of questions about one database, keeping posting lists for the next one."""

    def __init__(self) -> None:
        self._postings = Postings()
        self._frequencies = Frequencies(_FREQUENT)

    def evidence(self, connection: Connection, snapshot: Snapshot, question: Question) -> Evidence:
        """What the words of `question` say; kept for as long as the snapshot is."""

        def make() -> Evidence:
            if not snapshot.chunks:
                return _weighed(snapshot, [], 0.0)
            languages = snapshot.languages_of(question.visible)
            terms = self._terms(connection, snapshot, question, languages)
            evidence = self._gather(connection, snapshot, terms, question)
            taken = {term.text: (*term.words, *term.farther) for term in terms if term.taken}
            named = self._named(connection, snapshot, question, languages)
            return replace(evidence, named=named, taken=taken)

        key = (question.query, question.user, question.spans)
        found: Evidence = snapshot.questions.get(key, make)
        return found

    def _terms(
        self, connection: Connection, snapshot: Snapshot, question: Question, languages: Sequence[str]
    ) -> list[_Wanted]:
        """What the query asks for, each with how frequent it is at most: 0 where it is unknown."""
        terms = query_terms(plain(question.query), languages)
        days: dict[tuple[str, ...], Ids] = {}
        extra: list[_Wanted] = []
        for span in question.spans:
            dated = self._dated(connection, snapshot, question, span)
            text = question.query[span.text_start : span.text_end]
            named = [term for term in query_terms(plain(text), languages) if not term.stop]
            days |= {term.variants: dated for term in named}
            if not named and len(dated):  # "in May": "may" is a function word as well
                extra.append(_Wanted(text, (), len(dated), 1.0, dated))
        chosen = [term for term in terms if not term.stop] or ([] if extra else terms)
        self._frequencies.learn(connection, snapshot, [word for term in chosen for word in term.variants])
        return extra + [
            self._wanted(connection, snapshot, question.visible, term, days.get(term.variants))
            for term in chosen
        ]

    def _wanted(
        self,
        connection: Connection,
        snapshot: Snapshot,
        visible: Allowed,
        term: Term,
        dated: Ids | None,
    ) -> _Wanted:
        words = tuple(dict.fromkeys(filter(None, (storable_words(word) for word in term.variants))))
        bound = self._bound(connection, snapshot, visible, words)
        if not bound and dated is None:
            meant = self._meant(connection, snapshot, visible, words)
            if meant:
                near = tuple(guess.word for guess in meant if guess.slips == meant[0].slips)
                farther = tuple(guess.word for guess in meant[len(near) :])
                bound = self._bound(connection, snapshot, visible, near + farther)
                weight = term.weight * misspelt.WEIGHT
                return _Wanted(term.text, near, bound, weight, farther=farther, taken=True)
        return _Wanted(term.text, words, bound + (0 if dated is None else len(dated)), term.weight, dated)

    def _meant(
        self, connection: Connection, snapshot: Snapshot, visible: Allowed, words: tuple[str, ...]
    ) -> list[misspelt.Guess]:
        """What may be meant by a term that stands nowhere, the nearest first, if it is to be seen."""
        alike = sorted(guess for word in words for guess in misspelt.meant(connection, word))
        first = {guess.word: guess for guess in reversed(alike)}
        seen = [guess for guess in alike if first[guess.word] is guess]
        self._frequencies.learn(connection, snapshot, [guess.word for guess in seen])
        seen = [guess for guess in seen if self._bound(connection, snapshot, visible, (guess.word,))]
        return seen[: misspelt.MOST]

    def _bound(
        self, connection: Connection, snapshot: Snapshot, visible: Allowed, words: tuple[str, ...]
    ) -> int:
        """How many visible chunks hold any of the words, at most.

        Where there are pages that are not to be seen it is counted: what these hold must not show in which
        words are taken for known, for frequent, or for meant.
        """
        bound = sum(self._frequencies.of(connection, snapshot, word) for word in words)
        if visible.everything or not bound:
            return bound
        return int(np.count_nonzero(visible.mask(self._postings.of(connection, snapshot, words))))

    def _named(
        self, connection: Connection, snapshot: Snapshot, question: Question, languages: Sequence[str]
    ) -> dict[int, float]:
        """The visible pages that the query names, by id, and how much of it; a name of many names none."""
        asked = AskedNames(plain(question.query), languages[:_LANGUAGES])
        starts = self._frequencies.beginning(connection, snapshot, asked.starts, AFTER_START)
        names = asked.beginning(starts)
        tokens = {token for name in names for token in name.tokens}
        known = set(self._frequencies.known(connection, sorted(tokens))) if tokens else set()
        found: dict[int, float] = {}
        for name in names:
            here = tuple(token for token in name.tokens if token in known)
            ids = self._postings.of(connection, snapshot, here) if here else _none()
            seen = ids[question.visible.mask(ids)]
            if len(seen) <= NAMESAKES:
                for file in (seen >> CHUNK_BITS).tolist():
                    found[file] = max(name.share, found.get(file, 0.0))
        return found

    def _dated(self, connection: Connection, snapshot: Snapshot, question: Question, span: TimeSpan) -> Ids:
        """The visible chunks of pages dated within a span, and those that write a day of a short one out."""
        where = Where(user=question.user, since=span.start, until=span.end, superseded=True)
        ids = snapshot.chunk_ids(snapshot.allowed(connection, where))
        length = (span.end - span.start).days
        if length >= _WRITTEN_OUT:
            return ids
        days = tuple((span.start + dt.timedelta(days)).isoformat() for days in range(length + 1))
        written = self._postings.of(connection, snapshot, days)
        return _distinct(np.sort(np.concatenate([ids, written[question.visible.mask(written)]])))

    def _gather(
        self, connection: Connection, snapshot: Snapshot, terms: Sequence[_Wanted], question: Question
    ) -> Evidence:
        """Look the terms up and weigh them by rarity among the visible chunks."""
        visible = question.visible
        chunks = max(visible.chunks, FEW)
        unknown = [term for term in terms if not term.bound and term.words]
        found: list[tuple[Ids, float, frozenset[str]]] = []
        for term in _affordable([term for term in terms if term.bound], visible.chunks):
            ids = self._chunks_of(connection, snapshot, term)
            ids = ids if visible.everything or not len(ids) else ids[visible.mask(ids)]
            if not len(ids):
                unknown.append(term)
                continue
            weight = idf(len(ids), chunks) * term.weight
            if term.farther:
                either = replace(term, words=term.words + term.farther)
                more = self._chunks_of(connection, snapshot, either)
                more = more if visible.everything else more[visible.mask(more)]
                found.append((more, weight * misspelt.FARTHER, frozenset(term.farther)))
                weight *= 1 - misspelt.FARTHER
            found.append((ids, weight, frozenset(term.words)))
        missing = sum(idf(0, chunks) * term.weight * weight_when_unknown(term.text) for term in unknown)
        return _weighed(snapshot, found, missing)

    def _chunks_of(self, connection: Connection, snapshot: Snapshot, term: _Wanted) -> Ids:
        ids = self._postings.of(connection, snapshot, term.words) if term.words else term.dated
        if term.dated is None or ids is None or ids is term.dated:
            return ids if ids is not None else _none()
        return _distinct(np.sort(np.concatenate([ids, term.dated]), kind="stable"))


def _affordable(terms: Sequence[_Wanted], chunks: int) -> list[_Wanted]:
    """The rarest terms within the row budget, at least one.

    A term of more than half of the chunks tells nothing apart and is passed over when there is another;
    below a thousand chunks that would save nothing.
    """
    ordered = sorted(terms, key=lambda term: term.bound)
    if chunks >= _FREQUENT_FROM:
        telling = [term for term in ordered if term.bound <= _FREQUENT * chunks]
        ordered = telling or ordered[:1]
    spent = 0
    kept: list[_Wanted] = []
    for term in ordered:
        spent += term.bound
        if kept and spent > ROW_BUDGET:
            break
        kept.append(term)
    return kept


def _weighed(
    snapshot: Snapshot, found: Sequence[tuple[Ids, float, frozenset[str]]], missing: float
) -> Evidence:
    """Sum the weights of (chunks, weight, words) per chunk and, each term once, per file."""
    if not found:
        return Evidence(_none(), np.empty(0), np.zeros(len(snapshot.files) + 1))
    total = missing + sum(weight for _, weight, _ in found)
    postings, weights = [ids for ids, _, _ in found], [weight / total for _, weight, _ in found]
    several = len(found) > 1
    ids = _distinct(np.sort(np.concatenate(postings), kind="stable")) if several else postings[0]
    share = np.zeros(len(ids))
    per_file = np.zeros(len(snapshot.files) + 1)
    for posting, weight in zip(postings, weights, strict=True):
        share[np.searchsorted(ids, posting) if several else slice(None)] += weight
        per_file[_distinct(snapshot.places(posting))] += weight
    return Evidence(
        ids=ids,
        share=np.minimum(share, 1.0),
        per_file=np.minimum(per_file, 1.0),
        words=tuple(words for _, _, words in found),
        postings=tuple(postings),
        weights=tuple(weights),
    )


def _distinct(ascending: NDArray[Number]) -> NDArray[Number]:
    """The distinct values of an array in ascending order: a tenth of the time of `np.unique`."""
    if not len(ascending):
        return ascending
    first: NDArray[Number] = ascending[np.concatenate([[True], ascending[1:] != ascending[:-1]])]
    return first
