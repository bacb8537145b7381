"""Judges the database file before use, and sets aside one that cannot serve."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from ..._errors import StorageError
from . import schema

if TYPE_CHECKING:
    from .driver import Connection, Driver

SUFFIXES = ("", "-wal", "-shm")
_DAMAGE = ("malformed", "not a database", "vtable constructor failed", "corrupt", "unsupported file format")
_TABLE_GONE = re.compile(r"no such table: (?:main\.)?(\w+)")
_DAMAGE_CODES = (11, 26)  # SQLITE_CORRUPT, SQLITE_NOTADB
_CUT_SHORT = 522  # SQLITE_IOERR_SHORT_READ: pages that should be there are not


class Verdict(Enum):
    """What a file at the place of the index is; the value completes the sentence "The file …"."""

    OURS = "is an index of this version"
    MISSING = "is missing"
    EMPTY = "is empty"
    DAMAGED = "is damaged"
    OUTDATED = "was written by another version of this library"
    FOREIGN = "is not an index of this library"


def is_damage(error: Exception) -> bool:
    """Whether an error of the driver says that the file itself is broken.

    So is one that lacks a table of ours: a file that is cut to nothing while open is a database without any.
    """
    code = getattr(error, "sqlite_errorcode", None)
    if code is not None and (code & 0xFF in _DAMAGE_CODES or code == _CUT_SHORT):
        return True
    gone = _TABLE_GONE.search(str(error))
    if gone is not None and gone[1] in schema.TABLES:
        return True
    return any(phrase in str(error) for phrase in _DAMAGE)


def verdict_on(error: Exception) -> Verdict:
    """What an error of damage says of the file: one without the marks of a database may be anybody's."""
    return Verdict.FOREIGN if "not a database" in str(error) else Verdict.DAMAGED


def judge(driver: Driver, connection: Connection) -> Verdict:
    """What the opened file is. Raises the driver's error for anything but damage (locked, no permission)."""
    try:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not tables and application in (0, schema.APPLICATION_ID):
            return Verdict.EMPTY
        if application != schema.APPLICATION_ID:
            return Verdict.FOREIGN
        if version != schema.VERSION or not schema.is_readable(connection):
            return Verdict.OUTDATED
        whole = not schema.TABLES - tables
        if not whole or connection.execute("SELECT count(*) FROM state").fetchone()[0] != 1:
            return Verdict.DAMAGED
        connection.execute("SELECT 1 FROM chunk_fts LIMIT 1").fetchone()
    except driver.Error as error:
        if is_damage(error):
            return verdict_on(error)
        raise
    return Verdict.OURS


def set_aside(path: Path, verdict: Verdict) -> Path:
    """Rename the database with its journals to ``<name>.damaged-<n>`` and return the new path.

    One such copy is kept, but a file that may be another program's is called ``<name>.foreign-<n>`` and is
    never deleted. The database goes before its journals, so who opens it in between has the old file.
    """
    kind = "foreign" if verdict is Verdict.FOREIGN else "damaged"
    older = _copies(path, kind)
    target = path.with_name(f"{path.name}.{kind}-{max(older, default=0) + 1}")
    try:
        for suffix in SUFFIXES:
            source = Path(f"{path}{suffix}")
            if suffix == "" or source.exists():
                source.replace(f"{target}{suffix}")
        if kind == "damaged":
            for copy in older.values():
                remove_database(copy)
    except OSError as error:
        raise StorageError(
            f"The index {path} {verdict.value} and cannot be moved out of the way: {error}. "
            "Move or delete it by hand; it is rebuilt from the Markdown files."
        ) from error
    return target


def discard(path: Path) -> None:
    """Delete an index of another version."""
    try:
        remove_database(path)
    except OSError as error:  # on some systems, while a program of that version has it open
        raise StorageError(
            f"The index {path} {Verdict.OUTDATED.value} and cannot be replaced: {error}. "
            "End the programs that use it, or delete it by hand; it is rebuilt from the Markdown files."
        ) from error


def _copies(path: Path, kind: str) -> dict[int, Path]:
    pattern = re.compile(re.escape(f"{path.name}.{kind}-") + r"(\d+)")
    found = ((pattern.fullmatch(entry.name), entry) for entry in path.parent.iterdir())
    return {int(match[1]): entry for match, entry in found if match}


def remove_database(path: Path) -> None:
    """Delete a database nobody has open, with its journals; no error when it is not there."""
    for suffix in SUFFIXES:
        Path(f"{path}{suffix}").unlink(missing_ok=True)


@contextmanager
def making(path: Path, seconds: float) -> Iterator[None]:
    """Held only while a database is made or put aside, so that two processes do not make two."""
    from filelock import FileLock, Timeout  # 40 ms to import, and most openings do not need it

    lock = FileLock(f"{path}.lock", timeout=seconds)
    try:
        lock.acquire()
    except Timeout as error:
        raise StorageError(
            f"Another process has been making the index {path} for more than {seconds:g} s."
        ) from error
    except OSError as error:
        raise StorageError(f"The folder of the index {path} cannot be written: {error}.") from error
    try:
        yield
    finally:
        lock.release()
