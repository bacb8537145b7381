"""What every index must do, as tests. Subclass `IndexContract`, give it an `index` fixture.

class TestMyIndex(IndexContract):
    @pytest.fixture
    def index(self, tmp_path):
        return MyIndex(tmp_path)
"""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from .._errors import EmbeddingShapeError
from ..ports import Index
from ..types import FileStamp, Where
from .index_pages import (
    ABSENT,
    ANYONE,
    ODD_QUERIES,
    embed_hash,
    file_id,
    found,
    make_page,
    near,
    ordinal,
    paths,
    put,
    store,
    vector,
)
from .index_vectors import KeptVectorsContract
from .index_words import BesideContract, NamesContract


class FilesContract:
    """What is put in comes out, and what is taken out is gone from everywhere."""

    def test_a_page_comes_back_as_it_was(self, index: Index) -> None:
        """Every field of page and chunk survives."""
        page, chunks = make_page(
            "memory/a.md", "alpha", "beta", title="A", date=dt.date(2026, 3, 21), evergreen=False,
            tier="episodic", tags=("x", "y"), aliases=("first",), pinned=True, superseded_by="memory/b.md",
            expires_at=dt.date(2027, 1, 1), external=True, metadata={"team": "red", "n": 3, "list": ["p"]},
        )  # fmt: skip
        index.put(page, chunks)
        [file] = index.files()
        assert (file.meta, file.stamp, file.content_hash, file.chunks) == (
            page.meta,
            page.stamp,
            page.content_hash,
            2,
        )
        rows = index.rows(index.chunk_ids("memory/a.md"))
        assert [row.chunk for row in rows.values()] == [item.chunk for item in chunks]
        assert {
            row.meta for row in rows.values() if row.file_id == file.id and not row.meta.metadata
        } == set()

    def test_ids_name_file_and_place(self, index: Index) -> None:
        """A chunk id holds file id and ordinal; a page that is put again has new ids."""
        put(index, "memory/a.md", "alpha", "beta")
        first = index.chunk_ids("memory/a.md")
        assert [ordinal(chunk_id) for chunk_id in first] == [0, 1]
        assert {file_id(chunk_id) for chunk_id in first} == {index.files()[0].id}
        put(index, "memory/a.md", "alpha", "beta")
        assert not set(first) & set(index.chunk_ids("memory/a.md"))
        assert index.rows(first) == {}

    def test_files_are_listed_in_path_order(self, index: Index) -> None:
        """The list is in path order after every kind of change."""
        for path in ("memory/c.md", "memory/a.md", "memory/b.md"):
            put(index, path, "text")
        index.files()
        put(index, "memory/a.md", "other")
        index.remove(["memory/b.md"])
        put(index, "memory/0.md", "text")
        assert [file.meta.path for file in index.files()] == ["memory/0.md", "memory/a.md", "memory/c.md"]
        assert sorted(index.known()) == ["memory/0.md", "memory/a.md", "memory/c.md"]

    def test_touch_changes_the_stamp_only(self, index: Index) -> None:
        """A touched file has the new stamp and its old ids; an unknown path is no error."""
        put(index, "memory/a.md", "alpha")
        before = index.files()[0]
        stamp = FileStamp(1, 2, 2**64 - 1)
        index.touch("memory/a.md", stamp)
        index.touch("memory/none.md", stamp)
        assert index.files() == [replace(before, stamp=stamp)]
        assert index.known()["memory/a.md"].stamp == stamp

    def test_removed_pages_are_gone(self, index: Index) -> None:
        """A removed page takes no place among the best; the count tells how many there were."""
        index.use_space("m")
        put(index, "memory/a.md", "alpha")
        put(index, "memory/b.md", "alpha beta")
        store(index, **{"alpha": vector(1, 0), "alpha beta": vector(0.9, 0.1)})
        assert index.remove(["memory/a.md", "memory/none.md", "memory/a.md"]) == 1
        assert found(index, "alpha", limit=1) == ["memory/b.md"]
        assert near(index, vector(1, 0), limit=1) == ["memory/b.md"]
        assert index.chunk_ids("memory/a.md") == []

    def test_an_edit_replaces_the_old_text(self, index: Index) -> None:
        """Old words are not found any more, new ones are, and nothing is left over."""
        editions = ("apple", "banana", "cherry", "date")
        for edition in editions:
            put(index, "memory/a.md", edition, "common")
        assert [found(index, edition) for edition in editions] == [[], [], [], ["memory/a.md"]]
        assert (index.counts().files, index.counts().chunks) == (1, 2)
        assert index.integrity() == []

    def test_the_profile_is_kept(self, index: Index) -> None:
        """The profile is empty at first, then what was set."""
        assert index.profile() == ""
        index.set_profile("p1")
        assert index.profile() == "p1"

    def test_a_page_without_chunks_is_known(self, index: Index) -> None:
        """A blank page is listed, so that it is not read again and again."""
        put(index, "memory/blank.md")
        assert [file.chunks for file in index.files()] == [0]
        assert index.chunk_ids("memory/blank.md") == []


class KeywordContract:
    """Words are found literally, scored by share, and never raise."""

    @pytest.mark.parametrize("query", ODD_QUERIES, ids=lambda query: ascii(query)[:20])
    def test_any_string_is_a_query(self, index: Index, query: str) -> None:
        """No string raises, and none is read as syntax."""
        put(index, "memory/a.md", "a b C++ at 3 GB/s, don't ask: 会议 and しりとり", title="A")
        hits = index.keyword(query, where=ANYONE, limit=5)
        assert all(0 <= hit.share <= 1 and 0 <= hit.file_share <= 1 and hit.bm25 >= 0 for hit in hits)
        scores = index.keyword_scores(query, [hit.chunk_id for hit in hits], where=ANYONE)
        assert sorted(scores) == sorted(hit.chunk_id for hit in hits)

    @pytest.mark.parametrize(
        "text", ["a\0b \x01c\x7f \ud800 \U0010ffff", "\"quoted\" 'single' `tick`", "\u2028x\u2029"]
    )
    def test_any_text_can_be_indexed(self, index: Index, text: str) -> None:
        """NUL, control characters, lone surrogates and quotes in a page are no error."""
        put(index, "memory/a.md", f"{text} needle")
        assert found(index, "needle") == ["memory/a.md"]
        assert index.integrity() == []

    def test_marks_are_part_of_a_word(self, index: Index) -> None:
        """An exact identifier scores 1 and comes before the text that only resembles it."""
        put(index, "memory/a.md", "the code is BENCH-100821 today")
        put(index, "memory/b.md", "the code is BENCH-100822 today")
        best = index.keyword("BENCH-100821", where=ANYONE, limit=5)[0]
        assert paths(index, [best.chunk_id]) == ["memory/a.md"]
        assert best.share == pytest.approx(1)

    def test_the_share_grows_with_the_terms(self, index: Index) -> None:
        """A text with all terms has share 1, one with the rarer of two more than half."""
        put(index, "memory/all.md", "zebra house")
        put(index, "memory/rare.md", "zebra tree")
        for name in "abc":
            put(index, f"memory/{name}.md", "house garden")
        hits = index.keyword("zebra house", where=ANYONE, limit=2)
        assert paths(index, [hit.chunk_id for hit in hits]) == ["memory/all.md", "memory/rare.md"]
        assert hits[0].share == pytest.approx(1)
        assert 0.5 < hits[1].share < 1

    def test_the_page_counts_as_a_whole(self, index: Index) -> None:
        """A term elsewhere in the page is in the page's share, not in the chunk's."""
        put(index, "memory/a.md", "zebra", "house")
        [first, second] = sorted(
            index.keyword("zebra house", where=ANYONE, limit=5), key=lambda hit: hit.chunk_id
        )
        assert first.share + second.share == pytest.approx(1)
        assert first.file_share == second.file_share == pytest.approx(1)

    def test_titles_are_searchable(self, index: Index) -> None:
        """Words of the context find the chunk."""
        put(index, "memory/a.md", "plain text", title="Quarterly figures")
        assert found(index, "quarterly") == ["memory/a.md"]

    def test_more_of_a_word_breaks_ties(self, index: Index) -> None:
        """Of equal shares the text that says it more often, in fewer words, is first."""
        put(index, "memory/once.md", "zebra " + "filler words here " * 20)
        put(index, "memory/often.md", "zebra zebra zebra")
        assert found(index, "zebra") == ["memory/often.md", "memory/once.md"]

    def test_scores_of_given_chunks(self, index: Index) -> None:
        """Given chunks have the shares of a search; one without a term, or filtered out, is left out."""
        put(index, "memory/a.md", "zebra house")
        put(index, "memory/b.md", "garden")
        put(index, "memory/users/u/c.md", "zebra", owner="u")
        ids = [chunk_id for file in index.files() for chunk_id in index.chunk_ids(file.meta.path)]
        scores = index.keyword_scores("zebra house", [*ids, ABSENT], where=ANYONE)
        [hit] = index.keyword("zebra house", where=ANYONE, limit=5)
        assert {chunk_id: replace(score, bm25=0.0) for chunk_id, score in scores.items()} == {
            hit.chunk_id: replace(hit, bm25=0.0)
        }

    def test_limit_bounds_the_list(self, index: Index) -> None:
        """No more than `limit` hits come back, none for 0, all for a large one."""
        for name in range(30):
            put(index, f"memory/{name}.md", "zebra")
        sizes = [len(index.keyword("zebra", where=ANYONE, limit=limit)) for limit in (0, 1, 7, 10_000)]
        assert sizes == [0, 1, 7, 30]


class WhereContract:
    """Filters apply before the best are taken, in both legs and in the list of files."""

    @pytest.fixture
    def filled(self, index: Index) -> Index:
        """Pages of every kind, all with the same word and vector, the unfiltered best of them public."""
        index.use_space("m")
        put(index, "memory/plain.md", "zebra zebra", tags=("x",), metadata={"n": 1, "flag": True})
        put(
            index,
            "memory/team/a.md",
            "zebra",
            source="team",
            tags=("x", "y"),
            metadata={"n": 2, "set": ["p", "q"]},
        )
        put(index, "memory/team_b/a.md", "zebra", source="team_b", tier="procedural")
        put(index, "memory/2026-03-21.md", "zebra", date=dt.date(2026, 3, 21), tier="episodic")
        put(index, "memory/2026-04-01.md", "zebra", date=dt.date(2026, 4, 1), tier="episodic")
        put(index, "memory/users/ana/a.md", "zebra", owner="ana", source="users")
        put(index, "memory/users/ana2/a.md", "zebra", owner="ana2", source="users")
        store(index, **{"zebra zebra": vector(1, 0), "zebra": vector(0.9, 0.1)})
        return index

    @pytest.mark.parametrize(
        ("where", "expected"),
        [
            (Where(source=("team",)), ["memory/team/a.md"]),
            (Where(source=("team", "team_b")), ["memory/team/a.md", "memory/team_b/a.md"]),
            (Where(tier=("procedural",)), ["memory/team_b/a.md"]),
            (Where(since=dt.date(2026, 3, 21), until=dt.date(2026, 3, 21)), ["memory/2026-03-21.md"]),
            (Where(since=dt.date(2026, 3, 22)), ["memory/2026-04-01.md"]),
            (Where(tags=("x", "y")), ["memory/team/a.md"]),
            (Where(metadata=(("n", (1,)),)), ["memory/plain.md"]),
            (Where(metadata=(("n", (True,)),)), []),
            (Where(metadata=(("flag", (True,)),)), ["memory/plain.md"]),
            (Where(metadata=(("set", ("q", "z")),)), ["memory/team/a.md"]),
            (Where(paths=("memory/team",)), ["memory/team/a.md"]),
            (Where(paths=("memory/plain.md", "memory/te_m")), ["memory/plain.md"]),
            (Where(source=("none",)), []),
            (Where(user="ana", source=("users",)), ["memory/users/ana/a.md"]),
            (Where(source=("users",)), []),
            (Where(user="\ud800", source=("users",)), []),
        ],
        ids=lambda value: str(value)[:40],
    )
    def test_a_filter_holds_everywhere(self, filled: Index, where: Where, expected: list[str]) -> None:
        """Files, words and vectors answer with exactly the pages that the filter lets through."""
        assert [file.meta.path for file in filled.files(where=where)] == expected
        assert sorted(found(filled, "zebra", where)) == expected
        assert sorted(near(filled, vector(1, 0), where)) == expected
        assert len(near(filled, vector(1, 0), where, limit=1)) == min(1, len(expected))

    def test_private_pages_need_their_owner(self, filled: Index) -> None:
        """Without a user nobody's pages are seen; with one, the shared ones and exactly that user's."""
        shared = {file.meta.path for file in filled.files(where=ANYONE)}
        assert not [path for path in shared if "users" in path]
        assert {file.meta.path for file in filled.files(where=Where(user="ana"))} == shared | {
            "memory/users/ana/a.md"
        }
        assert len(filled.files()) == len(shared) + 2


class VectorContract(KeptVectorsContract):
    """Cosine is exact, spaces never mix, a missing vector is no error."""

    def test_the_cosine_is_the_cosine(self, index: Index) -> None:
        """Vectors of any length at 60 degrees have cosine 0.5."""
        index.use_space("m")
        put(index, "memory/a.md", "alpha")
        store(index, alpha=vector(10, 0))
        [(chunk_id, cosine)] = index.nearest(vector(0.1, 0.1 * 3**0.5), where=ANYONE, limit=5)
        assert cosine == pytest.approx(0.5, abs=1e-6)
        assert index.cosines(vector(-1, 0), [chunk_id, ABSENT]) == {chunk_id: pytest.approx(-1)}

    def test_zero_vectors_poison_nothing(self, index: Index) -> None:
        """A chunk of zeros or None has no vector leg and is pending no more; the others rank right."""
        index.use_space("m")
        put(index, "memory/a.md", "alpha", "beta", "gamma", "delta")
        store(index, alpha=vector(0, 0), beta=vector(0, 1), gamma=vector(1, 0), delta=None)
        nearest = index.nearest(vector(1, 0.1), where=ANYONE, limit=10)
        assert [ordinal(chunk_id) for chunk_id, _ in nearest] == [2, 1]
        assert (index.pending(5), index.counts().pending, index.counts().vectors) == ([], 0, 2)
        assert index.nearest(vector(0, 0), where=ANYONE, limit=5) == []
        assert index.cosines(vector(0, 0), index.chunk_ids("memory/a.md")) == {}

    def test_tiny_and_huge_numbers_keep_their_direction(self, index: Index) -> None:
        """Neither the smallest nor the largest floats are taken for zero or infinity."""
        index.use_space("m")
        put(index, "memory/a.md", "alpha", "beta")
        store(index, alpha=vector(1e-38, 0), beta=vector(3e38, 3e38))
        cosines = [cosine for _, cosine in index.nearest(vector(1e-30, 0), where=ANYONE, limit=5)]
        assert cosines == pytest.approx([1, 0.5**0.5], abs=1e-6)

    def test_a_vector_of_another_size_is_refused(self, index: Index) -> None:
        """A query of other dimensions, a batch of mixed ones and NaN raise; nothing is stored."""
        index.use_space("m")
        put(index, "memory/a.md", "alpha", "beta")
        assert index.nearest(vector(1, 0, 0), where=ANYONE, limit=5) == []
        with pytest.raises(EmbeddingShapeError):
            store(index, alpha=vector(1, 0), beta=vector(1, 0, 0))
        with pytest.raises(EmbeddingShapeError):
            store(index, alpha=vector(1, 0), beta=vector(float("nan"), 0))
        assert index.counts().vectors == 0
        store(index, alpha=vector(1, 0))
        with pytest.raises(EmbeddingShapeError):
            index.nearest(vector(1, 0, 0), where=ANYONE, limit=5)

    def test_pending_texts_come_once_and_whole(self, index: Index) -> None:
        """Each distinct text is pending once, in the embedder's form, until it has a vector."""
        page, chunks = make_page("memory/a.md", "alpha", "beta", "alpha")
        chunks[1] = replace(chunks[1], embed_text="Title\nbeta", embed_hash=embed_hash("Title\nbeta"))
        assert index.pending(5) == []
        index.use_space("m")
        index.put(page, chunks)
        assert sorted(item.text for item in index.pending(5)) == ["Title\nbeta", "alpha"]
        assert (len(index.pending(1)), index.pending(0), index.counts().pending) == (1, [], 3)
        store(index, alpha=vector(1, 0))
        assert [item.embed_hash for item in index.pending(5)] == [embed_hash("Title\nbeta")]

    def test_a_moved_text_keeps_its_vector(self, index: Index) -> None:
        """Rename, move and edit elsewhere in the page cost no new vector, in either order."""
        index.use_space("m")
        put(index, "memory/a.md", "alpha", "beta")
        store(index, alpha=vector(1, 0), beta=vector(0, 1))
        index.remove(["memory/a.md"])
        assert index.counts().cached == 2
        assert put(index, "memory/b.md", "alpha", "gamma") == 1
        assert (index.counts().cached, index.counts().vectors, index.counts().pending) == (1, 1, 1)
        assert near(index, vector(1, 0)) == ["memory/b.md"]

    def test_spaces_never_mix(self, index: Index) -> None:
        """In a new space everything is pending and nothing is near; the old space is there on return."""
        index.use_space("m")
        put(index, "memory/a.md", "alpha")
        store(index, alpha=vector(1, 0))
        index.use_space("n")
        assert ([item.text for item in index.pending(5)], near(index, vector(1, 0))) == (["alpha"], [])
        store(index, alpha=vector(0, 0, 1))
        assert near(index, vector(0, 0, 1)) == ["memory/a.md"]
        index.use_space("m")
        assert near(index, vector(1, 0)) == ["memory/a.md"]
        assert index.integrity() == []

    def test_new_dimensions_under_an_old_name(self, index: Index) -> None:
        """When a space's vectors change size the old ones are dropped and pending again, not mixed in."""
        index.use_space("m")
        put(index, "memory/a.md", "alpha", "beta")
        store(index, alpha=vector(1, 0), beta=vector(0, 1))
        store(index, beta=vector(0, 0, 1))
        assert [item.text for item in index.pending(5)] == ["alpha"]
        assert len(index.nearest(vector(0, 0, 1), where=ANYONE, limit=5)) == 1
        assert index.integrity() == []

    def test_a_changed_vector_takes_effect(self, index: Index) -> None:
        """Storing another vector for a text replaces the first, for a reader that has seen it too."""
        index.use_space("m")
        put(index, "memory/a.md", "alpha")
        put(index, "memory/b.md", "beta")
        store(index, alpha=vector(1, 0), beta=vector(0.5, 0.5))
        assert near(index, vector(1, 0), limit=1) == ["memory/a.md"]
        store(index, alpha=vector(0, 1))
        assert near(index, vector(1, 0)) == ["memory/b.md", "memory/a.md"]
        store(index, alpha=None)
        assert near(index, vector(1, 0)) == ["memory/b.md"]

    def test_any_number_of_neighbours(self, index: Index) -> None:
        """`limit` may be 0, beyond 4,096 and beyond what there is; the order is exact."""
        import numpy as np

        texts = [f"text {place}" for place in range(4500)]
        directions = np.random.default_rng(3).standard_normal((4500, 8)).astype(np.float32)
        index.use_space("m")
        put(index, "memory/a.md", *texts)
        index.store_vectors({embed_hash(text): row for text, row in zip(texts, directions, strict=True)})
        query = vector(1, 2, 3, 4, 5, 6, 7, 8)
        expected = directions @ query / np.linalg.norm(directions, axis=1) / np.linalg.norm(query)
        assert index.nearest(query, where=ANYONE, limit=0) == []
        for limit in (10, 4200, 10_000):
            nearest = index.nearest(query, where=ANYONE, limit=limit)
            cosines = np.array([cosine for _, cosine in nearest])
            assert np.allclose(cosines, np.sort(expected)[::-1][:limit], atol=1e-5)
            assert np.allclose(cosines, expected[[ordinal(chunk_id) for chunk_id, _ in nearest]], atol=1e-5)


class IndexContract(
    FilesContract, KeywordContract, BesideContract, NamesContract, WhereContract, VectorContract
):
    """All of it; an index must pass every test."""
