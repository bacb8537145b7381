"""A removed page is kept when asked for, whole, and no append is lost on the way."""

import contextlib
import errno
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from memweave_core._errors import NotFoundError, StorageError


def test_appends_during_removals_are_all_kept(open_store: Any, workspace: Path) -> None:
    """Every line that was appended is in the page or in one of the kept ones, once."""
    store, kept = open_store(), workspace / ".memweave" / "trash"
    lines = [f"line {n}" for n in range(60)]

    def write() -> None:
        for line in lines:
            store.append("a.md", line)

    writer = threading.Thread(target=write)
    writer.start()
    while writer.is_alive():
        with contextlib.suppress(NotFoundError):
            store.remove("a.md", keep_in=kept)
    writer.join()
    store.append("a.md", "last")
    found = [line for file in (*kept.iterdir(), workspace / "memory" / "a.md") for line in _lines(file)]
    assert sorted(found) == sorted([*lines, "last"])


def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_the_lock_is_the_same_by_every_name(open_store: Any, put: Any, workspace: Path) -> None:
    """A page in a linked folder is removed under the lock of its real place."""
    from memweave_core.adapters.markdown.locks import PageLocks
    from memweave_core.adapters.markdown.store import MarkdownFiles
    from memweave_core.config import MemoryConfig

    page = put("memory/real/a.md")
    (workspace / "memory" / "linked").symlink_to("real", target_is_directory=True)
    store = MarkdownFiles(MemoryConfig(workspace_dir=str(workspace)), lock_wait=0.05)
    with (
        PageLocks(workspace / ".memweave").hold(page, "a.md"),
        pytest.raises(StorageError, match="locked"),
    ):
        store.remove("memory/linked/a.md", keep_in=workspace / "kept")
    assert page.exists()


def test_a_page_that_cannot_be_kept_stays(open_store: Any, put: Any, workspace: Path) -> None:
    """When the folder cannot be made the page is not touched; a page that is not there makes no folder."""
    page = put("memory/a.md")
    put("file")
    with pytest.raises(StorageError, match=r"memory/a\.md could not be kept"):
        open_store().remove("a.md", keep_in=workspace / "file" / "trash")
    assert page.read_text(encoding="utf-8") == "text\n"
    with pytest.raises(NotFoundError):
        open_store().remove("b.md", keep_in=workspace / "trash")
    assert not (workspace / "trash").exists()


@pytest.mark.parametrize("full", [False, True])
def test_a_page_moves_to_another_file_system(
    open_store: Any, put: Any, workspace: Path, monkeypatch: pytest.MonkeyPatch, full: bool
) -> None:
    """Where a rename is impossible the page is copied, then deleted; on a full disk it stays."""
    page, kept = put("memory/a.md"), workspace / "kept"

    def refuse(*_: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    def no_space(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    if full:
        monkeypatch.setattr("os.fsync", no_space)
        with pytest.raises(StorageError, match="No space left"):
            open_store().remove("a.md", keep_in=kept)
    else:
        open_store().remove("a.md", keep_in=kept)
    assert (page.exists(), len(list(kept.iterdir()))) == ((True, 0) if full else (False, 1))


def test_a_folder_is_not_removed(open_store: Any, put: Any, workspace: Path) -> None:
    """A folder with the name of a page stays with all that is in it."""
    inner = put("memory/a.md/b.md")
    with pytest.raises(StorageError):
        open_store().remove("memory/a.md", keep_in=workspace / "kept")
    assert inner.exists()


def test_the_longest_name_can_be_kept(open_store: Any, put: Any, workspace: Path) -> None:
    """A name without room for the time before it loses its beginning, not its suffix."""
    put("memory/" + "x" * 252 + ".md")
    open_store().remove("x" * 252 + ".md", keep_in=workspace / "kept")
    (file,) = (workspace / "kept").iterdir()
    assert len(file.name) == 255 and file.suffix == ".md"
