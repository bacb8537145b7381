"""What an index knows of words beside a chunk, of pages of a day, and of how common a word is."""

from __future__ import annotations

import datetime as dt

import pytest

from ..ports import Index
from ..text.timespans import time_spans
from .index_pages import ANYONE, make_page

TODAY = dt.date(2026, 3, 25)


def _put(index: Index, path: str, *texts: str, date: dt.date | None = None) -> list[int]:
    page, chunks = make_page(path, *texts, date=date)
    index.put(page, chunks)
    return index.chunk_ids(path)


class BesideContract:
    """Terms in neighbouring chunks, and days that a question names."""

    def test_terms_beside_a_chunk(self, index: Index) -> None:
        """A term next to a chunk is in `near`, one two away in `far`, one that it has itself in neither."""
        ids = _put(index, "memory/a.md", "zebra", "house zebra", "tree", "boat")
        scores = index.keyword_scores("zebra house", ids, where=ANYONE)
        first, second, third, last = (scores[chunk_id] for chunk_id in ids)
        assert (first.share + first.near, first.far) == pytest.approx((1, 0))
        assert (second.share, second.near, second.far) == pytest.approx((1, 0, 0))
        assert (third.share, third.near, third.far) == pytest.approx((0, 1, 0))
        assert (last.near, last.far, last.file_share) == pytest.approx((0, 1, 1))

    def test_chunks_that_are_not_there(self, index: Index) -> None:
        """Beyond the first and last chunk of a page nothing is measured."""
        (only,) = _put(index, "memory/a.md", "zebra")
        _put(index, "memory/b.md", "zebra")
        assert list(index.keyword_scores("zebra", [only - 1, only, only + 1], where=ANYONE)) == [only]

    @pytest.mark.parametrize("query", ["who fixed it on 17 March?", "last week's fix", "fixed 2026-03-17"])
    def test_a_page_of_the_day_holds_the_words_that_name_it(self, index: Index, query: str) -> None:
        """Words that name days are found in pages dated then, and only there."""
        for day in (9, 17, 24):
            _put(index, f"memory/2026-03-{day:02}.md", "the pump was fixed", date=dt.date(2026, 3, day))
        hits = index.keyword(query, where=ANYONE, limit=5, spans=time_spans(query, TODAY))
        best, second, third = hits
        assert index.rows([best.chunk_id])[best.chunk_id].meta.date == dt.date(2026, 3, 17)
        assert best.share > second.share == third.share

    def test_a_month_that_is_also_a_function_word(self, index: Index) -> None:
        """ "In May" finds pages of May, though "may" says nothing elsewhere."""
        for month in (4, 5):
            _put(index, f"memory/2025-0{month}-02.md", "plain text", date=dt.date(2025, month, 2))
        query = "what happened in May?"
        best = index.keyword(query, where=ANYONE, limit=5, spans=time_spans(query, TODAY))[0]
        assert index.rows([best.chunk_id])[best.chunk_id].meta.date == dt.date(2025, 5, 2)

    def test_a_rare_word_counts_more_than_a_common_one(self, index: Index) -> None:
        """Of two words that stand equally often, the one that is rare anywhere tells more."""
        way, adhesive = _put(index, "memory/a.md", "way") + _put(index, "memory/b.md", "adhesive")
        scores = index.keyword_scores("adhesive way", [way, adhesive], where=ANYONE)
        assert scores[adhesive].share > 2 * scores[way].share

    @pytest.mark.parametrize("query", ["adhesve", "adhezive", "adhseive", "adhesivve"])
    def test_a_misspelt_word_finds_the_nearest(self, index: Index, query: str) -> None:
        """A word that no page holds is taken for one that is nearly the same, and counts for less."""
        (there,) = _put(index, "memory/a.md", "adhesive")
        _put(index, "memory/b.md", "adverb")
        written = index.keyword("adhesive label", where=ANYONE, limit=5)[0]
        guessed = index.keyword(f"{query} label", where=ANYONE, limit=5)[0]
        assert written.chunk_id == guessed.chunk_id == there
        assert guessed.share < written.share

    def test_an_identifier_is_never_guessed(self, index: Index) -> None:
        """Who asks for one ticket is not served another."""
        _put(index, "memory/a.md", "BENCH-100821 failed")
        hits = index.keyword("BENCH-100822", where=ANYONE, limit=5)
        assert all(hit.share < 0.3 for hit in hits)
