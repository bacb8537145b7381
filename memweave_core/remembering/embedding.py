"""Vectors by the embedder of a memory, for those who keep vectors of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .._errors import ConfigError

if TYPE_CHECKING:
    from ..adapters.embedders.resilience import ResilientEmbedder
    from ..types import EmbedKind


async def embed(
    embedder: ResilientEmbedder | None, texts: Sequence[str], kind: EmbedKind
) -> list[list[float]]:
    """One unit vector for each text, in order; zeros for a text that has none.

    Raises `ConfigError` when there is no embedder, `EmbeddingError` when it fails.
    """
    if embedder is None:
        raise ConfigError(
            "This memory has no embedder; name one in embedding.model or give it one of your own."
        )
    if not texts:
        return []
    if kind == "query":
        found = [await embedder.query(text) for text in texts]
    else:
        found = await embedder.documents(list(texts))
    size = embedder.dimensions
    if size is None:  # every text was blank and no model has been asked yet
        size = len((await embedder.documents(["size"]))[0] or ())
    return [[0.0] * size if vector is None else vector.tolist() for vector in found]
