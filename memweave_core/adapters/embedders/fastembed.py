"""Models of fastembed: ONNX transformers, downloaded by that library when the name is first used."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..._errors import EmbedderMissingError
from ...types import EmbedKind, EmbedLimits
from .worker import compute

if TYPE_CHECKING:
    from ...types import Vectors

_JOB = 8  # texts of one job: a query waits for no more than these


class FastEmbedEmbedder:
    """`name` is one of `fastembed.TextEmbedding.list_supported_models()`; loaded at the first call."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._model: Any = None
        self._lock = threading.Lock()

    @property
    def identity(self) -> str:
        return f"fastembed:{self._name}"

    @property
    def dimensions(self) -> int | None:
        return None

    @property
    def limits(self) -> EmbedLimits:
        return EmbedLimits(max_batch_items=64, max_batch_tokens=32_000, max_text_tokens=8_000)

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind = "document") -> Vectors:
        """One vector per text; questions get the model's question prefix where it has one.

        Raises `EmbedderMissingError` without the package.
        """
        found: list[Any] = []
        for start in range(0, len(texts), _JOB):
            part = list(texts[start : start + _JOB])
            found += await compute(partial(self._embed, part, kind))
        return found

    def _embed(self, texts: list[str], kind: EmbedKind) -> list[Any]:
        model = self._loaded()
        return list(model.query_embed(texts) if kind == "query" else model.passage_embed(texts))

    def _loaded(self) -> Any:
        with self._lock:
            if self._model is None:
                try:
                    from fastembed import TextEmbedding
                except ImportError as error:
                    raise EmbedderMissingError(
                        f'{self.identity} needs fastembed: pip install "memweave-core[fastembed]"'
                    ) from error
                self._model = TextEmbedding(model_name=self._name)
            return self._model
