"""The keyword leg: which share of the query's terms, weighted by rarity, a chunk and its page hold.

The share needs posting lists only. BM25, which needs the chunk's own words, is computed for the few best and
orders those of equal share.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...config import HybridConfig
from ...text.analysis import Term, query_terms
from ...text.lexical import bm25, idf
from ...types import KeywordHit
from .codec import plain
from .files import storable_words
from .postings import Frequencies, Postings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .driver import Connection
    from .snapshot import Allowed, Ids, Snapshot

    Floats = NDArray[np.float64]

FILE_SHARE = HybridConfig().file_weight
"""The part of the page's share in the number by which candidates are chosen.

The default, whatever `query.hybrid.file_weight` is: it decides only who is among the candidates, several
times as many as there will be results; the search scores these again, from both shares, with its own weight.
"""

ROW_BUDGET = 40_000
"""Posting list entries one question may read; the rarest terms come first. At 0.2 µs each: 8 ms."""

_FREQUENT = 0.5
_FREQUENT_FROM = 1_000
_MAX_TIES = 5_000
_IDENTIFIER = frozenset("0123456789_-./+#")


UNKNOWN_WORD = 0.5
"""What an ordinary word that no page uses counts, as a missing part, beside the rarest word that one does."""


FEW = 100
"""Rarity is measured as if there were at least so many chunks: among three notes no word is really common."""


def weight_when_unknown(text: str) -> float:
    """How much a term that stands nowhere in the index counts as a missing part of the query.

    Fully for what looks like an identifier (a digit or one of ``_-./+#`` in it): who asks for BENCH-100822 is
    not served by BENCH-100821. An ordinary word may only be another way to put it.
    """
    return UNKNOWN_WORD if _IDENTIFIER.isdisjoint(text) else 1.0


@dataclass(frozen=True)
class Evidence:
    """What the words of one query say, before any filter.

    `ids` are the chunks with any of its terms, ascending; `share` and `file_share` belong to them.
    `words` and `postings` describe the terms looked up, `known` is the part of the query they make up.
    """

    ids: Ids
    share: Floats
    file_share: Floats
    words: tuple[frozenset[str], ...]
    postings: tuple[Ids, ...]
    known: float = 1.0


@dataclass(frozen=True)
class Question:
    """A query and who asks it. How rare a word is, is counted over the pages that `user` may see alone:
    what others keep to themselves must show in no score."""

    query: str
    user: str | None
    visible: Allowed


@dataclass(frozen=True)
class _Wanted:
    """A term to look up: its words as they stand in the index, how frequent it may be, its own weight."""

    text: str
    words: tuple[str, ...]
    bound: int
    weight: float


class KeywordLeg:
    """Answers keyword questions about the snapshots of one database."""

    def __init__(self) -> None:
        self._postings = Postings()
        self._frequencies = Frequencies(_FREQUENT)

    def best(
        self, connection: Connection, snapshot: Snapshot, question: Question, allowed: Allowed, limit: int
    ) -> list[KeywordHit]:
        """The best `limit` chunks of the allowed files, without BM25."""
        evidence = self._evidence(connection, snapshot, question)
        places = np.flatnonzero(allowed.mask(evidence.ids)) if len(evidence.ids) else evidence.ids
        if limit <= 0 or not len(places):
            return []
        hits = _hits(evidence, _shortlist(connection, evidence, places, limit))
        return sorted(hits, key=lambda hit: (-_mix(hit.share, hit.file_share), hit.chunk_id))

    def ordered(
        self, connection: Connection, snapshot: Snapshot, question: Question, hits: Sequence[KeywordHit]
    ) -> list[KeywordHit]:
        """The same hits with BM25, which orders those with equal shares."""
        evidence = self._evidence(connection, snapshot, question)
        scores = _bm25(connection, snapshot, evidence, question.visible, [hit.chunk_id for hit in hits])
        known = [replace(hit, bm25=scores.get(hit.chunk_id, 0.0)) for hit in hits]
        return sorted(known, key=lambda hit: (-_mix(hit.share, hit.file_share), -hit.bm25, hit.chunk_id))

    def scores(
        self,
        connection: Connection,
        snapshot: Snapshot,
        question: Question,
        allowed: Allowed,
        chunk_ids: Sequence[int],
    ) -> dict[int, KeywordHit]:
        """The shares of the given chunks; BM25, which only orders equals, is left at 0."""
        evidence = self._evidence(connection, snapshot, question)
        wanted = np.unique(np.array(list(chunk_ids), dtype=np.int64))
        wanted = wanted[allowed.mask(wanted)]
        places = np.searchsorted(evidence.ids, wanted)
        places = places[evidence.ids.take(places, mode="clip") == wanted] if len(evidence.ids) else places[:0]
        return {hit.chunk_id: hit for hit in _hits(evidence, places)}

    def _evidence(self, connection: Connection, snapshot: Snapshot, question: Question) -> Evidence:
        def make() -> Evidence:
            terms = query_terms(plain(question.query), snapshot.languages) if snapshot.chunks else []
            lists, weights, total, words = self._look_up(connection, snapshot, terms, question.visible)
            return _gather(snapshot, lists, weights, total, words)

        found: Evidence = snapshot.questions.get((question.query, question.user), make)
        return found

    def _look_up(
        self, connection: Connection, snapshot: Snapshot, terms: Sequence[Term], visible: Allowed
    ) -> tuple[list[Ids], list[float], float, tuple[frozenset[str], ...]]:
        """Posting lists with their weights, the weight of the whole query, and the words of each term."""
        wanted, unknown = self._wanted(connection, snapshot, terms)
        chunks = max(visible.chunks, FEW)
        lists: list[Ids] = []
        weights: list[float] = []
        words: list[frozenset[str]] = []
        for term in _affordable(wanted, snapshot.chunks):
            ids = self._postings.of(connection, snapshot, term.words)
            ids = ids if visible.everything or not len(ids) else ids[visible.mask(ids)]
            if not len(ids):
                unknown.append(term)
            else:
                lists.append(ids)
                weights.append(idf(len(ids), chunks) * term.weight)
                words.append(frozenset(term.words))
        total = sum(idf(0, chunks) * term.weight * weight_when_unknown(term.text) for term in unknown)
        return lists, weights, total + sum(weights), tuple(words)

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


def _gather(
    snapshot: Snapshot,
    lists: Sequence[Ids],
    weights: Sequence[float],
    total: float,
    words: tuple[frozenset[str], ...],
) -> Evidence:
    """Sum the weights per chunk and, each term once, per file."""
    if not lists:
        empty = np.empty(0, dtype=np.float64)
        return Evidence(np.empty(0, dtype=np.int64), empty, empty, (), ())
    ids = _distinct(np.sort(np.concatenate(lists), kind="stable")) if len(lists) > 1 else lists[0]
    share = np.zeros(len(ids))
    per_file = np.zeros(len(snapshot.files) + 1)
    for posting, weight in zip(lists, weights, strict=True):
        share[np.searchsorted(ids, posting) if len(lists) > 1 else slice(None)] += weight
        per_file[_distinct(snapshot.places(posting))] += weight
    return Evidence(
        ids=ids,
        share=np.minimum(share / total, 1.0),
        file_share=np.minimum(per_file[snapshot.places(ids)] / total, 1.0),
        words=words,
        postings=tuple(lists),
        known=min(1.0, sum(weights) / total),
    )


def _distinct(ascending: Any) -> Any:
    """The distinct values of an array in ascending order: a tenth of the time of `np.unique`."""
    return (
        ascending[np.concatenate([[True], ascending[1:] != ascending[:-1]])] if len(ascending) else ascending
    )


def _mix(share: Any, file_share: Any) -> Any:
    return (1 - FILE_SHARE) * share + FILE_SHARE * file_share


def _shortlist(connection: Connection, evidence: Evidence, places: Ids, size: int) -> Ids:
    """The `size` best places by mixed share; of those level at the cut, the shorter chunks."""
    if len(places) <= size:
        return places
    # The same terms sum to the very same number, as every chunk adds them in one order: ties are exact.
    mixed = _mix(evidence.share[places], evidence.file_share[places])
    cut = np.partition(mixed, len(mixed) - size)[len(mixed) - size]
    above, level = places[mixed > cut], places[mixed == cut]
    missing = size - len(above)
    if len(level) > missing:
        level = level[-_MAX_TIES:]
        lengths = dict(
            connection.execute(
                "SELECT c.id, c.terms FROM json_each(?) AS j CROSS JOIN chunk AS c ON c.id = j.value",
                (json.dumps(evidence.ids[level].tolist()),),
            ).fetchall()
        )
        order = np.argsort([lengths[chunk_id] for chunk_id in evidence.ids[level].tolist()], kind="stable")
        level = level[order[:missing]]
    return np.concatenate([above, level])


def _hits(evidence: Evidence, places: Ids) -> list[KeywordHit]:
    ids = evidence.ids[places].tolist()
    shares, file_shares = evidence.share[places].tolist(), evidence.file_share[places].tolist()
    return [
        KeywordHit(chunk_id, share, file_share, known=evidence.known)
        for chunk_id, share, file_share in zip(ids, shares, file_shares, strict=True)
    ]


def _bm25(
    connection: Connection, snapshot: Snapshot, evidence: Evidence, visible: Allowed, ids: Sequence[int]
) -> dict[int, float]:
    """BM25 of chunks, from the words they repeat and from counts over the visible pages.

    A chunk in the posting list of a term has it once, and as often more as it repeats one of its words.
    """
    found = connection.execute(
        "SELECT c.id, c.terms, p.repeats FROM json_each(?) AS j CROSS JOIN chunk AS c ON c.id = j.value"
        " JOIN passage AS p ON p.id = c.id",
        (json.dumps(ids),),
    ).fetchall()
    at = np.array([row[0] for row in found], dtype=np.int64)
    terms = [
        ([f" {word} " for word in words], len(chunks), _holds(chunks, at))
        for words, chunks in zip(evidence.words, evidence.postings, strict=True)
    ]
    mean_length = snapshot.mean_length
    if not visible.everything and found:  # the mean of all would tell of pages that are not to be seen
        mean_length = sum(length for _, length, _ in found) / len(found)
    scores: dict[int, float] = {}
    for place, (chunk_id, length, repeats) in enumerate(found):
        # Two spaces between words, so that counting does not miss every other one of a repeated word.
        text = f" {repeats} ".replace(" ", "  ")
        scores[chunk_id] = sum(
            bm25(1 + sum(map(text.count, needles)), df, visible.chunks, length, mean_length)
            for needles, df, held in terms
            if held[place]
        )
    return scores


def _holds(posting: Ids, chunk_ids: Ids) -> list[bool]:
    """Whether each chunk is in a posting list, which is not empty."""
    held: list[bool] = (posting.take(np.searchsorted(posting, chunk_ids), mode="clip") == chunk_ids).tolist()
    return held
