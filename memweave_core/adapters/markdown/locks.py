"""One lock per page, held across threads and processes, and kept out of a person's notes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..._errors import StorageError
from .files import make_folder

POLL_SECONDS = 0.005


class PageLocks:
    """Locks as files in the folder ``locks`` of `derived`; both are made when first needed, out of git.

    A lock that is not had in `wait` seconds is a `StorageError`.
    """

    def __init__(self, derived: Path, wait: float = 10.0) -> None:
        self._derived = derived
        self._folder = derived / "locks"
        self._wait = wait

    @contextmanager
    def hold(self, file: Path, key: str) -> Iterator[None]:
        """Keep every other writer of `file` out. Not reentrant."""
        # Imported here: it takes a tenth of a second, and reading needs no lock.
        from filelock import FileLock, Timeout

        name = hashlib.sha256(os.fsencode(file)).hexdigest()[:32]
        path = self._folder / f"{name}.lock"
        try:
            self._make()
            held = FileLock(path, timeout=self._wait, poll_interval=POLL_SECONDS).acquire()
        except Timeout as error:
            raise StorageError(
                f"{key} has been locked by another writer for {self._wait:g} seconds; nothing was written. "
                f"Look for a process that holds {path}, end it if it hangs, and try again."
            ) from error
        except OSError as error:
            raise StorageError(f"{key} cannot be locked in {self._folder}: {error.strerror}.") from error
        with held:
            yield

    def _make(self) -> None:
        if self._folder.is_dir():
            return
        make_folder(self._folder)
        ignore = self._derived / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
