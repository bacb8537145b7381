"""One page on the disk: as it is now, and how it is written in kind by the one writer that holds its lock."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..._errors import NotFoundError, StorageError, UsageError
from ...text.encoding import Decoded, byte_order_mark, decode, encode_like, half_character
from ...types import FileStamp
from .files import append_bytes, ends, keep_copy, opened_for_append, read_file, replace_file, stamp_of

_GUESSED = (
    "{key} is not UTF-8, and {encoding} is only a guess, so nothing was written: characters beyond "
    "ASCII could spoil the page. Convert it to UTF-8 (save it "
    "as UTF-8 in an editor) and repeat the change."
)


@dataclass(frozen=True, slots=True)
class Present:
    """A page as it is on the disk now."""

    status: os.stat_result
    data: bytes
    decoded: Decoded

    @property
    def hash(self) -> str | None:
        return content_hash(self.decoded.text) if self.decoded.text is not None else None


class PageOnDisk:
    """The port `HeldPage` over a real file. Whoever has it holds the lock of the page.

    `check_new` refuses the key of a page that is not to be made. `utf8` remembers (inode, size) of files that
    were UTF-8 when they were last appended to.
    """

    def __init__(
        self, place: Path, key: str, check_new: Callable[[str], None], utf8: dict[str, tuple[int, int]]
    ) -> None:
        self.key = key
        self._place = place
        self._check_new = check_new
        self._utf8 = utf8

    @property
    def stamp(self) -> FileStamp | None:
        """The stamp of the file now; None when there is none."""
        try:
            return stamp_of(self._place.stat())
        except OSError:
            return None

    def present(self) -> Present | None:
        """The page as it is; None when there is none. Raises `StorageError`."""
        try:
            return read_present(self._place, self.key)
        except NotFoundError:
            return None

    def read(self) -> str:
        """The text, without a byte order mark, line endings as they are; "" for a page that is not there.

        Raises `StorageError` when it cannot be read as text.
        """
        present = self.present()
        return text_of(present, self.key) if present else ""

    def replace(self, text: str) -> None:
        """Put `text` in the place of the page, which is made if missing, atomically and in its kind.

        Raises `StorageError`, also where new characters could break a page of guessed encoding.
        """
        self.put(text, self.present(), careful=True)

    def put(self, text: str, old: Present | None, *, careful: bool) -> None:
        """Write `text` over the page `old`; `careful` refuses what a wrongly guessed encoding would spoil."""
        if old is None:
            self._check_new(self.key)
        elif careful:
            _check_guess(self.key, text, old)
        data = _in_kind(text, old.decoded if old else None)
        replace_file(self._place, data, self.key, old.status if old else None)

    def append(self, text: str) -> tuple[str, FileStamp]:
        """Add `text` as lines of its own in one write that reaches the disk; the page is made if missing.

        Returns what was added, as a reader will see it (line endings of the page, a line feed before it
        where the last line had none), and the stamp of the file after it. Raises `StorageError`.
        """
        _utf8(text)
        if not self._place.exists():
            self._check_new(self.key)
        with opened_for_append(self._place, self.key) as descriptor:
            stamp = stamp_of(os.fstat(descriptor))
            head, tail = ends(descriptor, stamp.size)
            marked = byte_order_mark(head)
            cut = half_character(tail) if marked is None or marked[1] == "utf-8" else 0
            if cut:  # a crash left it, and with text behind it the whole page would be no UTF-8 any more
                stamp = stamp._replace(size=stamp.size - cut)
                os.ftruncate(descriptor, stamp.size)
                tail = tail[:-cut]
            encoding = marked[1] if marked else self._encoding_for(text, head, stamp)
            # The text decoded here only tells where lines end; a character cut in two does not matter.
            last = tail.decode(encoding, "replace").removeprefix("\ufeff")
            style = line_style(last) or line_style(head.decode(encoding, "replace"))
            added = with_line_ends(_continued(last, text), style)
            data = added.encode(encoding)
            append_bytes(descriptor, data, stamp.size)
            if marked is None and not text.isascii():
                self._utf8[self.key] = (stamp.inode, stamp.size + len(data))
            return added, stamp_of(os.fstat(descriptor))

    def keep(self, folder: Path, text: str) -> Path:
        """Write `text` into `folder` as ``<time in ns>-<name of the page>``; its path."""
        return keep_copy(folder, self._place.name, _utf8(text), self.key)

    def _encoding_for(self, text: str, head: bytes, stamp: FileStamp) -> str:
        """The encoding in which `text` can be added without mixing two in one file. Raises `StorageError`.

        ASCII mixes with all but UTF-16. A file that was UTF-8 when we last wrote it still is if its size is
        the same, so that a long transcript is not read again for each message.
        """
        if not stamp.size or (text.isascii() and b"\0" not in head):
            return "utf-8"
        if self._utf8.pop(self.key, None) == (stamp.inode, stamp.size):
            return "utf-8"
        old = read_present(self._place, self.key)
        text_of(old, self.key)
        if old.decoded.problem is not None and not text.isascii():
            raise StorageError(_GUESSED.format(key=self.key, encoding=old.decoded.encoding))
        return old.decoded.encoding


def read_present(place: Path, key: str) -> Present:
    """The file at `place` as it is. Raises `NotFoundError` or `StorageError`."""
    data, status = read_file(place, key)
    return Present(status, data, decode(data))


def text_of(present: Present, key: str) -> str:
    """The text of a page. Raises `StorageError` when it is none."""
    if present.decoded.text is None:
        raise StorageError(f"{key} cannot be read. {present.decoded.problem}")
    return present.decoded.text


def content_hash(text: str) -> str:
    """sha-256 (hex) of a text, the same for every style of line ending."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return hashlib.sha256(text.encode()).hexdigest()


def line_style(text: str) -> str | None:
    """The line ending that all lines of a text have, or None when it has none or several."""
    windows = text.count("\r\n")
    unix = text.count("\n") - windows
    if windows and not unix:
        return "\r\n"
    return "\n" if unix and not windows else None


def with_line_ends(text: str, style: str | None) -> str:
    """`text` with line endings of one style; unchanged when `style` is None."""
    return text if style is None else text.replace("\r\n", "\n").replace("\n", style)


def _check_guess(key: str, text: str, present: Present) -> None:
    """Refuse an edit that a wrong guess of the encoding would spoil.

    Characters that the page had before are written as the bytes they were read from; others would be written
    under the guess, or turn the page into UTF-8 under it.
    """
    old = present.decoded
    if old.text is None or old.problem is None or old.half:
        return
    added = {c for c in text if not c.isascii()} - set(old.text)
    if added or encode_like(old.text, old.encoding, old.bom) != present.data:
        raise StorageError(_GUESSED.format(key=key, encoding=old.encoding))


def _in_kind(text: str, old: Decoded | None) -> bytes:
    """Bytes of `text` in the style of the file it replaces; UTF-8 where that encoding lacks a character."""
    if old is None or old.text is None:
        return _utf8(text)
    styled = with_line_ends(text, line_style(old.text))
    try:
        return encode_like(styled, old.encoding, old.bom)
    except UnicodeEncodeError:
        return _utf8(styled)


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise UsageError("The text holds half a surrogate pair and cannot be stored; take it out.") from error


def _continued(before: str, more: str) -> str:
    """`more` as it has to follow `before`: from a new line on, and with an end of line."""
    if not more:
        return ""
    gap = "" if not before or before.endswith(("\n", "\r")) else "\n"
    return gap + more + ("" if more.endswith("\n") else "\n")
