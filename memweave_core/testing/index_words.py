"""What an index knows of words beside a chunk, of pages of a day, and of how common a word is."""

from __future__ import annotations

import datetime as dt

import pytest

from ..ports import Index
from ..text.timespans import time_spans
from ..types import Where
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

    def test_the_nearest_spelling_comes_first(self, index: Index) -> None:
        """A page with the word that is one slip away comes before those with words that are more."""
        (near,) = _put(index, "memory/b.md", "a croissant for breakfast with friends in town")
        _put(index, "memory/a.md", "cross buns")
        _put(index, "memory/c.md", "crosses")
        best = index.keyword("croisant", where=ANYONE, limit=5)[0]
        assert best.chunk_id == near

    def test_a_hit_says_what_a_word_was_taken_for(self, index: Index) -> None:
        """Hits name the misspelt words of a query, and the known ones that are meant, the nearest first."""
        (there,) = _put(index, "memory/a.md", "a croissant, a cross bun")
        hit = index.keyword_scores("croisant bun", [there], where=ANYONE)[there]
        assert hit.taken == {"croisant": ("croissant", "cross")}
        assert index.keyword_scores("bun", [there], where=ANYONE)[there].taken is None

    def test_an_identifier_is_never_guessed(self, index: Index) -> None:
        """Who asks for one ticket is not served another."""
        _put(index, "memory/a.md", "BENCH-100821 failed")
        hits = index.keyword("BENCH-100822", where=ANYONE, limit=5)
        assert all(hit.share < 0.3 for hit in hits)


class NamesContract:
    """Pages that a question names."""

    def test_a_page_is_named_by_its_title_or_alias(self, index: Index) -> None:
        """All chunks of a page whose title or alias stands in the query are named, and of no other page."""
        for path, title, aliases in (
            ("memory/a.md", "Auth service", ("SSO",)),
            ("memory/b.md", "Billing", ()),
        ):
            page, chunks = make_page(path, "plain", "text", title=title, aliases=aliases)
            index.put(page, chunks)
        first, other = index.chunk_ids("memory/a.md"), index.chunk_ids("memory/b.md")
        for query in ("where does the AUTH services text run?", "who may use sso, and which text?"):
            scores = index.keyword_scores(query, first + other, where=ANYONE)
            assert [scores[one].named for one in first if one in scores]
            assert all((hit.named > 0) == (chunk_id in first) for chunk_id, hit in scores.items())

    def test_a_hit_says_how_much_of_the_query_a_name_is(self, index: Index) -> None:
        """The part of the telling words of the query that the name is; 1 when nothing else is asked for."""
        page, chunks = make_page("memory/a.md", "plain text", title="Heron plan")
        index.put(page, chunks)
        ids = index.chunk_ids("memory/a.md")
        for query, share in (("what is the Heron plan?", 1), ("plain text of the Heron plan", 0.5)):
            assert index.keyword_scores(query, ids, where=ANYONE)[ids[0]].named == share

    def test_namesakes_are_counted_over_all_languages(self, index: Index) -> None:
        """A name of more than five pages names none, though they are stemmed in two languages."""
        for number in range(6):
            text = "the page is for the harbour" if number % 2 else "la página es para el puerto de la ciudad"
            page, chunks = make_page(f"memory/{number}.md", text, title="Proyectos nuevos")
            index.put(page, chunks)
        ids = [one for number in range(6) for one in index.chunk_ids(f"memory/{number}.md")]
        scores = index.keyword_scores("Proyectos nuevos harbour puerto", ids, where=ANYONE)
        assert len(scores) == 6
        assert not any(hit.named for hit in scores.values())

    def test_a_name_is_found_in_a_text_without_spaces(self, index: Index) -> None:
        """The title of a page names it between other characters of a Chinese question."""
        page, chunks = make_page("memory/a.md", "预算和时间", title="搬家计划")
        index.put(page, chunks)
        ids = index.chunk_ids("memory/a.md")
        assert index.keyword_scores("请告诉我搬家计划的预算", ids, where=ANYONE)[ids[0]].named

    def test_a_named_page_is_always_among_the_best(self, index: Index) -> None:
        """It comes back beyond the limit, however many pages hold more of the words."""
        page, chunks = make_page("memory/k.md", "orchestration", title="Kubernetes")
        index.put(page, chunks)
        for number in range(9):
            _put(index, f"memory/{number}.md", "rolling deploys of the landing page and session state")
        query = "rolling deploys of the landing page with session state on Kubernetes"
        hits = index.keyword(query, where=ANYONE, limit=3)
        assert [hit.chunk_id for hit in hits if hit.chunk_id in index.chunk_ids("memory/k.md")]

    @pytest.mark.parametrize("query", ["sso", "the zebra and SSO"])
    def test_a_name_that_no_text_holds(self, index: Index, query: str) -> None:
        """An alias names its page even where neither text nor context holds a word of it."""
        page, chunks = make_page("memory/a.md", "plain", title="Billing", aliases=("SSO",))
        index.put(page, chunks)
        _put(index, "memory/b.md", "zebra")
        [only] = index.chunk_ids("memory/a.md")
        hits = {hit.chunk_id: hit for hit in index.keyword(query, where=ANYONE, limit=5)}
        scores = index.keyword_scores(query, [only], where=ANYONE)
        assert hits[only].named and scores[only].named and scores[only].share == 0

    def test_what_many_pages_are_called_names_none(self, index: Index) -> None:
        """A title that six pages bear, and one of function words or one common word alone, tell nothing."""
        for number in range(6):
            page, chunks = make_page(f"memory/{number}.md", "plain text", title="Standup")
            index.put(page, chunks)
        page, chunks = make_page("memory/n.md", "plain text", title="People")
        index.put(page, chunks)
        hits = index.keyword("plain text of the standup with people", where=ANYONE, limit=9)
        ids = [hit.chunk_id for hit in hits]
        scores = index.keyword_scores("plain text of the standup with people", ids, where=ANYONE)
        assert len(scores) == 7 and not any(hit.named for hit in scores.values())

    def test_a_private_name_is_known_to_its_user_alone(self, index: Index) -> None:
        """Neither the named page nor how many bear the name shows to anybody else."""
        for number in range(6):
            page, chunks = make_page(f"memory/users/bo/{number}.md", "plain", title="Zeta plan", owner="bo")
            index.put(page, chunks)
        page, chunks = make_page("memory/z.md", "plain", title="Zeta plan")
        index.put(page, chunks)
        ids = [one for number in range(6) for one in index.chunk_ids(f"memory/users/bo/{number}.md")]
        shared = index.chunk_ids("memory/z.md")
        scores = index.keyword_scores("zeta plan, plain", ids + shared, where=ANYONE)
        assert list(scores) == shared and scores[shared[0]].named
        seen = index.keyword_scores("zeta plan, plain", ids + shared, where=Where(user="bo"))
        assert len(seen) == 7 and not any(hit.named for hit in seen.values())

    def test_superseded_pages(self, index: Index) -> None:
        """A page that another replaces is found only when asked for."""
        page, chunks = make_page("memory/old.md", "zebra", superseded_by="memory/new.md")
        index.put(page, chunks)
        _put(index, "memory/new.md", "zebra")
        both = Where(superseded=True)
        assert len(index.keyword("zebra", where=ANYONE, limit=5)) == 1
        assert len(index.keyword("zebra", where=both, limit=5)) == 2
        assert [file.meta.path for file in index.files(where=ANYONE)] == ["memory/new.md"]
        assert len(index.files()) == 2

    @pytest.mark.parametrize("named", ["memory/gone.md", "memory/old.md", "old", "memory/users/ana/p.md"])
    def test_a_page_that_nothing_replaces_is_found(self, index: Index, named: str) -> None:
        """A page that names as its successor none, itself, or one that others do not see, still holds."""
        index.put(*make_page("memory/users/ana/p.md", "zebra", owner="ana"))
        index.put(*make_page("memory/old.md", "zebra", superseded_by=named))
        assert [file.meta.path for file in index.files(where=ANYONE)] == ["memory/old.md"]

    def test_a_page_comes_back_with_the_loss_of_its_successor(self, index: Index) -> None:
        """Whether a page is replaced is judged by the pages that are there now."""
        index.put(*make_page("memory/old.md", "zebra", superseded_by="new"))
        _put(index, "memory/sub/new.md", "zebra")
        assert [file.meta.path for file in index.files(where=ANYONE)] == ["memory/sub/new.md"]
        index.remove(["memory/sub/new.md"])
        assert [file.meta.path for file in index.files(where=ANYONE)] == ["memory/old.md"]

    def test_private_words_show_in_no_answer(self, index: Index) -> None:
        """No misspelt or frequent word of a private page, and no language of one, changes a score."""
        _put(index, "memory/a.md", "The certificate of the payment webhook had expired.")
        for number in range(3):
            _put(index, f"memory/{number}.md", "The webhook of the gate.")
        queries = ("certifcate", "webhook certificate", "die gate codes also")

        def shares() -> list[list[tuple[int, float, float]]]:
            hits = [index.keyword(query, where=ANYONE, limit=9) for query in queries]
            return [[(hit.chunk_id, hit.share, hit.file_share) for hit in found] for found in hits]

        before = shares()
        near = [f"certifcate certifcate{letter}" for letter in "abcdefgh"]
        texts = [*near, *["webhook und die Codes also noch"] * 1200]
        index.put(*make_page("memory/users/ana/x.md", *texts, owner="ana"))
        assert shares() == before
