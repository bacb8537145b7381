"""Any model that litellm knows: OpenAI, Gemini, Ollama, Bedrock and the rest.

litellm takes seconds and hundreds of megabytes to import, so that happens inside the first call.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..._errors import EmbedderMissingError, EmbeddingError
from ...litellm_package import import_litellm
from ...model_threads import call_blocking
from ...text.redaction import describe
from ...types import EmbedKind, EmbedLimits
from .failures import classify, reworded

if TYPE_CHECKING:
    from ...config import EmbeddingConfig
    from ...types import Vectors


class LiteLLMEmbedder:
    """`config.model` through litellm. `dimensions` is sent only when set, and belongs to the identity."""

    def __init__(self, config: EmbeddingConfig) -> None:
        self._config = config

    @property
    def identity(self) -> str:
        return f"litellm:{self._config.model}:{self._config.dimensions or 'default'}"

    @property
    def dimensions(self) -> int | None:
        return self._config.dimensions

    @property
    def limits(self) -> EmbedLimits:
        return EmbedLimits(
            max_batch_items=self._config.batch_size, max_batch_tokens=self._config.batch_tokens
        )

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind = "document") -> Vectors:
        """One vector per text, as the provider sends it. Raises `EmbeddingError` naming model and address."""
        del kind
        litellm = await call_blocking(partial(import_litellm, "embedding model", EmbedderMissingError))
        try:
            response = await litellm.aembedding(input=list(texts), **self._options())
            return _vectors(response)
        except Exception as error:
            raise self._named(error) from error

    def _options(self) -> dict[str, Any]:
        config = self._config
        # Retries are ours to decide; litellm takes 0 for "not set" with OpenAI-like servers and tries thrice.
        options: dict[str, Any] = {"model": config.model, "timeout": config.timeout, "max_retries": 0}
        for name in ("api_base", "api_key", "dimensions"):
            if (value := getattr(config, name)) is not None:
                options[name] = value
        return options

    def _named(self, error: Exception) -> EmbeddingError:
        ours = classify(error)
        place = f" at {self._config.api_base}" if self._config.api_base else ""
        hint = ""
        if self._config.dimensions is not None and type(error).__name__ == "UnsupportedParamsError":
            hint = " The model may not take `embedding.dimensions`: leave it unset."
        words = describe(error).rstrip(".")
        if self._config.api_key:
            words = words.replace(self._config.api_key, "…")
        return reworded(ours, f"Embedding model {self._config.model!r}{place} failed: {words}.{hint}")


def _vectors(response: Any) -> list[Any]:
    """The vectors in the order of the texts: providers number them, and some send them out of order."""
    items = response["data"] if isinstance(response, dict) else response.data
    plain = [item if isinstance(item, dict) else vars(item) for item in items]
    if {item.get("index") for item in plain} == set(range(len(plain))):
        plain = sorted(plain, key=lambda item: int(item["index"]))
    return [item["embedding"] for item in plain]
