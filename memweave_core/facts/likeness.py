"""With which known facts a new one is compared.

Whether two facts say the same is decided by their content (`verdict`); what is proposed for that only has to
hold the right ones. Embedders differ much in how near they put "likes Python" and "prefers Python to
JavaScript", so unless a cosine is asked for, the nearest by vectors and by words are proposed too.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Final

from ..messages import Fact
from .by_words import tokens_of

if TYPE_CHECKING:
    from ..types import FloatArray

PROPOSED: Final = 20
"""How many are proposed by vectors, and as many by words, whatever their cosine."""

_COMMON: Final = 100


class Likeness:
    """Proposes known facts. `vectors` are unit vectors by text; those above `threshold` are always proposed.

    With `closely` no others are.
    """

    def __init__(self, vectors: Mapping[str, FloatArray], threshold: float, *, closely: bool = False) -> None:
        self._vectors = vectors
        self._threshold = threshold
        self._closely = closely
        self._texts: list[str] = []
        self._matrix: FloatArray | None = None
        self._read: set[str] = set()
        self._holders: defaultdict[str, set[str]] = defaultdict(set)

    def scores(self, new: str, known: Sequence[Fact]) -> dict[str, float]:
        """By id, the facts to compare with a text, the most similar with the highest number (above 0)."""
        texts = {fact.text for fact in known}
        likely = self._near(new, texts)
        if not self._closely:
            for text in self._sharing(new, texts):
                likely.setdefault(text, 0.0)
        return {fact.id: 1.0 + likely[fact.text] for fact in known if fact.text in likely}

    def _near(self, new: str, texts: Set[str]) -> dict[str, float]:
        """The texts whose cosine is above the threshold, and the nearest others; negative ones as 0."""
        own = self._vectors.get(new)
        if own is None:
            return {}
        if self._matrix is None:
            self._stack(len(own))
        if self._matrix is None or self._matrix.shape[1:] != own.shape:
            return {}
        found: dict[str, float] = {}
        scores = self._matrix @ own
        for row in (-scores).argsort(kind="stable").tolist():
            cosine, text = float(scores[row]), self._texts[row]
            if cosine <= self._threshold and (self._closely or len(found) >= PROPOSED):
                break
            if text in texts:
                found[text] = max(0.0, cosine)
        return found

    def _stack(self, length: int) -> None:
        import numpy as np

        self._texts = [text for text, vector in self._vectors.items() if len(vector) == length]
        self._matrix = np.stack([self._vectors[text] for text in self._texts])

    def _sharing(self, new: str, texts: Set[str]) -> list[str]:
        """The texts that share the most words with `new`, rare ones counting more."""
        for text in texts - self._read:
            self._read.add(text)
            for token in tokens_of(text):
                self._holders[token].add(text)
        shared: defaultdict[str, float] = defaultdict(float)
        for holders in sorted((self._holders.get(token, set()) for token in tokens_of(new)), key=len):
            if len(holders) > _COMMON and len(shared) >= PROPOSED:
                break  # what so many share tells nothing beside the rarer words
            for text in holders:
                shared[text] += 1.0 / len(holders)
        there = {text: share for text, share in shared.items() if text in texts}
        return heapq.nlargest(PROPOSED, there, key=there.__getitem__)
