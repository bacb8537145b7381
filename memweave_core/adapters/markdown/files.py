"""Bytes on the disk: read with the stamp of what was read, replaced atomically, appended in one write."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ..._errors import NameRefusedError, NotFoundError, StorageError
from ...types import FileStamp

TEMPORARY_PREFIX = ".memweave-"
_TAIL = 4_096
_MAX_NAME_BYTES = 255
_BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_LATEST = 2**63 - 1  # what a database can hold: a time of the year 2262
_AT_ONCE = getattr(os, "O_NONBLOCK", 0)
"""Opening a pipe must not wait for its other end."""


def stamp_of(status: os.stat_result) -> FileStamp:
    """The stamp in the result of a `stat` or `fstat`."""
    return FileStamp(status.st_size, min(status.st_mtime_ns, _LATEST), status.st_ino)


def read_file(path: Path, key: str) -> tuple[bytes, os.stat_result]:
    """All bytes of a file and the status of the very file they came from.

    Raises `NotFoundError` when there is none, `StorageError` when it cannot be read.
    """
    with failing_as(key, "read"):
        descriptor = os.open(path, os.O_RDONLY | _BINARY | _AT_ONCE)
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            os.close(descriptor)  # a folder has to be closed here: `open` refuses it and leaves it open
            raise StorageError(f"{key} is not an ordinary file.")
        with open(descriptor, "rb") as file:  # noqa: PTH123 - it is open already
            return file.read(), status


def replace_file(path: Path, data: bytes, key: str, like: os.stat_result | None) -> None:
    """Put `data` in the place of a file: at any moment it has its old or its new content.

    `like` is the status of the file replaced, whose permissions are kept. Raises `StorageError`; then the old
    file is as it was.
    """
    temporary = path.with_name(f"{TEMPORARY_PREFIX}{os.getpid()}-{os.urandom(6).hex()}.tmp")
    with failing_as(key, "written"):
        make_folder(path.parent)
        try:
            _write_new(temporary, data, like)
            temporary.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        _sync_folder(path.parent)


def replace_files(files: Mapping[str, bytes], key: str) -> dict[str, FileStamp]:
    """Put new contents in the place of several files, given by absolute paths; their stamps by path.

    Folders are made. Each file has its old or its new content at any moment, as with `replace_file`, but they
    are put on the disk together, which is several times as quick. Raises `StorageError`; some may have been
    replaced then.
    """
    mark = f"{TEMPORARY_PREFIX}{os.getpid()}-{os.urandom(6).hex()}"
    folders = {path: os.path.dirname(path) for path in files}  # noqa: PTH120 - text is three times as quick
    temporary = {path: f"{folders[path]}/{mark}-{number}.tmp" for number, path in enumerate(files)}
    descriptors: dict[str, int] = {}
    stamps: dict[str, FileStamp] = {}
    with failing_as(key, "written"):
        try:
            for path, data in files.items():
                descriptors[path] = _made(path, temporary[path], folders[path], data)
            for path, descriptor in descriptors.items():
                os.fsync(descriptor)
                stamps[path] = stamp_of(os.fstat(descriptor))
            while descriptors:
                os.close(descriptors.popitem()[1])
            for path in files:
                os.replace(temporary[path], path)  # noqa: PTH105
                del temporary[path]
        finally:
            for descriptor in descriptors.values():
                os.close(descriptor)
            for path in temporary.values():
                with contextlib.suppress(OSError):
                    os.unlink(path)  # noqa: PTH108
        for folder in set(folders.values()):
            _sync_folder(folder)
    return stamps


def _made(path: str, temporary: str, folder: str, data: bytes) -> int:
    """The descriptor of a new file that holds `data`, to take the place of `path`, whose permissions it gets.

    The folder is made when it is missing.
    """
    try:
        descriptor = _opened_new(temporary, data)
    except FileNotFoundError:
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103
        return _opened_new(temporary, data)
    try:
        with contextlib.suppress(FileNotFoundError):
            replaced = os.lstat(path)
            if stat.S_ISREG(replaced.st_mode):
                _keep_permissions(descriptor, replaced)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _opened_new(path: str, data: bytes) -> int:
    """The descriptor of a new file that holds `data`."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def append_bytes(descriptor: int, data: bytes, size: int) -> None:
    """Write `data` at the end of a file opened with O_APPEND, all of it or none; `size` is its length now."""
    written = 0
    try:
        written = os.write(descriptor, data)
        if written == len(data):
            os.fsync(descriptor)
            return
    except OSError:
        _cut(descriptor, size)
        raise
    _cut(descriptor, size)
    raise OSError(errno.ENOSPC, f"only {written} of {len(data)} bytes fitted on the disk")


@contextmanager
def opened_for_append(path: Path, key: str) -> Iterator[int]:
    """A descriptor for reading and appending; the file is made when it is missing."""
    with failing_as(key, "appended to"):
        made = not path.exists()
        if made:
            make_folder(path.parent)
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _BINARY | _AT_ONCE, 0o666)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise StorageError(f"{key} is not an ordinary file.")
            yield descriptor
        finally:
            os.close(descriptor)
        if made:
            _sync_folder(path.parent)


def ends(descriptor: int, size: int) -> tuple[bytes, bytes]:
    """The first and the last few thousand bytes of an open file of `size` bytes."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    head = os.read(descriptor, _TAIL)
    # UTF-16 and UTF-32 files are cut between characters.
    os.lseek(descriptor, max(0, size - _TAIL) & ~3, os.SEEK_SET)
    return head, os.read(descriptor, _TAIL + 4)


def remove_file(path: Path, key: str) -> None:
    """Delete a file, or a link but not what it leads to. Raises `NotFoundError` or `StorageError`."""
    with failing_as(key, "deleted"):
        path.unlink()
        _sync_folder(path.parent)


def remove_files(paths: Iterable[str], key: str) -> None:
    """Delete several files of one place in the memory; those that are not there are fine.

    Raises `StorageError`; some may be gone then.
    """
    folders: set[str] = set()
    with failing_as(key, "deleted"):
        for path in paths:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)  # noqa: PTH108
                folders.add(os.path.dirname(path))  # noqa: PTH120
        for folder in folders:
            _sync_folder(folder)


def move_file(path: Path, folder: Path, key: str) -> Path:
    """Move a file, or a link but not its target, into `folder` as ``<time in ns>-<name>``; its new path.

    At any moment the whole file is in one of the two places. Raises `NotFoundError`, or `StorageError`; then
    it is where it was.
    """
    with failing_as(key, "deleted"):
        if stat.S_ISDIR(path.lstat().st_mode):
            raise StorageError(f"{key} is not an ordinary file.")
    try:
        make_folder(folder)
        target = _free_name(folder, path.name)
        try:
            path.replace(target)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            _move_across(path, target)
    except OSError as error:
        raise StorageError(
            f"{key} could not be kept in {folder} and was not deleted: {error.strerror or error}."
        ) from error
    _sync_folder(folder)
    _sync_folder(path.parent)
    return target


def keep_copy(folder: Path, name: str, data: bytes, key: str, like: os.stat_result | None = None) -> Path:
    """Write `data` to the disk in `folder` as ``<time in ns>-<name>``; its path. Raises `StorageError`.

    The copy gets the permissions of `like`.
    """
    try:
        make_folder(folder)
        target = _free_name(folder, name)
        _write_new(target, data, like)
    except OSError as error:
        raise StorageError(
            f"A part of {key} could not be kept in {folder} and was not taken out: {error.strerror or error}."
        ) from error
    _sync_folder(folder)
    return target


def _free_name(folder: Path, name: str) -> Path:
    while True:
        stamp = f"{time.time_ns()}-"
        kept = os.fsencode(name)[-(_MAX_NAME_BYTES - len(stamp)) :]  # the end, which says what it is
        target = folder / (stamp + kept.decode(errors="ignore"))
        if not os.path.lexists(target):
            return target


def _move_across(path: Path, target: Path) -> None:
    """Move to another file system: the old file goes when the new one is whole on the disk."""
    try:
        if path.is_symlink():
            target.symlink_to(path.readlink())
        else:
            _write_new(target, path.read_bytes(), path.stat())
        path.unlink()
    except BaseException:
        with contextlib.suppress(OSError):
            target.unlink()
        raise


def make_folder(folder: Path) -> None:
    """Make a folder with its parents; one that is there is fine."""
    folder.mkdir(parents=True, exist_ok=True)


@contextmanager
def failing_as(key: str, done: str) -> Iterator[None]:
    """Turn errors of the system into ours, with the page in the sentence."""
    try:
        yield
    except FileNotFoundError as error:
        raise NotFoundError(f"There is no page {key}.") from error
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise NameRefusedError(f"{key[:40]!r}… is a name or path too long for this system.") from error
        raise StorageError(f"{key} could not be {done}: {error.strerror or error}.") from error


def _write_new(path: Path, data: bytes, like: os.stat_result | None) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
    with open(descriptor, "wb") as file:  # noqa: PTH123 - it is open already
        if like is not None:
            _keep_permissions(descriptor, like)
        file.write(data)
        file.flush()
        os.fsync(descriptor)


def _keep_permissions(descriptor: int, like: os.stat_result) -> None:
    if hasattr(os, "fchown") and (like.st_uid, like.st_gid) != (os.getuid(), os.getgid()):
        with contextlib.suppress(PermissionError):  # only root may give a file away; its mode is kept anyhow
            os.fchown(descriptor, like.st_uid, like.st_gid)
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, stat.S_IMODE(like.st_mode))


def _cut(descriptor: int, size: int) -> None:
    with contextlib.suppress(OSError):  # the error that led here is the one to report
        os.ftruncate(descriptor, size)


def _sync_folder(folder: Path | str) -> None:
    """Make a rename or a deletion last through a power cut, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    with contextlib.suppress(OSError):  # some network file systems cannot; the rename itself is done
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
