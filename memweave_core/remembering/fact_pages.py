"""The file of facts of each user on the disk: read when it has changed, and changed under its lock."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from .._errors import NotFoundError
from ..adapters.markdown.store import MarkdownFiles
from ..facts.bullets import FactFile, named, parse
from ..types import Edited, FileStamp
from .places import facts_path

_MOST_KEPT: Final = 64
_UNSURE_NS: Final = 2_000_000_000
"""A file that changed less than this before it was read may have changed again under the same stamp."""


@dataclass(frozen=True, slots=True)
class _Read:
    stamp: FileStamp | None
    at_ns: int
    file: FactFile
    shown: FactFile

    @property
    def sure(self) -> bool:
        return self.stamp is None or self.at_ns - self.stamp.mtime_ns > _UNSURE_NS


class FactPages:
    """Blocking access to the files of facts; safe to share between threads."""

    def __init__(self, store: MarkdownFiles) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, _Read] = OrderedDict()

    def key(self, user: str) -> str:
        """The key of a user's file. Raises `NameRefusedError` for an id that cannot be a name."""
        return self._store.memory_key(facts_path(user))

    def read(self, user: str) -> FactFile:
        """The file as it is now, every current fact with an id: that which the next write will give it."""
        key = self.key(user)
        with self._lock:
            kept = self._kept.get(key)
        stamp = self._store.stamp(key)
        if kept is not None and kept.stamp == stamp and kept.sure:
            return kept.shown
        at_ns = time.time_ns()
        try:
            text = self._store.get(key).text if stamp is not None else ""
        except NotFoundError:
            stamp, text = None, ""
        if kept is not None and kept.file.text == text:
            read = replace(kept, stamp=stamp, at_ns=at_ns)
        else:
            file = parse(text)
            read = _Read(stamp, at_ns, file, named(file))
        with self._lock:
            self._kept[key] = read
            self._kept.move_to_end(key)
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return read.shown

    def parsed(self, user: str, text: str) -> FactFile:
        """The file that has this text, as `parse` gives it."""
        with self._lock:
            kept = self._kept.get(self.key(user))
        return kept.file if kept is not None and kept.file.text == text else parse(text)

    def shown(self, user: str, file: FactFile) -> FactFile:
        """`file`, which `parsed` gave, with the ids that the next write will give."""
        with self._lock:
            kept = self._kept.get(self.key(user))
        return kept.shown if kept is not None and kept.file is file else named(file)

    def edit(self, user: str, change: Callable[[str], str]) -> Edited:
        """`MarkdownFiles.edit` of the file."""
        return self._store.edit(self.key(user), change)

    def forget(self, user: str) -> None:
        """Read the file anew next time."""
        with self._lock:
            self._kept.pop(self.key(user), None)
