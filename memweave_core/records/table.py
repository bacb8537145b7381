"""SQL over the rows of records: each function is one question or one change within a transaction."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ..types import FileStamp
from .filter_sql import Sql
from .moments import LATEST
from .places import after, namespace_of
from .record import Index, Namespace

if TYPE_CHECKING:
    from ..adapters.sqlite.driver import Connection

_COLUMNS: Final = (
    "id, folder, key, file, namespace, value, created, updated, expires, ttl, paths, provenance, others,"
    " size, mtime, inode"
)
_INTO: Final = (
    " INTO record (root, folder, key, file, namespace, value, created, updated, expires, ttl, paths,"
    " provenance, others, size, mtime, inode) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
)
FOREIGN: Final = 1
UNREADABLE: Final = 2
_AT_ONCE: Final = 500
_MANY: Final = 1_000
ORDER: Final = " ORDER BY updated DESC, key, folder"


@dataclass(frozen=True, slots=True)
class Row:
    """A record as the table has it; an `id` of 0 is not stored yet.

    `others` is 0 where the page holds nothing but the record, `FOREIGN` where front matter of others stands
    there too, `UNREADABLE` where the page does not say what the row does any more.
    """

    id: int
    folder: str
    key: str
    file: str
    long_names: str | None
    value: str
    created: int
    updated: int
    expires: int | None
    ttl: float | None
    paths: str | None
    provenance: str | None
    others: int
    size: int
    mtime: int
    inode: int

    @property
    def namespace(self) -> Namespace:
        return namespace_from(self.folder, self.long_names)

    @property
    def stamp(self) -> FileStamp:
        return FileStamp(self.size, self.mtime, self.inode)

    def is_over(self, now: int) -> bool:
        """Whether it has outlived its time."""
        return self.expires is not None and self.expires <= now

    @property
    def index(self) -> Index:
        found = json.loads(self.paths) if self.paths else None
        return tuple(found) if isinstance(found, list) else found


def namespace_from(folder: str, long_names: str | None) -> Namespace:
    """The labels of a namespace by its folder, or as they were before they were shortened."""
    return tuple(json.loads(long_names)) if long_names else namespace_of(folder)


def root_id(connection: Connection, name: str) -> tuple[int, bool]:
    """(id of a root, whether its rows were ever filled from the pages)."""
    connection.execute("INSERT OR IGNORE INTO root (name) VALUES (?)", (name,))
    row = connection.execute("SELECT id, filled FROM root WHERE name = ?", (name,)).fetchone()
    return int(row[0]), bool(row[1])


def set_filled(connection: Connection, root: int) -> None:
    connection.execute("UPDATE root SET filled = 1 WHERE id = ? AND filled = 0", (root,))


def by_name(connection: Connection, root: int, folder: str, key: str) -> Row | None:
    found = connection.execute(
        f"SELECT {_COLUMNS} FROM record WHERE root = ? AND folder = ? AND key = ?",  # noqa: S608
        (root, folder, key),
    ).fetchone()
    return Row(*found) if found is not None else None


def by_file(connection: Connection, root: int, file: str) -> Row | None:
    found = connection.execute(
        f"SELECT {_COLUMNS} FROM record WHERE root = ? AND file = ?",  # noqa: S608
        (root, file),
    ).fetchone()
    return Row(*found) if found is not None else None


def ids_of(connection: Connection, root: int, row: Row) -> list[int]:
    """The rows that have the name or the file of a record."""
    found = connection.execute(
        "SELECT id FROM record WHERE root = ? AND folder = ? AND key = ?"
        " UNION SELECT id FROM record WHERE root = ? AND file = ?",
        (root, row.folder, row.key, root, row.file),
    )
    return [one[0] for one in found]


def by_ids(connection: Connection, ids: Sequence[int]) -> dict[int, Row]:
    found: dict[int, Row] = {}
    for some in _parts(ids):
        marks = ",".join("?" * len(some))
        rows = connection.execute(f"SELECT {_COLUMNS} FROM record WHERE id IN ({marks})", some)  # noqa: S608
        found |= {row[0]: Row(*row) for row in rows}
    return found


def stamps(connection: Connection, root: int) -> dict[str, tuple[int, int, int]]:
    """{file: (size, mtime in ns, inode)} of all records."""
    rows = connection.execute("SELECT file, size, mtime, inode FROM record WHERE root = ?", (root,))
    return {file: (size, mtime, inode) for file, size, mtime, inode in rows}


def insert(connection: Connection, root: int, row: Row, stamp: FileStamp) -> int:
    """Store a row and the stamp of its page, in the place of any with its name or file; gives its id."""
    operands = (
        *(root, row.folder, row.key, row.file, row.long_names, row.value, row.created, row.updated),
        *(row.expires, row.ttl, row.paths, row.provenance, row.others),
        *(stamp.size, stamp.mtime_ns, stamp.inode),
    )
    cursor = connection.execute(f"INSERT OR IGNORE{_INTO}", operands)
    if not cursor.rowcount:
        delete(connection, ids_of(connection, root, row))
        cursor = connection.execute(f"INSERT{_INTO}", operands)
    return int(cursor.lastrowid or 0)


def delete(connection: Connection, ids: Iterable[int]) -> None:
    """Delete records and all that was derived from them."""
    for one in ids:
        connection.execute("DELETE FROM vector WHERE record = ?", (one,))
        connection.execute(
            "DELETE FROM uncovered WHERE record = ? AND space IN (SELECT id FROM space)", (one,)
        )
        connection.execute("DELETE FROM words WHERE rowid = ?", (one,))
        connection.execute("DELETE FROM record WHERE id = ?", (one,))


def restamp(connection: Connection, row: Row, stamp: FileStamp, others: int) -> None:
    """Note that a row stands for a page as it is now, and what that holds besides the record."""
    connection.execute(
        "UPDATE record SET size = ?, mtime = ?, inode = ?, others = ? WHERE id = ?",
        (stamp.size, stamp.mtime_ns, stamp.inode, others, row.id),
    )


def touch(connection: Connection, ids: Iterable[int], now: int) -> None:
    """Begin the time to live of records anew."""
    connection.executemany(
        "UPDATE record SET expires = min(?, ? + CAST(ttl * 60000000 AS INTEGER))"
        " WHERE id = ? AND ttl IS NOT NULL",
        [(LATEST, now, one) for one in ids],
    )


def expired(connection: Connection, root: int, now: int) -> list[Row]:
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM record WHERE root = ? AND expires IS NOT NULL AND expires <= ?",  # noqa: S608
        (root, now),
    )
    return [Row(*row) for row in rows]


def folders(connection: Connection, root: int, now: int | None) -> list[tuple[str, str | None]]:
    """(folder, names where these were shortened) of every namespace that holds records."""
    alive = " AND (expires IS NULL OR expires > ?)" if now is not None else ""
    rows = connection.execute(
        f"SELECT folder, max(namespace) FROM record WHERE root = ?{alive} GROUP BY folder",  # noqa: S608
        (root, *(() if now is None else (now,))),
    )
    return [(folder, names) for folder, names in rows]


# --- narrowing -----------------------------------------------------------------------------------------


def narrowed(root: int, folder: str, condition: Sql | None, keys: Sequence[str] | None) -> Sql:
    """The WHERE of the records below a folder that meet a condition and have one of `keys`."""
    parts, found = ["root = ?"], list[Any]([root])
    if folder:
        parts.append("folder >= ? AND folder < ?")
        found += [folder, after(folder)]
    if keys is not None:
        parts.append("key IN (SELECT value FROM json_each(?))")
        found.append(json.dumps(list(keys)))
    if condition is not None:
        parts.append(condition.text)
        found += condition.operands
    return Sql(" AND ".join(parts), tuple(found))


def newest(connection: Connection, where: Sql, limit: int, offset: int) -> list[Row]:
    """Rows in `ORDER`, from `offset` on.

    Where there are many rows they are walked in that order until there are enough, else they are sorted.
    """
    few = "SELECT count(*) FROM (SELECT 1 FROM record WHERE root = ? AND folder >= ? AND folder < ? LIMIT ?)"
    span = where.operands[:3] if "folder >=" in where.text else (where.operands[0], "", chr(0x10FFFF))
    many = connection.execute(few, (*span, _MANY)).fetchone()[0] == _MANY
    by = " INDEXED BY record_recent" if many and offset + limit < _MANY else ""
    statement = f"SELECT {_COLUMNS} FROM record{by} WHERE {where.text}{ORDER} LIMIT ? OFFSET ?"  # noqa: S608
    return [Row(*row) for row in connection.execute(statement, (*where.operands, limit, offset))]


def chosen_ids(connection: Connection, where: Sql) -> list[int]:
    statement = f"SELECT id FROM record WHERE {where.text}"  # noqa: S608
    return [row[0] for row in connection.execute(statement, where.operands)]


def meeting(connection: Connection, where: Sql, ids: Sequence[int]) -> list[int]:
    """Those of some records that meet a condition."""
    some = "(SELECT value AS one FROM json_each(?))"
    statement = f"SELECT id FROM {some} CROSS JOIN record ON id = one WHERE {where.text}"  # noqa: S608
    return [row[0] for row in connection.execute(statement, (json.dumps(list(ids)), *where.operands))]


def values(connection: Connection, where: Sql, tail: str = "") -> list[tuple[int, str]]:
    """(id, value) of rows, for conditions that SQL cannot decide."""
    statement = f"SELECT id, value FROM record WHERE {where.text}{tail}"  # noqa: S608
    return [(row[0], row[1]) for row in connection.execute(statement, where.operands)]


def _parts(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    return (ids[start : start + _AT_ONCE] for start in range(0, len(ids), _AT_ONCE))
