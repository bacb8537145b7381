"""Symbolic links: followed inside, refused outside, never indexed twice."""

import sys
from pathlib import Path
from typing import Any

import pytest

from memweave_core._errors import NameRefusedError, StorageError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder outside the workspace with a secret in it."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.md").write_text("top secret")
    return folder


def test_a_link_to_the_outside_is_refused(open_store: Any, put: Any, workspace: Path, outside: Path) -> None:
    """It is no memory, is reported, and can be neither read nor written by its name."""
    put("memory/a.md")
    (workspace / "memory" / "leak.md").symlink_to(outside / "secret.md")
    store = open_store()
    stamps, problems = store.scan()
    assert list(stamps) == ["memory/a.md"] and [problem.path for problem in problems] == ["memory/leak.md"]
    for use in (store.read, store.get, lambda key: store.write(key, "x", overwrite=True)):
        with pytest.raises(NameRefusedError, match="out of the workspace"):
            use("memory/leak.md")
    assert (outside / "secret.md").read_text() == "top secret"


def test_extra_paths_admit_a_link(open_store: Any, put: Any, workspace: Path, outside: Path) -> None:
    """A link into a folder that the settings name is an alias of a file scanned there."""
    put("memory/a.md")
    (workspace / "memory" / "far.md").symlink_to(outside / "secret.md")
    stamps, problems = open_store(extra_paths=(str(outside),)).scan()
    assert set(stamps) == {"memory/a.md", (outside / "secret.md").as_posix()} and not problems


def test_an_alias_is_not_taken_twice(open_store: Any, put: Any, workspace: Path) -> None:
    """A link to another page of the memory adds no entry and is no problem."""
    target = put("memory/a.md")
    (workspace / "memory" / "alias.md").symlink_to(target)
    stamps, problems = open_store().scan()
    assert (list(stamps), problems) == (["memory/a.md"], [])


def test_a_link_inside_the_workspace_is_a_page(open_store: Any, put: Any, workspace: Path) -> None:
    """A link to a file of the workspace that is not memory itself is read and written through."""
    target = put("AGENTS.md", "rules\n")
    (workspace / "memory").mkdir()
    (workspace / "memory" / "agents.md").symlink_to("../AGENTS.md")
    store = open_store()
    assert list(store.scan()[0]) == ["memory/agents.md"]
    assert store.append("memory/agents.md", "more") == "memory/agents.md"
    assert target.read_text() == "rules\nmore\n"
    assert (workspace / "memory" / "agents.md").is_symlink()


def test_a_link_to_something_hidden_is_refused(open_store: Any, put: Any, workspace: Path) -> None:
    """A link is no way into a hidden folder."""
    put(".trash/old.md")
    (workspace / "memory").mkdir()
    (workspace / "memory" / "x.md").symlink_to("../.trash/old.md")
    store = open_store()
    assert [problem.path for problem in store.scan()[1]] == ["memory/x.md"]
    with pytest.raises(NameRefusedError):
        store.append("memory/x.md", "more")


def test_broken_and_circular_links_are_reported(open_store: Any, put: Any, workspace: Path) -> None:
    """A link that leads nowhere is a problem, not an error."""
    put("memory/a.md")
    (workspace / "memory" / "gone.md").symlink_to("nothing.md")
    (workspace / "memory" / "round.md").symlink_to("round.md")
    stamps, problems = open_store().scan()
    assert list(stamps) == ["memory/a.md"]
    assert {problem.path for problem in problems} == {"memory/gone.md", "memory/round.md"}


@pytest.mark.parametrize("path", ["sub/new.md", "memory/sub/new.md", "sub/deeper/new.md"])
def test_no_write_goes_through_a_folder_that_leads_out(
    open_store: Any, workspace: Path, outside: Path, path: str
) -> None:
    """A linked folder in the path of a new page is refused, and nothing is made behind it."""
    (workspace / "memory").mkdir()
    (workspace / "memory" / "sub").symlink_to(outside, target_is_directory=True)
    for use in (open_store().write, open_store().append):
        with pytest.raises(NameRefusedError, match="out of the workspace"):
            use(path, "text")
    assert [file.name for file in outside.iterdir()] == ["secret.md"]


def test_a_memory_folder_that_leads_out_is_reported(open_store: Any, workspace: Path, outside: Path) -> None:
    """A linked memory folder outside is not scanned unless the settings name its target."""
    (workspace / "memory").symlink_to(outside, target_is_directory=True)
    stamps, problems = open_store().scan()
    assert stamps == {} and [problem.path for problem in problems] == ["memory"]
    assert set(open_store(extra_paths=(str(outside),)).scan()[0]) >= {"memory/secret.md"}


def test_a_write_through_a_linked_folder_inside_names_the_real_page(
    open_store: Any, put: Any, workspace: Path
) -> None:
    """The key that comes back is the one that a scan gives."""
    put("memory/real/a.md")
    (workspace / "memory" / "linked").symlink_to("real", target_is_directory=True)
    store = open_store()
    key = store.write("linked/new.md", "text")
    assert key == "memory/real/new.md"
    assert key in store.scan()[0]


def test_removing_a_link_leaves_its_target(open_store: Any, put: Any, workspace: Path) -> None:
    """`remove` deletes the link that was named, not the file behind it."""
    target = put("AGENTS.md")
    (workspace / "memory").mkdir()
    (workspace / "memory" / "agents.md").symlink_to("../AGENTS.md")
    open_store().remove("memory/agents.md")
    assert target.exists() and not list((workspace / "memory").iterdir())


def test_a_path_through_another_spelling_of_the_workspace_is_the_same_page(
    open_store: Any, put: Any, workspace: Path, tmp_path: Path
) -> None:
    """An absolute path that reaches the workspace through a link gives the key inside it."""
    put("memory/a.md")
    (tmp_path / "alias").symlink_to(workspace)
    store = open_store()
    assert store.key_for(tmp_path / "alias" / "memory" / "a.md") == "memory/a.md"
    assert store.key_for(workspace / "memory" / "a.md") == "memory/a.md"


def test_a_file_in_the_way_is_a_clear_error(open_store: Any, put: Any) -> None:
    """A page below a path that is a file cannot be written, and the error names it."""
    put("memory/a", "a file, not a folder")
    with pytest.raises(StorageError, match=r"memory/a/b\.md"):
        open_store().write("a/b.md", "text")
