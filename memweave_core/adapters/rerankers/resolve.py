"""Finds the reranker that a name or an object stands for. Loads nothing and calls nothing."""

from __future__ import annotations

from ..._errors import ConfigError
from ...checks import nearest_name
from ...config import RerankConfig
from ...ports import Reranker
from .checked import CheckedReranker

_HUBS = ("fastembed",)
_EXAMPLE = "fastembed:Xenova/ms-marco-MiniLM-L-6-v2"


def resolve(config: RerankConfig, override: object | str | None = None) -> CheckedReranker | None:
    """The reranker of `override` (a model name, an object or a function), else of `config.model`.

    None when neither names one. Raises `ConfigError` for an unknown name and for an object that is none.
    """
    if isinstance(override, CheckedReranker):
        return override
    if override is None or isinstance(override, str):
        name = override if override is not None else config.model
        return None if name is None else CheckedReranker(_named(name), config.timeout)
    from .duck import wrap

    return CheckedReranker(wrap(override), config.timeout)


def _named(name: str) -> Reranker:
    library, colon, model = name.partition(":")
    if library not in _HUBS or not colon:
        raise ConfigError(
            f"Unknown reranker {name!r}.{nearest_name(library, _HUBS)} Name one of fastembed, such as "
            f"{_EXAMPLE!r}, or pass an object as `reranker`."
        )
    if not model.strip():
        raise ConfigError(f"The reranker {name!r} needs the name of a model after the colon: {_EXAMPLE!r}.")
    from .fastembed import FastEmbedReranker

    return FastEmbedReranker(model)
