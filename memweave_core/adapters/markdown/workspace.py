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
            key = named
        return key if is_external(key) else self._checked(self._absolute_key(str(self.disk_path(key))))

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
        text = os.fspath(path) if isinstance(path, os.PathLike) else path
        if not isinstance(text, str):
            raise NameRefusedError(f"A path must be a string, not {path!r}.")
        text = os.path.expanduser(text) if text.startswith("~/") else text  # noqa: PTH111 - kept as text
        check_characters(text)
        if is_external(text):
            named = self._checked(self._absolute_key(text))
            if is_external(named):  # its suffix may have been left out
                named = self._checked(self._absolute_key(named))
            return named, named
        named = self._checked(text.replace(os.sep, "/"))
        return self.layout.place(named), named

    def _absolute_key(self, text: str) -> str:
        path = Path(os.path.normpath(text))
        if path.is_relative_to(self.root) and not self.admits(os.path.realpath(path)):
            return key_of(path, self.root)  # what leads out is refused under its own name
        return self.own_key(str(path))

    def own_key(self, path: str) -> str:
        """The one key of a file, by whatever links an absolute path leads to it.

        A link that lies in the workspace is a page of its own; one that lies elsewhere means its target.
        """
        folder, name = os.path.split(path)
        key = self.key_at(os.path.join(os.path.realpath(folder), name))  # noqa: PTH118 - kept as text
        if is_external(key):
            target = self.key_at(os.path.realpath(path))
            if is_markdown(target) or not is_external(target):
                return target
        return key

    def key_at(self, real: str) -> str:
        """The key of a path that has no links in its folders: in the memory, the workspace, or absolute."""
        roots = self.real_roots()
        root = max((root for root in roots if _lies_below(root, real)), key=len, default=None)
        if root is None:
            return key_of(Path(real), self.root)
        rest = unicodedata.normalize("NFC", real[len(root) :].replace(os.sep, "/").strip("/"))
        return "/".join(part for part in (roots[root], rest) if part)

    def real_roots(self) -> dict[str, str]:
        """{path without links: its key} of workspace, memory folder and linked folders of `extra_paths`."""
        workspace = os.path.realpath(self.root)
        found: dict[str, str] = {}
        for key in self.layout.extras:
            real = os.path.realpath(self.disk_path(key))
            if not is_external(key) and not _lies_below(workspace, real):
                found.setdefault(real, key)
        found[workspace] = ""
        memory = os.path.realpath(self.disk_path(self.layout.memory))
        if self.layout.memory and (_lies_below(workspace, memory) or self.admits(memory)):
            found[memory] = self.layout.memory
        return found

    def _checked(self, text: str) -> str:
        """A key whose spelling is safe and Markdown; what is hidden in the name of a root is let be."""
        if is_external(text):
            path = PurePosixPath(text)
            if not path.name:
                raise NameRefusedError(f"{text!r} is a folder; name a page in it.")
            return str(path.with_name(page_name(path.name)))
        normal = unicodedata.normalize("NFC", text)
        root = self.layout.root_of(normal) or ""
        rest = below(root, normal) if root else normal
        if not rest:  # the root itself
            if is_markdown(root) and not _is_folder(self.disk_path(root)):
                return root
            raise NameRefusedError(f"{text!r} is a folder; name a page in it.")
        checked = safe_relative_path(rest)
        if not is_markdown(checked.name) and _is_folder(self.root / root / checked):
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

    def readable(self, key: str) -> tuple[Path, str]:
        """(place of a key, the same without links), when they do not lead out. Raises `NameRefusedError`."""
        path = self.disk_path(key)
        real = os.path.realpath(path)
        if real != str(path) and not is_external(key) and not self.admits(real):
            raise NameRefusedError(f"{key} is a link that leads out of the workspace, to {real}.")
        return path, real

    def writable(self, path: str | os.PathLike[str]) -> tuple[str, Path]:
        """(key, file to replace) of a page to be written, links followed. Raises `NameRefusedError`."""
        key = self.target_key(path)
        place = self.disk_path(key)
        real = os.path.realpath(place)
        if real != str(place) and not self._holds(real):
            raise NameRefusedError(f"{key} leads out of the workspace, to {real}; nothing is written there.")
        real_key = self.key_at(real)
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
        return os.path.isfile(self.disk_path(key))  # noqa: PTH113 - False for a path too long to exist

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


def _is_folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - False for a path too long to exist


def _lies_below(folder: str, real: str) -> bool:
    return real == folder or real.startswith(folder.rstrip(os.sep) + os.sep)


def _visible_below(folder: str, real: str) -> bool:
    if not _lies_below(folder, real):
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
