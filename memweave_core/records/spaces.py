"""Vectors in the database: their space, the texts they stand for, and which are still to be made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from .._errors import UsageError

if TYPE_CHECKING:
    from ..adapters.sqlite.driver import Connection
    from ..types import FloatArray


def text_hash(text: str) -> bytes:
    """What a vector is found again by."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def space_id(connection: Connection, root: int, identity: str, paths: Sequence[str]) -> int:
    """The space of an embedder and of the texts it is given; to a new one every record is to be added."""
    named = (root, identity, json.dumps(list(paths)))
    found = connection.execute(
        "SELECT id FROM space WHERE root = ? AND identity = ? AND paths = ?", named
    ).fetchone()
    if found is not None:
        return int(found[0])
    made = connection.execute("INSERT INTO space (root, identity, paths) VALUES (?, ?, ?)", named).lastrowid
    space = int(made or 0)
    connection.execute(
        "INSERT INTO uncovered (space, record) SELECT ?, id FROM record WHERE root = ?", (space, root)
    )
    return space


def length_in(connection: Connection, space: int) -> int | None:
    """How many numbers the vectors of a space have; None while there are none."""
    row = connection.execute("SELECT length(v) / 4 FROM vector WHERE space = ? LIMIT 1", (space,)).fetchone()
    return None if row is None else int(row[0])


def known(connection: Connection, identity: str, hashes: Iterable[bytes]) -> dict[bytes, FloatArray]:
    """Vectors of texts that this embedder has already been asked for."""
    found: dict[bytes, FloatArray] = {}
    for one in hashes:
        row = connection.execute(
            "SELECT v FROM vector AS v JOIN space AS s ON s.id = v.space"
            " WHERE v.hash = ? AND s.identity = ? LIMIT 1",
            (one, identity),
        ).fetchone()
        if row is not None:
            found[one] = np.frombuffer(row[0], dtype="<f4")
    return found


def give(
    connection: Connection, space: int, record: int, vectors: Iterable[tuple[bytes, FloatArray]]
) -> None:
    """Give a new record its vectors in a space."""
    connection.executemany(
        "INSERT INTO vector (space, record, hash, v) VALUES (?, ?, ?, ?)",
        [(space, record, one, np.asarray(v, dtype="<f4").tobytes()) for one, v in vectors],
    )


def cover(
    connection: Connection, space: int, record: int, vectors: Iterable[tuple[bytes, FloatArray]]
) -> None:
    """Give a record the vectors in a space that it has been waiting for."""
    give(connection, space, record, vectors)
    connection.execute("DELETE FROM uncovered WHERE space = ? AND record = ?", (space, record))


def uncover(connection: Connection, root: int, record: int, covered: int | None = None) -> None:
    """Note that a new row has no vectors yet in any space of its root but `covered`."""
    connection.execute(
        "INSERT OR IGNORE INTO uncovered (space, record)"
        " SELECT id, ? FROM space WHERE root = ? AND id IS NOT ?",
        (record, root, covered),
    )


def uncovered(connection: Connection, space: int, limit: int) -> list[int]:
    """Records whose vectors in a space are still to be made."""
    rows = connection.execute("SELECT record FROM uncovered WHERE space = ? LIMIT ?", (space, limit))
    return [row[0] for row in rows]


def count_uncovered(connection: Connection, space: int) -> int:
    return int(connection.execute("SELECT count(*) FROM uncovered WHERE space = ?", (space,)).fetchone()[0])


def unit(vector: object, dims: int | None, identity: str) -> FloatArray | None:
    """A vector of length 1 in float32; None for one without a direction.

    Raises `UsageError` for what is no vector of `dims` finite numbers.
    """
    try:
        found = np.asarray(vector, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise UsageError(f"A vector must be a list of numbers: {error}.") from error
    if found.ndim != 1 or not len(found) or not np.isfinite(found).all():
        raise UsageError(f"A vector must be one list of finite numbers, not of shape {found.shape}.")
    if dims is not None and len(found) != dims:
        raise UsageError(
            f"A vector has {len(found)} numbers where those of {identity} have {dims}: use the embedding "
            "model that made those, or give the other one a name of its own."
        )
    norm = float(np.linalg.norm(found))
    return found / np.float32(norm) if norm > 0 else None
