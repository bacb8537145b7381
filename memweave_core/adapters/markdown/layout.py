"""Which paths are memory, from the settings alone: pure text. Only links in `extra_paths` are followed, once.

A key is the posix path of a file relative to the workspace, in NFC, or its absolute posix path when it lies
outside. Hidden folders and patterns are judged by the part of a key below its root, so a workspace or a
memory folder may itself lie in a hidden folder.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path, PurePath, PurePosixPath

from ..._errors import ConfigError, NameRefusedError
from ...config import SETTINGS_FILE, MemoryConfig
from ...text.globs import path_matcher
from ...text.names import NEVER_MEMORY, is_markdown

_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}\Z")
_INDEX_FILES = r"(?:\.(?:damaged|foreign)-\d+)?(?:-wal|-shm|-journal)?|\.lock|-vectors-[0-9a-f]+\.(?:bin|tmp)"
"""What follows the name of the database in the names of its files."""


def is_skipped(name: str) -> bool:
    """True for a file or folder name that is never memory: hidden, or of other people's packages."""
    return name.startswith(".") or name in NEVER_MEMORY


class Layout:
    """The settings `memory_dir`, `extra_paths`, `ignore` and `evergreen_patterns`, ready to be asked.

    `memory` is the key of the memory folder ("" for the workspace itself), `extras` are the keys of
    `extra_paths`. Raises `ConfigError` when `db_path` names a page.
    """

    def __init__(self, config: MemoryConfig) -> None:
        self.workspace = config.workspace
        self.memory = _memory_key(config.memory_dir)
        self.extras = tuple(_inside_or_absolute(extra, self.workspace) for extra in config.extra_paths)
        linked = (_linked(extra, self.workspace) for extra in config.extra_paths)
        self._roots = tuple(dict.fromkeys((self.memory, *self.extras, *linked)))
        self._ignored = path_matcher(config.ignore)
        self._evergreen = path_matcher(config.evergreen_patterns)
        self.has_ignored = self._ignored is not None
        self._index_file = _index_file(key_of(config.index_path, self.workspace))

    def below_memory(self, key: str) -> str | None:
        """The part of a key below the memory folder; None for a file that lies elsewhere."""
        return below(self.memory, key)

    def covers(self, key: str) -> bool:
        """True when a scan would take a file of this key: below a root, not hidden, not ignored, Markdown."""
        return is_markdown(key) and any(self._covered_by(root, key) for root in self._roots)

    def root_of(self, key: str) -> str | None:
        """The longest of memory folder and `extra_paths` that `key` lies in or is, or None."""
        roots = [root for root in self._roots if root == key or below(root, key) is not None]
        return max(roots, key=len, default=None)

    def ignored(self, key: str) -> bool:
        """True when a pattern of `ignore` covers the key, from the workspace or from the memory folder on."""
        return self._ignored is not None and self._matches(self._ignored, key)

    def evergreen(self, key: str) -> bool:
        """True when a pattern of `evergreen_patterns` covers the key."""
        return self._evergreen is not None and self._matches(self._evergreen, key)

    def own(self, key: str) -> bool:
        """True for files of ours that may lie among the notes: settings, and an index put there by name."""
        return key == SETTINGS_FILE or self._index_file.fullmatch(key) is not None

    def place(self, key: str) -> str:
        """`key` itself when it begins with a root, else the same path below the memory folder."""
        return key if self.root_of(key) is not None else f"{self.memory}/{key}"

    def _covered_by(self, root: str, key: str) -> bool:
        if root == key:
            return True
        rest = below(root, key)
        return rest is not None and not any(map(is_skipped, rest.split("/"))) and not self.ignored(key)

    def _matches(self, matcher: Callable[[str], bool], key: str) -> bool:
        rest = self.below_memory(key)
        return matcher(key.lstrip("/")) or (rest is not None and matcher(rest))


def below(root: str, key: str) -> str | None:
    """The part of `key` below the folder `root`, or None; "" is the workspace."""
    if not root:
        return None if is_external(key) else key
    return key[len(root) + 1 :] if key.startswith(root + "/") else None


def is_external(key: str) -> bool:
    """True for the key of a file outside the workspace."""
    return os.path.isabs(key) and PurePath(key).is_absolute()  # noqa: PTH117 - most keys are done with this


def key_of(path: Path, workspace: Path) -> str:
    """The key of an absolute, normalised path; "" for the workspace itself."""
    inside = path.is_relative_to(workspace)
    key = path.relative_to(workspace).as_posix() if inside else path.as_posix()
    return "" if key == "." else unicodedata.normalize("NFC", key)


def page_name(name: str) -> str:
    """`name`, with ".md" when it has no suffix. Raises `NameRefusedError` for one that is not Markdown."""
    if is_markdown(name):
        return name
    if _SUFFIX.search(name):
        raise NameRefusedError(f"{name!r} is not Markdown; the name of a page ends in .md.")
    return name + ".md"


def _index_file(database: str) -> re.Pattern[str]:
    if is_markdown(database):
        raise ConfigError(f"db_path {database!r} is the name of a page; give the index another suffix.")
    return re.compile(f"{re.escape(database)}(?:{_INDEX_FILES})")


def _memory_key(memory_dir: str) -> str:
    return "/".join(PurePosixPath(unicodedata.normalize("NFC", memory_dir.replace(os.sep, "/"))).parts)


def _inside_or_absolute(path: str, workspace: Path) -> str:
    return key_of(Path(os.path.normpath(workspace / Path(path).expanduser())), workspace)


def _linked(path: str, workspace: Path) -> str:
    """The key of the place that a path of `extra_paths` leads to by links."""
    real = os.path.realpath(workspace / Path(path).expanduser())
    return key_of(Path(real), Path(os.path.realpath(workspace)))
