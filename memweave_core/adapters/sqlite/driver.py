"""Chooses the SQLite library, once per process, and opens connections through it.

Order: ``pysqlite3`` (new, can load extensions), the standard library where it can load extensions,
``sqlean``, else the newest of them without sqlite-vec ("degraded": vectors are then searched
with numpy alone). Two SQLite libraries must never touch one file in one process: POSIX locks belong to the
process, so a close by one library drops the locks of the other. So every module asks `choose`.

The environment variable ``MEMWEAVE_SQLITE`` (``pysqlite3``, ``stdlib``, ``sqlean`` or ``degraded``) forces
the choice. It is read here, and only here, because the choice belongs to the process and not to one memory.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..._errors import ConfigError, StorageError
from ...checks import nearest_name

if TYPE_CHECKING:
    import sqlite3

    Connection = sqlite3.Connection

ENVIRONMENT = "MEMWEAVE_SQLITE"
BUSY_SECONDS = 10.0

_MODULES = {"pysqlite3": "pysqlite3.dbapi2", "stdlib": "sqlite3", "sqlean": "sqlean.dbapi2"}
_CHOICES = (*_MODULES, "degraded")
_BACKPORTS = {(3, 44): 6, (3, 50): 7}


def has_wal_reset_bug(version: str) -> bool:
    """Whether this SQLite can lose a committed write when one connection writes while another checkpoints.

    True for 3.7.0 to 3.51.2 except 3.44.6 and later of 3.44, and 3.50.7 and later of 3.50.
    """
    major, minor, patch = ([int(part) for part in version.split(".")] + [0, 0])[:3]
    if (major, minor) in _BACKPORTS:
        return patch < _BACKPORTS[major, minor]
    return (3, 7, 0) <= (major, minor, patch) <= (3, 51, 2)


def vec_library() -> str | None:
    """Path of the sqlite-vec library without its suffix; None when the package is not installed.

    The package is never imported: that would pull in numpy for nothing.
    """
    spec = importlib.util.find_spec("sqlite_vec")
    return str(Path(spec.origin).with_name("vec0")) if spec is not None and spec.origin else None


@dataclass(frozen=True)
class Driver:
    """The SQLite library in use.

    `name` is "pysqlite3", "stdlib" or "sqlean"; `has_extension` says whether sqlite-vec can be loaded into
    it; `detail` says why the libraries before it were passed over, empty when none was.
    """

    name: str
    sqlite: Any
    has_extension: bool
    detail: str = ""

    @property
    def version(self) -> str:
        """Version of SQLite itself, such as "3.53.4"."""
        return str(self.sqlite.sqlite_version)

    @property
    def wal_reset_bug(self) -> bool:
        """See `has_wal_reset_bug`."""
        return has_wal_reset_bug(self.version)

    @property
    def Error(self) -> type[Exception]:
        """Base of this library's errors; it is not `sqlite3.Error` unless the library is the standard one."""
        error: type[Exception] = self.sqlite.Error
        return error

    def connect(self, database: str, *, timeout: float = BUSY_SECONDS) -> Connection:
        """A connection in autocommit mode to a path or ``file:`` URI, with sqlite-vec where it loads.

        `timeout` is how many seconds a statement waits for another process.
        """
        connection: Connection = self.sqlite.connect(
            database,
            uri=database.startswith("file:"),
            timeout=timeout,
            isolation_level=None,
            check_same_thread=False,
        )
        if self.has_extension:
            _load_vec(connection)
        return connection


def _load_vec(connection: Connection) -> None:
    library = vec_library()
    if library is None:
        raise ImportError("the package sqlite-vec is not installed")
    connection.enable_load_extension(True)
    try:
        connection.load_extension(library)
    finally:
        connection.enable_load_extension(False)


def _import(name: str) -> Any:
    module = importlib.import_module(_MODULES[name])
    connection = module.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE probe USING fts5(text)")
    finally:
        connection.close()
    return module


def _probe(name: str) -> tuple[Any, str]:
    """The module when it has FTS5, else None; and what it lacks, "" when nothing."""
    try:
        module = _import(name)
    except Exception as error:  # a broken binary may fail in any way: the next library is tried
        return None, f"{name}: {error}"
    connection = module.connect(":memory:")
    try:
        _load_vec(connection)
    except Exception as error:  # AttributeError, the library's own error, OSError: it cannot load extensions
        return module, f"{name}: {error}"
    finally:
        connection.close()
    return module, ""


def _search(names: tuple[str, ...]) -> Driver:
    lacks: list[str] = []
    usable: list[tuple[str, Any]] = []
    for name in names:
        module, lack = _probe(name)
        if module is not None and not lack:
            return Driver(name, module, True, "; ".join(lacks))
        lacks.append(lack)
        if module is not None:
            usable.append((name, module))
    if not usable:
        raise StorageError(
            f"No SQLite library with FTS5 was found ({'; '.join(lacks)}). Install one: pip install pysqlite3."
        )
    name, module = max(usable, key=lambda item: item[1].sqlite_version_info)
    return Driver(name, module, False, "; ".join(lacks))


_lock = threading.Lock()
_chosen: Driver | None = None


def choose(preferred: str | None = None) -> Driver:
    """The library of this process; the first call decides.

    `preferred` is one of "pysqlite3", "stdlib", "sqlean", "degraded". Raises `ConfigError` for another name,
    and when another library is already in use.
    """
    global _chosen
    with _lock:
        wanted = preferred or os.environ.get(ENVIRONMENT) or None
        if wanted is not None and wanted not in _CHOICES:
            raise ConfigError(
                f"{ENVIRONMENT} must be one of {', '.join(_CHOICES)}, not {wanted!r}."
                f"{nearest_name(wanted, _CHOICES)}"
            )
        if _chosen is None:
            _chosen = _decide(wanted)
        elif preferred is not None and preferred not in (_chosen.name, _label(_chosen)):
            raise ConfigError(
                f"This process already uses the SQLite library {_label(_chosen)!r}; "
                f"{preferred!r} must be chosen before the first memory is opened."
            )
        return _chosen


def _label(driver: Driver) -> str:
    return driver.name if driver.has_extension else "degraded"


def _decide(wanted: str | None) -> Driver:
    if wanted is None:
        return _search(tuple(_MODULES))
    if wanted == "degraded":
        return Driver("stdlib", _import("stdlib"), False, f"{ENVIRONMENT} asks for the degraded engine")
    module, lack = _probe(wanted)
    if module is None:
        raise StorageError(f"The SQLite library {wanted!r} that {ENVIRONMENT} names cannot be used ({lack}).")
    return Driver(wanted, module, not lack, lack)
