"""The state database: what is not derived from the Markdown files, such as jobs.

One connection under a lock: transactions are short, and every one that writes takes the write lock at its
start, because one that is upgraded later fails at once when another process was quicker.

It runs in WAL mode with ``synchronous=FULL``, not NORMAL as the index does: NORMAL may lose the last commits
when the power fails, and a job that was promised with them. The price is one flush to disk per transaction.
Where the SQLite library has the bug by which WAL mode can lose a commit, a new file gets a rollback journal.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..._errors import StorageError
from .aside import is_damage
from .driver import BUSY_SECONDS, Driver, choose
from .handle import Handle
from .state_schema import APPLICATION_ID, MIGRATIONS

if TYPE_CHECKING:
    from .driver import Connection

_SUFFIXES = ("", "-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True)
class DatabaseKind:
    """What a database kept this way is: its mark, its name in messages, and what goes when it is damaged.

    `durable` says whether what was committed must outlast a power cut; `check` whether all of it is read
    through at the first opening.
    """

    application_id: int = APPLICATION_ID
    noun: str = "state database"
    loss: str = "jobs that had not run are in the old one"
    durable: bool = True
    check: bool = True


STATE = DatabaseKind()

_databases: weakref.WeakSet[StateDatabase] = weakref.WeakSet()
_abandoned: list[Handle] = []
_locked: list[StateDatabase] = []


def _before_fork() -> None:
    """Close what is open: SQLite in the child would believe that it held the locks of the parent.

    Then a parent that closes the file later would remove the journal which the child writes to.
    """
    for database in list(_databases):
        if database._lock.acquire(timeout=database._busy_seconds):
            _locked.append(database)
            database._rest()


def _after_fork_in_parent() -> None:
    while _locked:
        _locked.pop()._lock.release()


def _after_fork_in_child() -> None:
    _locked.clear()
    for database in list(_databases):
        database._forget_inherited()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child
    )


class StateDatabase:
    """The state database at `path`, made when it is not there and brought up to date when it is older.

    A damaged or foreign file is renamed to ``<name>.damaged-<n>`` or ``<name>.foreign-<n>``, is never
    deleted, and `notes` says so in a sentence. One of a newer version of this library raises `StorageError`.
    It is opened anew when the file is replaced or deleted meanwhile. A forked child opens it for itself, but
    not if it was forked by a thread that is in a transaction.
    """

    def __init__(
        self,
        path: Path,
        *,
        migrations: Sequence[str] = MIGRATIONS,
        busy_seconds: float = BUSY_SECONDS,
        kind: DatabaseKind = STATE,
    ) -> None:
        self.path = path
        self._kind = kind
        self.driver: Driver = choose()
        self.notes: list[str] = []
        self._migrations = tuple(migrations)
        self._busy_seconds = busy_seconds
        self._lock = threading.RLock()
        self._after: list[Callable[[], None]] = []
        self._handle: Handle | None = None
        self._identity: tuple[int, int] | None = None
        self._closed = False
        self._broken = False
        self._openings = 0
        with self._lock, self._translated():
            self._connection()
        _databases.add(self)

    def _rest(self) -> None:
        if self._handle is not None and not self._handle.connection.in_transaction:
            self._drop()

    def _forget_inherited(self) -> None:
        if self._handle is not None:
            _abandoned.append(self._handle)  # one that was in a transaction; the child must not close it
        self._lock = threading.RLock()
        self._after = []
        self._handle = None

    @property
    def openings(self) -> int:
        """How often a file has been opened: when it grows, what was read before may be of another file."""
        return self._openings

    @property
    def broken(self) -> bool:
        """Whether damage was met: the next use sets the file aside and begins a new one."""
        return self._broken

    # --- operations ------------------------------------------------------------------------------------

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A write transaction of this thread, committed at the end, undone when anything is raised within.

        Within another of the same thread it is a part of that one. Other threads and processes wait: do
        nothing slow in it.
        """
        after: list[Callable[[], None]] = []
        with self._lock, self._translated():
            connection = self._connection()
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
                after = self._after
            finally:
                self._after = []
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
        for call in after:
            call()

    def after_commit(self, call: Callable[[], None]) -> None:
        """Have `call` called once the transaction that this thread is in has been committed."""
        self._after.append(call)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """The connection for single SELECT statements; within a transaction they see what it has written."""
        with self._lock, self._translated():
            yield self._connection()

    def close(self) -> None:
        """Close the file. Every later use raises `StorageError`; a second call does nothing."""
        with self._lock:
            self._closed = True
            self._drop()

    def _drop(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            with suppress(self.driver.Error):  # a connection to a broken file may refuse even this
                handle.close()

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
                f"Another process has held the {self._kind.noun} {self.path} for more than "
                f"{self._busy_seconds:g} s; try again when it is done."
            )
        if is_damage(error) or "no such table" in text:  # a file cut to nothing is a database without tables
            self._broken = True
            return StorageError(
                f"The {self._kind.noun} {self.path} is damaged ({text}). It is set aside when it is used "
                f"next; memories are not affected; {self._kind.loss}."
            )
        return StorageError(f"The {self._kind.noun} {self.path} could not be used: {text}.")

    # --- opening ---------------------------------------------------------------------------------------

    def _connection(self) -> Connection:
        """The open connection, to the file that lies at the path now."""
        if self._closed:
            raise StorageError(f"The {self._kind.noun} {self.path} has been closed; open the memory again.")
        handle = self._handle
        if handle is not None and handle.connection.in_transaction:
            return handle.connection
        if not self._broken and self._identity is not None:
            there = self._on_disk()
            if handle is not None and self._identity == there and not self._broken:
                return handle.connection
            if self._identity != there:
                self.notes.append(
                    f"The {self._kind.noun} {self.path} was replaced or deleted and was opened anew."
                )
        self._drop()
        try:
            connection = self._open()
        except OSError as error:
            raise StorageError(f"The {self._kind.noun} {self.path} cannot be opened: {error}.") from error
        self._broken = False
        self._openings += 1
        self._handle, self._identity = Handle(connection, 0), self._on_disk()
        return connection

    def _on_disk(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self.path)  # noqa: PTH116 - asked before every operation
        except OSError:
            return None
        if found.st_size == 0 and self._handle is not None:
            self._broken = True  # cut to nothing while open: SQLite would go on with what is in its journal
        return found.st_dev, found.st_ino

    def _open(self) -> Connection:
        connection = self._sound() if not self._broken and self._on_disk() is not None else None
        if connection is not None:
            return connection
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._making():
            if self._on_disk() is None:
                self._set_aside(
                    "left over"
                )  # a journal without its database would be taken for the new one's
            else:
                connection = self._sound(look_closely=True)
            if connection is None:
                connection = self._prepared(self._connect("rwc"))
        return connection

    def _sound(self, *, look_closely: bool = False) -> Connection | None:
        """A connection to the file that is there; None when it cannot serve, or is not whole yet.

        `look_closely` is said by the one that may change things: it sets aside what cannot serve.
        """
        try:
            connection = self._connect("rw")
            try:
                return self._judged(connection, look_closely)
            except BaseException:
                connection.close()
                raise
        except self.driver.Error as error:
            if not is_damage(error):
                raise
        if look_closely:
            self._set_aside("damaged")
        return None

    def _judged(self, connection: Connection, look_closely: bool) -> Connection | None:
        application, version, tables = _header(connection)
        whole = application == self._kind.application_id and version == len(self._migrations)
        if whole and (self._broken or (self._kind.check and not self._has_been_checked())):
            check = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if check != "ok":
                raise self.driver.sqlite.DatabaseError(f"database disk image is malformed: {check}")
        if whole:
            return connection
        if application == self._kind.application_id and version > len(self._migrations):
            raise StorageError(
                f"The {self._kind.noun} {self.path} was written by a newer version of this library; "
                "update it."
            )
        if look_closely and (application == self._kind.application_id or not tables):
            if self._identity is not None and not tables:
                self.notes.append(
                    f"The {self._kind.noun} {self.path} was emptied meanwhile and was begun anew."
                )
            return self._prepared(connection)
        connection.close()
        if look_closely:
            self._set_aside("foreign")
        return None

    def _has_been_checked(self) -> bool:
        return self._identity is not None and self._identity == self._on_disk()

    def _connect(self, mode: str) -> Connection:
        if mode == "rw" and not (os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK)):
            mode = "ro&immutable=1"  # without a journal, for which there is no room: jobs can be looked at
        connection = self.driver.connect(
            f"{self.path.absolute().as_uri()}?mode={mode}", timeout=self._busy_seconds
        )
        try:
            connection.execute(f"PRAGMA synchronous={'FULL' if self._kind.durable else 'NORMAL'}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepared(self, connection: Connection) -> Connection:
        """Run the migrations that are missing, each in a transaction with its number."""
        try:
            connection.execute(f"PRAGMA journal_mode={'DELETE' if self.driver.wal_reset_bug else 'WAL'}")
            for number in range(_header(connection)[1], len(self._migrations)):
                connection.executescript(
                    f"BEGIN IMMEDIATE;\n{self._migrations[number]};\n"
                    f"PRAGMA application_id={self._kind.application_id};\n"
                    f"PRAGMA user_version={number + 1};\nCOMMIT;"
                )
        except BaseException:
            connection.close()
            raise
        return connection

    def _set_aside(self, kind: str) -> None:
        """Rename the database and its journals; nothing is ever deleted."""
        there = [suffix for suffix in _SUFFIXES if Path(f"{self.path}{suffix}").exists()]
        if not there:
            return
        number, word = 1, kind.replace(" ", "-")
        while any(self.path.parent.glob(f"{self.path.name}.{word}-{number}*")):
            number += 1
        target = f"{self.path.name}.{word}-{number}"
        for suffix in there:
            Path(f"{self.path}{suffix}").replace(self.path.with_name(target + suffix))
        self.notes.append(
            f"The {self._kind.noun} {self.path} was {kind}. It was set aside as {target} and a new one was "
            f"begun; {self._kind.loss}."
        )

    @contextmanager
    def _making(self) -> Iterator[None]:
        """Held while a database is made, changed or put aside, so that two processes do not do it at once."""
        from filelock import FileLock, Timeout  # 40 ms to import, and most openings do not need it

        try:
            with FileLock(f"{self.path}.lock", timeout=self._busy_seconds):
                yield
        except Timeout as error:
            raise StorageError(
                f"Another process has been making the {self._kind.noun} {self.path} for more than "
                f"{self._busy_seconds:g} s."
            ) from error


def _header(connection: Connection) -> tuple[int, int, int]:
    """Application id, number of migrations that were run, number of tables."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return application, version, tables
