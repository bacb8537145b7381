"""The values of a long JSON list one at a time, so that the list is never held whole."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

_CHUNK: Final = 1 << 20
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_BEHIND_A_NUMBER: Final = " \t\r\n,]"
_DECODER: Final = json.JSONDecoder()


class NoListError(ValueError):
    """The text is no JSON list, or stops being one."""


def values(read: Callable[[int], bytes]) -> Iterator[Any]:
    """The values of the list that `read` gives the UTF-8 bytes of, at most so many as it is asked for.

    Raises `NoListError` where the text does not go on as a list does; the values before that are good.
    """
    text = _Text(read)
    if text.next_character() != "[":
        raise NoListError("it does not begin as a list")
    text.at += 1
    if text.next_character() == "]":
        text.at += 1
    else:
        yield from _values(text)
    if text.next_character():
        raise NoListError(f"there is more behind the list, from character {text.position} on")


def _values(text: _Text) -> Iterator[Any]:
    while True:
        text.next_character()
        yield text.value()
        mark = text.next_character()
        text.at += 1
        if mark == "]":
            return
        if mark != ",":
            raise NoListError(f"it breaks off at character {text.position - 1}")


def is_utf8(read: Callable[[int], bytes]) -> bool:
    """Whether all that `read` gives is UTF-8, and text of it and not of another encoding of Unicode."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    first = True
    while True:
        data = read(_CHUNK)
        if first and data and not json.detect_encoding(data).startswith("utf-8"):
            return False
        first = False
        try:
            decoder.decode(data, final=not data)
        except UnicodeDecodeError:
            return False
        if not data:
            return True


class _Text:
    """The part of the text that is needed now; `at` is where to read on in it."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._dropped = 0
        self._ended = False
        self.at = 0

    @property
    def position(self) -> int:
        """Where `at` is in the whole text, from 1."""
        return self._dropped + self.at + 1

    def next_character(self) -> str:
        """Go to the next character that is no white space, and give it; "" at the end."""
        while True:
            found = _SPACE.match(self._text, self.at)
            self.at = found.end() if found else self.at
            if self.at < len(self._text):
                return self._text[self.at]
            if not self._more():
                return ""

    def value(self) -> Any:
        """The value that begins here."""
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self.at)
            except RecursionError as error:
                raise NoListError(f"it is nested too deeply at character {self.position}") from error
            except ValueError as error:
                if self._more():
                    continue
                raise NoListError(f"it breaks off at character {self.position}") from error
            # A number at the end of the part may go on in the next: "1", "1.", "1e".
            closed = self._text[end : end + 1] in _BEHIND_A_NUMBER and end < len(self._text)
            if closed or isinstance(value, dict | list | str) or not self._more():
                self.at = end
                return value

    def _more(self) -> bool:
        """Read on; what has been read is dropped. As much again as there is, so that time stays linear."""
        if self._ended:
            return False
        self._dropped += self.at
        rest, self.at = self._text[self.at :], 0
        data = self._read(max(_CHUNK, len(rest)))
        self._ended = not data
        self._text = rest + self._decoder.decode(data, final=self._ended)
        return True
