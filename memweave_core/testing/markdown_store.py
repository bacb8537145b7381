"""What every Markdown store must do, as tests. Subclass `MarkdownStoreContract`, give it a `store` fixture.

class TestMyStore(MarkdownStoreContract):
    @pytest.fixture
    def store(self, tmp_path):
        return MyStore(tmp_path)
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from .._errors import ConflictError, MemWeaveError, NameRefusedError, NotFoundError, UsageError
from ..ports import MarkdownStore

HOSTILE_PATHS = (
    "",
    ".",
    "../outside.md",
    "notes/../../outside.md",
    "/outside.md",
    "C:/outside.md",
    "..\\outside.md",
    "notes/\0.md",
    "notes/line\nbreak.md",
    "notes/half\ud800.md",
    ".hidden.md",
    ".git/config.md",
    "notes/.memweave/page.md",
    "CON.md",
    "notes/what?.md",
    "node_modules/page.md",
    "program.py",
    "x" * 300 + ".md",
    "folder/" * 700 + "page.md",
)
"""Paths of new pages that are refused with `NameRefusedError`."""


class MarkdownStoreContract:
    """Runs against an empty store. Only the methods of the port are used."""

    @pytest.fixture
    def store(self) -> MarkdownStore:
        """An empty store; override it."""
        raise NotImplementedError("Give the subclass a `store` fixture that returns an empty store.")

    def test_an_empty_store_has_no_files(self, store: MarkdownStore) -> None:
        """A store nothing was written to scans to nothing, without a problem."""
        assert store.scan() == ({}, [])

    def test_a_written_page_is_found_and_read(self, store: MarkdownStore) -> None:
        """What was written is in the scan under the path that `write` returned, and reads the same."""
        key = store.write("notes/Día.md", "# Título\n\ntexto 日本 🎉\n", overwrite=False, expected_hash=None)
        stamps, problems = store.scan()
        page = store.read(key)
        assert list(stamps) == [key] and not problems
        assert (page.meta.path, page.text, page.stamp) == (
            key,
            "# Título\n\ntexto 日本 🎉\n",
            stamps[key],
        )
        assert page.content_hash == store.get(key).content_hash

    def test_a_page_answers_to_the_name_it_was_written_under(self, store: MarkdownStore) -> None:
        """The name given to `write` and the path it returned mean the same page, suffix left out or not."""
        key = store.write("topic", "text\n", overwrite=False, expected_hash=None)
        assert key.endswith("topic.md")
        assert {store.get(name).path for name in ("topic", "topic.md", key)} == {key}
        assert {store.key_for(name) for name in ("topic", "topic.md", key)} == {key}

    def test_an_existing_page_is_not_replaced_unasked(self, store: MarkdownStore) -> None:
        """A second write under the same name raises and leaves the first text."""
        key = store.write("a.md", "first\n", overwrite=False, expected_hash=None)
        with pytest.raises(ConflictError, match="exists"):
            store.write("a.md", "second\n", overwrite=False, expected_hash=None)
        assert store.get(key).text == "first\n"

    def test_overwrite_replaces(self, store: MarkdownStore) -> None:
        """With `overwrite` the page has the new text and a new stamp."""
        key = store.write("a.md", "first\n", overwrite=False, expected_hash=None)
        before = store.stamp(key)
        store.write("a.md", "the second\n", overwrite=True, expected_hash=None)
        assert store.get(key).text == "the second\n"
        assert store.stamp(key) != before

    def test_a_fresh_hash_lets_a_write_through(self, store: MarkdownStore) -> None:
        """A write that names the hash the page still has replaces it."""
        key = store.write("a.md", "first\n", overwrite=False, expected_hash=None)
        store.write(key, "second\n", overwrite=False, expected_hash=store.get(key).content_hash)
        assert store.get(key).text == "second\n"

    @pytest.mark.parametrize("overwrite", [False, True])
    def test_a_stale_hash_is_a_conflict(self, store: MarkdownStore, overwrite: bool) -> None:
        """A write that names an older hash raises, even with `overwrite`, and changes nothing."""
        key = store.write("a.md", "first\n", overwrite=False, expected_hash=None)
        stale = store.get(key).content_hash
        store.append(key, "by somebody else")
        with pytest.raises(ConflictError, match="changed"):
            store.write(key, "second\n", overwrite=overwrite, expected_hash=stale)
        assert store.get(key).text == "first\nby somebody else\n"

    def test_a_hash_of_a_page_that_is_gone_is_a_conflict(self, store: MarkdownStore) -> None:
        """A compare-and-swap does not bring a deleted page back."""
        key = store.write("a.md", "first\n", overwrite=False, expected_hash=None)
        stale = store.get(key).content_hash
        store.remove(key)
        with pytest.raises(ConflictError, match="deleted"):
            store.write(key, "second\n", overwrite=True, expected_hash=stale)

    def test_append_makes_a_page_of_whole_lines(self, store: MarkdownStore) -> None:
        """Each append starts on a line of its own and ends it, whether or not the page was there."""
        key = store.append("log.md", "one")
        store.append("log.md", "two\n")
        store.write("other.md", "no end of line", overwrite=False, expected_hash=None)
        store.append("other.md", "más")
        assert store.get(key).text == "one\ntwo\n"
        assert store.get("other.md").text == "no end of line\nmás\n"

    def test_concurrent_appends_lose_nothing(self, store: MarkdownStore) -> None:
        """Four threads that append ten lines each give forty whole lines."""
        lines = [f"línea {n} " + "x" * 200 for n in range(40)]
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda line: store.append("log.md", line), lines))
        assert sorted(store.get("log.md").text.splitlines()) == sorted(lines)

    def test_edit_changes_what_is_there(self, store: MarkdownStore) -> None:
        """`edit` gives the text, takes the new one, and says both; "" stands for a page that is missing."""
        made = store.edit("a.md", lambda text: text + "one\n")
        more = store.edit(made.key, lambda text: text + "two\n")
        assert (made.before, made.after) == ("", "one\n")
        assert more == (made.key, "one\n", "one\ntwo\n")
        assert store.get(made.key).text == more.after

    def test_an_edit_that_changes_nothing_writes_nothing(self, store: MarkdownStore) -> None:
        """A page keeps its stamp, and none is made, when `change` gives back what it was given."""
        key = store.write("a.md", "one\n", overwrite=False, expected_hash=None)
        before = store.stamp(key)
        store.edit(key, str)
        assert store.edit("b.md", str).after == "" and set(store.scan()[0]) == {key}
        assert store.stamp(key) == before

    def test_an_edit_that_fails_writes_nothing(self, store: MarkdownStore) -> None:
        """What `change` raises comes out, the page is as it was, and its lock is free."""
        key = store.write("a.md", "one\n", overwrite=False, expected_hash=None)
        with pytest.raises(ZeroDivisionError):
            store.edit(key, lambda text: text * (1 // 0))
        store.append(key, "two")
        assert store.get(key).text == "one\ntwo\n"

    def test_concurrent_edits_lose_nothing(self, store: MarkdownStore) -> None:
        """Four threads that each count up ten times count to forty."""
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: store.edit("n.md", lambda t: f"{int(t or 0) + 1}\n"), range(40)))
        assert store.get("n.md").text == "40\n"

    def test_a_held_page_is_read_and_written_alone(self, store: MarkdownStore, tmp_path: Path) -> None:
        """Whoever holds a page sees its stamp and text, and what each writing made of them."""
        with store.hold("a.md") as page:
            assert (page.stamp, page.read()) == (None, "")
            added, stamp = page.append("one")
            assert added == page.read() == "one\n" and page.stamp == stamp == store.stamp(page.key)
            page.replace("two\n")
            kept = page.keep(tmp_path / ".kept", "copy")
        assert store.get(page.key).text == "two\n"
        assert kept.read_text(encoding="utf-8") == "copy" and re.fullmatch(r"\d+-a\.md", kept.name)

    def test_a_path_below_the_memory_folder_has_one_key(self, store: MarkdownStore) -> None:
        """`memory_key` names the page that a write to the same relative path makes."""
        key = store.write("users/ana/x.md", "text\n", overwrite=False, expected_hash=None)
        assert store.memory_key("users/ana/x.md") == key

    def test_of_two_writers_from_one_state_one_wins(self, store: MarkdownStore) -> None:
        """Of concurrent compare-and-swap writes that start from one hash exactly one succeeds."""
        key = store.write("a.md", "start\n", overwrite=False, expected_hash=None)
        start = store.get(key).content_hash

        def attempt(n: int) -> bool:
            try:
                store.write(key, f"writer {n}\n", overwrite=False, expected_hash=start)
            except ConflictError:
                return False
            return True

        with ThreadPoolExecutor(4) as pool:
            assert sum(pool.map(attempt, range(8))) == 1

    def test_a_removed_page_is_gone(self, store: MarkdownStore) -> None:
        """After `remove` a page is in no scan, has no stamp, and cannot be read or removed again."""
        key = store.write("a.md", "text\n", overwrite=False, expected_hash=None)
        store.remove(key)
        assert store.scan()[0] == {} and store.stamp(key) is None
        for gone in (store.read, store.get, store.remove):
            with pytest.raises(NotFoundError):
                gone(key)

    def test_a_removed_page_can_be_kept(self, store: MarkdownStore, tmp_path: Path) -> None:
        """With `keep_in` the whole page lies in that folder under its name, after the time it was removed."""
        key = store.write("a.md", "text\n", overwrite=False, expected_hash=None)
        kept = tmp_path / ".kept" / "here"
        store.remove(key, keep_in=kept)
        (file,) = kept.iterdir()
        assert re.fullmatch(r"\d+-a\.md", file.name) and file.read_text(encoding="utf-8") == "text\n"
        assert store.stamp(key) is None

    @pytest.mark.parametrize("path", ["/", "//", "a\0", "half\ud800", "x" * 5_000, "y/" * 2_500, 5, None])
    def test_what_can_be_no_path_is_refused_by_readers(self, store: MarkdownStore, path: Any) -> None:
        """No path makes a reader raise anything but an error of this library."""
        for use in (store.key_for, store.get):
            with pytest.raises((NameRefusedError, NotFoundError)):
                use(path)
        with pytest.raises(MemWeaveError):
            store.read(path)

    def test_line_endings_do_not_change_the_hash(self, store: MarkdownStore) -> None:
        """The same text has the same hash with either kind of line ending."""
        store.write("unix.md", "a\nb\n", overwrite=False, expected_hash=None)
        store.write("windows.md", "a\r\nb\r\n", overwrite=False, expected_hash=None)
        assert store.get("unix.md").content_hash == store.get("windows.md").content_hash

    @pytest.mark.parametrize("path", HOSTILE_PATHS)
    def test_a_path_that_cannot_be_stored_safely_is_refused(self, store: MarkdownStore, path: str) -> None:
        """A hostile path raises from every writer, and nothing is made."""
        with pytest.raises(NameRefusedError):
            store.write(path, "text\n", overwrite=True, expected_hash=None)
        with pytest.raises(NameRefusedError):
            store.append(path, "text\n")
        assert store.scan()[0] == {}

    def test_text_that_is_not_unicode_is_refused(self, store: MarkdownStore) -> None:
        """Half a surrogate pair cannot be stored, and the page stays as it was."""
        key = store.write("a.md", "first\n", overwrite=False, expected_hash=None)
        with pytest.raises(UsageError, match="surrogate"):
            store.write(key, "\ud800", overwrite=True, expected_hash=None)
        with pytest.raises(UsageError, match="surrogate"):
            store.append(key, "\ud800")
        assert store.get(key).text == "first\n"
