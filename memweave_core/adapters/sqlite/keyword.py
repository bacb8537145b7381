"""The keyword leg: which share of the query's terms, weighted by rarity, a chunk and its page hold.

BM25, which needs the chunk's own words, is computed for the few best and orders those of equal share.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...config import HybridConfig
from ...text.lexical import bm25
from ...types import KeywordHit
from .evidence import Evidence, Question, Witness, holds
from .schema import CHUNK_BITS

if TYPE_CHECKING:
    from .driver import Connection
    from .evidence import Floats
    from .snapshot import Allowed, Ids, Snapshot

FILE_SHARE = HybridConfig().file_weight
"""The part of the page's share in the number by which candidates are chosen.

The default, whatever `query.hybrid.file_weight` is: it decides only who is among the candidates, several
times as many as there will be results; the search scores these again, from both shares, with its own weight.
"""

_MAX_TIES = 5_000


class KeywordLeg:
    """Answers keyword questions about the snapshots of one database."""

    def __init__(self) -> None:
        self._witness = Witness()

    def best(
        self, connection: Connection, snapshot: Snapshot, question: Question, allowed: Allowed, limit: int
    ) -> list[KeywordHit]:
        """The best `limit` chunks of the allowed files, without BM25."""
        evidence = self._witness.evidence(connection, snapshot, question)
        places = np.flatnonzero(allowed.mask(evidence.ids)) if len(evidence.ids) else evidence.ids
        if limit <= 0:
            return []
        ids, share = evidence.ids[places], evidence.share[places]
        pages = evidence.files(snapshot, ids)
        chosen = _shortlist(connection, ids, _mix(share, pages), limit)
        columns = (column[chosen].tolist() for column in (ids, share, pages))
        known = evidence.known
        hits = [
            KeywordHit(chunk_id, own, page, known=known) for chunk_id, own, page in zip(*columns, strict=True)
        ]
        hits.sort(key=lambda hit: (-_mix(hit.share, hit.file_share), hit.chunk_id))
        return hits + self._named(evidence, snapshot, allowed, hits)

    @staticmethod
    def _named(
        evidence: Evidence, snapshot: Snapshot, allowed: Allowed, hits: Sequence[KeywordHit]
    ) -> list[KeywordHit]:
        """The first chunk of each named page that has none among the hits, beyond the limit."""
        known = {hit.chunk_id >> CHUNK_BITS for hit in hits}
        ids = evidence.named_chunks
        ids = ids[allowed.mask(ids)]
        pages = evidence.files(snapshot, ids)
        return [
            KeywordHit(file << CHUNK_BITS, 0.0, page, known=evidence.known, named=evidence.named[file])
            for file, page in zip((ids >> CHUNK_BITS).tolist(), pages.tolist(), strict=True)
            if file not in known
        ]

    def ordered(
        self, connection: Connection, snapshot: Snapshot, question: Question, hits: Sequence[KeywordHit]
    ) -> list[KeywordHit]:
        """The same hits with BM25, which orders those with equal shares."""
        evidence = self._witness.evidence(connection, snapshot, question)
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
        """What the leg knows of the given chunks and their neighbours; BM25 is left at 0.

        A chunk is left out when its page holds no term and is not named.
        """
        evidence = self._witness.evidence(connection, snapshot, question)
        named = evidence.named
        if not len(evidence.ids) and not named:
            return {}
        wanted = np.sort(np.array(list(chunk_ids), dtype=np.int64))
        wanted = wanted[allowed.mask(wanted) & snapshot.there(wanted)]
        pages = evidence.files(snapshot, wanted)
        meant = (pages > 0) | np.isin(wanted >> CHUNK_BITS, list(named)) if named else pages > 0
        wanted, pages = wanted[meant], pages[meant]
        share = np.zeros(len(wanted))
        if len(evidence.ids):
            held = holds(evidence.ids, wanted)
            share[held] = evidence.share[np.searchsorted(evidence.ids, wanted[held])]
        near, far = evidence.beside(wanted)
        known = evidence.known
        columns = (column.tolist() for column in (wanted, share, pages, near, far))
        return {
            chunk_id: KeywordHit(
                chunk_id,
                own,
                page,
                known=known,
                near=one,
                far=two,
                named=named.get(chunk_id >> CHUNK_BITS, 0.0),
                taken=evidence.taken or None,
            )
            for chunk_id, own, page, one, two in zip(*columns, strict=True)
        }


def _mix(share: Any, file_share: Any) -> Any:
    return (1 - FILE_SHARE) * share + FILE_SHARE * file_share


def _shortlist(connection: Connection, ids: Ids, mixed: Floats, size: int) -> Ids:
    """Where the `size` best of `ids` stand; of those level at the cut, the shorter chunks."""
    if len(ids) <= size:
        return np.arange(len(ids))
    # The same terms sum to the very same number, as every chunk adds them in one order: ties are exact.
    cut = np.partition(mixed, len(mixed) - size)[len(mixed) - size]
    above, level = np.flatnonzero(mixed > cut), np.flatnonzero(mixed == cut)
    missing = size - len(above)
    if len(level) > missing:
        level = level[-_MAX_TIES:]
        lengths = dict(
            connection.execute(
                "SELECT c.id, c.terms FROM json_each(?) AS j CROSS JOIN chunk AS c ON c.id = j.value",
                (json.dumps(ids[level].tolist()),),
            ).fetchall()
        )
        order = np.argsort([lengths[chunk_id] for chunk_id in ids[level].tolist()], kind="stable")
        level = level[order[:missing]]
    return np.concatenate([above, level])


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
        ([f" {word} " for word in words], len(chunks), holds(chunks, at).tolist())
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
