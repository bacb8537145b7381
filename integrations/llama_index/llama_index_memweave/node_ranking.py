"""Orders nodes that were found: two searches as one, and the best without what says the same again. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

MMR_THRESHOLD: Final = 0.5
"""How much being near to the question counts against being unlike the others, when nobody says."""


def fused(cosines: Mapping[str, float], words: Mapping[str, float], alpha: float) -> list[tuple[str, float]]:
    """(key, `alpha` times the cosine and the rest the share of words), best first.

    Cosines below 0 count as 0, so that the result is in [0, 1].
    """
    keys = dict.fromkeys((*cosines, *words))
    scored = [
        (key, alpha * max(cosines.get(key, 0.0), 0.0) + (1 - alpha) * words.get(key, 0.0)) for key in keys
    ]
    return sorted(scored, key=lambda pair: -pair[1])


def diverse(
    scores: Sequence[float], vectors: Sequence[npt.NDArray[np.float32]], wanted: int, threshold: float
) -> list[int]:
    """The places of `wanted` of them by maximal marginal relevance, the best first.

    Each next one has the largest threshold * score - (1 - threshold) * its largest cosine with one before
    (Carbonell & Goldstein 1998). Scores come in descending order, vectors have length one.
    """
    if not scores:
        return []
    matrix = np.stack(vectors)
    near = threshold * np.asarray(scores, dtype=np.float32)
    likeness = np.full(len(scores), -np.inf, dtype=np.float32)
    chosen = [0]
    while len(chosen) < min(wanted, len(scores)):
        likeness = np.maximum(likeness, matrix @ matrix[chosen[-1]])
        worth = near - (1 - threshold) * likeness
        worth[chosen] = -np.inf
        chosen.append(int(np.argmax(worth)))
    return chosen
