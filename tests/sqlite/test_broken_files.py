"""A file that cannot serve is set aside; one that breaks or is replaced in use is noticed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memweave_core import StorageError
from memweave_core.adapters.sqlite import IndexDamagedError, SqliteIndex, choose
from memweave_core.testing.index_pages import found, near, put, store, vector
from memweave_core.types import Where


def names(path: Path) -> set[str]:
    return {entry.name for entry in path.parent.iterdir() if entry.suffix != ".lock"}


def filled(path: Path) -> Path:
    """A closed index with two pages."""
    index = SqliteIndex(path)
    index.use_space("m")
    put(index, "memory/a.md", "alpha " * 200)
    put(index, "memory/b.md", "beta " * 200)
    store(index, **{"alpha " * 200: vector(1, 0)})
    index.close()
    return path


def works_anew(path: Path) -> list[str]:
    """Open, index and search; what the index notes about its file."""
    index = SqliteIndex(path)
    assert index.files() == []
    put(index, "memory/a.md", "alpha")
    assert found(index, "alpha") == ["memory/a.md"]
    assert index.integrity() == []
    index.close()
    return index.notes


def test_a_damaged_file_is_set_aside(path: Path) -> None:
    """A file with its first table overwritten is renamed, one sentence says so, and one copy is kept."""
    for turn in (1, 2):
        data = bytearray(filled(path).read_bytes())
        data[100:4000] = b"\xff" * 3900
        path.write_bytes(data)
        [note] = works_anew(path)
        assert f"index.sqlite.damaged-{turn}" in note
        assert names(path) == {"index.sqlite", f"index.sqlite.damaged-{turn}"}
        path.unlink()


@pytest.mark.parametrize("content", [b"# My notes\n" * 100, b"SQLite format 3\0" + b"\0" * 50])
def test_a_file_that_is_no_database_is_kept(path: Path, content: bytes) -> None:
    """A text file, or a stump, at the place of the index is moved aside unaltered and never deleted."""
    path.parent.mkdir()
    path.write_bytes(content)
    assert len(works_anew(path)) == 1
    [kept] = [
        entry for entry in path.parent.iterdir() if "index.sqlite." in entry.name and "-1" in entry.name
    ]
    assert kept.read_bytes() == content


def test_a_database_of_another_program_is_kept(path: Path) -> None:
    """A foreign database is moved aside, never deleted and never written."""
    path.parent.mkdir()
    connection = choose().connect(str(path))
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    content = path.read_bytes()
    assert "not an index of this library" in works_anew(path)[0]
    assert path.with_name("index.sqlite.foreign-1").read_bytes() == content


def test_an_index_of_another_version_is_rebuilt(path: Path) -> None:
    """An index of another schema version is made anew in its place, and no copy of it is kept."""
    connection = choose().connect(str(filled(path)))
    connection.execute("PRAGMA user_version=0")
    connection.close()
    assert works_anew(path) == ["The index was made by another version and is made anew."]
    assert names(path) == {"index.sqlite"}


def test_other_analysis_keeps_the_vectors(path: Path) -> None:
    """When only the text analysis has changed, files are forgotten but their vectors wait for them."""
    connection = choose().connect(str(filled(path)))
    connection.execute("UPDATE state SET analyzer = 0")
    connection.close()
    index = SqliteIndex(path)
    index.use_space("m")
    assert (index.files(), index.counts().cached, len(index.notes)) == ([], 1, 1)
    assert put(index, "memory/c.md", "alpha " * 200) == 1
    assert (index.profile(), index.integrity()) == ("", [])
    index.close()


@pytest.mark.parametrize("content", [b"", None])
def test_an_empty_or_missing_file_is_filled(path: Path, content: bytes | None) -> None:
    """An empty file becomes an index without a word; stale journals of a missing one are not taken up."""
    filled(path)
    shutil.copy(path, f"{path}-wal")
    path.unlink() if content is None else path.write_bytes(content)
    assert works_anew(path) == []


@pytest.mark.parametrize("replacement", ["deleted", "replaced", "overwritten by garbage"])
def test_a_file_replaced_in_use_is_noticed(path: Path, tmp_path: Path, replacement: str) -> None:
    """An open index goes on with the file that is there now, and says so."""
    index = SqliteIndex(path)
    index.use_space("m")
    put(index, "memory/old.md", "zebra")
    store(index, zebra=vector(1, 0))
    assert near(index, vector(1, 0)) == ["memory/old.md"]
    if replacement == "deleted":
        path.unlink()
    else:
        other = filled(tmp_path / "other.sqlite")
        if replacement != "replaced":
            other.write_bytes(b"garbage " * 1000)
        other.replace(path)
    assert (found(index, "zebra"), near(index, vector(1, 0)), len(index.notes) > 0) == (
        [],
        ["memory/a.md"] if replacement == "replaced" else [],
        True,
    )
    put(index, "memory/new.md", "zebra")
    assert (found(index, "zebra"), index.integrity()) == (["memory/new.md"], [])
    index.close()


def test_damage_met_in_use_has_its_own_error(path: Path) -> None:
    """Broken pages raise `IndexDamagedError`, `integrity` names them, and `reset` begins anew."""
    filled(path)
    index = SqliteIndex(path)
    with path.open("r+b") as file:
        file.seek(3 * 16384)
        file.write(b"\xff" * 10 * 16384)
    assert index.integrity() != []
    with pytest.raises(IndexDamagedError, match="rebuilt from the Markdown"):
        for _ in range(2):
            put(index, "memory/a.md", "gamma")
            found(index, "gamma")
    index.reset()
    put(index, "memory/a.md", "gamma")
    assert (found(index, "gamma"), index.integrity()) == (["memory/a.md"], [])
    index.close()


def test_an_index_cut_to_nothing_in_use_is_damaged(path: Path) -> None:
    """When its tables are gone from under it the error says damage, and `reset` begins anew."""
    index = SqliteIndex(path)
    put(index, "memory/a.md", "gamma")
    connection = choose().connect(str(path))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    with path.open("r+b") as file:
        file.truncate(0)
    with pytest.raises(IndexDamagedError, match="rebuilt from the Markdown"):
        found(index, "gamma")
    index.reset()
    put(index, "memory/a.md", "gamma")
    assert (found(index, "gamma"), index.integrity()) == (["memory/a.md"], [])
    index.close()


def test_numbers_beyond_what_sql_can_hold_are_no_error(index: SqliteIndex) -> None:
    """A limit of 31 digits means all; a filter number of 5,000 digits means no page."""
    index.use_space("m")
    put(index, "memory/a.md", "gamma")
    store(index, gamma=vector(1, 0))
    everything, nothing = Where(), Where(metadata=(("rank", (10**5000,)),))
    for limit in (10**30, -(10**30)):
        keyword = index.keyword("gamma", where=everything, limit=limit)
        assert (
            len(keyword) == len(index.nearest(vector(1, 0), where=everything, limit=limit)) == int(limit > 0)
        )
    assert index.keyword("gamma", where=nothing, limit=5) == index.files(where=nothing) == []


def test_a_word_index_out_of_step_is_named(path: Path) -> None:
    """Missing entries of the word index, orphans and wrong counts are each a sentence."""
    connection = choose().connect(str(filled(path)))
    connection.execute("DELETE FROM chunk_fts")
    connection.execute("UPDATE file SET chunks = 5")
    connection.execute("DELETE FROM passage WHERE id = (SELECT min(id) FROM passage)")
    connection.execute("DELETE FROM vector")
    connection.execute("INSERT INTO unused (vector_id) VALUES (99)")
    connection.close()
    index = SqliteIndex(path)
    faults = "\n".join(index.integrity())
    for part in (
        "2 chunks are missing from the word index",
        "2 files",
        "1 chunks have no text",
        "name no vector",
    ):
        assert part in faults
    index.close()


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    """Where the folder of the index is a file, the error names the path."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError, match=r"index\.sqlite"):
        SqliteIndex(tmp_path / "file" / "index.sqlite")


def test_an_index_is_copied_from_a_read_only_one(path: Path, tmp_path: Path) -> None:
    """A copy holds all that was checkpointed, and the original is not written."""
    original = filled(path)
    before, listing = original.read_bytes(), names(original)
    index = SqliteIndex(tmp_path / "copy.sqlite")
    index.copy_from(original)
    index.use_space("m")
    assert (len(index.files()), near(index, vector(1, 0)), index.integrity()) == (2, ["memory/a.md"], [])
    put(index, "memory/c.md", "gamma")
    assert (original.read_bytes(), names(original)) == (before, listing)
    with pytest.raises(StorageError, match="cannot be copied"):
        index.copy_from(tmp_path / "none.sqlite")
    index.close()
