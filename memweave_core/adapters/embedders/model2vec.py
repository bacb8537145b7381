"""Static models of model2vec: tables of word vectors, thousands of texts a second, from hub or folder."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..._errors import EmbedderMissingError
from ...types import EmbedKind
from .worker import compute

if TYPE_CHECKING:
    from ...types import Vectors


class Model2VecEmbedder:
    """`name` is a hub model ("minishlab/potion-base-8M") or a local folder; loaded at the first call."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._model: Any = None
        self._lock = threading.Lock()

    @property
    def identity(self) -> str:
        return f"model2vec:{self._name}"

    @property
    def dimensions(self) -> int | None:
        return int(self._model.dim) if self._model is not None else None

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind = "document") -> Vectors:
        """One float32 vector per text. Raises `EmbedderMissingError` without the package."""
        del kind
        vectors: Vectors = await compute(lambda: self._loaded().encode(list(texts)))
        return vectors

    def _loaded(self) -> Any:
        with self._lock:
            if self._model is None:
                try:
                    from model2vec import StaticModel
                except ImportError as error:
                    raise EmbedderMissingError(
                        f'{self.identity} needs model2vec: pip install "memweave-core[model2vec]"'
                    ) from error
                self._model = StaticModel.from_pretrained(self._name)
            return self._model
