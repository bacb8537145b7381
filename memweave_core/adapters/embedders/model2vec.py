"""Static models of model2vec: tables of word vectors, thousands of texts a second, from hub or folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...lazy_model import LazyModel
from ...model_threads import compute
from ...types import EmbedKind

if TYPE_CHECKING:
    from ...types import Vectors


class Model2VecEmbedder(LazyModel):
    """`name` is a hub model ("minishlab/potion-base-8M") or a local folder; loaded at the first call."""

    library = "model2vec"

    @property
    def dimensions(self) -> int | None:
        return int(self._model.dim) if self._model is not None else None

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind = "document") -> Vectors:
        """One float32 vector per text. Raises `EmbedderMissingError` without the package."""
        del kind
        vectors: Vectors = await compute(lambda: self._loaded().encode(list(texts)))
        return vectors

    def _import(self) -> Any:
        from model2vec import StaticModel

        return StaticModel

    def _load(self, library_class: Any) -> Any:
        return library_class.from_pretrained(self._name)
