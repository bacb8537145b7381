"""The stat scan: what is memory, what is left out, and that it says so."""

import os
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from memweave_core._errors import ConfigError
from memweave_core.adapters.markdown.scan import NOT_MARKDOWN
from memweave_core.types import Problem

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="other file systems refuse such names")


def test_a_vault_gives_its_notes_only(open_store: Any, put: Any, workspace: Path) -> None:
    """Hidden folders and packages are skipped, every Markdown suffix is taken, a loop of links ends."""
    for path in (".trash/secret.md", ".obsidian/x.md", ".git/y.md", "node_modules/x/README.md", ".hidden.md"):
        put(path)
    for path in ("ok.MD", "ok.markdown", "a/b/c.md", "2026-01-01.md"):
        put(path)
    (workspace / "a" / "loop").symlink_to(workspace, target_is_directory=True)
    stamps, problems = open_store(memory_dir=".").scan()
    assert set(stamps) == {"ok.MD", "ok.markdown", "a/b/c.md", "2026-01-01.md"}
    assert [problem.path for problem in problems] == ["a/loop"]
    assert "not followed" in problems[0].reason


def test_only_the_part_below_the_root_can_be_hidden(tmp_path: Path) -> None:
    """A workspace in a hidden folder, as the default one is, is scanned like any other."""
    from memweave_core.adapters.markdown.store import MarkdownFiles
    from memweave_core.config import MemoryConfig

    folder = tmp_path / ".memweave" / "default"
    (folder / "memory").mkdir(parents=True)
    (folder / "memory" / "a.md").write_text("text")
    store = MarkdownFiles(MemoryConfig(workspace_dir=str(folder)))
    assert list(store.scan()[0]) == ["memory/a.md"]


def test_other_files_are_reported(open_store: Any, put: Any) -> None:
    """Each file with another suffix is a problem with one and the same reason; our settings file is not."""
    for path in ("memory/plan.txt", "memory/img/photo.png", "memory/a.md", "memweave.toml"):
        put(path)
    assert open_store().scan()[1] == [
        Problem("memory/img/photo.png", NOT_MARKDOWN),
        Problem("memory/plan.txt", NOT_MARKDOWN),
    ]
    assert "memweave.toml" not in {problem.path for problem in open_store(memory_dir=".").scan()[1]}


def test_files_of_an_index_among_the_notes_are_known_by_name(open_store: Any, put: Any) -> None:
    """The database and what belongs to it are ours; a file whose name only begins alike is reported."""
    ours = ["", "-wal", "-shm", ".lock", ".damaged-1", ".damaged-2-wal", f"-vectors-{'0f' * 16}.bin"]
    others = ["-vectors-.bin", "-notes.txt", ".old", ".damaged-x", "2"]
    for end in (*ours, *others):
        put(f"memory/index.db{end}")
    problems = open_store(db_path="memory/index.db").scan()[1]
    assert {problem.path for problem in problems} == {f"memory/index.db{end}" for end in others}


def test_the_index_cannot_take_the_name_of_a_page(open_store: Any) -> None:
    """A `db_path` that is Markdown is refused before anything could be put in its place."""
    with pytest.raises(ConfigError, match="db_path"):
        open_store(db_path="memory/notes.md")


def test_ignore_patterns_prune_folders_and_files(open_store: Any, put: Any) -> None:
    """What `ignore` covers is neither memory nor a problem, read from the workspace or the memory folder."""
    for path in ("memory/drafts/a.md", "memory/x/drafts/b.md", "memory/c.tmp.md", "memory/old/d.md"):
        put(path)
    put("memory/keep.md")
    stamps, problems = open_store(ignore=("drafts/", "*.tmp.md", "old/*.md", "*.png")).scan()
    assert (list(stamps), problems) == (["memory/keep.md"], [])


def test_extra_paths_add_files_and_folders(open_store: Any, put: Any, tmp_path: Path) -> None:
    """Extra files and folders are scanned under their own keys; one that is missing is reported."""
    put("AGENTS.md"), put("docs/deep/x.md"), put(".github/rules.md"), put("README.md")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "far.md").write_text("far")
    extras = ("AGENTS.md", "docs", ".github", str(elsewhere), "missing.md")
    stamps, problems = open_store(extra_paths=extras).scan()
    far = (elsewhere / "far.md").as_posix()
    assert set(stamps) == {"AGENTS.md", "docs/deep/x.md", ".github/rules.md", far}
    assert [problem.path for problem in problems] == ["missing.md"]


def test_overlapping_roots_give_a_file_once(open_store: Any, put: Any, workspace: Path) -> None:
    """A file that several settings name has one key."""
    put("memory/a.md"), put("top.md")
    extras = ("memory", ".", str(workspace), str(workspace.parent))
    assert set(open_store(extra_paths=extras).scan()[0]) == {"memory/a.md", "top.md"}


@linux_only
def test_a_name_that_is_not_utf8_fails_alone(open_store: Any, put: Any, workspace: Path) -> None:
    """A file name in another encoding is one problem; every other file is taken."""
    put("memory/good.md")
    (Path(os.fsdecode(os.fsencode(workspace) + b"/memory/caf\xe9.md"))).write_text("bad name")
    stamps, problems = open_store().scan()
    assert list(stamps) == ["memory/good.md"]
    assert problems == [Problem("memory/caf\\xe9.md", "Its name is not valid UTF-8.")]


@linux_only
def test_a_decomposed_name_is_one_entry(open_store: Any, put: Any) -> None:
    """A file stored under an NFD name has an NFC key, and is read and rewritten in place by it."""
    raw = unicodedata.normalize("NFD", "memory/Tägliche/Übung.md")
    file = put(raw, "alt\n")
    store = open_store()
    key = unicodedata.normalize("NFC", raw)
    assert list(store.scan()[0]) == [key]
    assert store.read(key).text == "alt\n"
    store.write(key, "neu\n", overwrite=True)
    assert file.read_text() == "neu\n"
    assert list(store.scan()[0]) == [key]


@linux_only
def test_of_two_unicode_twins_the_second_is_reported(open_store: Any, put: Any) -> None:
    """Two files whose names differ only in Unicode form: the exact one is read, the other is a problem."""
    put(unicodedata.normalize("NFD", "memory/é.md"), "decomposed")
    put(unicodedata.normalize("NFC", "memory/é.md"), "composed")
    store = open_store()
    stamps, problems = store.scan()
    assert list(stamps) == ["memory/é.md"] and len(problems) == 1
    assert store.read("memory/é.md").text == "composed"
    assert stamps["memory/é.md"] == store.read("memory/é.md").stamp


def test_a_folder_that_cannot_be_read_is_reported(
    open_store: Any, put: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One unreadable folder is a problem; the rest of the memory is scanned."""
    put("memory/a.md"), put("memory/locked/b.md")
    real = os.scandir

    def refusing(path: str) -> Any:
        if str(path).endswith("locked"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", refusing)
    stamps, problems = open_store().scan()
    assert list(stamps) == ["memory/a.md"]
    assert problems == [Problem("memory/locked", "The folder cannot be read: Permission denied.")]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_reported_and_never_waited_for(open_store: Any, put: Any, workspace: Path) -> None:
    """A pipe with a Markdown name is a problem, and reading it raises at once."""
    put("memory/a.md")
    os.mkfifo(workspace / "memory" / "pipe.md")
    store = open_store()
    assert [problem.path for problem in store.scan()[1]] == ["memory/pipe.md"]
    with pytest.raises(Exception, match="not an ordinary file"):
        store.read("memory/pipe.md")


def test_a_forgotten_temporary_file_is_reported(open_store: Any, put: Any) -> None:
    """What an interrupted write left an hour ago is named; a write under way is not."""
    old, new = put("memory/.memweave-1-a.tmp"), put("memory/.memweave-2-b.tmp")
    os.utime(old, (1, 1))
    assert new.exists()
    assert [problem.path for problem in open_store().scan()[1]] == ["memory/.memweave-1-a.tmp"]


def test_a_stamp_tells_every_edit(open_store: Any, put: Any) -> None:
    """Size, time in either direction and inode all change the stamp; the scan and `stamp` agree."""
    file = put("memory/a.md", "one")
    store = open_store()
    seen = {store.scan()[0]["memory/a.md"]}
    os.utime(file, ns=(10, 10))
    seen.add(store.scan()[0]["memory/a.md"])
    put("memory/b.md", "two").replace(file)
    os.utime(file, ns=(10, 10))
    seen.add(store.scan()[0]["memory/a.md"])
    assert len(seen) == 3
    assert store.stamp("memory/a.md") in seen


def test_a_workspace_without_memory_folder_gets_a_hint(open_store: Any, put: Any) -> None:
    """Markdown that no setting names is hinted at with both settings; an empty workspace is not."""
    assert open_store().hint() is None
    put("notes/a.md")
    hint = open_store().hint()
    assert hint and "memory_dir" in hint and "extra_paths" in hint
    assert open_store(memory_dir="notes").hint() is None
    assert open_store(extra_paths=("notes",)).hint() is None
