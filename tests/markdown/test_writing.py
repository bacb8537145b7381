"""Files are read in any encoding and written back in kind; a failed write leaves what was there."""

import codecs
import os
import stat
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from memweave_core._errors import StorageError, UsageError
from memweave_core.adapters.markdown.locks import PageLocks
from memweave_core.adapters.markdown.page import content_hash
from memweave_core.adapters.markdown.store import MarkdownFiles
from memweave_core.config import MemoryConfig

TEXT = "---\ntitle: Prüfung\n---\nGrüße aus Köln, schöne Straße.\n"


@pytest.mark.parametrize(
    ("data", "warned"),
    [
        (TEXT.encode(), False),
        (codecs.BOM_UTF8 + TEXT.encode(), False),
        (codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"), False),
        (TEXT.encode("cp1252"), True),
        (TEXT.replace("\n", "\r\n").encode(), False),
    ],
)
def test_every_encoding_reads_the_same(open_store: Any, put: Any, data: bytes, warned: bool) -> None:
    """Title and hash do not depend on encoding, mark or line endings; a guessed encoding is told."""
    put("memory/a.md", data)
    page = open_store().read("memory/a.md")
    assert page.meta.title == "Prüfung" and page.content_hash == content_hash(TEXT)
    assert any("cp1252" in warning for warning in page.warnings) is warned


UNMARKED = "one\ntwo\n".encode("utf-16-le")
MIXED = "Ana pidió café, niño.\n".encode() + b"\xff x\n"

KINDS = [
    b"one\ntwo\n",
    b"one\r\ntwo\r\n",
    b"one\r\ntwo\n",
    codecs.BOM_UTF8 + b"one\r\ntwo",
    codecs.BOM_UTF16_LE + "one\r\ntwo".encode("utf-16-le"),
    codecs.BOM_UTF16_BE + "one\ntwo\n".encode("utf-16-be"),
    codecs.BOM_UTF8,
    b"",
]


@pytest.mark.parametrize("data", [*KINDS, "Grüße aus Köln, schöne Straße.\r\n".encode("cp1252")])
def test_rewriting_what_was_read_changes_no_byte(open_store: Any, put: Any, data: bytes) -> None:
    """Encoding, mark and line endings are kept, mixed ones too."""
    file = put("memory/a.md", data)
    store = open_store()
    store.write("a.md", store.get("a.md").text, overwrite=True)
    assert file.read_bytes() == data


@pytest.mark.parametrize("data", KINDS)
def test_appending_speaks_the_language_of_the_file(open_store: Any, put: Any, data: bytes) -> None:
    """The added lines have the file's encoding and line ends, and what was there is untouched."""
    file = put("memory/a.md", data)
    store = open_store()
    before = store.get("a.md").text
    store.append("a.md", "más\nuno")
    ends = "\r\n" if before.count("\r\n") == before.count("\n") > 0 else "\n"
    gap = "" if not before or before.endswith("\n") else ends
    assert file.read_bytes().startswith(data)
    assert store.get("a.md").text == before + gap + f"más{ends}uno{ends}"


GUESSED = [MIXED, "Grüße aus Köln\n".encode("cp1252"), UNMARKED]


@pytest.mark.parametrize("data", GUESSED)
@pytest.mark.parametrize("added", ["más ✓", "día", "日本"])
def test_a_guessed_encoding_takes_no_new_characters(
    open_store: Any, put: Any, data: bytes, added: str
) -> None:
    """An append or an edit that could spoil the page is refused with the way out; every byte stays."""
    file = put("memory/a.md", data)
    store = open_store()
    page = store.get("a.md")
    with pytest.raises(StorageError, match=r"memory/a\.md .*Convert it to UTF-8"):
        store.append("a.md", added)
    with pytest.raises(StorageError, match="Convert it to UTF-8"):
        store.write("a.md", page.text + added, expected_hash=page.content_hash)
    assert file.read_bytes() == data


@pytest.mark.parametrize("data", GUESSED)
def test_ascii_is_added_to_a_guessed_encoding(open_store: Any, put: Any, data: bytes) -> None:
    """Appended ASCII follows the bytes that were there; an edit of ASCII text keeps all others."""
    file = put("memory/a.md", data)
    store = open_store()
    store.append("a.md", "plain")
    ended = "plain\n".encode("utf-16-le" if data == UNMARKED else "ascii")
    assert file.read_bytes() == data + ended
    page = store.get("a.md")
    store.write("a.md", page.text.replace("plain", "other"), expected_hash=page.content_hash)
    assert file.read_bytes().startswith(data) and store.get("a.md").text.endswith("\nother\n")


def test_a_page_of_guessed_encoding_can_be_replaced_whole(open_store: Any, put: Any) -> None:
    """With `overwrite` and no hash nothing of the old page is kept, so the new one may be UTF-8."""
    file = put("memory/a.md", MIXED)
    open_store().write("a.md", "más ✓\n", overwrite=True)
    assert file.read_bytes() == "más ✓\n".encode()


def test_a_file_of_another_encoding_is_noticed_after_we_wrote_it(open_store: Any, put: Any) -> None:
    """A file replaced by another program between two appends is looked at again."""
    store = open_store()
    store.append("a.md", "más")
    put("memory/a.md", "Grüße aus Köln\n".encode("cp1252"))
    with pytest.raises(StorageError, match="Convert it to UTF-8"):
        store.append("a.md", "más")
    store.append("a.md", "plain")
    assert store.get("a.md").text == "Grüße aus Köln\nplain\n"


def test_binary_data_are_an_error_that_names_the_page(open_store: Any, put: Any) -> None:
    """A file that is no text raises when read, and can be overwritten on request."""
    put("memory/a.md", bytes(range(256)) * 8)
    store = open_store()
    with pytest.raises(StorageError, match=r"memory/a\.md"):
        store.read("memory/a.md")
    store.write("a.md", "text\n", overwrite=True)
    assert store.get("a.md").text == "text\n"


def test_bad_front_matter_is_told_and_kept(open_store: Any, put: Any) -> None:
    """A page whose front matter does not parse is plain text with a warning."""
    put("memory/a.md", "---\ntags: [a\n---\nbody\n")
    page = open_store().read("memory/a.md")
    assert page.text.startswith("---\ntags") and len(page.warnings) == 1
    assert "Front matter" in page.warnings[0]


@pytest.mark.skipif(sys.platform == "win32", reason="no permission bits")
def test_permissions_are_kept(open_store: Any, put: Any) -> None:
    """A rewritten file has the permissions of the old one."""
    file = put("memory/a.md")
    file.chmod(0o640)
    open_store().write("a.md", "new\n", overwrite=True)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


@pytest.mark.parametrize("fails", ["replace", "fsync"])
def test_a_failed_write_leaves_the_old_page(
    open_store: Any, put: Any, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    """When the system refuses at the last moment, the old text and no temporary file is there."""
    file = put("memory/a.md", "old\n")
    store = open_store()

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(*((Path, "replace") if fails == "replace" else (os, "fsync")), refuse)
    with pytest.raises(StorageError, match=r"memory/a\.md could not be written: No space left"):
        store.write("a.md", "new\n", overwrite=True)
    assert file.read_text() == "old\n"
    assert [path.name for path in file.parent.iterdir()] == ["a.md"]


def test_nothing_of_ours_lies_among_the_notes(open_store: Any, workspace: Path) -> None:
    """Locks live in the derived folder, and reading makes nothing at all."""
    store = open_store()
    store.scan(), store.hint()
    assert not list(workspace.iterdir())
    store.write("a.md", "text\n"), store.append("a.md", "more")
    assert [path.name for path in (workspace / "memory").iterdir()] == ["a.md"]


def test_a_writer_that_hangs_is_named(workspace: Path) -> None:
    """A lock that is not had in time is an error with the lock file to look for; reading goes on."""
    store = MarkdownFiles(MemoryConfig(workspace_dir=str(workspace)), lock_wait=0.05)
    store.write("a.md", "text\n")
    locks = PageLocks(workspace / ".memweave")
    held, done = threading.Event(), threading.Event()

    def hang() -> None:
        with locks.hold(workspace / "memory" / "a.md", "memory/a.md"):
            held.set()
            done.wait(10)

    thread = threading.Thread(target=hang)
    thread.start()
    held.wait(10)
    try:
        with pytest.raises(StorageError, match=r"memory/a\.md has been locked .*\.lock"):
            store.append("a.md", "more")
        assert store.get("a.md").text == "text\n"
        store.append("b.md", "another page is free")
    finally:
        done.set()
        thread.join()


def test_no_text_adds_no_line(open_store: Any) -> None:
    """Appending nothing makes the page, and changes none that is there."""
    store = open_store()
    store.append("a.md", "")
    store.append("a.md", "one")
    store.append("a.md", "")
    assert store.get("a.md").text == "one\n"


def test_a_surrogate_makes_no_page(open_store: Any) -> None:
    """Text that cannot be encoded leaves no empty page behind."""
    with pytest.raises(UsageError):
        open_store().append("a.md", "\udc80")
    assert open_store().scan()[0] == {}


def test_locks_stay_out_of_git_wherever_the_index_is(workspace: Path) -> None:
    """The first write makes `.memweave/locks` in the workspace with a .gitignore, also beside a `db_path`."""
    config = MemoryConfig(workspace_dir=str(workspace), db_path=str(workspace.parent / "far" / "i.db"))
    MarkdownFiles(config).write("a.md", "text")
    assert [path.name for path in (workspace / ".memweave" / "locks").iterdir()]
    assert (workspace / ".memweave" / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_a_page_cut_within_a_character_can_be_gone_on_with(open_store: Any, put: Any) -> None:
    """Half a character that a crash left is taken off before an append, so that the page stays UTF-8."""
    put("memory/log.md", "año\nniñ".encode()[:-1])
    open_store().append("log.md", "más")
    assert open_store().get("log.md").text == "año\nni\nmás\n"
    put("memory/log.md", "año\nniñ".encode()[:-1])
    open_store().edit("log.md", lambda text: text + "ñ\n")
    assert open_store().get("log.md").text == "año\nniñ\n"
