"""After a purge the files of the index hold nothing of what was deleted."""

from __future__ import annotations

from pathlib import Path

from memweave_core.adapters.sqlite.index import SqliteIndex
from memweave_core.testing.index_pages import ANYONE, embed_hash, near, put, store, vector


def _holds(folder: Path, text: bytes) -> bool:
    return any(text in path.read_bytes() for path in folder.iterdir() if path.is_file())


def test_a_purge_leaves_no_byte(tmp_path: Path) -> None:
    """Deleted text is on the disk until a purge and not after it; what is left is found as before."""
    index = SqliteIndex(tmp_path / "index.sqlite")
    index.use_space("m")
    put(index, "memory/a.md", "a heron tattoo")
    put(index, "memory/b.md", "chess")
    store(index, **{"a heron tattoo": vector(1, 0), "chess": vector(0, 1)})
    index.remove(["memory/a.md"])
    assert _holds(tmp_path, b"heron")
    assert index.purge()
    assert not _holds(tmp_path, b"heron") and index.vectors([embed_hash("a heron tattoo")]) == {}
    assert near(index, vector(0, 1)) == ["memory/b.md"] and index.integrity() == []
    assert [index.rows([hit.chunk_id]) for hit in index.keyword("chess", where=ANYONE, limit=5)]
    index.close()


def test_a_purge_while_another_reads(tmp_path: Path) -> None:
    """A purge beside a reader says that it is not whole, and a later one is."""
    index = SqliteIndex(tmp_path / "index.sqlite", busy_seconds=0.2)
    other = SqliteIndex(tmp_path / "index.sqlite")
    put(index, "memory/a.md", "a heron tattoo")
    with other.moment():
        assert other.counts().files == 1
        index.remove(["memory/a.md"])
        assert not index.purge()
    assert index.purge() and not _holds(tmp_path, b"heron")
    index.close()
    other.close()
