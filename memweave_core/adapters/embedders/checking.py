"""Checks what a provider sent back and makes unit vectors of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..._errors import EmbeddingShapeError

if TYPE_CHECKING:
    from ...types import FloatArray

_NOTHING = 1e-12  # below this length a vector points nowhere


def unit_vectors(
    raw: Any, count: int, dimensions: int | None, who: str
) -> tuple[list[FloatArray | None], int]:
    """`count` unit float32 vectors, None where the provider sent zeros, and their length.

    Raises `EmbeddingShapeError` for the wrong number of vectors, a length other than `dimensions` (when not
    None), vectors of unequal length, and numbers that are not finite.
    """
    try:
        matrix = np.asarray(raw, dtype=np.float64)
    except Exception as error:  # an array type of another library may raise anything here
        raise EmbeddingShapeError(
            f"{who} returned something other than a table of numbers: {error}"
        ) from error
    if matrix.ndim != 2 or matrix.shape[0] != count or matrix.shape[1] == 0:
        shape = " x ".join(map(str, matrix.shape)) or "a single number"
        raise EmbeddingShapeError(f"{who} returned {shape} for {count} texts; expected one vector for each.")
    if dimensions is not None and matrix.shape[1] != dimensions:
        raise EmbeddingShapeError(
            f"{who} returned vectors of length {matrix.shape[1]}; expected {dimensions}. A model with "
            "another length needs another name or `dimensions`, so that its vectors are kept apart."
        )
    largest = np.abs(matrix).max(axis=1)  # not finite where one of its numbers is not
    if not np.isfinite(largest).all():
        raise EmbeddingShapeError(f"{who} returned numbers that are not finite.")
    present = largest > _NOTHING
    scaled = matrix / np.where(present, largest, 1.0)[:, None]  # first, so that squares cannot overflow
    lengths = np.where(present, np.sqrt(np.einsum("ij,ij->i", scaled, scaled)), 1.0)
    units = (scaled / lengths[:, None]).astype(np.float32)
    return [units[i] if present[i] else None for i in range(count)], int(matrix.shape[1])
