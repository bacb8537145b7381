"""Looks for faults in the database: what SQLite itself checks, and what must agree between the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .schema import CHUNK_BITS

if TYPE_CHECKING:
    from pathlib import Path

    from .driver import Connection, Driver

# Each query counts rows that should not be; each sentence says what such a row is.
_COUNTS: tuple[tuple[str, str], ...] = (
    (
        f"SELECT count(*) FROM chunk WHERE id >> {CHUNK_BITS} NOT IN (SELECT id FROM file)",  # noqa: S608 - a constant number
        "{} chunks belong to no file.",
    ),
    (
        "SELECT count(*) FROM file WHERE chunks <> (SELECT count(*) FROM chunk"  # noqa: S608 - as above
        f" WHERE chunk.id >= file.id << {CHUNK_BITS} AND chunk.id < (file.id + 1) << {CHUNK_BITS})",
        "{} files have not as many chunks as they are said to have.",
    ),
    (
        "SELECT count(*) FROM chunk WHERE id NOT IN (SELECT id FROM passage)",
        "{} chunks have no text.",
    ),
    (
        "SELECT count(*) FROM passage WHERE id NOT IN (SELECT id FROM chunk)",
        "{} texts belong to no chunk.",
    ),
    (
        "SELECT count(*) FROM chunk WHERE id NOT IN (SELECT rowid FROM chunk_fts)",
        "{} chunks are missing from the word index.",
    ),
    (
        "SELECT count(*) FROM chunk_fts WHERE rowid NOT IN (SELECT id FROM chunk)",
        "{} entries of the word index belong to no chunk.",
    ),
    (
        "SELECT count(*) FROM vector WHERE space_id NOT IN (SELECT id FROM space)",
        "{} vectors belong to no vector space.",
    ),
    (
        "SELECT count(*) FROM vector JOIN space ON space.id = space_id"
        " WHERE v IS NOT NULL AND (dims IS NULL OR length(v) <> 4 * dims)",
        "{} vectors have not the length of their vector space.",
    ),
    (
        "SELECT count(*) FROM unused WHERE vector_id NOT IN (SELECT id FROM vector)",
        "{} entries of the list of unused vectors name no vector.",
    ),
    (
        "SELECT count(*) FROM vector WHERE EXISTS (SELECT 1 FROM chunk WHERE embed_hash = hash)"
        " = EXISTS (SELECT 1 FROM unused WHERE vector_id = vector.id)",
        "{} vectors are wrongly listed as used or as unused.",
    ),
)


def faults(driver: Driver, connection: Connection) -> list[str]:
    """Every fault, one sentence each. `connection` is in a write transaction, which FTS5 needs to check."""
    found: list[str] = []
    try:
        found += [
            f"SQLite reports: {row[0]}." for row in connection.execute("PRAGMA quick_check") if row[0] != "ok"
        ]
    except driver.Error as error:
        found.append(f"SQLite cannot check the file: {error}.")
    try:
        connection.execute("INSERT INTO chunk_fts (chunk_fts) VALUES ('integrity-check')")
    except driver.Error as error:
        found.append(f"The word index does not agree with its texts: {error}.")
    for query, sentence in _COUNTS:
        try:
            count = connection.execute(query).fetchone()[0]
        except driver.Error as error:
            found.append(f"A table cannot be read: {error}.")
            continue
        if count:
            found.append(sentence.format(count))
    return found


def disown_sidecars(connection: Connection, database: Path) -> list[str]:
    """Let go of every sidecar with a row that is no unit vector, and say so, one sentence each.

    No fault of the database: a sidecar is a cache of it, and is made again from it.
    """
    from . import sidecar  # needs numpy

    said: list[str] = []
    found = connection.execute("SELECT id, sidecar, dims FROM space WHERE sidecar IS NOT NULL")
    for space_id, token, dims in found.fetchall():
        stored = sidecar.read(database, token, dims)
        if stored is None or not stored.sound:
            connection.execute("UPDATE space SET sidecar = NULL WHERE id = ?", (space_id,))
            name = sidecar.sidecar_path(database, token).name
            said.append(f"The vector file {name} is missing or damaged; it is made again from the index.")
    return said
