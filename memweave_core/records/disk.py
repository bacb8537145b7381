"""The pages of one root on the disk: read, written together, removed, and looked over."""

from __future__ import annotations

import contextlib
import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from .._errors import NameRefusedError, NotFoundError
from ..adapters.markdown.files import keep_copy, read_file, remove_files, replace_files, stamp_of
from ..adapters.markdown.page import read_present, text_of
from ..text.names import MARKDOWN_SUFFIXES
from ..types import FileStamp


class RecordFiles:
    """Files below the folder of a root, named by their path in it. Links are neither followed nor read.

    `key` is the key of that folder in the memory, for messages; copies are kept in the folder `trash`.
    """

    def __init__(self, folder: Path, key: str, trash: Path) -> None:
        self.folder = folder
        self._base = str(folder)
        self._key = key
        self._trash = trash
        self._sound: set[str] = set()

    def path(self, file: str) -> Path:
        return self.folder / file

    def doubt(self) -> None:
        """Look anew at what folders are: until then one that was no link is taken to be none."""
        self._sound.clear()

    def stamp(self, file: str) -> FileStamp | None:
        """The stamp of a page as it is now; None when there is no ordinary file of that name."""
        if not self._is_sound(file.rpartition("/")[0]):
            return None
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
            if not self._is_sound(folder):
                name = f"{self._key}/{folder}".rstrip("/")
                raise NameRefusedError(f"{name} is or lies in a link; no record is written through one.")
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

    def keep(self, file: str) -> None:
        """Keep a copy of a page in the trash, if none is there yet, with its permissions.

        Raises `StorageError`; then nothing may be done to the page.
        """
        key, name = f"{self._key}/{file}", file.rpartition("/")[2]
        data, status = read_file(self.path(file), key)
        for kept in self._trash.glob(f"*-{glob.escape(name)}"):
            if kept.stat().st_size == len(data) and kept.read_bytes() == data:
                return
        keep_copy(self._trash, name, data, key, status)

    def _is_sound(self, folder: str) -> bool:
        """Whether no part of the path of a folder, from the root of the records on, is a link."""
        if folder in self._sound:
            return True
        paths, rest = [self._base], folder
        while rest:
            paths.append(f"{self._base}/{rest}")
            rest = rest.rpartition("/")[0]
        if any(map(os.path.islink, paths)):
            return False
        self._sound.add(folder)
        return True

    def remove(self, files: Sequence[str]) -> None:
        """Delete pages, and the folders that this leaves empty; one that is not there is fine."""
        sound = [file for file in files if self._is_sound(file.rpartition("/")[0])]
        remove_files([f"{self._base}/{file}" for file in sound], self._key)
        for folder in {file.rpartition("/")[0] for file in sound}:
            with contextlib.suppress(OSError):  # not empty
                while folder:
                    os.rmdir(f"{self._base}/{folder}")  # noqa: PTH106 - kept as text
                    folder = folder.rpartition("/")[0]

    def scan(self) -> Iterator[tuple[str, FileStamp]]:
        """(file, its stamp) of every page."""
        self.doubt()
        waiting = [] if os.path.islink(self._base) else [""]  # noqa: PTH114 - kept as text
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
                        yield prefix + name, stamp_of(entry.stat(follow_symlinks=False))
                elif entry.is_dir(follow_symlinks=False):
                    waiting.append(f"{prefix}{name}/")
