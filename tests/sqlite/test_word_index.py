"""How the words of chunks are kept: each once in the word index, the repeats beside the text."""

from __future__ import annotations

from pathlib import Path

import pytest

from memweave_core.adapters.sqlite import SqliteIndex, choose, schema
from memweave_core.testing.index_pages import ANYONE, make_page, put


def stored(path: Path, sql: str) -> list[tuple[object, ...]]:
    """The rows of a question to the database file itself."""
    connection = choose().connect(path.as_uri())
    try:
        return list(connection.execute(sql))
    finally:
        connection.close()


@pytest.fixture
def keeping_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with an SQLite library before 3.43, which cannot delete from a word index without text."""
    monkeypatch.setattr(schema, "_TEXTLESS_SINCE", (99, 0))


def found(index: SqliteIndex, query: str) -> list[int]:
    return [hit.chunk_id for hit in index.keyword(query, where=ANYONE, limit=10)]


def test_a_repeat_stands_once_more_for_each_time(index: SqliteIndex, path: Path) -> None:
    """A word that comes three times is a repeat twice, one that comes once never."""
    put(index, "a.md", "dam dam dam lock lock weir")
    assert stored(path, "SELECT repeats FROM passage") == [("dam dam lock",)]
    assert stored(path, "SELECT terms FROM chunk") == [(6,)]


def test_a_word_repeated_counts_more(index: SqliteIndex) -> None:
    """Of two texts of one length the one that says the word more often scores higher."""
    put(index, "once.md", "dam weir lock gate sluice")
    put(index, "often.md", "dam dam dam gate sluice")
    once, often = index.chunk_ids("once.md"), index.chunk_ids("often.md")
    assert found(index, "dam") == often + once


@pytest.mark.usefixtures("keeping_text")
def test_an_older_sqlite_keeps_the_text(index: SqliteIndex, path: Path) -> None:
    """Before SQLite 3.43 the word index keeps words, and pages are found, replaced and forgotten as ever."""
    put(index, "a.md", "dam")
    assert stored(path, "SELECT words FROM chunk_fts") == [("dam",)]
    put(index, "a.md", "weir")
    assert not found(index, "dam")
    assert found(index, "weir") == index.chunk_ids("a.md")
    index.remove(["a.md"])
    assert not found(index, "weir")
    assert index.integrity() == []


def test_an_older_sqlite_builds_anew_what_it_cannot_read(
    index: SqliteIndex, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index made without text by a newer SQLite is made anew by one that cannot write it."""
    put(index, "a.md", "sluice")
    index.close()
    [(made,)] = stored(path, "SELECT sql FROM sqlite_master WHERE name = 'chunk_fts'")
    if schema._WITHOUT_TEXT not in made:
        pytest.skip("this SQLite is an older one itself: it keeps the text")
    monkeypatch.setattr(schema, "_TEXTLESS_SINCE", (99, 0))
    older = SqliteIndex(path)
    assert older.counts().chunks == 0
    assert older.notes
    older.close()


def test_a_newer_sqlite_reads_what_an_older_one_made(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index that keeps the text stays in use after the SQLite library is renewed."""
    with monkeypatch.context() as patch:
        patch.setattr(schema, "_TEXTLESS_SINCE", (99, 0))
        older = SqliteIndex(path)
        put(older, "a.md", "sluice")
        older.close()
    newer = SqliteIndex(path)
    put(newer, "b.md", "sluice weir")
    assert set(found(newer, "sluice")) == {*newer.chunk_ids("a.md"), *newer.chunk_ids("b.md")}
    newer.close()


def test_pages_put_together_come_all_or_none(index: SqliteIndex) -> None:
    """When one page of several is refused, none of them is taken in."""
    with pytest.raises(ValueError, match="not valid Unicode"):
        index.put_all([make_page("a.md", "sluice"), make_page("\ud800.md", "weir")])
    assert index.counts().files == 0
    index.put_all([make_page("a.md", "sluice"), make_page("b.md", "weir")])
    assert index.counts().files == 2


def test_housekeeping_with_nothing_to_do_changes_nothing(index: SqliteIndex, path: Path) -> None:
    """Trimming an index that needs none leaves its generation, so that no cache is read again."""
    put(index, "a.md", "sluice")
    index.trim()
    before = stored(path, "SELECT generation FROM state")
    assert index.trim() == 0
    assert stored(path, "SELECT generation FROM state") == before
