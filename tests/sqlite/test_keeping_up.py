"""What an index keeps in memory about its files is the same as if it were read anew after every change."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core.adapters.sqlite import SqliteIndex
from memweave_core.testing.index_pages import ANYONE, put
from memweave_core.types import FileStamp, Where

CHANGES = st.lists(st.tuples(st.sampled_from(("put", "remove", "touch")), st.integers(0, 4)), max_size=12)


def picture(index: SqliteIndex) -> tuple[object, ...]:
    """Everything that is answered from lists kept in memory."""
    questions = [(word, where) for word in ("zebra", "text") for where in (ANYONE, Where(user="ana"))]
    return (
        index.files(),
        list(index.known().items()),
        [set(index.keyword(word, where=where, limit=99)) for word, where in questions],
    )


def change(index: SqliteIndex, kind: str, place: int, turn: int) -> None:
    folder = "memory/users/ana" if place == 4 else "memory"
    path = f"{folder}/{place}.md"
    if kind == "put":
        owner = "ana" if place == 4 else None
        put(index, path, f"zebra turn{turn}", "more text", owner=owner, tags=("x",) if place % 2 else ())
    elif kind == "remove":
        index.remove([path])
    else:
        index.touch(path, FileStamp(turn, turn, turn))


@settings(max_examples=15, deadline=None)
@given(CHANGES)
def test_kept_lists_are_those_of_a_fresh_reader(changes: list[tuple[str, int]]) -> None:
    """After every put, removal and touch an index that was open all along answers as one opened now."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index.sqlite"
        index, reader = SqliteIndex(path), SqliteIndex(path)
        for turn, (kind, place) in enumerate(changes):
            change(index, kind, place, turn)
            if turn % 2:
                reader.files()
            fresh = SqliteIndex(path)
            assert picture(index) == picture(fresh)
            fresh.close()
        assert picture(reader) == picture(index)
        index.close()
        reader.close()


def test_known_files_need_no_decoded_pages(index: SqliteIndex) -> None:
    """The mapping of known files stays the same object until something changes, and is never altered."""
    put(index, "memory/a.md", "alpha")
    before = index.known()
    assert index.known() is before
    put(index, "memory/b.md", "beta")
    assert (list(before), sorted(index.known())) == (["memory/a.md"], ["memory/a.md", "memory/b.md"])
