"""All vectors of a space in memory, kept up to date as the index changes.

The bulk is read once, from the sidecar or the database; what came later is appended from the database: a
(chunk, vector) pair is new when one of its ids is above the highest seen. Rows of dead chunks stay until the
next rewrite and are masked by the filter, which knows living files only.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import ThreadpoolController

from ..._errors import StorageError
from . import sidecar
from .spaces import sidecars

if TYPE_CHECKING:
    from ...types import FloatArray
    from .driver import Connection
    from .snapshot import Allowed, Ids, Snapshot
    from .spaces import Space

SIDECAR_FROM = 5_000
"""From this many vectors on a sidecar is kept: fewer are read from the database as quickly."""

_STALE_SHARE = 0.1
_BLOCK = 1_024
_SPARSE = 0.3

Writing = Callable[[], AbstractContextManager["Connection"]]


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


def product(matrix: FloatArray, query: FloatArray) -> FloatArray:
    """Cosines by one thread: a second gains little where memory is the limit, and then spins for 20 ms."""
    with _threads().limit(limits=1, user_api="blas"):
        found: FloatArray = matrix @ query
        return found


@dataclass
class Part:
    """Rows of the matrix: `used` of them are filled. A chunk id of 0 marks a row that was overridden."""

    ids: Ids
    matrix: FloatArray
    used: int
    _order: Ids | None = None

    def score(self, query: FloatArray, allowed: Allowed) -> tuple[Ids, FloatArray]:
        """Chunk ids and cosines of the allowed rows."""
        ids, matrix = self.ids[: self.used], self.matrix[: self.used]
        rows = np.flatnonzero(allowed.mask(ids))
        if len(rows) < _SPARSE * self.used:
            blocks = [
                product(matrix.take(rows[i : i + _BLOCK], axis=0), query) for i in range(0, len(rows), _BLOCK)
            ]
            return ids[rows], np.concatenate(blocks) if blocks else np.empty(0, dtype=np.float32)
        return ids[rows], product(matrix, query)[rows]

    def cosines(self, query: FloatArray, wanted: Ids) -> dict[int, float]:
        """Cosine of each wanted chunk that has a row here."""
        if self._order is None:
            self._order = np.argsort(self.ids[: self.used], kind="stable")
        places = np.searchsorted(self.ids[: self.used], wanted, sorter=self._order)
        rows = self._order.take(places, mode="clip")
        rows = rows[self.ids[rows] == wanted]
        scores = product(self.matrix[rows], query)
        return dict(zip(self.ids[rows].tolist(), scores.tolist(), strict=True))

    def override(self, ids: Ids) -> None:
        """Take the rows of these chunks out."""
        held = self.ids[: self.used]
        held[np.isin(held, ids)] = 0
        self._order = None

    def append(self, ids: Ids, rows: FloatArray) -> None:
        """Add rows; room grows by doubling."""
        self._order = None
        needed = self.used + len(ids)
        if needed > len(self.ids):
            room = max(needed, 2 * len(self.ids), 64)
            self.ids = np.concatenate([self.ids[: self.used], np.zeros(room - self.used, dtype=np.int64)])
            grown = np.empty((room, self.matrix.shape[1]), dtype=np.float32)
            grown[: self.used] = self.matrix[: self.used]
            self.matrix = grown
        self.ids[self.used : needed] = ids
        self.matrix[self.used : needed] = rows
        self.used = needed


class Matrix:
    """The vectors of one space of one database. Not safe to use from several threads at once."""

    def __init__(self, database: Path, snapshot: Snapshot, space: Space, dims: int) -> None:
        self.key = (snapshot.uuid, space.id)
        self._database = database
        self._dims = dims
        self._generation = -1
        self._base = Part(np.empty(0, dtype=np.int64), np.empty((0, dims), dtype=np.float32), 0)
        self._delta = self._empty()
        self._max_chunk = 0
        self._max_vector = 0
        self._token: str | None = None
        self._stored: sidecar.Sidecar | None = None
        self._unwritable = False

    def _empty(self) -> Part:
        return Part(np.empty(0, dtype=np.int64), np.empty((0, self._dims), dtype=np.float32), 0)

    @property
    def intact(self) -> bool:
        """False once the mapped file was cut short: reading its rows would end the process."""
        return self._stored is None or self._stored.intact

    @property
    def rows(self) -> int:
        """How many rows there are, dead ones too."""
        return self._base.used + self._delta.used

    def scores(self, query: FloatArray, allowed: Allowed) -> tuple[Ids, FloatArray]:
        """Chunk ids and cosines of all allowed chunks."""
        found = [part.score(query, allowed) for part in (self._base, self._delta) if part.used]
        if not found:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
        return np.concatenate([ids for ids, _ in found]), np.concatenate([scores for _, scores in found])

    def cosines(self, query: FloatArray, wanted: Ids) -> dict[int, float]:
        """Cosine of each wanted chunk that has a vector."""
        found: dict[int, float] = {}
        for part in (self._base, self._delta):
            if part.used:
                found |= part.cosines(query, wanted)
        return found

    # --- keeping up ------------------------------------------------------------------------------------

    def update(self, connection: Connection, snapshot: Snapshot, space: Space) -> bool:
        """Take in what the snapshot has and the matrix has not; whether anything was to be looked for."""
        if self._generation >= snapshot.generation:
            return False
        if self._generation < 0:
            self._load(connection, snapshot, space)
        else:
            self._take_new(connection, space)
        self._generation = snapshot.generation
        return True

    def _load(self, connection: Connection, snapshot: Snapshot, space: Space) -> None:
        if self._load_sidecar(space):
            self._take_new(connection, space)
            return
        self._base = Part(
            np.zeros(snapshot.chunks, dtype=np.int64),
            np.empty((snapshot.chunks, self._dims), dtype=np.float32),
            0,
        )
        self._max_chunk, self._max_vector = _highest(connection)
        found = connection.execute(
            "SELECT c.id, v.v FROM chunk AS c CROSS JOIN vector AS v ON v.hash = c.embed_hash"
            " WHERE v.space_id = ? AND v.v IS NOT NULL",
            (space.id,),
        )
        base = self._base
        for row, (chunk_id, value) in enumerate(found):
            base.ids[row] = chunk_id
            base.matrix[row] = np.frombuffer(value, dtype="<f4")
            base.used = row + 1

    def _load_sidecar(self, space: Space) -> bool:
        stored = sidecar.read(self._database, space.sidecar, self._dims) if space.sidecar else None
        if stored is None:
            return False
        self._max_chunk, self._max_vector = stored.max_chunk, stored.max_vector
        self._go_on_from(stored, space.sidecar)
        return True

    def _go_on_from(self, stored: sidecar.Sidecar, token: str | None) -> None:
        self._base = Part(stored.chunk_ids, stored.matrix, len(stored.chunk_ids))
        self._delta = self._empty()
        self._stored, self._token = stored, token

    def _take_new(self, connection: Connection, space: Space) -> None:
        seen = {"space": space.id, "chunk": self._max_chunk, "vector": self._max_vector}
        fresh = connection.execute(
            "SELECT c.id, v.v FROM chunk AS c CROSS JOIN vector AS v ON v.hash = c.embed_hash"
            " WHERE c.id > :chunk AND v.space_id = :space AND v.v IS NOT NULL",
            seen,
        ).fetchall()
        late = connection.execute(
            "SELECT c.id, v.v FROM vector AS v CROSS JOIN chunk AS c ON c.embed_hash = v.hash"
            " WHERE v.id > :vector AND v.space_id = :space AND c.id <= :chunk",
            seen,
        ).fetchall()
        if late:
            ids = np.array([row[0] for row in late], dtype=np.int64)
            self._base.override(ids)
            self._delta.override(ids)
        rows = fresh + [row for row in late if row[1] is not None]
        if rows:
            ids = np.array([row[0] for row in rows], dtype=np.int64)
            packed = np.frombuffer(b"".join(row[1] for row in rows), dtype="<f4")
            self._delta.append(ids, packed.reshape(len(rows), self._dims))
        max_chunk, max_vector = _highest(connection)
        self._max_chunk, self._max_vector = max(self._max_chunk, max_chunk), max(self._max_vector, max_vector)

    # --- the sidecar -----------------------------------------------------------------------------------

    def is_stale(self, snapshot: Snapshot) -> bool:
        """Whether a sidecar should be written: there is none, or a tenth of it is new or dead."""
        if self.rows < SIDECAR_FROM or self._unwritable:
            return False
        if self._token is None:
            return True
        base = self._base.ids[: self._base.used]
        dead = self._base.used - int(np.count_nonzero(snapshot.everything.mask(base)))
        return self._delta.used + dead > _STALE_SHARE * self._base.used

    def save(self, snapshot: Snapshot, space: Space, writing: Writing) -> None:
        """Write a sidecar without dead rows and go on from it, or go on in memory when it cannot be written.

        Needs the snapshot that the matrix was updated to.
        """
        token = secrets.token_hex(16)
        kept = [
            (part, np.flatnonzero(snapshot.everything.mask(part.ids[: part.used])))
            for part in (self._base, self._delta)
        ]
        ids = np.concatenate([part.ids[rows] for part, rows in kept])
        try:
            sidecar.write(
                self._database, token, ids, self._dims, _blocks(kept), (self._max_chunk, self._max_vector)
            )
            with writing() as connection:
                connection.execute("UPDATE space SET sidecar = ? WHERE id = ?", (token, space.id))
                tokens = sidecars(connection)
        except (OSError, StorageError):
            self._unwritable = True  # a read-only folder, a full disk, a busy database: memory serves as well
            return
        sidecar.remove_others(self._database, tokens)
        stored = sidecar.read(self._database, token, self._dims)
        if stored is not None:
            self._go_on_from(stored, token)


def _blocks(kept: list[tuple[Part, Ids]]) -> Iterator[FloatArray]:
    for part, rows in kept:
        for start in range(0, len(rows), _BLOCK):
            yield part.matrix[rows[start : start + _BLOCK]]


def _highest(connection: Connection) -> tuple[int, int]:
    """The highest chunk and vector ids that may exist; files without chunks count too."""
    row = connection.execute(
        "SELECT (SELECT coalesce(max(id), 0) FROM chunk), (SELECT coalesce(max(id), 0) FROM vector)"
    ).fetchone()
    return int(row[0]), int(row[1])
