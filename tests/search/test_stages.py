"""The noise gate, decay and MMR."""

from __future__ import annotations

import datetime as dt
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core.search.decay import age_in_days, decay, multiplier
from memweave_core.search.hits import Hit, Scored
from memweave_core.search.mmr import mmr, similarity, token_set
from memweave_core.search.threshold import gate
from memweave_core.types import Chunk, ChunkRow, PageMeta

TODAY = dt.date(2026, 4, 1)
A, A2, B, C = (
    "The pool size of pgbouncer is forty",
    "The pool size of pgbouncer is forty!",
    "Backups run at night on the replica",
    "Ana prefers tea",
)


def hit(
    number: int, score: float, text: str = "", date: dt.date | None = None, evergreen: bool = False
) -> Hit:
    meta = PageMeta(f"memory/{number}.md", "memory", date=date, evergreen=evergreen)
    return Hit(Scored(number, score), ChunkRow(number, number, Chunk(0, 1, 1, text), meta))


def order(hits: list[Hit]) -> list[int]:
    return [one.row.id for one in hits]


def test_the_gate_keeps_its_bound_and_counts_the_rest() -> None:
    """A score equal to `min_score` passes."""
    kept, cut = gate([Scored(1, 0.5), Scored(2, 0.35), Scored(3, 0.349)], 0.35)
    assert [one.chunk_id for one in kept] == [1, 2]
    assert [one.chunk_id for one in cut] == [3]


@pytest.mark.parametrize(("age", "expected"), [(0, 1.0), (30, 0.5), (60, 0.25), (15, 2**-0.5)])
def test_decay_halves_by_half_life(age: int, expected: float) -> None:
    """2^(-age / half_life)."""
    assert multiplier(age, 30) == pytest.approx(expected)


def test_evergreen_undated_and_future_pages_do_not_age() -> None:
    """Only a dated page of the past has an age."""
    old = TODAY - dt.timedelta(days=30)
    assert age_in_days(hit(1, 1, date=old).row.meta, TODAY) == 30
    assert age_in_days(hit(1, 1, date=TODAY + dt.timedelta(days=9)).row.meta, TODAY) == 0
    assert age_in_days(hit(1, 1, date=old, evergreen=True).row.meta, TODAY) is None
    assert age_in_days(hit(1, 1).row.meta, TODAY) is None


def test_decay_reorders_and_drops_nothing() -> None:
    """An old strong hit falls behind a new weaker one and stays."""
    aged = decay([hit(1, 0.9, date=TODAY - dt.timedelta(days=300)), hit(2, 0.5)], TODAY, 30)
    assert order(aged) == [2, 1]
    assert aged[1].score < 0.01


@settings(max_examples=50)
@given(st.lists(st.tuples(st.floats(0, 1), st.integers(-400, 4000)), max_size=8), st.floats(0.1, 1000))
def test_decay_stays_in_bounds(pages: list[tuple[float, int]], half_life: float) -> None:
    """Ageing never raises a score, and the order is by score."""
    hits = [hit(n, score, date=TODAY - dt.timedelta(days=age)) for n, (score, age) in enumerate(pages)]
    aged = decay(hits, TODAY, half_life)
    assert all(0 <= one.score <= pages[one.row.id][0] for one in aged)
    assert all(left.score >= right.score for left, right in pairwise(aged))


@pytest.mark.parametrize(
    ("lambda_param", "expected"),
    [(1.0, [1, 2, 3, 4]), (0.5, [1, 3, 4, 2]), (0.0, [1, 4, 3, 2])],
)
def test_mmr_spans_relevance_and_diversity(lambda_param: float, expected: list[int]) -> None:
    """1 is the order of relevance; below it a copy comes after what is different."""
    hits = [hit(1, 0.9, A), hit(2, 0.89, A2), hit(3, 0.6, B), hit(4, 0.5, C)]
    assert order(mmr(hits, lambda_param, 4)) == expected


def test_mmr_remembers_every_pick() -> None:
    """A copy of the first pick is not re-admitted because the last pick differs from it."""
    hits = [hit(1, 0.9, A), hit(2, 0.8, B), hit(3, 0.79, A2), hit(4, 0.6, C)]
    assert order(mmr(hits, 0.5, 3)) == [1, 2, 4]


def test_mmr_keeps_scores_and_breaks_ties_by_score() -> None:
    """Only the order changes; with pure diversity the better of two new ones comes first."""
    picked = mmr([hit(1, 0.4, B), hit(2, 0.6, A), hit(3, 0.5, C)], 0.0, 2)
    assert [(one.row.id, one.score) for one in picked] == [(2, 0.6), (3, 0.5)]


@pytest.mark.parametrize(
    ("left", "right"),
    [("今天下午开会", "数据库连接池"), ("Привет мир", "Добрый вечер"), ("🎉", "🚀"), ("", "🚀")],
)
def test_unrelated_texts_of_any_script_differ(left: str, right: str) -> None:
    """Two notes without a Latin letter are not copies of each other."""
    assert similarity(token_set(left), token_set(right)) == 0


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_similarity_is_bounded_symmetric_and_reflexive(left: str, right: str) -> None:
    """The Jaccard index of a text with itself is 1, empty or not."""
    one, other = token_set(left), token_set(right)
    assert similarity(one, one) == 1
    assert 0 <= similarity(one, other) == similarity(other, one) <= 1


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), max_size=10), st.floats(0, 1), st.integers(1, 12))
def test_mmr_picks_distinct_hits_up_to_the_limit(
    scores: list[float], lambda_param: float, limit: int
) -> None:
    """Nothing is invented, doubled or lost below the limit."""
    hits = [hit(number, score, f"note {number % 3}") for number, score in enumerate(scores)]
    picked = order(mmr(hits, lambda_param, limit))
    assert len(picked) == len(set(picked)) == min(limit, len(hits))
