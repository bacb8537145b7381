"""Which files a `Where` lets through. All filters are about files, so a filter is a set of file ids."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...types import PageMeta, Scalar, Where
from .codec import META_COLUMNS, decode_meta, storable

if TYPE_CHECKING:
    from .driver import Connection

_FRONT_MATTER: Mapping[str, Callable[[PageMeta], Any]] = {
    "title": lambda meta: meta.title,
    "date": lambda meta: meta.date and meta.date.isoformat(),
    "tier": lambda meta: meta.tier,
    "evergreen": lambda meta: meta.evergreen,
    "pinned": lambda meta: meta.pinned,
    "tags": lambda meta: meta.tags,
    "aliases": lambda meta: meta.aliases,
    "superseded_by": lambda meta: meta.superseded_by,
    "expires_at": lambda meta: meta.expires_at and meta.expires_at.isoformat(),
}


def allowed_files(connection: Connection, where: Where) -> list[int]:
    """Ids of the files that `where` lets through, in ascending order.

    A private page passes only when `where.user` is exactly its owner. An entry of `where.paths` names a file,
    or a folder with everything under it.
    """
    conditions, values = _conditions(where)
    clause = " AND ".join(conditions)
    if not where.tags and not where.metadata:
        found = connection.execute(f"SELECT id FROM file WHERE {clause} ORDER BY id", values)  # noqa: S608 - _conditions is constant text
        return [row[0] for row in found]
    found = connection.execute(f"SELECT id, {META_COLUMNS} FROM file WHERE {clause} ORDER BY id", values)  # noqa: S608 - as above
    return [row[0] for row in found if _passes(decode_meta(row[1:]), where)]


def _conditions(where: Where) -> tuple[list[str], list[Any]]:
    known = where.user is not None and storable(where.user)
    conditions = ["(owner IS NULL OR owner = ?)" if known else "owner IS NULL"]
    values: list[Any] = [where.user] if known else []
    if where.source:
        conditions.append("source IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(where.source))
    if where.tier:
        conditions.append("tier IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(where.tier))
    if where.since is not None:
        conditions.append("date >= ?")
        values.append(where.since.isoformat())
    if where.until is not None:
        conditions.append("date <= ?")
        values.append(where.until.isoformat())
    if where.paths:
        # No LIKE: `%` and `_` are ordinary characters of a path. "0" is the character after "/".
        roots = [path.rstrip("/") for path in where.paths]
        conditions.append(
            "EXISTS (SELECT 1 FROM json_each(?) AS root WHERE file.path = root.value"
            " OR (file.path > root.value || '/' AND file.path < root.value || '0'))"
        )
        values.append(json.dumps(roots))
    return conditions, values


def _passes(meta: PageMeta, where: Where) -> bool:
    return set(where.tags) <= set(meta.tags) and all(
        _matches(_value(meta, key), wanted) for key, wanted in where.metadata
    )


def _value(meta: PageMeta, key: str) -> Any:
    if key in meta.metadata:
        return meta.metadata[key]
    read = _FRONT_MATTER.get(key)
    return read(meta) if read is not None else None


def _matches(value: Any, wanted: Iterable[Scalar]) -> bool:
    """Whether the value, or one of a list of values, is wanted. True is not 1, "1" is not 1; 1.0 is."""
    values = value if isinstance(value, list | tuple) else (value,)
    return any(_same(one, other) for one in values for other in wanted)


def _same(one: Any, other: Any) -> bool:
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)
