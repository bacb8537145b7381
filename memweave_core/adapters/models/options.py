"""How a language model is called."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """`timeout` is in seconds per call; what is None is not sent, so that the provider's default holds."""

    timeout: float = 60.0
    api_base: str | None = None
    api_key: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
