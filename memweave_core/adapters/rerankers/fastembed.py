"""Cross-encoders of fastembed: ONNX models, downloaded by that library when the name is first used."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ..._errors import RerankerMissingError
from ...lazy_model import LazyModel
from ...model_threads import call_blocking, compute

_JOB = 8  # texts of one job: the embedding of a question waits for no more than these


class FastEmbedReranker(LazyModel):
    """`name` is one of `TextCrossEncoder.list_supported_models()` of fastembed; loaded at the first call."""

    library = "fastembed"
    missing = RerankerMissingError

    async def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """The logit of each text. Raises `RerankerMissingError` without the package."""
        # Not on the thread of the models: a download takes minutes, and questions are embedded there.
        await call_blocking(self._loaded)
        found: list[float] = []
        for start in range(0, len(texts), _JOB):
            found += await compute(partial(self._rerank, query, list(texts[start : start + _JOB])))
        return found

    def _rerank(self, query: str, texts: list[str]) -> list[float]:
        return [float(score) for score in self._loaded().rerank(query, texts)]

    def _import(self) -> Any:
        from fastembed.rerank.cross_encoder import TextCrossEncoder

        return TextCrossEncoder

    def _load(self, library_class: Any) -> Any:
        return library_class(model_name=self._name)
