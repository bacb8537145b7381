"""A private page has its owner by whatever path it is reached."""

import sys
from pathlib import Path
from typing import Any

import pytest

from memweave_core.adapters.markdown.store import MarkdownFiles
from memweave_core.config import MemoryConfig

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")

PRIVATE = "memory/users/ana/x.md"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A folder with a workspace in `real/ws`, a private page in it, and the link `alias` to `real`."""
    page = tmp_path / "real" / "ws" / PRIVATE
    page.parent.mkdir(parents=True)
    page.write_text("secret\n", encoding="utf-8")
    (tmp_path / "real" / "other.md").write_text("open\n", encoding="utf-8")
    (tmp_path / "alias").symlink_to("real")
    return tmp_path


def opened(workspace: Path, *extra: Path | str, **settings: Any) -> MarkdownFiles:
    """The store of a workspace with these `extra_paths`."""
    extra_paths = tuple(map(str, extra))
    return MarkdownFiles(MemoryConfig(workspace_dir=str(workspace), extra_paths=extra_paths, **settings))


EXTRAS = [
    ("alias",),
    ("alias/ws",),
    ("alias/ws/memory/users",),
    (f"alias/ws/{PRIVATE}",),
    ("real", "alias"),
    ("alias/ws/memory", "real/ws"),
]


@pytest.mark.parametrize("root", ["real/ws", "alias/ws"])
@pytest.mark.parametrize("extra", EXTRAS)
def test_an_alias_in_extra_paths_hides_no_owner(base: Path, extra: tuple[str, ...], root: str) -> None:
    """The page is scanned once, under its key in the workspace, and read with its owner."""
    store = opened(base / root, *(base / path for path in extra))
    stamps, problems = store.scan()
    assert [key for key in stamps if key.endswith("x.md")] == [PRIVATE] and not problems
    assert store.scan()[0] == stamps
    assert store.read(PRIVATE).meta.owner == "ana"
    outside = (base / "real" / "other.md").as_posix()
    assert set(stamps) - {PRIVATE} <= {outside}


@pytest.mark.parametrize("path", ["alias/ws/" + PRIVATE, "link.md", "link", "alias/ws/linked/ana/x.md"])
def test_every_absolute_path_gives_the_key_inside(base: Path, path: str) -> None:
    """Links in the folders of a path and a link to the file itself are followed into the workspace."""
    (base / "link.md").symlink_to(base / "real" / "ws" / PRIVATE)
    (base / "real" / "ws" / "linked").symlink_to("memory/users", target_is_directory=True)
    assert opened(base / "real" / "ws").key_for(base / path) == PRIVATE


def test_a_file_outside_has_one_key(base: Path) -> None:
    """A file outside the workspace has the key of its real place, however it is spelled."""
    store = opened(base / "real" / "ws", base / "alias")
    key = store.key_for(base / "alias" / "other.md")
    assert key == store.key_for(base / "real" / "other.md") == (base / "real" / "other.md").as_posix()
    assert key in store.scan()[0]


def test_a_linked_memory_folder_is_one_with_its_target(base: Path) -> None:
    """Pages of a linked memory folder have their keys in it, also when its target is named again."""
    workspace = base / "real" / "ws"
    (workspace / "memory").rename(workspace / "notes")
    (workspace / "memory").symlink_to("notes", target_is_directory=True)
    store = opened(workspace, "notes")
    assert list(store.scan()[0]) == [PRIVATE]
    assert store.key_for(workspace / "notes" / "users" / "ana" / "x.md") == PRIVATE
    assert store.write("notes/users/ana/x.md", "new\n", overwrite=True) == PRIVATE


def test_a_linked_extra_folder_keeps_its_name(base: Path) -> None:
    """A link in the workspace to a folder outside gives keys under the name of the link, once."""
    workspace, far = base / "real" / "ws", base / "far"
    far.mkdir()
    (far / "a.md").write_text("far", encoding="utf-8")
    (workspace / "docs").symlink_to(far, target_is_directory=True)
    store = opened(workspace, "docs", far)
    assert set(store.scan()[0]) == {PRIVATE, "docs/a.md"}
    assert store.key_for(far / "a.md") == store.key_for("docs/a.md") == "docs/a.md"


def test_a_link_to_a_private_page_is_as_private(base: Path) -> None:
    """A link among shared pages, or in another user's folder, has the owner of what it leads to."""
    workspace = base / "real" / "ws"
    (workspace / "memory" / "shared.md").symlink_to("users/ana/x.md")
    (workspace / "memory" / "users" / "bob").mkdir()
    (workspace / "memory" / "users" / "bob" / "y.md").symlink_to("../ana/x.md")
    store = opened(workspace, ignore=("users/ana/",))
    for key in ("memory/shared.md", "memory/users/bob/y.md"):
        assert store.owner_of(key) == store.read(key).meta.owner == "ana"


@pytest.mark.parametrize(
    ("key", "owner"),
    [
        (PRIVATE, "ana"),
        ("memory/users/%41na%3A1/deep/new.md", "Ana:1"),
        ("memory/Users/bob/x.md", "bob"),
        ("memory/users/x.md", None),
        ("memory/a.md", None),
        ("users/ana/x.md", None),
        ("/far/users/ana/x.md", None),
    ],
)
def test_the_owner_is_told_by_the_key(base: Path, key: str, owner: str | None) -> None:
    """The name after `users/` in the memory folder, decoded; no file need be there."""
    assert opened(base / "real" / "ws").owner_of(key) == owner
