"""Commands that write."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Program


def test_index_reports_what_it_did(program: Program) -> None:
    """`index` counts files, says nothing new the second time, and everything again with --force."""
    assert program("index").out.startswith("4 files: 4 indexed, 0 unchanged")
    assert program("index").out.startswith("4 files: 0 indexed, 4 unchanged")
    assert program("index", "--force", "--json").json["files_indexed"] == 4


def test_quiet_says_nothing(program: Program) -> None:
    """With -q a successful `index` prints nothing at all."""
    done = program("index", "-q")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_index_names_what_it_left_out(program: Program, workspace: Path) -> None:
    """A file of another kind is named in a note."""
    (workspace / "memory" / "table.csv").write_text("a,b", encoding="utf-8")
    assert "table.csv" in program("index").err


def test_add_takes_a_file_from_the_current_folder(
    program: Program, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file of `add` is relative to the current folder, and one from outside stays in the memory."""
    outside = workspace.parent / "elsewhere"
    outside.mkdir()
    (outside / "note.md").write_text("An anchor weighs nine tons.", encoding="utf-8")
    monkeypatch.chdir(outside)
    assert program("add", "note.md", "-w", str(workspace)).code == 0
    [hit] = program("search", "anchor", "-w", str(workspace), "--json").json
    assert hit["source"] == "external"


def test_add_of_nothing_is_an_error(program: Program) -> None:
    """A file that is not there is one line on stderr and exit code 1."""
    done = program("add", "missing.md")
    assert done.code == 1
    assert done.err.startswith("Error: ") and "missing.md" in done.err


def test_write_get_append_remove(program: Program, workspace: Path) -> None:
    """A page can be written, read, added to and removed, and each step shows at once."""
    assert program("write", "ideas.md", "A crane for masts.").out == "memory/ideas.md\n"
    program("append", "ideas.md", stdin="A slipway for kayaks.\n")
    assert "slipway" in program("get", "ideas.md").out
    assert program("remove", "ideas.md", "--yes").code == 0
    assert not (workspace / "memory" / "ideas.md").exists()


def test_write_does_not_overwrite_by_accident(program: Program) -> None:
    """A page that exists is refused unless told otherwise or its hash is the expected one."""
    program("write", "a.md", "one")
    refused = program("write", "a.md", "two")
    assert refused.code == 1 and "--overwrite" in refused.err
    current = program("get", "a.md", "--json").json["content_hash"]
    assert program("write", "a.md", "three", "--expected-hash", current).code == 0
    assert program("write", "a.md", "four", "--expected-hash", current).code == 1
    assert program("write", "a.md", "five", "--overwrite").code == 0


def test_stdin_that_is_not_text_is_refused(program: Program) -> None:
    """Bytes that are not UTF-8 are a wrong command line, not a broken page."""
    done = program("write", "b.md", stdin=b"\xff\xfe\x00")
    assert done.code == 2
    assert "UTF-8" in done.err


def test_remove_of_nothing_exits_with_1(program: Program) -> None:
    """A page that is not there is named in a note."""
    done = program("remove", "memory/none.md", "--yes")
    assert done.code == 1
    assert "memory/none.md" in done.err


def test_init_makes_a_workspace_and_lists_it(program: Program, tmp_path: Path) -> None:
    """`init` makes three things, lists them, and a second run keeps them all."""
    target = str(tmp_path / "fresh")
    made = program("init", "-w", target, "--json").json["created"]
    assert made == ["memory/", "memweave.toml", ".memweave/.gitignore"]
    assert all((tmp_path / "fresh" / name).exists() for name in made)
    assert program("init", "-w", target, "--json").json["created"] == []


def test_init_overwrites_nothing(program: Program, workspace: Path) -> None:
    """A settings file that is there keeps its content, and its memory_dir is the folder made."""
    (workspace / "memweave.toml").write_text('memory_dir = "notes"\n', encoding="utf-8")
    done = program("init", "--json")
    assert done.json["created"] == ["notes/", ".memweave/.gitignore"]
    assert (workspace / "memweave.toml").read_text(encoding="utf-8") == 'memory_dir = "notes"\n'


def test_remove_names_the_page_as_write_does(program: Program) -> None:
    """`write` and `remove` print the same path for the same page."""
    made = program("write", "ideas.md", "A crane.", "--json").json["path"]
    assert program("remove", "ideas.md", "--yes", "--json").json == {"path": made, "removed": True}


def test_append_adds_to_the_page_of_the_current_folder(
    program: Program, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that lies in the current folder is the one added to; a new name is one in the memory."""
    monkeypatch.chdir(workspace / "memory" / "runbooks")
    here = ("-w", str(workspace))
    assert program("append", "gate.md", "Then wait.", *here).out == "memory/runbooks/gate.md\n"
    assert program("append", "other.md", "New.", *here).out == "memory/other.md\n"
