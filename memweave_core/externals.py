"""The files from outside the memory folder that a person added by name.

The index is derived and may be deleted; which outside files belong to the memory is not derivable from
anything else, so it is kept in a small text file, one path a line, that a person may edit.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ._errors import StorageError

FILE_NAME = "external.txt"


class ExternalPaths:
    """Keys of added files, kept in `folder`; read again whenever the file has changed."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE_NAME
        self._lock = threading.Lock()
        self._seen: tuple[int, int] | None = None
        self._keys: tuple[str, ...] = ()

    def all(self) -> tuple[str, ...]:
        """The keys in the order in which they were added; none when the file is not there."""
        with self._lock:
            return self._read()

    def add(self, key: str) -> None:
        """Remember a key."""
        with self._alone():
            keys = self._read()
            if key not in keys:
                self._write((*keys, key))

    def discard(self, key: str) -> None:
        """Forget a key; does nothing when it is not there."""
        with self._alone():
            keys = self._read()
            if key in keys:
                self._write(tuple(other for other in keys if other != key))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No other thread or process changes the list meanwhile."""
        from filelock import FileLock, Timeout  # 40 ms to import, and the list seldom changes

        try:
            with self._lock, FileLock(f"{self._file}.lock", timeout=10):
                yield
        except (Timeout, OSError) as error:
            raise StorageError(f"The list of added files {self._file} cannot be locked: {error}.") from error

    def _read(self) -> tuple[str, ...]:
        try:
            status = self._file.stat()
            seen = (status.st_mtime_ns, status.st_size)
            if seen != self._seen:
                lines = self._file.read_text(encoding="utf-8", errors="replace").split("\n")
                self._keys = tuple(dict.fromkeys(line for line in lines if line.strip()))
                self._seen = seen
        except FileNotFoundError:
            self._keys, self._seen = (), None
        except OSError as error:
            raise StorageError(f"The list of added files {self._file} cannot be read: {error}.") from error
        return self._keys

    def _write(self, keys: tuple[str, ...]) -> None:
        try:
            descriptor, partial = tempfile.mkstemp(dir=self._file.parent, prefix=".external-")
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write("".join(f"{key}\n" for key in keys))
            Path(partial).replace(self._file)
        except OSError as error:
            raise StorageError(f"The list of added files {self._file} cannot be written: {error}.") from error
        self._keys, self._seen = keys, None
