"""Adapts the embedding objects of other libraries by their methods; none of those libraries is imported."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, TypeAlias, TypeGuard

from ..._errors import ConfigError
from ...foreign_methods import awaits
from ...model_threads import call_blocking
from ...ports import Embedder
from ...types import Calibration, EmbedKind, EmbedLimits

_Async: TypeAlias = Callable[[Any], Awaitable[Any]]

_MODEL_NAMES = (
    "model",
    "model_name",
    "model_id",
    "deployment",
    "deployment_name",
    "azure_deployment",
    "repo_id",
)
_SIZES = (
    "dimensions",
    "dimension",
    "dim",
    "dims",
    "size",
    "embed_dim",
    "truncate_dim",
    "output_dimensionality",
)
_SETTINGS = (
    *(
        "query_instruction",
        "text_instruction",
        "embed_instruction",
        "query_prefix",
        "document_prefix",
        "prefix",
    ),
    *(
        "query_encode_kwargs",
        "encode_kwargs",
        "model_kwargs",
        "normalize",
        "pooling",
        "task_type",
        "input_type",
    ),
    *("revision", "seed"),
)
_INNER = ("underlying_embeddings", "embeddings", "embedder", "embed_model", "_embed_model", "base_embeddings")
_BASES = ("langchain_core.", "llama_index.core.base.")
"""Where the classes live whose async methods only call the sync ones."""


def wrap(obj: object, *, identity: str | None = None) -> Embedder:
    """An `Embedder` over `obj`.

    Taken are: our own protocol; async ``embed_batch`` and ``embed_query``; LangChain's ``embed_documents``
    and ``embed_query``; LlamaIndex's ``get_text_embedding_batch`` and ``get_query_embedding``. Async
    methods are used when they really await something, sync ones run in a thread. `calibration` and `limits`
    of the object are heeded. `identity` replaces the name made of class, model and settings. Raises
    `ConfigError` for anything else.
    """
    if isinstance(obj, type):
        raise ConfigError(f"embedder must be an object, not the class {obj.__name__}: make one of it first.")
    if _is_embedder(obj):
        return (
            obj if identity is None else _Foreign(obj, _ours(obj, "document"), _ours(obj, "query"), identity)
        )
    for documents, query in (
        (_seed(obj, "embed_batch"), _seed(obj, "embed_query")),
        (_langchain(obj, "embed_documents"), _langchain(obj, "embed_query")),
        (_llama(obj, "text_embedding_batch"), _llama(obj, "query_embedding")),
    ):
        if documents is not None and query is not None:
            return _Foreign(obj, documents, query, identity or identity_of(obj))
    raise ConfigError(
        f"{type(obj).__module__}.{type(obj).__qualname__} is not an embedder: it needs `identity`, "
        "`dimensions` and an async `embed`, or the embedding methods of LangChain or LlamaIndex."
    )


def identity_of(obj: object, depth: int = 3) -> str:
    """Class, model name, length and a checksum of what else changes vectors, as far as attributes tell.

    Addresses and keys are not part of it; an embedding object that this one wraps is, `depth` levels down.
    Objects that differ in ways no known attribute shows need an explicit identity.
    """
    cls = type(obj)
    model = next((str(v) for name in _MODEL_NAMES if (v := _plain(obj, name))), "default")
    size = next((v for name in _SIZES if isinstance(v := _plain(obj, name), int) and v > 0), None)
    parts = [f"{cls.__module__}.{cls.__qualname__}", model]
    if size is not None:
        parts.append(str(size))
    inner = next(
        (v for name in _INNER if _is_embedding(v := getattr(obj, name, None)) and v is not obj), None
    )
    if inner is not None and depth > 0:
        parts.append(f"({identity_of(inner, depth - 1)})")
    settings = {name: value for name in _SETTINGS if (value := _plain(obj, name)) not in (None, "", {}, [])}
    if settings:
        text = json.dumps(settings, sort_keys=True, ensure_ascii=False)
        parts.append(hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12])
    return ":".join(parts)


class _Foreign:
    """An embedder over two async functions: texts to vectors, and a question to one vector."""

    def __init__(self, obj: object, documents: _Async, query: _Async, identity: str) -> None:
        self._documents = documents
        self._query = query
        self._identity = identity
        known = getattr(obj, "dimensions", None)
        self._dimensions = known if type(known) is int and known > 0 else None
        scale, limits = getattr(obj, "calibration", None), getattr(obj, "limits", None)
        self._calibration = scale if isinstance(scale, Calibration) else None
        self._limits = limits if isinstance(limits, EmbedLimits) else None

    @property
    def identity(self) -> str:
        return self._identity

    @property
    def dimensions(self) -> int | None:
        return self._dimensions

    @property
    def calibration(self) -> Calibration | None:
        return self._calibration

    @property
    def limits(self) -> EmbedLimits | None:
        return self._limits

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind = "document") -> Any:
        """What the object returns, one vector per text; the caller checks and normalises it."""
        if kind == "query":
            return [await self._query(text) for text in texts]
        return await self._documents(list(texts))


def _is_embedder(obj: object) -> TypeGuard[Embedder]:
    named = isinstance(getattr(obj, "identity", None), str) and hasattr(obj, "dimensions")
    return named and inspect.iscoroutinefunction(getattr(obj, "embed", None))


def _ours(embedder: Embedder, kind: EmbedKind) -> _Async:
    async def documents(texts: Any) -> Any:
        return await embedder.embed(texts, kind="document")

    async def query(text: Any) -> Any:
        return (await embedder.embed([text], kind="query"))[0]

    return documents if kind == "document" else query


def _seed(obj: object, name: str) -> _Async | None:
    method = getattr(obj, name, None)
    return method if inspect.iscoroutinefunction(method) else None


def _langchain(obj: object, name: str) -> _Async | None:
    """`a<name>` when the class itself made it async, else `<name>` in a thread."""
    return _pick(obj, getattr(obj, name, None), getattr(obj, f"a{name}", None), f"a{name}")


def _llama(obj: object, name: str) -> _Async | None:
    """The public async method when the hook behind it is really async, else the sync one in a thread."""
    hook = "_aget_query_embedding" if name == "query_embedding" else "_aget_text_embeddings"
    if name != "query_embedding" and not awaits(obj, hook, not_of=_BASES):
        hook = "_aget_text_embedding"
    return _pick(obj, getattr(obj, f"get_{name}", None), getattr(obj, f"aget_{name}", None), hook)


def _pick(obj: object, sync: Any, own_async: Any, decided_by: str) -> _Async | None:
    if callable(own_async) and (awaits(obj, decided_by, not_of=_BASES) or not callable(sync)):
        picked: _Async = own_async
        return picked
    if not callable(sync):
        return None

    async def in_thread(argument: Any) -> Any:
        return await call_blocking(partial(sync, argument))

    return in_thread


def _is_embedding(obj: object) -> bool:
    known = ("embed", "embed_batch", "embed_documents", "get_text_embedding_batch")
    return not isinstance(obj, type) and any(callable(getattr(obj, name, None)) for name in known)


def _plain(obj: object, name: str) -> Any:
    """An attribute that JSON can hold, else None; a property that raises counts as absent."""
    try:
        value = getattr(obj, name, None)
        json.dumps(value)
    except Exception:  # foreign properties may raise anything
        return None
    return value
