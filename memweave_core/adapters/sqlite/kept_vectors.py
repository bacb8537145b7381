"""Vectors asked for, and taken out, by the hash of the text they are of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .spaces import Space

if TYPE_CHECKING:
    from ...types import FloatArray
    from .driver import Connection


def of(connection: Connection, space: Space | None, hashes: Iterable[str]) -> dict[str, FloatArray | None]:
    """Vectors of a space by hash; None where the row says that there is none."""
    import numpy as np

    if space is None:
        return {}
    found: dict[str, FloatArray | None] = {}
    for key in dict.fromkeys(hashes):
        row = connection.execute(
            "SELECT v FROM vector WHERE hash = ? AND space_id = ?", (bytes.fromhex(key), space.id)
        ).fetchone()
        if row is not None:
            found[key] = np.frombuffer(row[0], dtype="<f4") if row[0] is not None else None
    return found


def forget(connection: Connection, hashes: Iterable[str]) -> int:
    """Delete the vectors that no chunk needs, of all spaces; returns how many."""
    forgotten = 0
    for key in dict.fromkeys(hashes):
        rows = connection.execute(
            "SELECT id FROM vector WHERE hash = ?1"
            " AND NOT EXISTS (SELECT 1 FROM chunk WHERE embed_hash = ?1)",
            (bytes.fromhex(key),),
        ).fetchall()
        connection.executemany("DELETE FROM unused WHERE vector_id = ?", rows)
        connection.executemany("DELETE FROM vector WHERE id = ?", rows)
        forgotten += len(rows)
    return forgotten
