"""The pages of one root on the disk: read, written together, removed, and looked over."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from .._errors import NameRefusedError, NotFoundError
from ..adapters.markdown.files import remove_file, replace_files, stamp_of
from ..adapters.markdown.page import read_present, text_of
from ..text.names import MARKDOWN_SUFFIXES
from ..types import FileStamp


class RecordFiles:
    """Files below the folder of a root, named by their path in it. Links are neither followed nor read.

    `key` is the key of that folder in the memory, for messages.
    """

    def __init__(self, folder: Path, key: str) -> None:
        self.folder = folder
        self._base = str(folder)
        self._key = key
        self._sound: set[str] = set()

    def path(self, file: str) -> Path:
        return self.folder / file

    def stamp(self, file: str) -> FileStamp | None:
        """The stamp of a page as it is now; None when there is no ordinary file of that name."""
        try:
            status = os.lstat(f"{self._base}/{file}")
        except (OSError, ValueError):
            return None
        return stamp_of(status) if (status.st_mode & 0o170000) == 0o100000 else None

    def read(self, file: str) -> tuple[str, FileStamp]:
        """The text of a page and the stamp of what was read. Raises `NotFoundError`, `StorageError`."""
        key = f"{self._key}/{file}"
        if self.stamp(file) is None:
            raise NotFoundError(f"There is no page {key}.")
        present = read_present(self.path(file), key)
        return text_of(present, key), stamp_of(present.status)

    def write(self, texts: Mapping[str, str]) -> dict[str, FileStamp]:
        """Write pages to the disk, each atomically; gives their stamps.

        Raises `StorageError`, and `NameRefusedError` when links lead out of the folder of the root.
        """
        for folder in {file.rpartition("/")[0] for file in texts}:
            self._check(folder)
        encoded = {f"{self._base}/{file}": text.encode("utf-8", "replace") for file, text in texts.items()}
        key = f"{self._key}/{next(iter(texts), '')}"
        for last in (False, False, False, True):
            try:
                stamps = replace_files(encoded, key)
            except NotFoundError:  # another writer removed a folder that had just become empty
                if last:
                    raise
            else:
                break
        return {file: stamps[f"{self._base}/{file}"] for file in texts}

    def _check(self, folder: str) -> None:
        """Refuse a folder that links lead to; what was found sound is believed until the next scan."""
        if folder in self._sound:
            return
        if os.path.islink(self._base):  # noqa: PTH114 - kept as text
            raise NameRefusedError(f"{self._key} is a link; no record is written through one.")
        real = os.path.realpath(self._base)
        if os.path.realpath(f"{self._base}/{folder}") != os.path.normpath(f"{real}/{folder}"):
            raise NameRefusedError(f"{self._key}/{folder} is a link; no record is written through one.")
        self._sound.add(folder)

    def remove(self, file: str) -> None:
        """Delete a page, and the folders that this leaves empty; none there is fine."""
        with contextlib.suppress(NotFoundError):
            remove_file(self.path(file), f"{self._key}/{file}")
        folder = file.rpartition("/")[0]
        with contextlib.suppress(OSError):  # not empty
            while folder:
                os.rmdir(f"{self._base}/{folder}")  # noqa: PTH106 - kept as text
                folder = folder.rpartition("/")[0]

    def scan(self) -> Iterator[tuple[str, tuple[int, int, int]]]:
        """(file, (size, mtime in ns, inode)) of every page."""
        self._sound.clear()
        waiting = [""]
        while waiting:
            prefix = waiting.pop()
            try:
                entries = list(os.scandir(f"{self._base}/{prefix}"))
            except OSError:
                continue  # no folder yet, or none any more
            for entry in entries:
                name = entry.name
                if name.startswith("."):
                    continue
                if name.lower().endswith(MARKDOWN_SUFFIXES) and entry.is_file(follow_symlinks=False):
                    with contextlib.suppress(OSError):
                        status = entry.stat(follow_symlinks=False)
                        yield prefix + name, (status.st_size, status.st_mtime_ns, status.st_ino)
                elif entry.is_dir(follow_symlinks=False):
                    waiting.append(f"{prefix}{name}/")
