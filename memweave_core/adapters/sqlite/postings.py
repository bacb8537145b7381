"""Posting lists: which chunks hold a word. Read from FTS5 as one string, kept in memory, brought up to date.

Chunk ids only grow and a chunk dies only with its file. So a kept list stays right when the chunks of dead
files are taken out of it and the chunks above the highest id it has seen are asked for.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .driver import Connection
    from .snapshot import Ids, Snapshot

_KEPT_IDS = 4_000_000  # 32 MB


@dataclass(frozen=True)
class _Kept:
    ids: Ids
    uuid: str
    generation: int
    seen: int


class Postings:
    """Posting lists of whole terms (any of several words), for the snapshots of one database."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, ...], _Kept] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def of(self, connection: Connection, snapshot: Snapshot, variants: tuple[str, ...]) -> Ids:
        """Ids of the chunks that hold any of `variants`, ascending."""
        with self._lock:
            kept = self._kept.get(variants)
        if kept is None or kept.uuid != snapshot.uuid:
            ids, seen = _read(connection, variants, 0), 0
        elif kept.generation == snapshot.generation:
            return kept.ids
        elif kept.generation > snapshot.generation:  # ours is an older view: the list may lack its dead
            return _read(connection, variants, 0)
        else:
            living, seen = kept.ids[snapshot.everything.mask(kept.ids)], kept.seen
            ids = np.concatenate([living, _read(connection, variants, seen)])
        newest = connection.execute("SELECT max(id) FROM chunk").fetchone()[0] or 0
        self._keep(variants, _Kept(ids, snapshot.uuid, snapshot.generation, max(seen, newest)))
        return ids

    def _keep(self, variants: tuple[str, ...], kept: _Kept) -> None:
        with self._lock:
            old = self._kept.pop(variants, None)
            self._kept[variants] = kept
            self._size += len(kept.ids) - (len(old.ids) if old else 0)
            while self._size > _KEPT_IDS and len(self._kept) > 1:
                _, dropped = self._kept.popitem(last=False)
                self._size -= len(dropped.ids)


def match_expression(variants: tuple[str, ...]) -> str:
    """FTS5 expression for any of the words, each meant literally."""
    return " OR ".join('"{}"'.format(word.replace('"', '""')) for word in variants)


def _read(connection: Connection, variants: tuple[str, ...], above: int) -> Ids:
    # One string instead of a row per id: a tenth of the time in the driver. FTS5 gives row ids ascending.
    found = connection.execute(
        "SELECT group_concat(rowid) FROM chunk_fts WHERE chunk_fts MATCH ? AND rowid > ?",
        (match_expression(variants), above),
    ).fetchone()[0]
    if found is None:
        return np.empty(0, dtype=np.int64)
    return np.fromstring(found, dtype=np.int64, sep=",")


class Frequencies:
    """How many chunks hold a word: an upper bound, as FTS5 counts it without reading ids.

    Counting a word of every second chunk takes as long as all the others of a question. Whether a word is
    above the share `frequent` is all that matters of such a one; so a count well above it is kept for as long
    as the number of chunks is about the same.
    """

    def __init__(self, frequent: float) -> None:
        self._well_above = frequent * 1.2
        self._kept: dict[str, tuple[str, int, int]] = {}

    def known(self, connection: Connection, words: Sequence[str]) -> list[str]:
        """Those of the words that some chunk holds."""
        rows = connection.execute(
            "SELECT j.value FROM json_each(?) AS j CROSS JOIN chunk_terms AS t ON t.term = j.value",
            (json.dumps(words),),
        )
        return [row[0] for row in rows]

    def beginning(
        self, connection: Connection, snapshot: Snapshot, starts: Sequence[str], after: str
    ) -> set[str]:
        """Those of `starts` for which some chunk holds a word from the start up to the start with `after`."""
        known = snapshot.beginnings
        new = [start for start in starts if start not in known]
        if new:
            rows = connection.execute(
                "SELECT j.value FROM json_each(?) AS j WHERE EXISTS (SELECT 1 FROM chunk_terms AS t"
                " WHERE t.term >= j.value AND t.term < j.value || ?)",
                (json.dumps(new), after),
            )
            known.update(dict.fromkeys(new, False) | {row[0]: True for row in rows})
        return {start for start in starts if known[start]}

    def learn(self, connection: Connection, snapshot: Snapshot, words: Iterable[str]) -> None:
        """Count several words at once, so that `of` need not ask for each."""
        new = [word for word in dict.fromkeys(words) if self._kept_count(snapshot, word) is None]
        if not new:
            return
        counts = dict.fromkeys(new, 0) | dict(
            connection.execute(
                "SELECT t.term, t.doc FROM json_each(?) AS j CROSS JOIN chunk_terms AS t ON t.term = j.value",
                (json.dumps(new),),
            )
        )
        for word, count in counts.items():
            if count > self._well_above * snapshot.chunks:
                self._kept[word] = (snapshot.uuid, snapshot.chunks, count)
        snapshot.frequencies.update(counts)

    def of(self, connection: Connection, snapshot: Snapshot, word: str) -> int:
        """An upper bound of the number of chunks that hold `word`; 0 when none does."""
        known = self._kept_count(snapshot, word)
        if known is None:
            self.learn(connection, snapshot, [word])
            known = snapshot.frequencies[word]
        return known

    def _kept_count(self, snapshot: Snapshot, word: str) -> int | None:
        known = snapshot.frequencies.get(word)
        if known is not None:
            return known
        uuid, chunks, count = self._kept.get(word, ("", 0, 0))
        return count if uuid == snapshot.uuid and abs(snapshot.chunks - chunks) <= 0.05 * chunks else None
