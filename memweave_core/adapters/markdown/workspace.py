"""Between keys and places on the disk: who may be read, who may be written, and where links lead."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ..._errors import NameRefusedError
from ...config import DERIVED
from ...text.names import check_characters, is_markdown, safe_relative_path
from .layout import Layout, below, is_external, is_skipped, key_of, page_name

_HINT_ENTRIES = 2_000
"""How many directory entries are looked at to find out whether a workspace holds any Markdown."""


class Workspace:
    """The folder of a memory on disk. All checks follow symbolic links to their end."""

    def __init__(self, layout: Layout) -> None:
        self.met: dict[str, str] = {}  # path on disk -> key of pages whose names a scan has judged
        self.layout = layout
        self.root = layout.workspace

    # --- keys ------------------------------------------------------------------------------------------

    def key_for(self, path: str | os.PathLike[str]) -> str:
        """The key of a page that a person names: absolute, or relative to the memory folder or the workspace.

        Where both exist, the one in the memory folder is meant. Raises `NameRefusedError`.
        """
        key, named = self._spelled(path)
        if key != named and not os.path.lexists(self.disk_path(key)) and self._is_file(named):
            return named
        return key

    def target_key(self, path: str | os.PathLike[str]) -> str:
        """The key of a page to be written: always in the memory folder or in `extra_paths`."""
        key, _ = self._spelled(path)
        if is_external(key):
            raise NameRefusedError(f"{key} lies outside the workspace {self.root}, where nothing is written.")
        if not self.layout.covers(key):
            raise NameRefusedError(
                f"{key} would not be memory: it is outside memory_dir and extra_paths, or `ignore` covers it."
            )
        return key

    def _spelled(self, path: str | os.PathLike[str]) -> tuple[str, str]:
        """(key in a root if there is one, key as it was named)."""
        text = os.fspath(path)
        if not isinstance(text, str):
            raise NameRefusedError(f"A path must be a string, not {path!r}.")
        text = os.path.expanduser(text) if text.startswith("~/") else text  # noqa: PTH111 - kept as text
        check_characters(text)
        if is_external(text):
            named = self._checked(self._absolute_key(text))
            return named, named
        named = self._checked(text.replace(os.sep, "/"))
        return self.layout.place(named), named

    def _absolute_key(self, text: str) -> str:
        path = Path(os.path.normpath(text))
        if not path.is_relative_to(self.root):
            parent = Path(os.path.realpath(path.parent))
            real_root = Path(os.path.realpath(self.root))
            if parent.is_relative_to(real_root):
                path = self.root / parent.relative_to(real_root) / path.name
        return key_of(path, self.root)

    def _checked(self, text: str) -> str:
        """A key whose spelling is safe and Markdown; what is hidden in the name of a root is let be."""
        if is_external(text):
            return str(PurePosixPath(text).with_name(page_name(PurePosixPath(text).name)))
        normal = unicodedata.normalize("NFC", text)
        root = self.layout.root_of(normal) or ""
        rest = below(root, normal) if root else normal
        if not rest:  # the root itself
            if is_markdown(root) and not self.disk_path(root).is_dir():
                return root
            raise NameRefusedError(f"{text!r} is a folder; name a page in it.")
        checked = safe_relative_path(rest)
        if not is_markdown(checked.name) and (self.root / root / checked).is_dir():
            raise NameRefusedError(f"{text!r} is a folder; name a page in it.")
        named = str(checked.with_name(page_name(checked.name)))
        return f"{root}/{named}" if root else named

    # --- places ----------------------------------------------------------------------------------------

    def disk_path(self, key: str) -> Path:
        """Where the file of a key lies, or would lie; a name stored in another Unicode form is found too."""
        path = Path(key) if is_external(key) else self.root / key
        if key.isascii() or os.path.lexists(path):
            return path
        base = Path(path.anchor) if is_external(key) else self.root
        parts = list(path.relative_to(base).parts)
        return next(_spelled_otherwise(base, parts), path)

    def readable(self, key: str) -> Path:
        """The place of a key, when links do not lead out. Raises `NameRefusedError`."""
        path = self.disk_path(key)
        if not is_external(key):
            real = os.path.realpath(path)
            if real != str(path) and not self.admits(real):
                raise NameRefusedError(f"{key} is a link that leads out of the workspace, to {real}.")
        return path

    def writable(self, path: str | os.PathLike[str]) -> tuple[str, Path]:
        """(key, file to replace) of a page to be written, links followed. Raises `NameRefusedError`."""
        key = self.target_key(path)
        place = self.disk_path(key)
        real = os.path.realpath(place)
        if real == str(place):
            return key, place
        if not self._holds(real):
            raise NameRefusedError(f"{key} leads out of the workspace, to {real}; nothing is written there.")
        real_key = key_of(Path(real), Path(os.path.realpath(self.root)))
        return (real_key if self.layout.covers(real_key) else key), Path(real)

    def admits(self, real: str) -> bool:
        """True when a link may lead to the real path `real`: workspace or `extra_paths`, and not hidden."""
        extras = (os.path.realpath(self.disk_path(extra)) for extra in self.layout.extras)
        return self._holds(real) or any(_visible_below(extra, real) for extra in extras)

    def _holds(self, real: str) -> bool:
        """True for a real path inside the workspace that is not hidden below it, or below a root in it."""
        workspace = os.path.realpath(self.root)
        roots = (
            os.path.realpath(self.disk_path(key)) for key in ("", self.layout.memory, *self.layout.extras)
        )
        inside = (root for root in roots if root == workspace or root.startswith(workspace + os.sep))
        return any(_visible_below(root, real) for root in inside)

    def _is_file(self, key: str) -> bool:
        return self.disk_path(key).is_file()

    # --- folders ---------------------------------------------------------------------------------------

    def folders(self) -> list[Path]:
        """The folders that hold memory, for a watcher: the memory folder and those of `extra_paths`."""
        found = [self.root / self.layout.memory]
        for extra in self.layout.extras:
            path = self.disk_path(extra)
            folder = path.parent if path.is_file() else path
            if folder.is_dir() and folder not in found:
                found.append(folder)
        return found

    def hint(self) -> str | None:
        """A sentence for a workspace that has Markdown but no memory folder and no other paths; else None."""
        if self.layout.extras or (self.root / self.layout.memory).is_dir() or not self._has_markdown():
            return None
        return (
            f"{self.root} holds Markdown but no folder {self.layout.memory!r}, so nothing is indexed. Set "
            'memory_dir to the folder of the notes ("." for all of them), or name files in extra_paths.'
        )

    def _has_markdown(self) -> bool:
        seen = 0
        for _, folders, files in os.walk(self.root):
            folders[:] = [name for name in folders if not is_skipped(name)]
            if any(is_markdown(name) and not is_skipped(name) for name in files):
                return True
            seen += len(folders) + len(files)
            if seen > _HINT_ENTRIES:
                return False
        return False


def is_regular(mode: int) -> bool:
    """True for an ordinary file: not a folder, pipe, socket or device."""
    return stat.S_ISREG(mode)


def _visible_below(folder: str, real: str) -> bool:
    if real != folder and not real.startswith(folder.rstrip(os.sep) + os.sep):
        return False
    parts = Path(real).relative_to(folder).parts
    return DERIVED not in parts and not any(map(is_skipped, parts))


def _spelled_otherwise(folder: Path, parts: list[str]) -> Iterator[Path]:
    """Existing paths below `folder` whose names equal `parts` after normalisation, in order of spelling."""
    if not parts:
        yield folder
        return
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 - names only, for many entries
    except OSError:
        return  # nothing can be found where nothing can be listed
    for name in names:
        if unicodedata.normalize("NFC", name) == parts[0]:
            yield from _spelled_otherwise(folder / name, parts[1:])
