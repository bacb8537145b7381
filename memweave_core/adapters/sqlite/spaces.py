"""Vector spaces: what is stored, what is still missing, and which vectors nothing needs any more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..._errors import EmbeddingShapeError
from ...types import PendingText
from .files import embed_text

if TYPE_CHECKING:
    from ...types import FloatArray
    from .driver import Connection

_SLACK = 1.1
"""Unused vectors may exceed their bound by this factor before some are deleted."""

_NO_ID = 2**63 - 1  # above every chunk id
_LACKING = (
    "c.id > ? AND NOT EXISTS (SELECT 1 FROM vector AS v WHERE v.hash = c.embed_hash AND v.space_id = ?)"
)
_MISSING = f"FROM chunk AS c WHERE {_LACKING}"


@dataclass(frozen=True)
class Space:
    """A vector space as stored. `dims` is None until the first vector came.

    Every chunk with an id up to `complete_to` has a row in `vector`. `sidecar` names the valid sidecar file.
    """

    id: int
    identity: str
    dims: int | None
    complete_to: int
    sidecar: str | None


def find_space(connection: Connection, identity: str | None) -> Space | None:
    """The space of that name; None when there is none yet."""
    if identity is None:
        return None
    row = connection.execute(
        "SELECT id, identity, dims, complete_to, sidecar FROM space WHERE identity = ?", (identity,)
    ).fetchone()
    return Space(*row) if row is not None else None


def unit_vectors(vectors: Mapping[str, FloatArray | None]) -> tuple[dict[bytes, bytes | None], int | None]:
    """Vectors as they are stored, by hash, and their length (None when none has one).

    None and vectors of zeros give None. Raises `EmbeddingShapeError` when lengths differ or a number is not
    finite; then nothing has been stored.
    """
    import numpy as np

    made: dict[bytes, bytes | None] = dict.fromkeys(map(bytes.fromhex, vectors))
    given = {
        key: np.asarray(one, dtype=np.float64).ravel() for key, one in vectors.items() if one is not None
    }
    if not given:
        return made, None
    lengths = sorted({len(values) for values in given.values()})
    if len(lengths) > 1 or not lengths[0]:
        raise EmbeddingShapeError(
            f"The embedder gave vectors of {lengths[0]} and of {lengths[-1]} numbers in one answer."
        )
    values = np.stack(list(given.values()))
    if not np.isfinite(values).all():
        raise EmbeddingShapeError("The embedder gave a vector with a number that is not finite.")
    # Dividing by the largest first keeps the squares of tiny and of huge numbers in range.
    largest = np.abs(values).max(axis=1)
    values /= np.where(largest > 0, largest, 1)[:, np.newaxis]
    norms = np.sqrt((values * values).sum(axis=1))
    rows = (values / np.where(largest > 0, norms, 1)[:, np.newaxis]).astype("<f4")
    for key, row, size in zip(given, rows, largest.tolist(), strict=True):
        if size > 0:
            made[bytes.fromhex(key)] = row.tobytes()
    return made, lengths[0]


def store(
    connection: Connection, identity: str, rows: Mapping[bytes, bytes | None], dims: int | None
) -> None:
    """Write vectors. Other dimensions than before mean another model of the same name: its old ones go."""
    space = _space_for(connection, identity, dims)
    before = connection.execute("SELECT coalesce(max(id), 0) FROM vector").fetchone()[0]
    written = connection.executemany(
        "INSERT INTO vector (space_id, hash, v) VALUES (?, ?, ?) ON CONFLICT (hash, space_id) DO NOTHING",
        [(space.id, key, value) for key, value in rows.items()],
    )
    if written.rowcount < len(rows):  # some were there, perhaps with other numbers
        for key, value in rows.items():
            _replace(connection, space.id, key, value)
    connection.execute(
        "INSERT INTO unused (vector_id) SELECT v.id FROM vector AS v WHERE v.id > ?"
        " AND NOT EXISTS (SELECT 1 FROM chunk WHERE embed_hash = v.hash)",
        (before,),
    )
    note_complete(connection, space)


def _replace(connection: Connection, space_id: int, key: bytes, value: bytes | None) -> None:
    """Give a changed vector a new id, by which every reader notices the change."""
    row = connection.execute(
        "SELECT id, v FROM vector WHERE hash = ? AND space_id = ?", (key, space_id)
    ).fetchone()
    if row[1] == value:
        return
    connection.execute("DELETE FROM unused WHERE vector_id = ?", (row[0],))
    connection.execute("DELETE FROM vector WHERE id = ?", (row[0],))
    connection.execute("INSERT INTO vector (space_id, hash, v) VALUES (?, ?, ?)", (space_id, key, value))


def _space_for(connection: Connection, identity: str, dims: int | None) -> Space:
    space = find_space(connection, identity)
    if space is not None and None not in (space.dims, dims) and space.dims != dims:
        drop(connection, space.id)
        space = None
    if space is None:
        connection.execute(
            "INSERT INTO space (identity, dims, used) SELECT ?, ?, coalesce(max(used), 0) + 1 FROM space",
            (identity, dims),
        )
    elif space.dims is None and dims is not None:
        connection.execute("UPDATE space SET dims = ? WHERE id = ?", (dims, space.id))
    made = find_space(connection, identity)
    assert made is not None  # noqa: S101 - written two lines above, in this transaction
    return made


def drop(connection: Connection, space_id: int) -> None:
    """Delete a space with its vectors."""
    connection.execute(
        "DELETE FROM unused WHERE vector_id IN"
        " (SELECT id FROM vector INDEXED BY vector_hash WHERE space_id = ?)",
        (space_id,),
    )
    connection.execute("DELETE FROM vector WHERE space_id = ?", (space_id,))
    connection.execute("DELETE FROM space WHERE id = ?", (space_id,))


# --- what is missing -----------------------------------------------------------------------------------


def pending(connection: Connection, space: Space | None, limit: int, before: int | None) -> list[PendingText]:
    """Up to `limit` distinct texts without a vector, newest first, of chunks with an id under `before`."""
    after, space_id = (space.complete_to, space.id) if space is not None else (0, 0)
    found: dict[bytes, PendingText] = {}
    if limit > 0:
        for chunk_id, key, *parts in connection.execute(
            "SELECT c.id, c.embed_hash, p.text, p.embed_prefix, p.embed_text"  # noqa: S608 - a constant condition
            f" FROM chunk AS c CROSS JOIN passage AS p ON p.id = c.id WHERE {_LACKING} AND c.id < ?"
            " ORDER BY c.id DESC",
            (after, space_id, before if before is not None else _NO_ID),
        ):
            if key not in found:
                found[key] = PendingText(key.hex(), embed_text(*parts), chunk_id)
            if len(found) == limit:
                break
    return list(found.values())


def count_pending(connection: Connection, space: Space | None) -> int:
    """How many chunks have no row in the space."""
    if space is None:
        return int(connection.execute("SELECT count(*) FROM chunk").fetchone()[0])
    return int(connection.execute(f"SELECT count(*) {_MISSING}", (space.complete_to, space.id)).fetchone()[0])


def note_complete(connection: Connection, space: Space) -> None:
    """Move `complete_to` up to the chunk before the first that lacks a vector: it is not scanned again."""
    complete_to = _complete_to(connection, space)
    if complete_to > space.complete_to:
        connection.execute("UPDATE space SET complete_to = ? WHERE id = ?", (complete_to, space.id))


def _complete_to(connection: Connection, space: Space) -> int:
    first = connection.execute(
        f"SELECT c.id {_MISSING} ORDER BY c.id LIMIT 1",
        (space.complete_to, space.id),
    ).fetchone()
    if first is not None:
        return int(first[0]) - 1
    return int(connection.execute("SELECT coalesce(max(id), 0) FROM chunk").fetchone()[0])


def count_vectors(connection: Connection, space: Space | None) -> int:
    """How many distinct texts of the index have a vector in the space."""
    if space is None:
        return 0
    stored, blank, unused = connection.execute(
        # The index is named because the table is a hundred times its size.
        "SELECT (SELECT count(*) FROM vector INDEXED BY vector_hash WHERE space_id = :id),"
        " (SELECT count(*) FROM vector WHERE space_id = :id AND v IS NULL),"
        " (SELECT count(*) FROM unused CROSS JOIN vector ON vector.id = vector_id"
        "  WHERE space_id = :id AND v IS NOT NULL)",
        {"id": space.id},
    ).fetchone()
    return int(stored - blank - unused)


# --- what is unused ------------------------------------------------------------------------------------


def claim(connection: Connection, hashes: Iterable[bytes]) -> None:
    """Note that chunks with these hashes are there again."""
    if connection.execute("SELECT 1 FROM unused LIMIT 1").fetchone() is None:
        return
    connection.executemany(
        "DELETE FROM unused WHERE vector_id IN (SELECT id FROM vector WHERE hash = ?)",
        [(key,) for key in hashes],
    )


def release(connection: Connection, hashes: Iterable[bytes]) -> None:
    """Note that chunks with these hashes went; where it was the last one, its vectors are unused from now."""
    connection.executemany(
        "INSERT OR IGNORE INTO unused (vector_id) SELECT v.id FROM vector AS v WHERE v.hash = ?1"
        " AND NOT EXISTS (SELECT 1 FROM chunk WHERE embed_hash = ?1)",
        [(key,) for key in hashes],
    )


def count_with_vector(connection: Connection, space: Space | None, hashes: Iterable[bytes]) -> int:
    """How many of the hashes, repeats counted, have a vector."""
    if space is None or space.dims is None:
        return 0
    query = "SELECT 1 FROM vector WHERE hash = ? AND space_id = ? AND v IS NOT NULL"
    return sum(connection.execute(query, (key, space.id)).fetchone() is not None for key in hashes)


def count_unused(connection: Connection) -> int:
    """How many vectors, of all spaces, belong to no chunk."""
    return int(connection.execute("SELECT count(*) FROM unused").fetchone()[0])


def trim_due(connection: Connection, space: Space | None, bound: int | None) -> bool:
    """Whether `keep_house` would change anything that matters: most runs then need no transaction."""
    if bound is not None and count_unused(connection) > bound:
        return True
    if space is None:
        return False
    newest = connection.execute("SELECT max(used) FROM space").fetchone()[0]
    used = connection.execute("SELECT used FROM space WHERE id = ?", (space.id,)).fetchone()[0]
    if used < newest or not _alone(connection):
        return True
    # While chunks lack a vector, storing one moves `complete_to`.
    return count_pending(connection, space) == 0 and _complete_to(connection, space) > space.complete_to


def keep_house(
    connection: Connection, space: Space | None, bound: int | None
) -> tuple[int, list[str] | None]:
    """Bring the notes on `space` up to date and delete cached vectors beyond `bound`, other spaces first.

    Returns how many were deleted, and the sidecars left when some were of other spaces, else None.
    """
    trimmed = 0
    if space is not None:
        note_current(connection, space)
        if count_pending(connection, space) == 0:
            trimmed = trim_others(connection, space, bound)
    left = sidecars(connection) if trimmed else None
    return trimmed + trim(connection, bound, slack=False), left


def trim(connection: Connection, bound: int | None, *, slack: bool) -> int:
    """Delete the unused vectors beyond `bound`, longest unused first; returns how many.

    With `slack` nothing happens until they exceed the bound by a tenth.
    """
    if bound is None:
        return 0
    excess = count_unused(connection) - bound
    if excess <= 0 or (slack and excess <= bound * (_SLACK - 1)):
        return 0
    oldest: list[tuple[Any, ...]] = connection.execute(
        "SELECT vector_id FROM unused ORDER BY id LIMIT ?", (excess,)
    ).fetchall()
    _delete(connection, oldest)
    return excess


def _delete(connection: Connection, vector_ids: list[tuple[Any, ...]]) -> None:
    connection.executemany("DELETE FROM vector WHERE id = ?", vector_ids)
    connection.executemany("DELETE FROM unused WHERE vector_id = ?", vector_ids)


# --- spaces that are not current -----------------------------------------------------------------------


def note_current(connection: Connection, space: Space) -> None:
    """Note that the space is the one in use, and how far it is complete."""
    connection.execute(
        "UPDATE space SET used = (SELECT max(used) + 1 FROM space)"
        " WHERE id = ? AND used < (SELECT max(used) FROM space)",
        (space.id,),
    )
    note_complete(connection, space)


def count_cached(connection: Connection, space: Space | None) -> int:
    """How many vectors no chunk needs while `space` is current; without one, those of texts that went."""
    if space is None or _alone(connection):
        return count_unused(connection)
    others = "SELECT count(*) FROM vector INDEXED BY vector_hash WHERE space_id <> :id"
    own = "SELECT count(*) FROM unused CROSS JOIN vector ON vector.id = vector_id WHERE space_id = :id"
    return int(connection.execute(f"SELECT ({others}) + ({own})", {"id": space.id}).fetchone()[0])


def _alone(connection: Connection) -> bool:
    return bool(connection.execute("SELECT count(*) < 2 FROM space").fetchone()[0])


def trim_others(connection: Connection, current: Space, bound: int | None) -> int:
    """Delete vectors of other spaces until no more than `bound` are cached; returns how many.

    The space that was current longest ago goes first, and of it what no chunk needs, then the oldest. A space
    that lost a part is incomplete: should it be current again, what it lacks is embedded anew.
    """
    if bound is None or _alone(connection):
        return 0
    excess = count_cached(connection, current) - bound
    trimmed = 0
    others = connection.execute("SELECT id FROM space WHERE id <> ? ORDER BY used, id", (current.id,))
    for (space_id,) in others.fetchall():
        size = connection.execute(
            "SELECT count(*) FROM vector INDEXED BY vector_hash WHERE space_id = ?", (space_id,)
        ).fetchone()[0]
        if size <= excess - trimmed:
            drop(connection, space_id)
            trimmed += size
        elif trimmed < excess:
            _shed(connection, space_id, excess - trimmed)
            trimmed = excess
    return trimmed


def sidecars(connection: Connection) -> list[str]:
    """The tokens of all valid sidecars."""
    return [row[0] for row in connection.execute("SELECT sidecar FROM space WHERE sidecar IS NOT NULL")]


def _shed(connection: Connection, space_id: int, count: int) -> None:
    """Delete a part of a space. Its sidecar, which has all of it, is disowned."""
    first = connection.execute(
        "SELECT v.id FROM vector AS v INDEXED BY vector_hash LEFT JOIN unused AS u ON u.vector_id = v.id"
        " WHERE v.space_id = ? ORDER BY u.id IS NULL, u.id, v.id LIMIT ?",
        (space_id, count),
    ).fetchall()
    _delete(connection, first)
    connection.execute("UPDATE space SET complete_to = 0, sidecar = NULL WHERE id = ?", (space_id,))
