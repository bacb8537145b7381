"""Finds the embedder that a name or an object stands for. Loads nothing and calls nothing."""

from __future__ import annotations

from ..._errors import ConfigError
from ...checks import nearest_name
from ...config import BUNDLED, EmbeddingConfig
from ...ports import Embedder
from ...types import EmbedLimits
from .resilience import ResilientEmbedder

NONE = "none"
LOCAL_MODELS = ("local:minilm",)
_HUBS = ("fastembed", "model2vec")


def resolve(config: EmbeddingConfig, override: object | str | None = None) -> ResilientEmbedder | None:
    """The embedder of `override` (a model name or an object), else of `config.model`; None for "none".

    Only names decide: a key in the environment changes nothing. Raises `ConfigError` for an unknown
    "local:" name, a hub name without a model, an object that is no embedder, and a setting that the model
    does not take.
    """
    if isinstance(override, ResilientEmbedder):
        return override
    if override is not None and not isinstance(override, str):
        from .duck import wrap

        found: Embedder | None = wrap(override)
    else:
        found = _named(override if override is not None else config.model, config)
    if found is None:
        return None
    asked = EmbedLimits(max_batch_items=config.batch_size, max_batch_tokens=config.batch_tokens)
    return ResilientEmbedder(found, limits=asked, timeout=config.timeout)


def _named(name: str, config: EmbeddingConfig) -> Embedder | None:
    if name == NONE:
        return None
    if _built_in(name):
        _check_settings(name, config)
    if name == BUNDLED:
        from .bundled import BundledEmbedder

        return BundledEmbedder()
    head, colon, model = name.partition(":")
    if head in _HUBS and colon:
        return _from_hub(head, model)
    if head == "local" and colon:
        return _local(name)
    if not name.strip():
        raise ConfigError("The embedding model has no name; use 'none' for keywords only.")
    _check_spelling(name)
    return _litellm(name, config)


def _built_in(name: str) -> bool:
    head, colon, _ = name.partition(":")
    return name in (NONE, BUNDLED) or (bool(colon) and head in (*_HUBS, "local"))


def _check_settings(name: str, config: EmbeddingConfig) -> None:
    """Refuse what would be ignored, unless it belongs to a configured model that `name` stands in for."""
    if name != config.model and not _built_in(config.model):
        return
    for setting in ("dimensions", "api_base", "api_key"):
        if getattr(config, setting) is not None:
            raise ConfigError(
                f"embedding.{setting} is set, but the embedding model {name!r} does not take it: remove it, "
                "or name a model of litellm."
            )


def _check_spelling(name: str) -> None:
    """Refuse what looks like a built-in name mistyped, before it is taken for a model of a provider."""
    known = (NONE, BUNDLED, *LOCAL_MODELS)
    hint = nearest_name(name, known) if "/" not in name else ""
    if hint:
        raise ConfigError(f"Unknown embedding model {name!r}.{hint} Built in: {', '.join(known)}.")


def _from_hub(library: str, model: str) -> Embedder:
    if not model:
        raise ConfigError(f"{library}: needs the name of a model after the colon.")
    if library == "fastembed":
        from .fastembed import FastEmbedEmbedder

        return FastEmbedEmbedder(model)
    from .model2vec import Model2VecEmbedder

    return Model2VecEmbedder(model)


def _local(name: str) -> Embedder:
    if name not in LOCAL_MODELS:
        known = ", ".join(LOCAL_MODELS)
        raise ConfigError(
            f"Unknown embedding model {name!r}.{nearest_name(name, LOCAL_MODELS)} Local models: {known}."
        )
    from .minilm import MiniLMEmbedder

    return MiniLMEmbedder()


def _litellm(name: str, config: EmbeddingConfig) -> Embedder:
    from dataclasses import replace

    from .litellm import LiteLLMEmbedder

    return LiteLLMEmbedder(config if config.model == name else replace(config, model=name))
