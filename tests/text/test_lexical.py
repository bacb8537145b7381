"""The formulas of the keyword leg."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core.text.lexical import bm25, idf


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
