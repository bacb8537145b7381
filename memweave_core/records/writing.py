"""Writes and deletes records: first the pages, which are the truth, then their rows."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from .._errors import MemWeaveError, NotFoundError
from . import spaces, table
from .json_value import dumped
from .mirror import Mirror
from .moments import end_of, micros, moment
from .page import RecordPage, render, rerender
from .places import file_of, is_told
from .plan import Change, Plan
from .table import Row

if TYPE_CHECKING:
    from ..adapters.sqlite.state import StateDatabase
    from ..types import FloatArray

logger = logging.getLogger(__name__)

AT_ONCE = 128
"""How many pages are written or deleted before their rows are."""


class Writer:
    """Changes of one root. A page that is there on the disk without its row is found by whoever looks."""

    def __init__(self, database: StateDatabase, mirror: Mirror, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._mirror = mirror
        self._clock = clock

    def write(self, changes: Sequence[Change], plan: Plan, space: int | None, dims: int | None) -> None:
        """Make some changes, each of another record.

        `space` is that of the vectors in the plan; those of another length than `dims` are not kept.
        """
        now = micros(self._clock())
        gone: list[Row] = []
        kept: list[tuple[Change, Row, Row | None]] = []
        texts: dict[str, str] = {}
        for change in changes:
            old = self._mirror.find(change.folder, change.put.key)
            if change.value is not None:
                row = _row(change, old, now)
                if old is not None and _says_the_same(change, row, old):
                    continue
                texts[row.file] = self._text(change, row, old)
                kept.append((change, row, old))
            elif old is not None:
                gone.append(old)
        stamps = self._mirror.files.write(texts) if texts else {}
        if kept:
            with self._database.transaction() as connection:
                root = self._mirror.root
                for change, row, old in kept:
                    table.delete(connection, [old.id] if old is not None else [])
                    record = table.insert(connection, root, row, stamps[row.file])
                    vectors = _vectors(change, plan, dims) if space is not None else None
                    spaces.uncover(connection, root, record, space if vectors is not None else None)
                    if vectors is not None and space is not None:
                        spaces.give(connection, space, record, vectors)
        self.remove(gone)

    def remove(self, rows: Sequence[Row]) -> int:
        """Delete pages with all that was derived from them; how many there were.

        Nothing is kept, but for a copy of pages that somebody has written what is no record in.

        A page that has changed since its row was read stays: it says something else by now.
        """
        removed = 0
        for start in range(0, len(rows), AT_ONCE):
            gone = [row for row in rows[start : start + AT_ONCE] if self._mirror.current([row])]
            for row in gone:
                if row.others == table.UNREADABLE:  # a person was at it, and did not mean what the row says
                    self._mirror.files.keep(row.file)
            self._mirror.files.remove([row.file for row in gone])
            with self._database.transaction() as connection:
                for row in gone:
                    table.delete(connection, [row.id])
            removed += len(gone)
        return removed

    def _text(self, change: Change, row: Row, old: Row | None) -> str:
        files, told = self._mirror.files, is_told(row.file)
        page = RecordPage(
            change.value or {},
            moment(row.created),
            moment(row.updated),
            row.ttl,
            change.put.index,
            json.loads(row.provenance) if row.provenance else {},
            None if told else tuple(change.put.namespace),
            None if told and file_of(row.folder, row.key) == row.file else row.key,
        )
        others = old.others if old is not None else 0
        if old is None and files.stamp(row.file) is not None:
            others = table.UNREADABLE
        if others == table.FOREIGN:
            with suppress(MemWeaveError):
                return rerender(files.read(row.file)[0], page)
        if others:  # it cannot stay in its place
            with suppress(NotFoundError):  # it went in this very moment
                files.keep(row.file)
        return render(page)


def _row(change: Change, old: Row | None, now: int) -> Row:
    """The row of a record to be written, its stamp still to come."""
    put = change.put
    ttl = put.ttl_minutes
    provenance = dumped(change.provenance) if change.provenance else None
    if change.provenance is None and old is not None:
        provenance = old.provenance
    return Row(
        id=0,
        folder=change.folder,
        key=put.key,
        file=old.file if old is not None else file_of(change.folder, put.key),
        long_names=None if is_told(change.folder) else dumped(list(put.namespace)),
        value=dumped(change.value),
        created=min(old.created, now) if old is not None else now,
        updated=max(old.updated, now) if old is not None else now,
        expires=end_of(ttl, now),
        ttl=ttl,
        paths=None if put.index is None else dumped(put.index if put.index is False else list(put.index)),
        provenance=provenance,
        others=table.FOREIGN if old is not None and old.others == table.FOREIGN else 0,
        size=0,
        mtime=0,
        inode=0,
    )


def _says_the_same(change: Change, row: Row, old: Row) -> bool:
    """Whether a record is to be written as it stands there: then a replayed program leaves no trace.

    One that has or had a time to live is written: that time begins anew, or is no more.
    """
    if old.others == table.UNREADABLE:
        return False
    lasting = row.ttl is None and old.ttl is None and change.vectors is None
    return lasting and (row.value, row.paths, row.provenance) == (old.value, old.paths, old.provenance)


def _vectors(change: Change, plan: Plan, dims: int | None) -> list[tuple[bytes, FloatArray]] | None:
    """The vectors of a record; None when they are still to be made."""
    if change.vectors is not None:
        return list(change.vectors)
    return fitting(change.texts, plan, dims)


def fitting(texts: Iterable[bytes], plan: Plan, dims: int | None) -> list[tuple[bytes, FloatArray]] | None:
    """The vectors of some texts in a plan; None when one is missing, or another model's by its length."""
    if any(one not in plan.vectors for one in texts):
        return None
    found = [(one, vector) for one in texts if (vector := plan.vectors[one]) is not None]
    for _, vector in found:
        if dims is not None and len(vector) != dims:
            logger.warning(
                "A record is kept without its vector, which has %d numbers where the others have %d: "
                "give the other embedding model a name of its own.", len(vector), dims,
            )  # fmt: skip
            return None
    return found
