"""What the words of a question say about every chunk that holds one of them: the idf-weighted shares.

The share needs posting lists only, no text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...text.analysis import Term, query_terms
from ...text.lexical import idf
from .codec import plain
from .files import storable_words
from .postings import Frequencies, Postings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .driver import Connection
    from .snapshot import Allowed, Ids, Snapshot

    Floats = NDArray[np.float64]

ROW_BUDGET = 40_000
"""Posting list entries one question may read; the rarest terms come first. At 0.2 µs each: 8 ms."""

UNKNOWN_WORD = 0.5
"""What an ordinary word that no page uses counts, as a missing part, beside the rarest word that one does."""

FEW = 100
"""Rarity is measured as if there were at least so many chunks: among three notes no word is really common."""

_FREQUENT = 0.5
_FREQUENT_FROM = 1_000
_IDENTIFIER = frozenset("0123456789_-./+#")


def weight_when_unknown(text: str) -> float:
    """How much a term that stands nowhere in the index counts as a missing part of the query.

    Fully for what looks like an identifier (a digit or one of ``_-./+#`` in it): who asks for BENCH-100822 is
    not served by BENCH-100821. An ordinary word may only be another way to put it.
    """
    return UNKNOWN_WORD if _IDENTIFIER.isdisjoint(text) else 1.0


@dataclass(frozen=True)
class Question:
    """A query and who asks it. How rare a word is, is counted over the pages that `user` may see alone:
    what others keep to themselves must show in no score."""

    query: str
    user: str | None
    visible: Allowed


@dataclass(frozen=True)
class Evidence:
    """What the words of one query say, before any filter.

    `ids` are the chunks with any of its terms, ascending; `share` belongs to them. `per_file` is
    the share of every file of the snapshot, and 0 for none. `words`
    describes the terms that were looked up, `postings` are their chunks, `weights` their parts of the whole
    query; `known` is the sum of these.
    """

    ids: Ids
    share: Floats
    per_file: Floats
    words: tuple[frozenset[str], ...] = ()
    postings: tuple[Ids, ...] = ()
    weights: tuple[float, ...] = ()

    @property
    def known(self) -> float:
        return min(1.0, sum(self.weights))

    @property
    def dfs(self) -> list[int]:
        """How many visible chunks hold each term."""
        return [len(posting) for posting in self.postings]

    def files(self, snapshot: Snapshot, chunk_ids: Ids) -> Floats:
        """The share of the query in the whole page of each chunk."""
        return self.per_file[snapshot.places(chunk_ids)]

    def beside(self, chunk_ids: Ids) -> tuple[Floats, Floats]:
        """The shares of the query that a chunk lacks but one next to it in its page has, and that these lack
        but one two away has."""
        at = np.concatenate([chunk_ids + distance for distance in (0, -1, 1, -2, 2)])
        near, far = np.zeros(len(chunk_ids)), np.zeros(len(chunk_ids))
        for posting, weight in zip(self.postings, self.weights, strict=True):
            places = np.searchsorted(posting, at)
            here, before, after, before2, after2 = (posting.take(places, mode="clip") == at).reshape(5, -1)
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


class Witness:
    """Finds the evidence of questions about one database, keeping posting lists for the next one."""

    def __init__(self) -> None:
        self._postings = Postings()
        self._frequencies = Frequencies(_FREQUENT)

    def evidence(self, connection: Connection, snapshot: Snapshot, question: Question) -> Evidence:
        """What the words of `question` say; kept for as long as the snapshot is."""

        def make() -> Evidence:
            terms = query_terms(plain(question.query), snapshot.languages) if snapshot.chunks else []
            return self._gather(connection, snapshot, terms, question.visible)

        found: Evidence = snapshot.questions.get((question.query, question.user), make)
        return found

    def _gather(
        self, connection: Connection, snapshot: Snapshot, terms: Sequence[Term], visible: Allowed
    ) -> Evidence:
        """Look the terms up and weigh them by rarity among the visible chunks."""
        wanted, unknown = self._wanted(connection, snapshot, terms)
        chunks = max(visible.chunks, FEW)
        found: list[tuple[Ids, float, frozenset[str]]] = []
        for term in _affordable(wanted, snapshot.chunks):
            ids = self._postings.of(connection, snapshot, term.words)
            ids = ids if visible.everything or not len(ids) else ids[visible.mask(ids)]
            if not len(ids):
                unknown.append(term)
            else:
                found.append((ids, idf(len(ids), chunks) * term.weight, frozenset(term.words)))
        missing = sum(idf(0, chunks) * term.weight * weight_when_unknown(term.text) for term in unknown)
        return _weighed(snapshot, found, missing)

    def _wanted(
        self, connection: Connection, snapshot: Snapshot, terms: Sequence[Term]
    ) -> tuple[list[_Wanted], list[_Wanted]]:
        """The terms that the index knows, and those it does not."""
        chosen = [term for term in terms if not term.stop] or list(terms)
        known: list[_Wanted] = []
        unknown: list[_Wanted] = []
        for term in chosen:
            words = tuple(dict.fromkeys(filter(None, (storable_words(word) for word in term.variants))))
            bound = sum(self._frequencies.of(connection, snapshot, word) for word in words)
            if bound:
                known.append(_Wanted(term.text, words, bound, term.weight))
            elif words:
                unknown.append(_Wanted(term.text, words, 0, term.weight))
        return known, unknown


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
        empty = np.empty(0, dtype=np.float64)
        return Evidence(np.empty(0, dtype=np.int64), empty, empty)
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


def _distinct(ascending: Any) -> Any:
    """The distinct values of an array in ascending order: a tenth of the time of `np.unique`."""
    return (
        ascending[np.concatenate([[True], ascending[1:] != ascending[:-1]])] if len(ascending) else ascending
    )
