"""From what a person types to the key of a page."""

from pathlib import Path
from typing import Any

import pytest

from memweave_core._errors import ConfigError, NameRefusedError, NotFoundError


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ("notes/a.md", "memory/notes/a.md"),
        ("memory/notes/a.md", "memory/notes/a.md"),
        ("./memory//a.md", "memory/a.md"),
        ("a", "memory/a.md"),
        ("v1.2", "memory/v1.2.md"),
        ("a.MD", "memory/a.MD"),
        ("AGENTS.md", "AGENTS.md"),
        ("docs/x.md", "docs/x.md"),
        ("memoryless/a.md", "memory/memoryless/a.md"),
    ],
)
def test_a_new_page_lands_in_a_root(open_store: Any, given: str, key: str) -> None:
    """Relative paths go below the memory folder unless they begin with it or with an extra path."""
    store = open_store(extra_paths=("AGENTS.md", "docs"))
    assert store.write(given, "text\n") == key
    assert store.key_for(given) == key


def test_a_file_outside_the_memory_folder_is_found_by_name(open_store: Any, put: Any) -> None:
    """A file of the workspace is meant by its own path, unless the memory folder has one of that name."""
    put("README.md", "of the project")
    store = open_store()
    assert store.get("README.md").path == "README.md"
    store.write("README.md", "of the memory")
    assert store.get("README.md").path == "memory/README.md"


def test_nothing_is_written_or_removed_outside_the_roots(open_store: Any, put: Any, tmp_path: Path) -> None:
    """Writers never touch a file that only the workspace holds, nor one outside it."""
    project, far = put("README.md", "of the project"), tmp_path / "far.md"
    far.write_text("far")
    store = open_store()
    store.append("README.md", "a line")
    for use in (lambda path: store.append(path, "x"), store.remove):
        for path in (str(project), str(far)):
            with pytest.raises(NameRefusedError):
                use(path)
    with pytest.raises(NotFoundError):
        open_store(memory_dir="other").remove("README.md")
    assert (project.read_text(), far.read_text()) == ("of the project", "far")


def test_a_file_from_elsewhere_has_an_absolute_key(open_store: Any, tmp_path: Path) -> None:
    """It is read under that key, is external, and its stamp is None once it is gone."""
    far = tmp_path / "far.md"
    far.write_text("# Far\n")
    store = open_store()
    key = store.key_for(far)
    page = store.read(key)
    assert key == far.as_posix() and page.meta.external and page.meta.source == "external"
    assert store.stamp(key) == page.stamp
    far.unlink()
    assert store.stamp(key) is None


@pytest.mark.parametrize(
    "path", ["memory", ".", "memory/", "memory/sub", "notes.txt", "a/../../x.md", "~/../x\0"]
)
def test_what_is_no_page_has_no_key(open_store: Any, put: Any, path: str) -> None:
    """Folders, other suffixes and climbing paths are refused by name."""
    put("memory/sub/a.md")
    with pytest.raises(NameRefusedError):
        open_store().key_for(path)


def test_an_ignored_page_cannot_be_written(open_store: Any) -> None:
    """A page that no scan would find is refused instead of vanishing."""
    with pytest.raises(NameRefusedError, match="ignore"):
        open_store(ignore=("drafts/",)).write("drafts/a.md", "text")


@pytest.mark.parametrize("memory_dir", ["..", "/abs", "a/../b", "", ".memweave/notes"])
def test_a_memory_folder_must_lie_inside(open_store: Any, memory_dir: str) -> None:
    """`memory_dir` outside the workspace, or among derived files, is a configuration error."""
    with pytest.raises(ConfigError, match="memory_dir"):
        open_store(memory_dir=memory_dir)


def test_the_watched_folders_are_those_of_the_settings(open_store: Any, put: Any, workspace: Path) -> None:
    """The memory folder, extra folders, and the folder of an extra file."""
    put("docs/x.md"), put("AGENTS.md")
    found = open_store(extra_paths=("docs", "AGENTS.md", "missing")).roots()
    assert found == [workspace / "memory", workspace / "docs", workspace]


def test_a_page_with_a_name_only_this_system_holds_can_be_rewritten(open_store: Any, put: Any) -> None:
    """A name that is not portable is refused for a new page, not for one that a person made."""
    store = open_store()
    with pytest.raises(NameRefusedError, match="cannot be stored everywhere"):
        store.write("why?.md", "text")
    put("memory/why?.md")
    assert store.append("why?.md", "more") == "memory/why?.md"
