"""The Markdown files of a workspace behind one object: scan, read, write, append, remove."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from ..._errors import ConflictError, NotFoundError, StorageError, UsageError
from ...config import DERIVED, MemoryConfig
from ...text.encoding import Decoded, byte_order_mark, decode, encode_like
from ...text.frontmatter import split
from ...text.names import check_characters, check_portable
from ...types import FileStamp, Page, PageText, Problem
from .classify import owner_of, page_meta
from .files import (
    append_bytes,
    ends,
    move_file,
    opened_for_append,
    read_file,
    remove_file,
    replace_file,
    stamp_of,
)
from .layout import Layout, below
from .locks import PageLocks
from .scan import scan
from .workspace import Workspace

_GUESSED = (
    "{key} is not UTF-8, and {encoding} is only a guess, so nothing was written: characters beyond "
    "ASCII could spoil the page. Convert it to UTF-8 (save it "
    "as UTF-8 in an editor) and repeat the change."
)


@dataclass(frozen=True, slots=True)
class _Present:
    """A page as it is on the disk now."""

    status: os.stat_result
    data: bytes
    decoded: Decoded

    @property
    def hash(self) -> str | None:
        return content_hash(self.decoded.text) if self.decoded.text is not None else None


class MarkdownFiles:
    """The port `MarkdownStore` over real files; safe to share between threads and processes.

    The locks of writers lie in ``<workspace>/.memweave/locks``, wherever the index is; `lock_wait` is how
    many seconds a writer waits for another. Nothing is made on disk before a write.
    """

    def __init__(self, config: MemoryConfig, *, lock_wait: float = 10.0) -> None:
        self._layout = Layout(config)
        self._workspace = Workspace(self._layout)
        self._locks = PageLocks(self._workspace.root / DERIVED, lock_wait)
        self._utf8: dict[str, tuple[int, int]] = {}

    # --- reading ---------------------------------------------------------------------------------------

    def scan(self) -> tuple[dict[str, FileStamp], list[Problem]]:
        """Every memory file with its stamp, and every file left out with the reason. Reads no file."""
        return scan(self._workspace)

    def stamp(self, path: str) -> FileStamp | None:
        """The stamp of the file with this key; None when it is gone or cannot be reached."""
        try:
            return stamp_of(self._workspace.disk_path(path).stat())
        except (OSError, ValueError):  # a path that no system holds is a ValueError
            return None

    def key_for(self, path: str | os.PathLike[str]) -> str:
        """The key of a page that a person names: absolute, or relative to memory folder or workspace.

        ".md" may be left out. Raises `NameRefusedError` for what is not Markdown, hidden, or climbs out.
        """
        return self._workspace.key_for(path)

    def owner_of(self, key: str) -> str | None:
        """The user whose private page this key is, or leads to by a link; None for a shared page.

        Reads no file, and answers for pages that are not there too.
        """
        return self._owner(key, os.path.realpath(self._workspace.disk_path(key)))

    def _owner(self, key: str, real: str) -> str | None:
        own = owner_of(key, self._layout)
        if "users" not in real.removeprefix(str(self._workspace.root)).casefold():
            return own  # most pages: where their folders lead needs no looking up
        return owner_of(self._workspace.key_at(real), self._layout) or own

    def disk_path(self, key: str) -> Path:
        """Where the file of a key lies."""
        return self._workspace.disk_path(key)

    def roots(self) -> list[Path]:
        """The folders to watch for changes; that of the memory may not exist yet."""
        return self._workspace.folders()

    def hint(self) -> str | None:
        """A sentence for a workspace whose notes no setting names, else None."""
        return self._workspace.hint()

    def read(self, path: str) -> Page:
        """The page with this key.

        Raises `NotFoundError` when it is gone, `NameRefusedError` when it is a link that leads out,
        `StorageError` when it cannot be read as text.
        """
        check_characters(path)
        place, real = self._workspace.readable(path)
        present = self._present(place, path)
        text = _text_of(present, path)
        front = split(text)
        meta, warnings = page_meta(path, front.data, front.body, self._layout)
        owner = self._owner(path, real)
        notes = [present.decoded.problem, front.problem, *warnings]
        return Page(
            meta=meta if owner == meta.owner else replace(meta, owner=owner),
            text=text,
            stamp=stamp_of(present.status),
            content_hash=content_hash(text),
            warnings=tuple(note for note in notes if note),
        )

    def get(self, path: str) -> PageText:
        """Text and hash of a page that a person names; raises as `read` does."""
        key = self._workspace.key_for(path)
        text = _text_of(self._present(self._workspace.readable(key)[0], key), key)
        return PageText(key, text, content_hash(text))

    # --- writing ---------------------------------------------------------------------------------------

    def write(
        self, path: str, text: str, *, overwrite: bool = False, expected_hash: str | None = None
    ) -> str:
        """Write a whole page atomically; returns its key.

        A relative path is placed in the memory folder, ".md" is added. A page that exists is replaced only
        with `overwrite`, or when its hash is still `expected_hash`; else `ConflictError`. Its encoding, byte
        order mark, line endings and permissions stay. Raises `NameRefusedError`, `StorageError`; the latter
        also when `expected_hash` is given and new characters could break a page of guessed encoding.
        """
        key, place = self._workspace.writable(path)
        with self._locks.hold(place, key):
            old = self._present_or_none(place, key)
            _check_replacing(key, old, overwrite, expected_hash)
            if old is None:
                self._check_new(key)
            if old is not None and expected_hash is not None:
                _check_guess(key, text, old)
            data = _in_kind(text, old.decoded if old else None)
            replace_file(place, data, key, old.status if old else None)
        return key

    def append(self, path: str, text: str) -> str:
        """Add `text` as lines of its own at the end of a page, which is made if missing; returns its key.

        One write under the lock: concurrent appends are whole and lose nothing, and no byte that is there is
        changed. To a page whose encoding is a guess only ASCII can be added. Raises as `write` does.
        """
        _utf8(text)
        key, place = self._workspace.writable(path)
        with self._locks.hold(place, key):
            if not place.exists():
                self._check_new(key)
            self._append_in_kind(place, key, text)
        return key

    def remove(self, path: str, *, keep_in: Path | None = None) -> None:
        """Delete a page of the workspace; of a link, the link.

        With `keep_in` it is moved into that folder as ``<time in ns>-<name>`` instead, under the lock of the
        page, so that no append is lost. Raises `NotFoundError`, `NameRefusedError`, `StorageError`.
        """
        key, _ = self._workspace.writable(path)
        named = self._workspace.disk_path(self._workspace.target_key(path))
        # The lock is that of the appends, which resolve links: a link in the folder must not hide them.
        place = Path(os.path.realpath(named.parent)) / named.name
        with self._locks.hold(place, key):
            if keep_in is None:
                remove_file(place, key)
            else:
                move_file(place, keep_in, key)

    def _append_in_kind(self, place: Path, key: str, text: str) -> None:
        """Append in the encoding and with the line ends of the file."""
        with opened_for_append(place, key) as descriptor:
            stamp = stamp_of(os.fstat(descriptor))
            head, tail = ends(descriptor, stamp.size)
            marked = byte_order_mark(head)
            encoding = marked[1] if marked else self._encoding_for(place, key, text, head, stamp)
            # The text decoded here only tells where lines end; a character cut in two does not matter.
            last = tail.decode(encoding, "replace").removeprefix("\ufeff")
            style = line_style(last) or line_style(head.decode(encoding, "replace"))
            data = with_line_ends(_continued(last, text), style).encode(encoding)
            append_bytes(descriptor, data, stamp.size)
            if marked is None and not text.isascii():
                self._utf8[key] = (stamp.inode, stamp.size + len(data))

    def _encoding_for(self, place: Path, key: str, text: str, head: bytes, stamp: FileStamp) -> str:
        """The encoding in which `text` can be added without mixing two in one file. Raises `StorageError`.

        ASCII mixes with all but UTF-16. A file that was UTF-8 when we last wrote it still is if its size is
        the same, so that a long transcript is not read again for each message.
        """
        if not stamp.size or (text.isascii() and b"\0" not in head):
            return "utf-8"
        if self._utf8.pop(key, None) == (stamp.inode, stamp.size):
            return "utf-8"
        old = self._present(place, key)
        _text_of(old, key)
        if old.decoded.problem is not None and not text.isascii():
            raise StorageError(_GUESSED.format(key=key, encoding=old.decoded.encoding))
        return old.decoded.encoding

    def _present(self, place: Path, key: str) -> _Present:
        data, status = read_file(place, key)
        return _Present(status, data, decode(data))

    def _present_or_none(self, place: Path, key: str) -> _Present | None:
        try:
            return self._present(place, key)
        except NotFoundError:
            return None

    def _check_new(self, key: str) -> None:
        root = self._layout.root_of(key) or ""
        check_portable(PurePosixPath(below(root, key) or key))


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


def _text_of(present: _Present, key: str) -> str:
    if present.decoded.text is None:
        raise StorageError(f"{key} cannot be read. {present.decoded.problem}")
    return present.decoded.text


def _check_replacing(key: str, old: _Present | None, overwrite: bool, expected_hash: str | None) -> None:
    if expected_hash is not None:
        if old is None:
            raise ConflictError(f"{key} was deleted after it was read; nothing was written.")
        if old.hash != expected_hash:
            raise ConflictError(f"{key} has changed since it was read; read it again and repeat the change.")
    elif old is not None and not overwrite:
        raise ConflictError(f"{key} exists already; pass overwrite=True to replace it, or append to it.")


def _check_guess(key: str, text: str, present: _Present) -> None:
    """Refuse an edit that a wrong guess of the encoding would spoil.

    Characters that the page had before are written as the bytes they were read from; others would be written
    under the guess, or turn the page into UTF-8 under it.
    """
    old = present.decoded
    if old.text is None or old.problem is None:
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
