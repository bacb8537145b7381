"""Transcripts that were read, kept as long as their files have not changed."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeAlias

from ..conversation.transcript import Transcript, number_of, parse, parse_added
from ..messages import Message
from ..types import FileStamp

Read: TypeAlias = Callable[[], str]
"""Gives the text of a file."""

MOST: Final = 64
MOST_CHARS: Final = 16_000_000
"""How many transcripts are kept at most, and how many characters of them."""


class KnownTranscript:
    """One transcript as it was last read. Its methods may be called from any thread.

    Of the text only a hash is kept: it tells whether the file begins as it did, and then only what was
    appended is parsed.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stamp: FileStamp | None = None
        self._hash = hashlib.blake2b()
        self._length = 0
        self._head = Transcript()
        self._messages: list[Message] = []
        self._positions: dict[str, int] = {}
        self._whole: Transcript | None = None
        self._largest = 0

    @property
    def length(self) -> int:
        """How many characters the file had."""
        return self._length

    def transcript(self, stamp: FileStamp | None, read: Read) -> Transcript:
        """The transcript of the file with this stamp, which is read when it is not the one that is known."""
        with self._lock:
            self._follow(stamp, read)
            if self._whole is None:
                self._whole = replace(self._head, messages=tuple(self._messages))
            return self._whole

    def end(self, stamp: FileStamp | None, read: Read) -> tuple[int, bool]:
        """(largest number of an id that was ever given, whether the file ends with a whole message)."""
        with self._lock:
            self._follow(stamp, read)
            return max(self._largest, number_of(self._head.last_id)), self._head.whole == self._length

    def message(self, name: str) -> Message | None:
        """The message with this id, as of the last reading."""
        with self._lock:
            position = self._positions.get(name)
            return None if position is None else self._messages[position]

    def append(self, before: FileStamp, added: str, after: FileStamp) -> None:
        """Take over what was just added to the file whose stamp was `before`, without reading it."""
        with self._lock:
            if self._stamp == after:
                return  # somebody has read it meanwhile
            alone = after.size - before.size == len(added.encode()) and after.inode == before.inode
            if self._stamp != before or not alone or not self._extended(added):
                self._start("", None)
                return
            self._stamp = after

    def _follow(self, stamp: FileStamp | None, read: Read) -> None:
        if stamp == self._stamp and stamp is not None:
            return
        text = "" if stamp is None else read()
        known = self._length
        same = 0 < known < len(text) and _hash(text[:known]).digest() == self._hash.digest()
        if same and self._extended(text[known:]):
            self._stamp = stamp
        else:
            self._start(text, stamp)

    def _start(self, text: str, stamp: FileStamp | None) -> None:
        read = parse(text)
        self._head = replace(read, messages=())
        self._hash, self._length, self._stamp = _hash(text), len(text), stamp
        self._messages, self._positions, self._largest = [], {}, 0
        self._take(read.messages)

    def _extended(self, added: str) -> bool:
        """Go on from what is known, where that is possible without the text before."""
        broken = any(problem.startswith("Front matter") for problem in self._head.problems)
        if broken or self._head.whole != self._length:
            return False
        more = parse_added(added, self._positions)
        if more is None:
            return False
        self._hash.update(added.encode())
        self._length += len(added)
        self._head = replace(self._head, whole=self._length)
        self._take(more)
        return True

    def _take(self, messages: tuple[Message, ...]) -> None:
        for message in messages:
            self._positions[message.id] = len(self._messages)
            self._messages.append(message)
            self._largest = max(self._largest, number_of(message.id))
        self._whole = None


class TranscriptCache:
    """The transcripts last used, by key; at most `MOST` and about `MOST_CHARS` characters of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[str, KnownTranscript] = OrderedDict()

    def of(self, key: str) -> KnownTranscript:
        """What is known of one transcript; the least recently used ones are forgotten for it."""
        with self._lock:
            known = self._known.setdefault(key, KnownTranscript())
            self._known.move_to_end(key)
            size = sum(one.length for one in self._known.values())
            while len(self._known) > 1 and (len(self._known) > MOST or size > MOST_CHARS):
                _, dropped = self._known.popitem(last=False)
                size -= dropped.length
            return known


def _hash(text: str) -> hashlib.blake2b:
    return hashlib.blake2b(text.encode())
