"""The Markdown files of a workspace behind one object: scan, read, write, append, remove."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath

from ..._errors import ConflictError
from ...config import DERIVED, MemoryConfig
from ...text.frontmatter import split
from ...text.names import check_characters, check_portable
from ...types import Edited, FileStamp, Page, PageText, Problem
from .classify import owner_of, page_meta
from .files import move_file, remove_file, stamp_of
from .layout import Layout, below
from .locks import PageLocks
from .page import PageOnDisk, Present, content_hash, read_present, text_of
from .scan import scan
from .workspace import Workspace


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

    def memory_key(self, path: str) -> str:
        """The key of a page by its path below the memory folder, whatever other roots are called."""
        memory = self._layout.memory
        return unicodedata.normalize("NFC", f"{memory}/{path}" if memory else path)

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
        present = read_present(place, path)
        text = text_of(present, path)
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
        text = text_of(read_present(self._workspace.readable(key)[0], key), key)
        return PageText(key, text, content_hash(text))

    # --- writing ---------------------------------------------------------------------------------------

    @contextmanager
    def hold(self, path: str) -> Iterator[PageOnDisk]:
        """The page of this path, for this writer alone: every other one waits until the block is left.

        A relative path is placed in the memory folder, ".md" is added. Not reentrant; nothing slow belongs
        into the block. Raises `NameRefusedError`, and `StorageError` when another writer holds it too long.
        """
        key, place = self._workspace.writable(path)
        with self._locks.hold(place, key):
            yield PageOnDisk(place, key, self._check_new, self._utf8)

    def edit(self, path: str, change: Callable[[str], str]) -> Edited:
        """Replace the text of a page by what `change` makes of it, atomically, with no writer in between.

        `change` is given "" for a page that is not there; it is to be pure and quick. Where it changes
        nothing, nothing is written. Encoding, byte order mark, line endings and permissions stay. Raises as
        `write` does.
        """
        with self.hold(path) as page:
            before = page.read()
            after = change(before)
            if after != before:
                page.replace(after)
            return Edited(page.key, before, after)

    def write(
        self, path: str, text: str, *, overwrite: bool = False, expected_hash: str | None = None
    ) -> str:
        """Write a whole page atomically; returns its key.

        A relative path is placed in the memory folder, ".md" is added. A page that exists is replaced only
        with `overwrite`, or when its hash is still `expected_hash`; else `ConflictError`. Its encoding, byte
        order mark, line endings and permissions stay. Raises `NameRefusedError`, `StorageError`; the latter
        also when `expected_hash` is given and new characters could break a page of guessed encoding.
        """
        with self.hold(path) as page:
            old = page.present()
            _check_replacing(page.key, old, overwrite, expected_hash)
            page.put(text, old, careful=expected_hash is not None)
            return page.key

    def append(self, path: str, text: str) -> str:
        """Add `text` as lines of its own at the end of a page, which is made if missing; returns its key.

        One write under the lock: concurrent appends are whole and lose nothing, and no byte that is there is
        changed. To a page whose encoding is a guess only ASCII can be added. Raises as `write` does.
        """
        with self.hold(path) as page:
            page.append(text)
            return page.key

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

    def _check_new(self, key: str) -> None:
        root = self._layout.root_of(key) or ""
        check_portable(PurePosixPath(below(root, key) or key))


def _check_replacing(key: str, old: Present | None, overwrite: bool, expected_hash: str | None) -> None:
    if expected_hash is not None:
        if old is None:
            raise ConflictError(f"{key} was deleted after it was read; nothing was written.")
        if old.hash != expected_hash:
            raise ConflictError(f"{key} has changed since it was read; read it again and repeat the change.")
    elif old is not None and not overwrite:
        raise ConflictError(f"{key} exists already; pass overwrite=True to replace it, or append to it.")
