"""Why a page is, or is not, among the results."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from memweave_core.config import QueryConfig
from memweave_core.search.request import make_request
from memweave_core.search.why import why
from memweave_core.types import Calibration, Why

TODAY = dt.date(2026, 4, 1)


class DropAll:
    """A processor that leaves nothing."""

    def process(self, results: Any, query: str, now: dt.date) -> list[Any]:
        return []


@pytest.fixture
def explain(index: Any) -> Callable[..., Why]:
    """Ask why about one page of `index`."""

    def explained(
        query: str,
        path: str,
        vector: Any = None,
        processors: Any = (),
        strategies: Any = None,
        **overrides: Any,
    ) -> Why:
        request = make_request(query, QueryConfig(), TODAY, **overrides)
        query_vector = None if vector is None else np.array(vector, dtype=np.float32)
        extensions: Any = {"strategies": strategies or {}, "processors": processors}
        return why(index, request, query_vector, Calibration(), path, **extensions)

    return explained


def test_a_result_is_returned_with_its_rank_and_stages(index: Any, explain: Callable[..., Why]) -> None:
    """The answer carries the explained result."""
    index.add("memory/a.md", "alpha beta")
    index.add("memory/b.md", "alpha")
    reason = explain("alpha", "memory/b.md")
    assert reason.verdict == "returned" and reason.rank in (1, 2)
    assert reason.result is not None and "fusion" in reason.result.stages


def test_a_misspelt_word_is_named(
    index: Any, explain: Callable[..., Why], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reason says what a word of the query was taken for, whatever became of the page."""
    scores = index.keyword_scores
    index.add("memory/a.md", "alpha beta")

    def guessing(query: str, ids: Any, **options: Any) -> Any:
        return {
            one: replace(hit, taken={"alfa": ("alpha",)})
            for one, hit in scores(query, ids, **options).items()
        }

    monkeypatch.setattr(index, "keyword_scores", guessing)
    for least in (0, 1):
        assert (
            "No page knows 'alfa'; it was taken for: alpha."
            in explain("beta gamma", "memory/a.md", min_score=least).detail
        )


@pytest.mark.parametrize(
    ("path", "verdict"), [("memory/gone.md", "not indexed"), ("memory/photo.png", "not a page")]
)
def test_a_page_that_is_not_there(explain: Callable[..., Why], path: str, verdict: str) -> None:
    """A missing Markdown file and a file that never is a page are told apart."""
    assert explain("alpha", path).verdict == verdict


def test_a_filter_is_named(index: Any, explain: Callable[..., Why]) -> None:
    """The detail says which one left the page out."""
    index.add("memory/a.md", "alpha", tags=("x",))
    reason = explain("alpha", "memory/a.md", where={"tags": "y"})
    assert reason.verdict == "filtered" and "tags" in reason.detail


def test_a_superseded_page_names_its_successor(index: Any, explain: Callable[..., Why]) -> None:
    """The detail says what replaces it; asked for, only a filter that really leaves it out is blamed."""
    index.add("memory/a.md", "alpha", tags=("x",), superseded_by="memory/b.md")
    reason = explain("alpha", "memory/a.md")
    assert reason.verdict == "superseded" and "memory/b.md" in reason.detail
    assert explain("alpha", "memory/a.md", include_superseded=True).verdict == "returned"
    where = {"source": "memory", "tags": "y"}
    blamed = explain("alpha", "memory/a.md", include_superseded=True, where=where)
    assert blamed.verdict == "filtered" and "tags" in blamed.detail


def test_a_private_page_is_private(index: Any, explain: Callable[..., Why]) -> None:
    """Unless its user asks."""
    index.add("memory/users/ana/facts.md", "alpha", owner="ana")
    assert explain("alpha", "memory/users/ana/facts.md").verdict == "private"
    assert explain("alpha", "memory/users/ana/facts.md", user_id="ana").verdict == "returned"


def test_a_page_without_a_term_has_no_match(index: Any, explain: Callable[..., Why]) -> None:
    """Nothing in it speaks to the query."""
    index.add("memory/a.md", "alpha")
    index.add("memory/b.md", "beta")
    assert explain("alpha", "memory/b.md").verdict == "no match"


def test_below_the_gate_says_by_how_much(index: Any, explain: Callable[..., Why]) -> None:
    """The score, the legs and the distance to `min_score`."""
    index.add("memory/a.md", "alpha beta gamma delta")
    index.add("memory/b.md", "alpha")
    reason = explain("alpha beta gamma delta", "memory/b.md")
    assert reason.verdict == "below the gate" and "below min_score 0.29" in reason.detail


def test_outranked_says_where_it_stood(index: Any, explain: Callable[..., Why]) -> None:
    """One result was asked for and it is the second."""
    index.add("memory/a.md", "alpha alpha")
    index.add("memory/b.md", "alpha and more words than that")
    reason = explain("alpha", "memory/b.md", max_results=1)
    assert (reason.verdict, reason.rank) == ("outranked", 2)


def test_outranked_beyond_the_candidates(index: Any, explain: Callable[..., Why]) -> None:
    """A page that matches but was never among the best of a leg."""
    for number in range(60):
        index.add(f"memory/{number}.md", "alpha alpha")
    index.add("memory/last.md", "alpha with a great many other words around it")
    assert explain("alpha", "memory/last.md").verdict == "outranked"


def test_a_copy_is_dropped_by_mmr(index: Any, explain: Callable[..., Why]) -> None:
    """By score alone it would have been shown."""
    index.add("memory/a.md", "alpha beta gamma one")
    index.add("memory/copy.md", "alpha beta gamma one")
    index.add("memory/b.md", "alpha beta other words entirely here")
    reason = explain("alpha beta gamma", "memory/copy.md", max_results=2, mmr_lambda=0.5)
    assert (reason.verdict, reason.rank) == ("dropped by MMR", 2)


def test_a_processor_is_blamed_for_what_it_drops(index: Any, explain: Callable[..., Why]) -> None:
    """The page was there before the processors ran."""
    index.add("memory/a.md", "alpha")
    assert explain("alpha", "memory/a.md", processors=[DropAll()]).verdict == "dropped by a processor"
