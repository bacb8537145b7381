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
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from platformdirs import user_cache_path

from ._errors import ConfigError, StorageError
from .config import MemoryConfig
from .text.dates import parse_date

_LONGEST_NAME = 500
_LONGEST_WORDS = 20_000  # an argument of a program is at most 128 KB
IN_USE_SECONDS = 3_600
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
    os.utime(folder)
    return PastWorkspace(folder / "workspace", folder / "index.sqlite", moment)


def commits_holding(config: MemoryConfig, texts: Iterable[str]) -> int:
    """How many commits, on all branches, brought or took away one of `texts`; 0 outside a repository.

    A text with NUL is not looked for, and of a very long one the beginning is: git takes no other. Raises
    `StorageError` when git does not answer in time.
    """
    found: set[bytes] = set()
    for text in dict.fromkeys(text[:_LONGEST_WORDS] for text in texts if text and "\0" not in text):
        command = ("log", "--all", "--format=%H", "-S", text, "--", config.memory_dir)
        try:
            found.update(_git(config.workspace, *command).split())
        except ConfigError:
            return 0  # no git, no repository, or no commit in it
    return len(found)


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
    """Keep room for one more: what was asked for longest ago goes first, nothing that may be in use."""
    try:
        asked = sorted((folder.stat().st_mtime, folder) for folder in past.iterdir())
    except OSError:
        return  # none yet, or another process tidies up
    for when, folder in asked[: max(0, len(asked) - MOST_KEPT + 1)]:
        if time.time() - when > IN_USE_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def _lay_out(workspace: Path, revision: str, memory_dir: str, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        partial = Path(tempfile.mkdtemp(dir=folder))
        for path, content in _files(workspace, revision, memory_dir):
            target = partial / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    except OSError as error:
        raise StorageError(f"as_of needs a cache folder, and {folder} cannot be written: {error}.") from error
    try:
        partial.replace(folder / "workspace")
    except OSError:  # another process was faster
        shutil.rmtree(partial, ignore_errors=True)


def _files(workspace: Path, revision: str, memory_dir: str) -> Iterator[tuple[str, bytes]]:
    """(path below the workspace, bytes) of the regular files of a revision; a link could lead anywhere.

    The stored bytes themselves: `git archive` would heed attributes that leave files out or change them.
    """
    listed = _git(workspace, "ls-tree", "-r", "-z", revision, "--", memory_dir)
    blobs: list[tuple[str, str]] = []
    for entry in listed.split(b"\0"):
        about, tab, name = entry.partition(b"\t")
        path = os.fsdecode(name)
        if tab and about.startswith(b"100") and ".." not in Path(path).parts:
            blobs.append((about.split()[2].decode(), path))
    answer = io.BytesIO(
        _git(workspace, "cat-file", "--batch", asked="".join(f"{blob}\n" for blob, _ in blobs))
    )
    for _, path in blobs:
        size = int(answer.readline().split()[2])
        yield path, answer.read(size)
        answer.read(1)


def _git(folder: Path, *arguments: str, asked: str = "") -> bytes:
    command = ["git", "--literal-pathspecs", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, input=asked.encode(), capture_output=True, check=False, timeout=60)  # noqa: S603 - fixed program
    except FileNotFoundError as error:
        raise ConfigError("as_of needs the program git, which is not installed.") from error
    except subprocess.TimeoutExpired as error:
        raise StorageError(f"git did not answer within 60 s in {folder}.") from error
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip()
        raise ConfigError(f"as_of needs the git history of {folder}: {reason}")
    return done.stdout
