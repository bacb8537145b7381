"""Where the index of a workspace lives.

A memory that may write keeps it in ``<workspace>/.memweave/``. One opened for reading creates nothing in the
workspace: it uses the index that is there if it can be kept up to date, else one in the user's cache folder.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

from ._errors import NotFoundError, StorageError
from .config import MemoryConfig


@dataclass(frozen=True, slots=True)
class Location:
    """`db_path` of the index; `seed` is an index that may be copied into a new one, read-only.

    `temporary` is a folder made for this process alone, to be deleted at its end.
    """

    db_path: Path
    seed: Path | None = None
    temporary: Path | None = None


def locate(config: MemoryConfig, *, read_only: bool) -> Location:
    """Choose the place and make its folder. Raises `NotFoundError` or `StorageError`."""
    workspace = config.workspace
    if read_only and not workspace.is_dir():
        raise NotFoundError(f"The workspace {workspace} does not exist. Create it, or name another one.")
    own = config.index_path
    if config.db_path is not None:
        _make_folder(own.parent)
        return Location(own)
    if not read_only:
        _make_folder(own.parent)
        _ignore_in_git(own.parent)
        return Location(own)
    if own.is_file() and os.access(own, os.W_OK) and os.access(own.parent, os.W_OK):
        return Location(own)
    seed = own if own.is_file() else None
    folder = _cache_folder(workspace)
    if folder is not None:
        return Location(folder / "index.sqlite", seed)
    folder = Path(tempfile.mkdtemp(prefix="memweave-"))
    return Location(folder / "index.sqlite", seed, temporary=folder)


def _cache_folder(workspace: Path) -> Path | None:
    """The place for a reader's index in the user's cache folder; None when that cannot be written."""
    key = hashlib.sha256(os.fsencode(workspace)).hexdigest()[:20]
    folder = user_cache_path("memweave") / "indexes" / key
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return folder if os.access(folder, os.W_OK) else None
    except OSError:
        return None


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"Cannot create {folder} for the index: {error.strerror}. Open the memory with read_only=True, "
            "or set db_path to a place that can be written."
        ) from error


def _ignore_in_git(folder: Path) -> None:
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
