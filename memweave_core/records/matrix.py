"""All vectors of a space in memory as one float32 matrix, kept up to date from the database.

Rows are appended in the order of their ids. A row of a record that is no more stays until somebody meets it:
ids of records are never given again, so a search sees that it is dead, takes it out and goes on. When most
rows have died the matrix is read anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from ..adapters.sqlite.matrix import product

if TYPE_CHECKING:
    from ..adapters.sqlite.driver import Connection
    from ..types import FloatArray

Ids: TypeAlias = npt.NDArray[np.int64]
_BLOCK = 4_096
_SPARSE = 0.3


class SpaceMatrix:
    """The vectors of one space. Not safe to use from several threads at once."""

    def __init__(self, space: int) -> None:
        self.space = space
        self._records: Ids = np.zeros(0, dtype=np.int64)
        self._rows: FloatArray = np.zeros((0, 0), dtype=np.float32)
        self._used = 0
        self._last = 0
        self._dead = 0

    @property
    def dims(self) -> int | None:
        """Length of the vectors; None while there are none."""
        return self._rows.shape[1] or None

    # --- keeping up ------------------------------------------------------------------------------------

    def update(self, connection: Connection) -> None:
        """Take in what came since; read all anew when most of it is dead."""
        if self._dead > 1_000 and self._dead > self._used // 2:
            self.__init__(self.space)  # type: ignore[misc]  # the same space, from the beginning
        rows = connection.execute(
            "SELECT id, record, v FROM vector WHERE space = ? AND id > ? ORDER BY id",
            (self.space, self._last),
        )
        while some := rows.fetchmany(_BLOCK):
            self._append(some)

    def _append(self, rows: list[tuple[int, int, bytes]]) -> None:
        dims = self.dims or len(rows[0][2]) // 4
        rows = [row for row in rows if len(row[2]) == 4 * dims]  # others are damage: no vector leg
        needed = self._used + len(rows)
        if needed > len(self._records):
            room = max(needed, 2 * len(self._records), 64)
            records = np.zeros(room, dtype=np.int64)
            records[: self._used] = self._records[: self._used]
            matrix = np.empty((room, dims), dtype=np.float32)
            if self._used:
                matrix[: self._used] = self._rows[: self._used]
            self._records, self._rows = records, matrix
        if rows:
            self._records[self._used : needed] = [row[1] for row in rows]
            packed = np.frombuffer(b"".join(row[2] for row in rows), dtype="<f4")
            self._rows[self._used : needed] = packed.reshape(len(rows), dims)
            self._used, self._last = needed, rows[-1][0]

    def bury(self, ids: list[int]) -> None:
        """Take out the rows of records that are no more."""
        held = self._records[: self._used]
        dead = np.isin(held, np.array(ids, dtype=np.int64))
        self._dead += int(np.count_nonzero(dead))
        held[dead] = 0

    # --- asking ----------------------------------------------------------------------------------------

    def scores(self, query: FloatArray, allowed: Ids | None) -> tuple[Ids, FloatArray, Ids]:
        """(records, cosines, rows) of all rows of the allowed records; a record may have several."""
        records = self._records[: self._used]
        rows = np.flatnonzero(records if allowed is None else among(records, allowed))
        matrix = self._rows[: self._used]
        if not len(rows):
            return records[rows], np.empty(0, dtype=np.float32), rows
        if len(rows) == self._used:
            return records, product(matrix, query), rows
        if len(rows) > _SPARSE * self._used:
            return records[rows], product(matrix, query)[rows], rows
        blocks = [
            product(matrix.take(rows[start : start + _BLOCK], axis=0), query)
            for start in range(0, len(rows), _BLOCK)
        ]
        return records[rows], np.concatenate(blocks), rows

    def vector(self, row: int) -> FloatArray:
        """A copy of one row."""
        found: FloatArray = self._rows[row].copy()
        return found


def among(records: Ids, allowed: Ids) -> npt.NDArray[np.bool_]:
    """Which of `records` are in `allowed`, which is sorted."""
    if not len(allowed):
        return np.zeros(len(records), dtype=bool)
    top = int(allowed[-1])
    if top < 4 * len(records) + 100_000:  # ids are dense: a table of flags is quickest
        flags = np.zeros(top + 1, dtype=bool)
        flags[allowed] = True
        found: npt.NDArray[np.bool_] = flags[np.minimum(records, top)] & (records <= top)
        return found
    places = np.minimum(np.searchsorted(allowed, records), len(allowed) - 1)
    same: npt.NDArray[np.bool_] = allowed[places] == records
    return same


def best(records: Ids, scores: FloatArray, wanted: int) -> tuple[list[tuple[int, float, int]], bool]:
    """((record, its best cosine, place) of the first `wanted` records or a few more, whether these are all).

    Best first; of equal ones that which was written last.
    """
    count = wanted
    while True:
        if count >= len(scores):
            places = np.arange(len(scores))
        else:
            least = np.partition(scores, len(scores) - count)[len(scores) - count]
            places = np.flatnonzero(scores >= least)
        order = places[np.lexsort((-records[places], -scores[places]))]
        found: dict[int, tuple[int, float, int]] = {}
        for place in order.tolist():
            record = int(records[place])
            if record not in found:
                found[record] = (record, float(scores[place]), place)
        whole = len(places) == len(scores)
        if len(found) >= wanted or whole:
            return list(found.values()), whole
        count *= 2
