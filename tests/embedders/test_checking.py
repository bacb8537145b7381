"""What comes back from a provider is checked before it is used."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core._errors import EmbeddingShapeError
from memweave_core.adapters.embedders.checking import unit_vectors


class Hostile:
    """An object that fails when it is read as an array."""

    def __array__(self, *_: object) -> Any:
        raise KeyError("no")


@pytest.mark.parametrize(
    "raw",
    [
        [],
        None,
        [[1.0, 2.0]],
        [[1.0, 2.0], []],
        [[], []],
        [[1.0, 2.0], [1.0]],
        [1.0, 2.0],
        [[1.0, float("nan")], [1.0, 2.0]],
        [[1.0, float("inf")], [1.0, 2.0]],
        [[1.0, None], [1.0, 2.0]],
        [["a", "b"], ["c", "d"]],
        [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]],
        [[10**400, 1], [1, 2]],
        {"data": 1},
        "text",
        Hostile(),
    ],
)
def test_anything_but_two_vectors_of_two_numbers_is_refused(raw: Any) -> None:
    """Missing, short, ragged, endless and foreign answers raise a shape error that names the embedder."""
    with pytest.raises(EmbeddingShapeError, match="mine"):
        unit_vectors(raw, 2, 2, "mine")


def test_zeros_mean_no_vector() -> None:
    """A vector of zeros becomes None, and its neighbour stays."""
    vectors, length = unit_vectors([[0, 0], [0, 2]], 2, None, "mine")
    assert vectors[0] is None
    assert vectors[1] is not None
    assert (vectors[1].tolist(), vectors[1].dtype, length) == ([0.0, 1.0], np.float32, 2)


@settings(max_examples=60)
@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=8))
def test_every_finite_vector_becomes_one_of_length_one(values: list[float]) -> None:
    """Huge and tiny numbers are normalised without overflow."""
    (vector,), _ = unit_vectors([values], 1, None, "mine")
    if vector is not None:
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
