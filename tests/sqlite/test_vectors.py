"""The cache of unused vectors, the matrix and its sidecar file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from memweave_core.adapters.sqlite import SqliteIndex, matrix
from memweave_core.testing.index_pages import ANYONE, embed_hash, near, put, store, vector

from .conftest import Start

if TYPE_CHECKING:
    from memweave_core.types import FloatArray

ROWS = 120


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, path: Path) -> Iterator[SqliteIndex]:
    """An index of 120 vectors with a sidecar, which is kept from 100 vectors on."""
    monkeypatch.setattr(matrix, "SIDECAR_FROM", 100)
    monkeypatch.setattr("memweave_core.adapters.sqlite.questions.Questions.sidecar_from", 100)
    index = opened(path)
    fill(index, range(ROWS))
    index.trim()
    yield index
    index.close()


def opened(path: Path) -> SqliteIndex:
    index = SqliteIndex(path, engine="numpy")
    index.use_space("m")
    return index


def direction(place: int) -> FloatArray:
    return np.random.default_rng(place).standard_normal(6).astype(np.float32)


def fill(index: SqliteIndex, places: range) -> None:
    """One page and vector for each number."""
    with index.batch():
        for place in places:
            put(index, f"memory/{place}.md", f"text {place}")
        index.store_vectors({embed_hash(f"text {place}"): direction(place) for place in places})


def sidecars(path: Path) -> list[Path]:
    return sorted(path.parent.glob("*-vectors-*"))


def finds(index: SqliteIndex, place: int) -> bool:
    return near(index, direction(place), limit=1) == [f"memory/{place}.md"]


def test_a_sidecar_is_used_and_kept_up(small: SqliteIndex, path: Path) -> None:
    """Later pages, removals and changed vectors show through the sidecar, to all that have it open."""
    [before] = sidecars(path)
    other = opened(path)
    assert finds(other, 5)
    fill(small, range(ROWS, ROWS + 5))
    small.remove(["memory/5.md"])
    small.store_vectors({embed_hash("text 6"): direction(999)})
    for index in (small, other):
        assert finds(index, ROWS + 2)
        assert not finds(index, 5)
        assert near(index, direction(999), limit=1) == ["memory/6.md"]
    assert sidecars(path) == [before]
    other.close()


def test_a_sidecar_is_rewritten_when_a_tenth_changed(small: SqliteIndex, path: Path) -> None:
    """After many changes one new file takes the place of the old one; the answers stay."""
    [before] = sidecars(path)
    fill(small, range(ROWS, ROWS + 20))
    small.remove([f"memory/{place}.md" for place in range(10)])
    small.trim()
    [after] = sidecars(path)
    assert before != after
    other = opened(path)
    assert all(finds(index, 130) and not finds(index, 3) for index in (small, other))
    other.close()


@pytest.mark.parametrize("damage", ["cut", "flipped", "gone", "empty", "other token"])
def test_a_broken_sidecar_is_ignored(small: SqliteIndex, path: Path, damage: str) -> None:
    """Whatever happens to the file, the answers come from the database."""
    [file] = sidecars(path)
    data = bytearray(file.read_bytes())
    data[200] ^= 0xFF
    changed = {"cut": bytes(data[:-1]), "flipped": bytes(data), "empty": b"", "other token": b"x" * len(data)}
    if damage == "gone":
        file.unlink()
    else:
        file.unlink()
        file.write_bytes(changed[damage])
    other = opened(path)
    assert all(finds(other, place) for place in (0, 60, ROWS - 1))
    other.close()


@pytest.mark.parametrize("value", [0, 0xFF, 0x41])
def test_overwritten_rows_are_not_believed(small: SqliteIndex, path: Path, value: int) -> None:
    """Rows that are no unit vectors make the file a missing one, and it is written anew."""
    [file] = sidecars(path)
    data = file.read_bytes()
    file.unlink()
    file.write_bytes(data[: len(data) // 4] + bytes([value]) * (len(data) - len(data) // 4))
    other = opened(path)
    assert all(finds(other, place) for place in (0, 60, ROWS - 1))
    assert file not in sidecars(path)
    other.close()


def test_integrity_measures_every_row_of_a_sidecar(small: SqliteIndex, path: Path) -> None:
    """One row overwritten while in use is found, the file is dropped with a note, and answers are right."""
    [file] = sidecars(path)
    assert (small.integrity(), small.notes, finds(small, ROWS - 1)) == ([], [], True)
    with file.open("r+b") as opened_file:
        opened_file.seek(-24, 2)
        opened_file.write(b"\xff" * 24)
    assert small.integrity() == []
    assert file.name in small.notes[0]
    assert (finds(small, ROWS - 1), file in sidecars(path)) == (True, False)


def test_a_sidecar_cut_short_in_use_is_let_go(start: Start, small: SqliteIndex, path: Path) -> None:
    """A process that has the file mapped goes on with the vectors of the database."""
    [file] = sidecars(path)
    script = """
        index = SqliteIndex(path, engine="numpy")
        index.use_space("m")
        [file] = path.parent.glob("*-vectors-*.bin")
        before = near(index, vector(1, 0, 0, 0, 0, 0), limit=120)
        with file.open("r+b") as cut:
            cut.truncate(0)
        print(near(index, vector(1, 0, 0, 0, 0, 0), limit=120) == before, len(before))
    """
    assert start(script).communicate(timeout=60)[0] == "True 120\n"
    assert file.stat().st_size == 0 and finds(small, 7)


def test_a_sidecar_that_cannot_be_written_is_done_without(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the file cannot be written, memory serves, and no half file stays."""
    monkeypatch.setattr(matrix, "SIDECAR_FROM", 100)
    monkeypatch.setattr(
        "memweave_core.adapters.sqlite.sidecar.sidecar_path", lambda *_: path.parent / "none" / "x.bin"
    )
    index = opened(path)
    fill(index, range(ROWS))
    index.trim()
    assert finds(index, 7)
    fill(index, range(ROWS, ROWS + 40))
    assert finds(index, ROWS + 30)
    assert sidecars(path) == []
    index.close()


def test_unused_vectors_are_bounded(path: Path) -> None:
    """The longest unused go first: at once when none is kept, with a tenth of slack until `trim`."""
    index = SqliteIndex(path, cache_entries=20)
    index.use_space("m")
    fill(index, range(30))
    for place in range(30):
        index.remove([f"memory/{place}.md"])
    assert 20 <= index.counts().cached <= 22
    index.trim()
    assert (index.counts().cached, index.integrity()) == (20, [])
    assert put(index, "memory/old.md", "text 9") == 0
    assert put(index, "memory/new.md", "text 10") == 1
    index.close()


def test_without_a_cache_nothing_is_kept(path: Path) -> None:
    """With a bound of 0 a removed page's vectors are gone, but an edit keeps those still in the page."""
    index = SqliteIndex(path, cache_entries=0)
    index.use_space("m")
    put(index, "memory/a.md", "alpha", "beta")
    store(index, alpha=vector(1, 0), beta=vector(0, 1), elsewhere=vector(1, 1))
    assert put(index, "memory/a.md", "alpha", "gamma") == 1
    assert (index.counts().cached, index.counts().vectors) == (0, 1)
    index.close()


def use(index: SqliteIndex, space: str, places: range) -> None:
    """Switch to a space, give it these vectors, end the run."""
    index.use_space(space)
    index.store_vectors({embed_hash(f"text {place}"): direction(place) for place in places})
    index.trim()


def cached(path: Path, *spaces: str, bound: int | None) -> tuple[SqliteIndex, list[int]]:
    """An index of ten pages after full runs in these spaces, and what was cached after each."""
    index = SqliteIndex(path, engine="numpy", cache_entries=bound)
    fill_pages(index)
    counts = []
    for space in spaces:
        use(index, space, range(10))
        counts.append(index.counts().cached)
    return index, counts


def fill_pages(index: SqliteIndex) -> None:
    with index.batch():
        for place in range(10):
            put(index, f"memory/{place}.md", f"text {place}")


def pending_in(index: SqliteIndex, space: str) -> int:
    index.use_space(space)
    return index.counts().pending


@pytest.mark.parametrize(
    ("bound", "expected"), [(None, [0, 10, 20, 30]), (15, [0, 10, 15, 15]), (0, [0] * 4)]
)
def test_other_spaces_count_against_the_bound(path: Path, bound: int | None, expected: list[int]) -> None:
    """Vectors of spaces that were left are cached ones, and no more of them stay than the bound allows."""
    index, counts = cached(path, "m", "n", "o", "p", bound=bound)
    assert (counts, index.integrity(), index.counts().vectors) == (expected, [], 10)
    index.close()


def test_the_space_left_longest_ago_goes_first(path: Path) -> None:
    """Going back to a space makes it the last to go; what is lost of a space is pending on return."""
    index, _ = cached(path, "m", "n", "m", "o", bound=14)
    assert [pending_in(index, space) for space in ("o", "m", "n")] == [0, 0, 6]
    assert len(index.pending(99)) == 6
    assert len(near(index, direction(1), limit=99)) == 4
    index.close()


def test_other_spaces_stay_until_the_new_one_is_complete(path: Path) -> None:
    """While a chunk waits for its vector the old space is kept, so that a switch back costs nothing."""
    index, _ = cached(path, "m", bound=0)
    use(index, "n", range(9))
    assert (index.counts().pending, index.counts().cached) == (1, 10)
    use(index, "n", range(9, 10))
    assert (index.counts().cached, pending_in(index, "m")) == (0, 10)
    index.close()


def test_a_dropped_space_leaves_no_sidecar(small: SqliteIndex, path: Path) -> None:
    """The sidecar of a space that went is deleted with it."""
    [before] = sidecars(path)
    other = SqliteIndex(path, engine="numpy", cache_entries=0)
    use(other, "n", range(ROWS))
    assert before not in sidecars(path)
    assert (finds(other, 3), finds(small, 3)) == (True, False)
    other.close()


def test_reindexing_does_not_grow_the_file(index: SqliteIndex, path: Path) -> None:
    """After ten rounds over the same pages the file is at most half again as large."""
    index.use_space("m")
    sizes = []
    for turn in range(10):
        with index.batch():
            for place in range(60):
                put(index, f"memory/{place}.md", f"turn {turn} " + f"word{place} " * 100, f"same {place}")
        index.store_vectors(
            {item.embed_hash: direction(place) for place, item in enumerate(index.pending(999))}
        )
        index.remove([f"memory/{turn}.md"])
        sizes.append(path.stat().st_size)
    assert (index.integrity(), sizes[-1] <= 1.5 * sizes[2]) == ([], True), sizes
    assert len(index.nearest(direction(1), where=ANYONE, limit=999)) == 2 * 59


def test_no_question_scans_a_table(index: SqliteIndex) -> None:
    """Replacing a page touches its own rows only: no statement of it reads a whole table."""
    statements: list[str] = []
    index.use_space("m")
    put(index, "memory/a.md", "alpha")
    store(index, alpha=vector(1, 0))
    with index._database.write() as connection:
        connection.set_trace_callback(statements.append)
    put(index, "memory/a.md", "beta")
    store(index, beta=vector(1, 0))
    with index._database.write() as connection:
        connection.set_trace_callback(None)
        plans = {
            step[3]
            for sql in statements
            if sql.split()[0] in ("SELECT", "INSERT", "UPDATE", "DELETE")
            and "?" not in sql
            and "_fts" not in sql
            for step in connection.execute(f"EXPLAIN QUERY PLAN {sql}")
        }
    scans = {plan for plan in plans if plan.startswith("SCAN")}
    assert scans <= {"SCAN state", "SCAN unused"}  # one row, and one index as long as the cache bound
