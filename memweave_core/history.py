"""The memory as it stood at a date or git revision, laid out in the user's cache folder.

Git is called as a program and only read from. A revision is laid out once: commits do not change.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import io
import os
import shutil
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from platformdirs import user_cache_path

from ._errors import ConfigError, StorageError
from .config import MemoryConfig
from .text.dates import parse_date

_LONGEST_NAME = 500
MOST_KEPT = 8
"""Revisions kept laid out, of all workspaces together."""


@dataclass(frozen=True, slots=True)
class PastWorkspace:
    """A workspace laid out from git; `moment` is when its commit was made (or the date asked for)."""

    folder: Path
    db_path: Path
    moment: dt.datetime


def checkout(config: MemoryConfig, as_of: str | dt.date) -> PastWorkspace:
    """Lay out `config.memory_dir` as of a date (its end, in `config.timezone`) or revision.

    Raises `ConfigError` when the workspace is in no git repository or has no such revision.
    """
    workspace = config.workspace
    day = as_of if isinstance(as_of, dt.date) else parse_date(as_of)
    if day is not None:
        until = _end_of_day(day, config.timezone)
        revision = _git(workspace, "rev-list", "-1", f"--before={until}", "HEAD").decode().strip()
        if not revision:
            raise ConfigError(f"The history of {workspace} has nothing as old as {day}.")
    else:
        revision = _named_revision(workspace, str(as_of))
    stamp = int(_git(workspace, "show", "-s", "--format=%ct", revision).decode())
    moment = dt.datetime.fromtimestamp(stamp, dt.UTC)
    if day is not None:
        moment = dt.datetime.combine(day, dt.time(12), ZoneInfo(config.timezone))
    name = f"{os.fsencode(workspace)!r} {config.memory_dir} {revision}"
    key = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:20]
    folder = user_cache_path("memweave") / "past" / key
    if not (folder / "workspace").is_dir():
        _forget_oldest(folder.parent)
        _lay_out(workspace, revision, config.memory_dir, folder)
    return PastWorkspace(folder / "workspace", folder / "index.sqlite", moment)


def _end_of_day(day: dt.date, timezone: str) -> int:
    """The last second of a day as git takes it: seconds since the epoch, within what git can hold."""
    last = dt.date(2099, 12, 31)  # git reads no later date
    end = dt.datetime.combine(min(day, last), dt.time(23, 59, 59), ZoneInfo(timezone))
    return max(0, int(end.timestamp()))


def _named_revision(workspace: Path, name: str) -> str:
    if len(name) > _LONGEST_NAME or not name.isprintable():
        raise ConfigError("as_of must be a date or a git revision.")
    _git(workspace, "rev-parse", "--git-dir")  # says so when there is no repository at all
    try:
        found = _git(workspace, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    except ConfigError as error:
        raise ConfigError(
            f"as_of {name!r} is neither a date (2026-03-21) nor a revision in the git history of {workspace}."
        ) from error
    return found.decode().strip()


def _forget_oldest(past: Path) -> None:
    """Keep room for one more: what was laid out longest ago goes first."""
    kept = sorted(past.iterdir(), key=lambda folder: folder.stat().st_mtime) if past.is_dir() else []
    for folder in kept[: max(0, len(kept) - MOST_KEPT + 1)]:
        shutil.rmtree(folder, ignore_errors=True)


def _lay_out(workspace: Path, revision: str, memory_dir: str, folder: Path) -> None:
    archive = _git(workspace, "archive", "--format=tar", revision, "--", memory_dir)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StorageError(f"as_of needs a cache folder, and {folder} cannot be made: {error}.") from error
    partial = Path(tempfile.mkdtemp(dir=folder))
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            _extract(tar, member, partial)
    try:
        partial.replace(folder / "workspace")
    except OSError:  # another process was faster
        shutil.rmtree(partial, ignore_errors=True)


def _extract(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    """Regular files only, and only below `folder`: a link in an old commit could lead anywhere."""
    content = tar.extractfile(member) if member.isfile() else None
    target = folder / member.name
    if content is None or ".." in target.parts or not target.is_relative_to(folder):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content.read())


def _git(folder: Path, *arguments: str) -> bytes:
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=60)  # noqa: S603 - fixed program
    except FileNotFoundError as error:
        raise ConfigError("as_of needs the program git, which is not installed.") from error
    except subprocess.TimeoutExpired as error:
        raise StorageError(f"git did not answer within 60 s in {folder}.") from error
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip()
        raise ConfigError(f"as_of needs the git history of {folder}: {reason}")
    return done.stdout
