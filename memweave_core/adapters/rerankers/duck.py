"""Adapts an object with a `rerank` method, or a function, that is not quite a `Reranker`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ..._errors import ConfigError
from ...model_threads import call_blocking
from ...ports import Reranker


def wrap(obj: object) -> Reranker:
    """A `Reranker` over `obj`.

    Taken are: our own protocol; an object whose `rerank` takes (question, texts); a function of these two.
    What is async is awaited, anything else runs in a thread. Without an `identity` of its own the object is
    called by the name of its class or function. Raises `ConfigError` for anything else.
    """
    if isinstance(obj, type):
        raise ConfigError(f"reranker must be an object, not the class {obj.__name__}: make one of it first.")
    method = getattr(obj, "rerank", None)
    call = method if callable(method) else obj
    if not callable(call):
        cls = type(obj)
        raise ConfigError(
            f"{cls.__module__}.{cls.__qualname__} is not a reranker: it needs `identity` and an async "
            "`rerank(query, texts)`, or to be a function of the two."
        )
    return _Foreign(call, _name_of(obj))


class _Foreign:
    """A reranker over one function, async or not."""

    def __init__(self, call: Callable[..., Any], identity: str) -> None:
        self._call = call
        self._identity = identity
        of_class = getattr(type(call), "__call__", None)  # noqa: B004  # the function, not whether there is one
        self._is_async = inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(of_class)

    @property
    def identity(self) -> str:
        return self._identity

    async def rerank(self, query: str, texts: Sequence[str]) -> Any:
        """What the function returns; the caller checks it."""
        if self._is_async:
            return await self._call(query, texts)
        found = await call_blocking(lambda: _exhausted(self._call(query, texts), len(texts)))
        return await found if inspect.isawaitable(found) else found


def _exhausted(answer: Any, count: int) -> Any:
    """Of a generator its values, taken where computing them holds up nobody: one more than wanted at most."""
    if not inspect.isgenerator(answer):
        return answer
    return [value for value, _ in zip(answer, range(count + 1), strict=False)]


def _name_of(obj: object) -> str:
    named = getattr(obj, "identity", None)
    if isinstance(named, str) and named:
        return named
    named = getattr(obj, "__qualname__", None)
    return named if isinstance(named, str) else type(obj).__qualname__
