"""The stat scan: every memory file with its stamp, and every file left out with the reason."""

from __future__ import annotations

import os
import time
import unicodedata
from stat import S_ISDIR, S_ISREG

from ...text.names import is_markdown
from ...types import FileStamp, Problem
from .files import TEMPORARY_PREFIX, stamp_of
from .layout import is_external, is_skipped
from .workspace import Workspace, is_regular

NOT_MARKDOWN = "It is not Markdown and was left out."
_STALE_SECONDS = 3_600


def scan(workspace: Workspace) -> tuple[dict[str, FileStamp], list[Problem]]:
    """({key: stamp}, problems). Folders that are links are not followed, so loops end."""
    walk = _Walk(workspace)
    walk.memory()
    for extra in workspace.layout.extras:
        walk.named(extra)
    walk.follow_links()
    if len(workspace.met) > 2 * len(walk.stamps) + 1_000:
        workspace.met.clear()
    return walk.stamps, sorted(walk.problems, key=lambda problem: problem.path)


class _Walk:
    """One scan under way."""

    def __init__(self, workspace: Workspace) -> None:
        self.stamps: dict[str, FileStamp] = {}
        self.problems: list[Problem] = []
        self._workspace = workspace
        self._met = workspace.met
        self._layout = workspace.layout
        self._own = workspace.real_roots()
        self._walked: set[str] = set()
        self._places: dict[str, str] = {}
        self._links: dict[str, str] = {}

    def memory(self) -> None:
        """Walk the memory folder; one that is missing is not a problem."""
        key = self._layout.memory
        path = str(self._workspace.disk_path(key) if key else self._workspace.root)
        if not os.path.exists(path):  # noqa: PTH110 - paths are strings here, for speed
            return
        if key and os.path.realpath(path) != path and not self._workspace.admits(os.path.realpath(path)):
            self._leave_out(
                key, "It is a link that leads out of the workspace; name its target in extra_paths."
            )
        elif not os.path.isdir(path):  # noqa: PTH112 - see above
            self._leave_out(key, "memory_dir names it, but it is not a folder.")
        else:
            self._walk(os.path.realpath(path), f"{key}/" if key else "")

    def named(self, key: str) -> None:
        """Take one of `extra_paths`: a file, or a folder with all that is below it.

        Links in it are resolved: what lies in the workspace has its key there, however it was named.
        """
        path = str(self._workspace.disk_path(key))
        try:
            status = os.stat(path)  # noqa: PTH116 - see above
        except OSError as error:
            self._leave_out(key, f"extra_paths names it, but it cannot be opened: {error.strerror}.")
            return
        if S_ISDIR(status.st_mode):
            real = os.path.realpath(path)
            own = self._workspace.key_at(real)
            self._walk(real, f"{own.rstrip('/')}/" if own else "")
        elif is_markdown(key) and is_regular(status.st_mode):
            own = self._workspace.own_key(path)
            if not is_external(own) and os.path.islink(path):  # noqa: PTH114 - see above
                self._links[own] = path
            else:
                self._keep(own, os.path.realpath(path), stamp_of(status))
        else:
            self._leave_out(key, NOT_MARKDOWN)

    def follow_links(self) -> None:
        """Take linked files that lie inside and were not met under their own name."""
        if not self._links:
            return
        seen = {stamp.inode: key for key, stamp in self.stamps.items()}
        for key, path in sorted(self._links.items()):
            self._follow(key, path, seen)

    def _walk(self, top: str, top_prefix: str) -> None:
        stack = [(top, top_prefix)]
        while stack:
            folder, prefix = stack.pop()
            if folder in self._walked:
                continue
            self._walked.add(folder)
            if folder in self._own:  # the workspace, say, inside a folder of extra_paths
                own = self._own[folder]
                prefix = f"{own}/" if own else ""
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        key = self._met.get(entry.path)
                        known = key is not None and key.startswith(prefix)
                        if key is None or not known or not self._meet_again(entry, key):
                            self._meet(entry, prefix, stack)
            except OSError as error:
                self._leave_out(prefix.rstrip("/"), f"The folder cannot be read: {error.strerror}.")

    def _meet_again(self, entry: os.DirEntry[str], key: str) -> bool:
        """Take a page whose name an earlier scan has judged; False when it is no ordinary file any more."""
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            return False
        if not S_ISREG(status.st_mode) or not status.st_ino:
            return False
        self.stamps[key] = FileStamp(status.st_size, status.st_mtime_ns, status.st_ino)
        return True

    def _meet(self, entry: os.DirEntry[str], prefix: str, stack: list[tuple[str, str]]) -> None:
        name = entry.name
        if is_skipped(name):
            if name.startswith(TEMPORARY_PREFIX):
                self._meet_temporary(entry, prefix)
            return
        if not (name.isascii() and name.isprintable() and "\\" not in name):
            fault = _name_fault(name)
            if fault is not None:
                self._leave_out(prefix + os.fsencode(name).decode("utf-8", "backslashreplace"), fault)
                return
            name = unicodedata.normalize("NFC", name)
        key = prefix + name
        if self._layout.has_ignored and self._layout.ignored(key + "/" if entry.is_dir() else key):
            return
        if entry.is_symlink():
            self._links[key] = entry.path
        elif entry.is_dir(follow_symlinks=False):
            stack.append((entry.path, key + "/"))
        elif is_markdown(name):
            self._meet_page(entry, key)
        elif not self._layout.own(key):
            self._leave_out(key, NOT_MARKDOWN)

    def _meet_page(self, entry: os.DirEntry[str], key: str) -> None:
        if not entry.is_file(follow_symlinks=False):
            self._leave_out(key, "It is not an ordinary file.")
            return
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return  # deleted while we looked
        except OSError as error:
            self._leave_out(key, f"It cannot be read: {error.strerror}.")
            return
        # Windows leaves the inode out of a directory listing.
        inode = status.st_ino or entry.inode()
        self._keep(key, entry.path, FileStamp(status.st_size, status.st_mtime_ns, inode))

    def _meet_temporary(self, entry: os.DirEntry[str], prefix: str) -> None:
        try:
            age = time.time() - entry.stat(follow_symlinks=False).st_mtime
        except OSError:
            return  # its writer has finished meanwhile
        if age > _STALE_SECONDS:
            self._leave_out(prefix + entry.name, "An interrupted write left it behind; it can be deleted.")

    def _keep(self, key: str, path: str, stamp: FileStamp) -> None:
        """Of two files with one key, keep the one that a look-up by key finds."""
        if key.isascii():
            self.stamps[key] = stamp
            self._met[path] = key
            return
        other = self._places.get(key)
        if other is not None and other != path:
            folder, name = os.path.split(self._workspace.disk_path(key))
            exact = os.path.join(os.path.realpath(folder), name)  # noqa: PTH118 - see above
            loser = other if path == exact else path
            self._leave_out(key, f"Another file has the same name in another Unicode form: {loser!a}.")
            if loser == path:
                return
        self._places[key] = path
        self.stamps[key] = stamp

    def _follow(self, key: str, path: str, seen: dict[int, str]) -> None:
        real = os.path.realpath(path)
        try:
            status = os.stat(real)  # noqa: PTH116 - see above
        except OSError:
            self._leave_out(key, "It is a link that leads nowhere.")
            return
        if S_ISDIR(status.st_mode):
            reason = "It is a link to a folder, which is not followed; name its target in extra_paths."
        elif not is_markdown(key):
            reason = NOT_MARKDOWN
        elif not is_regular(status.st_mode):
            reason = "It is not an ordinary file."
        elif not self._workspace.admits(real):
            reason = "It is a link that leads out of the workspace or to a hidden file."
        else:
            twin = seen.get(status.st_ino)
            if twin is None or not self._workspace.disk_path(twin).samefile(real):
                seen[status.st_ino] = key
                self._keep(key, path, stamp_of(status))
            return
        self._leave_out(key, reason)

    def _leave_out(self, key: str, reason: str) -> None:
        self.problems.append(Problem(key, reason))


def _name_fault(name: str) -> str | None:
    if "\\" in name:
        return "Its name has a back-slash, which separates folders on other systems."
    if any("\ud800" <= c <= "\udfff" for c in name):
        return "Its name is not valid UTF-8."
    if any(unicodedata.category(c) == "Cc" for c in name):
        return "Its name holds a control character."
    return None
