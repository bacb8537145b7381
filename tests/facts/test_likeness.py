"""Which known facts are compared with a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memweave_core.facts.by_words import overlaps
from memweave_core.facts.likeness import PROPOSED, Likeness
from memweave_core.messages import Fact

if TYPE_CHECKING:
    from memweave_core.types import FloatArray


def _known(*texts: str) -> list[Fact]:
    return [Fact(text, id=f"f{n}") for n, text in enumerate(texts)]


def _vectors(**cosines: float) -> dict[str, FloatArray]:
    """Unit vectors with these cosines to that of "new"."""
    made = {name: np.array([c, np.sqrt(1 - c * c)], dtype=np.float32) for name, c in cosines.items()}
    return {"new": np.array([1, 0], dtype=np.float32), **made}


def test_closely_only_what_is_above_the_threshold() -> None:
    """With `closely` the cosine alone proposes, strictly above the threshold."""
    likeness = Likeness(_vectors(a=0.9, b=0.75, c=-0.5), 0.75, closely=True)
    assert likeness.scores("new", _known("a", "b", "c", "new words")).keys() == {"f0"}


def test_the_nearest_are_proposed_too() -> None:
    """Without `closely` the nearest by vectors are proposed whatever their cosine, in their order."""
    likeness = Likeness(_vectors(a=0.2, b=0.1), 0.85)
    scores = likeness.scores("new", _known("b", "a", "unknown"))
    assert list(scores) == ["f0", "f1"] and scores["f1"] > scores["f0"] > 0


def test_words_propose_without_vectors() -> None:
    """Facts that share a word are proposed without any vector, rare words before common ones."""
    known = _known(*[f"Likes song {n}" for n in range(50)], "Uses Python", "Sings")
    scores = Likeness({}, 0.85).scores("Likes Python", known)
    assert "f50" in scores and "f51" not in scores and len(scores) <= PROPOSED


def test_overlaps_count_stems() -> None:
    """The share counts words by their stems and leaves out those that say nothing."""
    assert overlaps("What is she cooking on the Sundays?", ["Cooks on Sunday", "Is on the phone"]) == [
        1.0,
        0.0,
    ]
    assert overlaps("", ["Cooks"]) == [0.0] and overlaps("x", []) == []
