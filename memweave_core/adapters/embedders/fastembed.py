"""Models of fastembed: ONNX transformers, downloaded by that library when the name is first used."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ...lazy_model import LazyModel
from ...model_threads import compute
from ...types import EmbedKind, EmbedLimits

if TYPE_CHECKING:
    from ...types import Vectors

_JOB = 8  # texts of one job: a query waits for no more than these


class FastEmbedEmbedder(LazyModel):
    """`name` is one of `fastembed.TextEmbedding.list_supported_models()`; loaded at the first call."""

    library = "fastembed"

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

    def _import(self) -> Any:
        from fastembed import TextEmbedding

        return TextEmbedding

    def _load(self, library_class: Any) -> Any:
        return library_class(model_name=self._name)
