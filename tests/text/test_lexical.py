"""The formulas of the keyword leg."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core.text.analysis import Term
from memweave_core.text.lexical import bm25, idf, share, term_weights


def term(text: str, *, stop: bool = False, weight: float = 1.0) -> Term:
    return Term(text, (text,), stop, weight)


def test_idf_golden_values() -> None:
    """ln(1 + (n - df + .5) / (df + .5))."""
    assert idf(1, 1) == pytest.approx(math.log(1 + 0.5 / 1.5))
    assert idf(0, 100) == pytest.approx(math.log(202))
    assert idf(10, 100) == pytest.approx(math.log(1 + 90.5 / 10.5))


@settings(max_examples=60)
@given(st.integers(0, 1000), st.integers(0, 1000))
def test_idf_is_positive_and_falls_with_frequency(df: int, n: int) -> None:
    """Also where a count runs ahead of the total for a moment."""
    assert idf(df, n) > 0
    assert idf(df + 1, n + 1) < idf(df, n + 1)


def test_bm25_grows_with_frequency_and_falls_with_length() -> None:
    """More of the term is better, in a longer text it is worth less, and none of it is 0."""
    assert bm25(0, 1, 10, 5, 5) == 0
    assert bm25(1, 1, 10, 5, 5) < bm25(2, 1, 10, 5, 5) < idf(1, 10) * 2.2
    assert bm25(1, 1, 10, 50, 5) < bm25(1, 1, 10, 5, 5)


def test_bm25_of_a_term_of_average_length_is_its_idf() -> None:
    """Once in a text of mean length the saturation is exactly 1."""
    assert bm25(1, 3, 10, 7, 7) == pytest.approx(idf(3, 10))


def test_rare_terms_make_up_more_of_the_query() -> None:
    """Weights follow rarity and sum to 1."""
    rare, common = term_weights([term("pgbouncer"), term("database")], [1, 40], 50)
    assert rare > 0.8
    assert rare + common == pytest.approx(1)


def test_function_words_hardly_count_unless_alone() -> None:
    """A stop word is discounted, but a query of stop words is still a query."""
    weights = term_weights([term("what", stop=True), term("paint")], [5, 5], 50)
    assert weights[0] < 0.06
    assert term_weights([term("to", stop=True), term("be", stop=True)], [5, 5], 50) == [0.5, 0.5]


def test_an_unknown_term_lowers_the_share_of_the_rest() -> None:
    """A query about something else is not answered by its one common word."""
    weights = term_weights([term("setting"), term("frobnicator")], [30, 0], 60)
    assert share(weights, [0]) < 0.2


def test_an_exact_identifier_is_the_whole_query() -> None:
    """Share 1 for a text with the identifier, in a store of one page and of fifty thousand."""
    terms = [term("bench-1"), term("bench", weight=0.25), term("1", weight=0.25)]
    for df, n in (([1, 1, 1], 1), ([1, 900, 20_000], 50_000)):
        weights = term_weights(terms, df, n)
        assert share(weights, [0, 1, 2]) == pytest.approx(1)
        assert share(weights, [1]) < 0.2


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 50), st.booleans()), min_size=1, max_size=8), st.data())
def test_share_is_bounded_and_grows_with_each_term(
    terms: list[tuple[int, bool]], data: st.DataObject
) -> None:
    """Shares lie in [0, 1], everything is 1, and one term more never lowers it."""
    weights = term_weights(
        [term(str(i), stop=s) for i, (_, s) in enumerate(terms)], [d for d, _ in terms], 50
    )
    present = data.draw(st.sets(st.integers(0, len(terms) - 1)))
    assert 0 <= share(weights, present) <= share(weights, present | {0}) <= 1
    assert share(weights, range(len(terms))) == pytest.approx(1)


def test_no_terms_have_no_weights() -> None:
    """An empty query is no error."""
    assert term_weights([], [], 10) == []
