"""What is computed once per state of the database: file ids, totals, languages, filters, recent questions.

A state is named by (uuid of the database, generation). A `Snapshot` belongs to one state, so that whatever is
cached in it needs no other invalidation. `Snapshots` keeps the newest
and makes the next from it and the files that changed.
"""

from __future__ import annotations

import json
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from ...text.successors import Replaceable, successors
from ...types import Where
from .schema import CHUNK_BITS
from .where import allowed_files

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .driver import Connection

    Ids = NDArray[np.int64]
    Mask = NDArray[np.bool_]

_ROW = np.dtype(
    [
        ("id", "<i8"),
        ("chunks", "<i8"),
        ("terms", "<i8"),
        ("private", "?"),
        ("superseded", "?"),
        ("language", "<U8"),
    ]
)
_FILTERS = 32
_QUERIES = 8

Value = TypeVar("Value")


class Once(Generic[Value]):
    """A property that is computed once per object.

    `functools.cached_property` of Python 3.11 takes a lock, which a child forked meanwhile inherits locked.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> Value:
        value = self._compute(instance)
        instance.__dict__[self._compute.__name__] = value  # found there before this descriptor from now on
        return value


class Recent(Generic[Value]):
    """The last `size` values by key; safe to use from several threads."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value kept for `key`, else a new one. Two threads may make the same value at once."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._size:
                self._values.popitem(last=False)
        return value


@dataclass(frozen=True)
class Allowed:
    """The files a question may look at.

    `files` are their ids, ascending; `chunks` is how many chunks they have. `everything` means that no living
    file is left out.
    """

    files: Ids
    chunks: int
    everything: bool

    @Once
    def _table(self) -> Mask:
        table = np.zeros(int(self.files[-1]) + 2 if len(self.files) else 1, dtype=np.bool_)
        table[self.files] = True
        return table

    def mask(self, chunk_ids: Ids) -> Mask:
        """Which of the chunks belong to an allowed file. Ids beyond the table meet its last entry, False."""
        return self._table.take(chunk_ids >> CHUNK_BITS, mode="clip")


@dataclass(frozen=True)
class Snapshot:
    """One state of the database. `table` has a row of `_ROW` per file, in the order of ids."""

    uuid: str
    generation: int
    table: NDArray[np.void]
    files: Ids
    chunk_counts: Ids
    terms: int
    language_counts: Counter[str]
    replaced_files: Recent[Ids] = field(default_factory=lambda: Recent(1))
    filters: Recent[Allowed] = field(default_factory=lambda: Recent(_FILTERS))
    questions: Recent[Any] = field(default_factory=lambda: Recent(_QUERIES))
    frequencies: dict[str, int] = field(default_factory=dict)
    beginnings: dict[str, bool] = field(default_factory=dict)

    @Once
    def languages(self) -> tuple[str, ...]:
        """The languages of the files, the most frequent first."""
        found = [(-count, language) for language, count in self.language_counts.items() if count > 0]
        return tuple(language for _, language in sorted(found))

    def languages_of(self, allowed: Allowed) -> tuple[str, ...]:
        """The languages of the allowed files, the most frequent first: others must not show in an answer."""
        if allowed.everything:
            return self.languages
        counts = Counter(self.table["language"][np.searchsorted(self.files, allowed.files)].tolist())
        return tuple(
            language for _, language in sorted((-count, language) for language, count in counts.items())
        )

    def languages_by_chunk(self, chunk_ids: Sequence[int]) -> dict[int, str]:
        """The language of the page of each chunk whose file is there."""
        places = self.places(np.array(chunk_ids, dtype=np.int64))
        if not len(self.files):
            return {}
        found = self.table["language"].take(places, mode="clip").tolist()
        known = zip(chunk_ids, found, places.tolist(), strict=True)
        return {chunk_id: language for chunk_id, language, place in known if place >= 0}

    @Once
    def chunks(self) -> int:
        """How many chunks there are."""
        return int(self.chunk_counts.sum())

    @property
    def mean_length(self) -> float:
        """Index tokens per chunk."""
        return self.terms / self.chunks if self.chunks else 0.0

    @Once
    def everything(self) -> Allowed:
        """All living files, private ones too: no answer is filtered by this alone."""
        return Allowed(self.files, self.chunks, True)

    @Once
    def _places(self) -> NDArray[np.int32]:
        places = np.full(int(self.files[-1]) + 2 if len(self.files) else 1, -1, dtype=np.int32)
        places[self.files] = np.arange(len(self.files), dtype=np.int32)
        return places

    def places(self, chunk_ids: Ids) -> NDArray[np.int32]:
        """Position in `files` of each chunk's file; -1 when the file is not there."""
        return self._places.take(chunk_ids >> CHUNK_BITS, mode="clip")

    def there(self, chunk_ids: Ids) -> Mask:
        """Which of the chunks exist."""
        places = self.places(chunk_ids)
        counts = self.chunk_counts.take(places, mode="clip") if len(self.files) else 0
        here: Mask = (places >= 0) & ((chunk_ids & ((1 << CHUNK_BITS) - 1)) < counts)
        return here

    def chunk_ids(self, allowed: Allowed) -> Ids:
        """The ids of all chunks of the allowed files, ascending."""
        counts = self.chunk_counts[np.searchsorted(self.files, allowed.files)]
        ends = np.cumsum(counts)
        ids: Ids = np.repeat(allowed.files << CHUNK_BITS, counts)
        ids += np.arange(len(ids)) - np.repeat(ends - counts, counts)  # the ordinals
        return ids

    def replaced(self, connection: Connection) -> Ids:
        """The files of pages that another page replaces."""
        if not self.table["superseded"].any():
            return np.empty(0, dtype=np.int64)
        return self.replaced_files.get("", lambda: _replaced(connection))

    def allowed(self, connection: Connection, where: Where) -> Allowed:
        """The files that `where` lets through."""

        def make() -> Allowed:
            private = self.table["private"]
            narrow = replace(where, user=None, superseded=False) != Where()
            if narrow or (where.user is not None and private.any()):
                files = np.array(allowed_files(connection, where), dtype=np.int64)
            else:  # the usual question, which needs no database
                files = self.files[~private]
            if not where.superseded:
                files = files[~np.isin(files, self.replaced(connection))]
            counts = self.chunk_counts[np.searchsorted(self.files, files)]
            return Allowed(files, int(counts.sum()), len(files) == len(self.files))

        try:
            key = repr(where)  # equal values of unlike type (True, 1) are unlike filters
        except ValueError:  # an integer of thousands of digits has no text
            return make()
        return self.filters.get(key, make)


class Snapshots:
    """Gives the snapshot of the state that a connection's transaction sees."""

    def __init__(self) -> None:
        self._newest: Snapshot | None = None

    def of(self, connection: Connection) -> Snapshot:
        """The snapshot of the transaction that `connection` is in."""
        uuid, generation = connection.execute("SELECT uuid, generation FROM state").fetchone()
        newest = self._newest
        if newest is not None and (newest.uuid, newest.generation) == (uuid, generation):
            return newest
        made = _read(connection, uuid, generation, newest)
        if newest is None or newest.uuid != uuid or newest.generation < generation:
            self._newest = made
        return made


def _read(connection: Connection, uuid: str, generation: int, earlier: Snapshot | None) -> Snapshot:
    counts: Counter[str] = Counter()
    table = np.empty(0, dtype=_ROW)
    since = -1
    if earlier is not None and earlier.uuid == uuid and earlier.generation < generation:
        counts, table, since = earlier.language_counts.copy(), earlier.table, earlier.generation
    changed = _rows(connection, since)
    if len(table):
        kept = np.isin(table["id"], _living(connection)) & ~np.isin(table["id"], changed["id"])
        counts.subtract(table["language"][~kept].tolist())
        table = table[kept]
    counts.update(changed["language"].tolist())
    if len(changed):
        table = np.concatenate([table, changed])
        table = table[np.argsort(table["id"], kind="stable")]
    return Snapshot(
        uuid=uuid,
        generation=generation,
        table=table,
        files=np.ascontiguousarray(table["id"]),
        chunk_counts=np.ascontiguousarray(table["chunks"]),
        terms=int(table["terms"].sum()),
        language_counts=counts,
    )


def _rows(connection: Connection, since: int) -> NDArray[np.void]:
    rows = connection.execute(
        "SELECT id, chunks, terms, owner IS NOT NULL, extra IS NOT NULL AND"
        " json_extract(extra, '$.superseded_by') IS NOT NULL, language FROM file WHERE revision > ?",
        (since,),
    )
    return np.array(rows.fetchall(), dtype=_ROW)


def _replaced(connection: Connection) -> Ids:
    rows = connection.execute(
        "SELECT id, path, owner, title, json_extract(extra, '$.aliases'),"
        " json_extract(extra, '$.superseded_by') FROM file"
    ).fetchall()
    ids = {row[1]: row[0] for row in rows}
    after = successors(
        Replaceable(path, owner, (title, *json.loads(aliases or "[]")), by)
        for _, path, owner, title, aliases, by in rows
    )
    return np.array(sorted(ids[path] for path in after), dtype=np.int64)


def _living(connection: Connection) -> Ids:
    # From an index, as one string: a fifth of the time that reading the rows takes.
    found = connection.execute("SELECT group_concat(id) FROM file INDEXED BY file_revision").fetchone()[0]
    return np.fromstring(found or "", dtype=np.int64, sep=",")
