"""Keeps the rows of one root equal to its pages, whoever changed these.

A page is read when its stamp (size, time, inode) is not that of its row. That is looked at whenever a record
is given out; all pages are looked over at the opening and then, at the beginning of a search, when twenty
times as long as the last look took has passed: edits show soon, and looking takes at most a twentieth of the
time. A page that cannot be read keeps its last row; the log says so.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from .._errors import NotFoundError
from . import spaces, table
from .disk import RecordFiles
from .json_value import checked, dumped
from .moments import EPOCH, end_of, micros
from .page import RecordPage, parse
from .places import file_of, folder_of, is_told, key_of, namespace_of
from .table import Row

if TYPE_CHECKING:
    from ..adapters.sqlite.driver import Connection
    from ..adapters.sqlite.state import StateDatabase
    from ..types import FileStamp

logger = logging.getLogger(__name__)

_SHARE: Final = 20
_AT_ONCE: Final = 256


class Mirror:
    """One root in the database. Blocking, and usable from several threads."""

    def __init__(
        self, database: StateDatabase, files: RecordFiles, root: str, clock: Callable[[], datetime]
    ) -> None:
        self.files = files
        self._database = database
        self._name = root
        self._clock = clock
        self._looking = threading.Lock()
        self.root = 0
        self._opening = 0
        self._look_at = 0.0

    # --- the whole root --------------------------------------------------------------------------------

    def ready(self) -> int:
        """The id of the root, whose rows have been filled from the pages at some time."""
        self.files.doubt()
        with self._database.read():  # opens what lies at the path now
            opening = self._database.openings
        if self._opening != opening:
            with self._database.transaction() as connection:
                self.root, filled = table.root_id(connection, self._name)
            self._look_at = 0.0
            self._opening = opening
            if not filled:
                self.look(force=True)
        return self.root

    def look(self, *, force: bool = False) -> None:
        """Compare rows with pages if it is time to; with `force` now. The root must be `ready`."""
        if not force and time.monotonic() < self._look_at:
            return
        with self._looking:
            if not force and time.monotonic() < self._look_at:
                return  # another thread has just looked
            began = time.monotonic()
            with self._database.read() as connection:
                known = table.stamps(connection, self.root)
            self._compare(known)
            with self._database.transaction() as connection:
                table.set_filled(connection, self.root)
            ended = time.monotonic()
            self._look_at = ended + _SHARE * (ended - began)

    def _compare(self, known: dict[str, tuple[int, int, int]]) -> None:
        changed: list[str] = []
        for file, stamp in self.files.scan():
            if known.pop(file, None) != stamp:
                changed.append(file)
        for start in range(0, len(changed), _AT_ONCE):
            self._take_in(changed[start : start + _AT_ONCE])
        gone = [file for file in known if self.files.stamp(file) is None]
        if gone:
            with self._database.transaction() as connection:
                for file in gone:
                    row = table.by_file(connection, self.root, file)
                    if row is not None:
                        table.delete(connection, [row.id])

    # --- single pages ----------------------------------------------------------------------------------

    def current(self, rows: Iterable[Row]) -> bool:
        """Whether rows say what their pages say; those that do not are read anew or dropped."""
        changed = [row.file for row in rows if self.files.stamp(row.file) != row.stamp]
        if changed:
            self._take_in(changed)
        return not changed

    def find(self, folder: str, key: str) -> Row | None:
        """The row of a record as its page is now; None when there is none."""
        canonical = file_of(folder, key)
        tried = False
        for _ in range(3):
            with self._database.read() as connection:
                row = table.by_name(connection, self.root, folder, key)
            if row is None:
                if tried or self.files.stamp(canonical) is None:
                    return None
                tried = True
                self._take_in([canonical])
            elif self.current([row]):
                return row
        with self._database.read() as connection:
            return table.by_name(connection, self.root, folder, key)

    def _take_in(self, files: Iterable[str]) -> None:
        """Read pages into rows; of those that are gone the rows go."""
        read: list[tuple[str, Row | None, FileStamp | None]] = []
        for file in files:
            stamp: FileStamp | None = None
            try:
                text, stamp = self.files.read(file)
                read.append((file, self._row(file, text, stamp), stamp))
            except NotFoundError:
                read.append((file, None, None))
            except Exception as error:  # whatever a person wrote there, all other pages are read
                logger.warning("The record in %s is not read: %s", self.files.path(file), error)
                read.append((file, None, stamp or self.files.stamp(file)))
        with self._database.transaction() as connection:
            for file, row, stamp in read:
                self._store(connection, file, row, stamp)

    def _store(self, connection: Connection, file: str, row: Row | None, stamp: FileStamp | None) -> None:
        old = table.by_file(connection, self.root, file)
        if row is None:
            if old is not None and stamp is None:
                table.delete(connection, [old.id])
            elif old is not None and stamp is not None:
                table.restamp(connection, old, stamp, table.UNREADABLE)
            return
        if old is not None and old.stamp == row.stamp:
            return  # whoever wrote it was quicker
        if old is not None and _says(old) == _says(row):
            table.restamp(connection, old, row.stamp, row.others)
            return
        twin = table.by_name(connection, self.root, row.folder, row.key)
        if twin is not None and twin.file != file:
            if file != file_of(row.folder, row.key) and self.files.stamp(twin.file) is not None:
                logger.warning("%s and %s are one record; the first is not read.", file, twin.file)
                return
            table.delete(connection, [twin.id])
        if old is not None:
            table.delete(connection, [old.id])
            edited = row.mtime // 1000 if row.updated == old.updated else row.updated  # by hand
            row = replace(row, created=min(old.created, row.created), updated=max(row.updated, edited))
        record = table.insert(connection, self.root, row, row.stamp)
        spaces.uncover(connection, self.root, record)

    def _row(self, file: str, text: str, stamp: FileStamp) -> Row:
        page = parse(text)
        folder, namespace, key = self._named(file, page)
        changed = EPOCH + timedelta(microseconds=stamp.mtime_ns // 1000)
        written = page.updated or changed
        now = micros(self._clock())
        ttl = page.ttl_minutes
        return Row(
            id=0,
            folder=folder,
            key=key,
            file=file,
            long_names=None if is_told(folder) else dumped(list(namespace)),
            value=dumped(checked(page.value)),
            created=micros(page.created or written),
            updated=micros(written),
            expires=end_of(ttl, now),
            ttl=ttl,
            paths=None if page.index is None else dumped(page.index),
            provenance=dumped(page.provenance) if page.provenance else None,
            others=table.FOREIGN if page.foreign else 0,
            size=stamp.size,
            mtime=stamp.mtime_ns,
            inode=stamp.inode,
        )

    def _named(self, file: str, page: RecordPage) -> tuple[str, tuple[str, ...], str]:
        """(folder, namespace, key); what the page says counts where its path agrees or cannot tell."""
        path = file[: file.rfind("/") + 1]
        namespace = page.namespace
        if namespace is None or folder_of(namespace) != path:
            namespace = namespace_of(path)
        folder = path if not is_told(path) else folder_of(namespace)
        key = page.key
        if key is None or file_of(path, key) != file:
            key = key_of(file)
        return folder, namespace, key


def _says(row: Row) -> tuple[object, ...]:
    value = json.dumps(json.loads(row.value), sort_keys=True)
    return (row.folder, row.key, value, row.ttl, row.paths, row.provenance)
