"""Connections to the index database: one writer under a lock and one reader per thread.

Before every operation the file at the path is looked at: when it was deleted or replaced, the connections are
opened anew. A forked child starts with connections of its own; those it inherited are left alone, as SQLite
asks. After `close` every use raises `StorageError`.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..._errors import StorageError
from ...text.analysis import ANALYZER_VERSION
from . import schema
from .aside import Verdict, discard, is_damage, judge, making, remove_database, set_aside, verdict_on
from .driver import BUSY_SECONDS, Driver, choose
from .handle import Handle

if TYPE_CHECKING:
    from .driver import Connection

_OPEN_ATTEMPTS = 5
_READER_CACHE_KIB = 16_384
_WRITER_CACHE_KIB = 32_768


class IndexDamagedError(StorageError):
    """The database file is broken. `SqliteIndex.reset` puts it aside; then index the Markdown files again."""


_databases: weakref.WeakSet[Database] = weakref.WeakSet()
_abandoned: list[Handle] = []


def _after_fork_in_child() -> None:
    for database in list(_databases):
        database._forget_inherited()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


class Database:
    """The index database at `path`, made when it is not there.

    A file that is damaged, of another version or not ours is put aside; `notes` says so in a sentence.
    `busy_seconds` is how long an operation waits for another process.
    """

    def __init__(self, path: Path, *, busy_seconds: float = BUSY_SECONDS) -> None:
        self.path = path
        self.driver: Driver = choose()
        self.notes: list[str] = []
        self._busy_seconds = busy_seconds
        self._closed = False
        self._epoch = 0
        self._identity: tuple[int, int] | None = None
        self._journal: tuple[int, int] | None = None
        self._writer: Handle | None = None
        self._start_locks()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"The folder of the index {path} cannot be made: {error}.") from error
        with self._translated():
            self._open()
        _databases.add(self)

    def _start_locks(self) -> None:
        self._write_lock = threading.Lock()
        self._gate = threading.Condition()
        self._opening = threading.Lock()
        self._active = 0
        self._draining = 0
        self._local = threading.local()
        self._readers: weakref.WeakSet[Handle] = weakref.WeakSet()

    def _forget_inherited(self) -> None:
        _abandoned.extend(self._readers)
        if self._writer is not None:
            _abandoned.append(self._writer)
        self._writer = None
        self._epoch += 1
        self._start_locks()

    # --- operations ------------------------------------------------------------------------------------

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A read transaction of this thread: everything read in it is of one moment.

        Within another of the same thread it is a part of that one.
        """
        outer: Connection | None = getattr(self._local, "reading", None)
        if outer is not None:
            with self._translated():
                yield outer
            return
        with self._operation():
            connection = self._reader()
            connection.execute("BEGIN")
            self._local.reading = connection
            try:
                yield connection
            finally:
                self._local.reading = None
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def write(self, *, bump: bool = True) -> Iterator[Connection]:
        """A write transaction: committed at the end, rolled back when anything is raised within.

        It counts the generation up, which tells every cache of every process to look again, unless `bump`
        is False. Within `batch` it is a part of that transaction.
        """
        outer: Connection | None = getattr(self._local, "batch", None)
        if outer is not None:
            with self._translated():
                yield outer
            return
        with self._operation(), self._write_lock:
            connection = self._writing()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                if bump:
                    connection.execute("UPDATE state SET generation = generation + 1")
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Make all writes of this thread within it one transaction; what is raised within undoes them all."""
        with self.write() as connection:
            nested = getattr(self._local, "batch", None) is not None
            self._local.batch = connection
            try:
                yield
            finally:
                if not nested:
                    self._local.batch = None

    @contextmanager
    def _operation(self) -> Iterator[None]:
        with self._gate:
            if not getattr(self._local, "depth", 0):  # else steady readers would keep `close` waiting
                self._gate.wait_for(lambda: not self._draining)
            if self._closed:
                raise StorageError(f"The index {self.path} has been closed; open the memory again to use it.")
            self._active += 1
        self._local.depth = getattr(self._local, "depth", 0) + 1
        try:
            with self._translated():
                if self._identity is None or self._identity != self._on_disk():
                    self._reopen()
                yield
                if self._journal is None:
                    self._journal = self._on_disk("-wal")
        finally:
            self._local.depth -= 1
            with self._gate:
                self._active -= 1
                self._gate.notify_all()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except self.driver.Error as error:
            raise self._own_error(error) from error

    def _own_error(self, error: Exception) -> StorageError:
        text = str(error)
        if "locked" in text or "busy" in text:
            return StorageError(
                f"Another process has held the index {self.path} for more than {self._busy_seconds:g} s; "
                "try again when it is done."
            )
        if is_damage(error):
            return IndexDamagedError(
                f"The index {self.path} is damaged ({text}). Nothing is lost: it is rebuilt from the "
                "Markdown files by indexing them again."
            )
        return StorageError(f"The index {self.path} could not be used: {text}.")

    # --- connections -----------------------------------------------------------------------------------

    def _on_disk(self, suffix: str = "") -> tuple[int, int] | None:
        try:
            found = os.stat(f"{self.path}{suffix}")  # noqa: PTH116 - asked before every operation
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _connect(self, cache_kib: int) -> Connection:
        connection = self.driver.connect(f"{self.path.as_uri()}?mode=rw", timeout=self._busy_seconds)
        try:
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute(f"PRAGMA cache_size=-{cache_kib}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _reader(self) -> Connection:
        handle: Handle | None = getattr(self._local, "handle", None)
        if handle is None or handle.epoch != self._epoch:
            epoch = self._epoch
            handle = Handle(self._connect(_READER_CACHE_KIB), epoch)
            self._local.handle = handle
            self._readers.add(handle)
        return handle.connection

    def _writing(self) -> Connection:
        if self._writer is None or self._writer.epoch != self._epoch:
            self._writer = Handle(self._connect(_WRITER_CACHE_KIB), self._epoch)
        return self._writer.connection

    # --- opening ---------------------------------------------------------------------------------------

    def _reopen(self) -> None:
        with self._opening:
            if self._identity is None or self._identity != self._on_disk():
                self._epoch += 1
                self._drop_stale_journal()
                self._open()
                self.notes.append(
                    f"The index {self.path} was replaced or deleted meanwhile and was opened anew."
                )

    def _drop_stale_journal(self) -> None:
        """SQLite would play the journal of the database that was here into the one that is here now."""
        if self._journal is not None and self._journal == self._on_disk("-wal"):
            with making(self.path, self._busy_seconds):
                if self._journal == self._on_disk("-wal"):
                    for suffix in ("-wal", "-shm"):
                        Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        self._journal = None

    def _open(self) -> None:
        for _ in range(_OPEN_ATTEMPTS):
            if self._inspect() is not Verdict.OURS:
                with making(self.path, self._busy_seconds):
                    self._make(self._inspect())
            self._identity = self._on_disk()
            if self._identity is not None:
                return
        raise StorageError(f"The index {self.path} is deleted again and again by another program.")

    def _inspect(self) -> Verdict:
        if self._on_disk() is None:
            return Verdict.MISSING
        try:
            connection = self._connect(_WRITER_CACHE_KIB)
        except self.driver.Error as error:
            if is_damage(error):
                return verdict_on(error)
            if self._on_disk() is None:
                return Verdict.MISSING
            raise
        try:
            verdict = judge(self.driver, connection)
            if verdict is Verdict.OURS:
                self._renew_analysis(connection)
            return verdict
        finally:
            connection.close()

    def _renew_analysis(self, connection: Connection) -> None:
        """Words analysed by other rules are worth nothing; the vectors still are."""
        if _analyzer(connection) == ANALYZER_VERSION:
            return
        connection.execute("BEGIN IMMEDIATE")
        try:
            if _analyzer(connection) == ANALYZER_VERSION:
                return  # another process was quicker
            schema.forget_files(connection)
            connection.execute(
                "UPDATE state SET analyzer = ?, generation = generation + 1", (ANALYZER_VERSION,)
            )
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        self.notes.append(
            f"The index {self.path} is built anew for a changed text analysis; vectors are kept."
        )

    def _make(self, verdict: Verdict) -> None:
        if verdict is Verdict.OURS:
            return
        if verdict is Verdict.MISSING:
            remove_database(self.path)  # a journal without its database would be taken for the new one's
        elif verdict is Verdict.OUTDATED:  # ours and whole, and nothing in it that the files do not have
            discard(self.path)
            self.notes.append("The index was made by another version and is made anew.")
        elif verdict is not Verdict.EMPTY:
            target = set_aside(self.path, verdict)
            self.notes.append(
                f"The index {self.path} {verdict.value}. It was set aside as {target.name} and a new one is "
                "built from the Markdown files."
            )
        connection = self.driver.connect(f"{self.path.as_uri()}?mode=rwc", timeout=self._busy_seconds)
        try:
            schema.create(connection)
        finally:
            connection.close()

    # --- ending ----------------------------------------------------------------------------------------

    def reset(self) -> None:
        """Put the file aside as damaged, whatever its state, and begin an empty one.

        When another process has put another file in its place meanwhile, that one is used as it is.
        """

        def renew() -> None:
            with self._translated(), making(self.path, self._busy_seconds):
                there = self._on_disk()
                if there is not None and there != self._identity:
                    self._identity = None  # the next call opens it
                    return
                self._make(Verdict.MISSING if self._on_disk() is None else Verdict.DAMAGED)
                self._identity = self._on_disk()

        self._alone(renew)

    def replace_content(self, source: Connection) -> None:
        """Copy all of another open database into this one."""
        with self._operation(), self._write_lock:
            source.backup(self._writing())

    def rewrite(self) -> bool:
        """Write the file anew without what was deleted, and empty its journal.

        False when others are reading, whose end the journal then waits for.
        """
        with self._operation(), self._write_lock:
            connection = self._writing()
            connection.execute("VACUUM")
            busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return not busy[0]

    def close(self) -> None:
        """Wait for running operations, then close every connection. A second call does nothing."""

        def end() -> None:
            self._closed = True

        if not self._closed:
            self._alone(end)

    def _alone(self, act: Callable[[], None]) -> None:
        """Run `act` while no operation runs and no connection is open."""
        with self._gate:
            self._draining += 1
            try:
                self._gate.wait_for(lambda: self._active == 0)
                self._epoch += 1
                for handle in (*self._readers, *([self._writer] if self._writer else [])):
                    with suppress(self.driver.Error):  # a connection to a broken file may refuse even this
                        handle.close()
                self._writer = None
                self._readers.clear()
                act()
            finally:
                self._draining -= 1
                self._gate.notify_all()


def _analyzer(connection: Connection) -> int:
    version: int = connection.execute("SELECT analyzer FROM state").fetchone()[0]
    return version
