"""Which sessions a user has: the transcripts in one folder."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path

from ..conversation.transcript import parse
from ..messages import SessionInfo
from ..ports import MarkdownStore
from ..text.frontmatter import split
from ..text.names import decode_segment, is_shortened
from .places import SUMMARY, sessions_folder

_SUFFIX = ".md"
_HEAD = 8192
"""Bytes at the beginning of a transcript in which its title is looked for."""


def listed(store: MarkdownStore, user: str | None) -> tuple[SessionInfo, ...]:
    """The sessions of this user, or of nobody; those that changed last come first. Reads no file wholly."""
    folder = store.memory_key(sessions_folder(user))
    found: list[SessionInfo] = []
    for name in _transcripts(store.disk_path(folder)):
        key = f"{folder}/{name}"
        stamp = store.stamp(key)
        if stamp is not None:
            changed = dt.datetime.fromtimestamp(stamp.mtime_ns / 1e9, dt.UTC)
            session = _session(store, key, name.removesuffix(_SUFFIX))
            found.append(SessionInfo(session, user, stamp.size, changed, _title(store.disk_path(key))))
    return tuple(sorted(found, key=lambda info: (-info.changed.timestamp(), info.session)))


def _transcripts(folder: Path) -> list[str]:
    """The names of the transcripts in a folder; none when it is not there."""
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.is_file()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [
        name
        for name in names
        if name.endswith(_SUFFIX) and not name.endswith(SUMMARY) and not name.startswith(".")
    ]


def _title(path: Path) -> str:
    """The title in the front matter of a transcript; "" for none."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD).decode("utf-8", errors="replace")
    except OSError:  # deleted meanwhile, or not readable: whoever reads the conversation is told
        return ""
    block = head[: head.find("\n**")]  # the label of the first message
    if "title:" not in block:
        return ""
    title = split(f"{block}\n").data.get("title")
    return title if isinstance(title, str) else ""


def _session(store: MarkdownStore, key: str, segment: str) -> str:
    """The name of a session by its file; where that is too short to hold it, from what stands in it."""
    if not is_shortened(segment):
        return decode_segment(segment)
    return parse(store.get(key).text).session or segment
