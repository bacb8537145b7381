"""With which known facts a new one is compared.

Whether two facts say the same is decided by their content (`verdict`); what is proposed for that only has to
hold the right ones. Embedders differ much in how near they put "likes Python" and "prefers Python to
JavaScript", so unless a cosine is asked for, the nearest by vectors and by words are proposed too.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from ..messages import Fact
from .by_words import tokens_of

if TYPE_CHECKING:
    from ..types import FloatArray

PROPOSED: Final = 20
"""How many are proposed by vectors, and as many by words, whatever their cosine."""


class Likeness:
    """Proposes known facts. `vectors` are unit vectors by text; those above `threshold` are always proposed.

    With `closely` no others are.
    """

    def __init__(self, vectors: Mapping[str, FloatArray], threshold: float, *, closely: bool = False) -> None:
        self._vectors = vectors
        self._threshold = threshold
        self._closely = closely
        self._rows: dict[str, int] = {}
        self._matrix: FloatArray | None = None
        self._read: set[str] = set()
        self._holders: defaultdict[str, set[str]] = defaultdict(set)

    def scores(self, new: str, known: Sequence[Fact]) -> dict[str, float]:
        """By id, the facts to compare with a text, the most similar with the highest number (above 0)."""
        texts = dict.fromkeys(fact.text for fact in known)
        cosines = self._cosines(new, texts)
        likely = {text for text, cosine in cosines.items() if cosine > self._threshold}
        if not self._closely:
            likely.update(heapq.nlargest(PROPOSED, cosines, key=cosines.__getitem__))
            likely.update(self._sharing(new, texts))
        return {fact.id: 1.0 + max(0.0, cosines.get(fact.text, 0.0)) for fact in known if fact.text in likely}

    def _cosines(self, new: str, texts: Iterable[str]) -> dict[str, float]:
        own = self._vectors.get(new)
        if own is None:
            return {}
        if self._matrix is None:
            import numpy as np

            fitting = [text for text, vector in self._vectors.items() if vector.shape == own.shape]
            self._rows = {text: row for row, text in enumerate(fitting)}
            self._matrix = np.stack([self._vectors[text] for text in fitting])
        if self._matrix.shape[1:] != own.shape:
            return {}
        scores = (self._matrix @ own).tolist()
        return {text: scores[row] for text in texts if (row := self._rows.get(text)) is not None}

    def _sharing(self, new: str, texts: Collection[str]) -> list[str]:
        """The texts that share the most words with `new`, rare ones counting more."""
        for text in texts:
            if text not in self._read:
                self._read.add(text)
                for token in tokens_of(text):
                    self._holders[token].add(text)
        shared: defaultdict[str, float] = defaultdict(float)
        for token in tokens_of(new):
            holders = self._holders.get(token, ())
            for text in holders:
                shared[text] += 1.0 / len(holders)
        there = {text: share for text, share in shared.items() if text in texts}
        return heapq.nlargest(PROPOSED, there, key=there.__getitem__)
