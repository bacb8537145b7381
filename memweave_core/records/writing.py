"""Writes and deletes records: first the pages, which are the truth, then their rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from .._errors import MemWeaveError
from . import spaces, table
from .json_value import dumped
from .mirror import Mirror
from .moments import micros, moment
from .page import RecordPage, render, rerender
from .places import file_of, is_told
from .plan import Change, Plan
from .table import Row

if TYPE_CHECKING:
    from ..adapters.sqlite.state import StateDatabase
    from ..types import FloatArray


class Writer:
    """Changes of one root. A page that is there on the disk without its row is found by whoever looks."""

    def __init__(self, database: StateDatabase, mirror: Mirror, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._mirror = mirror
        self._clock = clock

    def write(self, changes: Sequence[Change], plan: Plan, space: int | None) -> None:
        """Make some changes, each of another record. `space` is that of the vectors in the plan."""
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
                    vectors = _vectors(change, plan) if space is not None else None
                    spaces.uncover(connection, root, record, space if vectors is not None else None)
                    if vectors is not None and space is not None:
                        spaces.give(connection, space, record, vectors)
        self.remove(gone)

    def remove(self, rows: Sequence[Row]) -> None:
        """Delete pages with all that was derived from them; nothing is kept of them."""
        for row in rows:
            self._mirror.files.remove(row.file)
        if rows:
            with self._database.transaction() as connection:
                for row in rows:
                    table.delete(connection, table.ids_of(connection, self._mirror.root, row))

    def _text(self, change: Change, row: Row, old: Row | None) -> str:
        told = is_told(row.file)
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
        if old is None or not old.others:
            return render(page)
        try:
            before, _ = self._mirror.files.read(old.file)
        except MemWeaveError:  # it went in this very moment, and with it what was others'
            return render(page)
        return rerender(before, page)


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
        expires=None if ttl is None else now + round(ttl * 60_000_000),
        ttl=ttl,
        paths=None if put.index is None else dumped(put.index if put.index is False else list(put.index)),
        provenance=provenance,
        others=old.others if old is not None else 0,
        size=0,
        mtime=0,
        inode=0,
    )


def _says_the_same(change: Change, row: Row, old: Row) -> bool:
    """Whether a record is to be written as it stands there: then a replayed program leaves no trace.

    One that has or had a time to live is written: that time begins anew, or is no more.
    """
    lasting = row.ttl is None and old.ttl is None and change.vectors is None
    return lasting and (row.value, row.paths, row.provenance) == (old.value, old.paths, old.provenance)


def _vectors(change: Change, plan: Plan) -> list[tuple[bytes, FloatArray]] | None:
    """The vectors of a record; None when they are still to be made."""
    if change.vectors is not None:
        return list(change.vectors)
    if any(one not in plan.vectors for one in change.texts):
        return None
    found = ((one, plan.vectors[one]) for one in change.texts)
    return [(one, vector) for one, vector in found if vector is not None]
