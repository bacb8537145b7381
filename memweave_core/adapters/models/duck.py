"""Adapts functions and the chat models of other libraries by their methods; none of those is imported."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, TypeGuard

from ..._errors import ConfigError, ModelError
from ...foreign_methods import awaits
from ...messages import Message
from ...model_threads import await_reply
from ...ports import ChatModel
from .replies import as_dicts, as_prompt, text_of

_Ask: TypeAlias = Callable[[Sequence[Message], Mapping[str, Any] | None], Awaitable[Any]]

_MODEL_NAMES = ("model", "model_name", "model_id", "deployment_name", "azure_deployment", "repo_id")
_PROMPT_NAMES = ("prompt", "text", "question", "query", "input", "message", "string")
_LLAMA_TYPES = "llama_index.core.base.llms.types"


def wrap(obj: object, *, identity: str | None = None) -> ChatModel:
    """A `ChatModel` over `obj`.

    Taken are: our own protocol; LangChain's ``ainvoke`` or ``invoke``; LlamaIndex's ``achat`` or ``chat``;
    and any function, async or not, of one argument. A function gets a list of ``{"role", "content"}``
    dictionaries, or one string when its argument is annotated ``str`` or called `prompt`, `text` or the like;
    with a parameter `schema` it gets that too. What blocks runs in a thread. Raises `ConfigError` for
    anything else.
    """
    if isinstance(obj, type):
        raise ConfigError(f"model must be an object, not the class {obj.__name__}: make one of it first.")
    if _is_model(obj):
        return obj
    ask = _langchain(obj) or _llama(obj) or (_function(obj) if callable(obj) else None)
    if ask is None:
        raise ConfigError(
            f"{type(obj).__module__}.{type(obj).__qualname__} is not a language model: it needs `identity` "
            "and an async `complete`, the methods of a chat model of LangChain or LlamaIndex, or to be a "
            "function."
        )
    return _Foreign(ask, identity or identity_of(obj))


def identity_of(obj: object) -> str:
    """The name of a function, else the class and, where attributes tell, the name of its model."""
    named = obj if hasattr(obj, "__qualname__") else type(obj)
    parts = [f"{getattr(named, '__module__', '')}.{getattr(named, '__qualname__', '')}"]
    model = next(
        (value for name in _MODEL_NAMES if isinstance(value := _plain(obj, name), str) and value), None
    )
    return ":".join([*parts, *([model] if model else [])])


class _Foreign:
    """A model over one async function from messages to whatever its library returns."""

    def __init__(self, ask: _Ask, identity: str) -> None:
        self._ask = ask
        self._identity = identity

    @property
    def identity(self) -> str:
        return self._identity

    async def complete(self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None) -> str:
        reply = await self._ask(messages, schema)
        text = text_of(reply)
        if text is None:
            raise ModelError(
                f"Language model {self._identity!r} gave {type(reply).__name__}, in which there is no text."
            )
        return text


def _is_model(obj: object) -> TypeGuard[ChatModel]:
    named = isinstance(_plain(obj, "identity"), str)
    return named and inspect.iscoroutinefunction(getattr(obj, "complete", None))


def _langchain(obj: object) -> _Ask | None:
    """LangChain's own ``ainvoke`` runs a model that only blocks in a thread itself."""
    own_async, sync = getattr(obj, "ainvoke", None), getattr(obj, "invoke", None)
    return _either(own_async if inspect.iscoroutinefunction(own_async) else None, sync, as_dicts)


def _llama(obj: object) -> _Ask | None:
    """``achat`` when the class's own one awaits something: several only call the sync one."""
    own_async, sync = getattr(obj, "achat", None), getattr(obj, "chat", None)
    usable = callable(own_async) and (awaits(obj, "achat") or not callable(sync))
    return _either(own_async if usable else None, sync, _llama_messages)


def _either(own_async: Any, sync: Any, form: Callable[[Sequence[Message]], Any]) -> _Ask | None:
    if callable(own_async):

        async def awaited(messages: Sequence[Message], schema: Mapping[str, Any] | None) -> Any:
            del schema
            return await own_async(form(messages))

        return awaited
    if not callable(sync):
        return None

    async def in_thread(messages: Sequence[Message], schema: Mapping[str, Any] | None) -> Any:
        del schema
        return await await_reply(partial(sync, form(messages)))

    return in_thread


def _function(obj: Callable[..., Any]) -> _Ask:
    form: Callable[[Sequence[Message]], Any] = as_prompt if _takes_prompt(obj) else as_dicts
    schematic = "schema" in _parameters(obj)
    is_async = inspect.iscoroutinefunction(obj) or inspect.iscoroutinefunction(type(obj).__call__)

    async def ask(messages: Sequence[Message], schema: Mapping[str, Any] | None) -> Any:
        call = partial(obj, form(messages), **({"schema": schema} if schematic else {}))
        reply = call() if is_async else await await_reply(call)
        return await reply if inspect.isawaitable(reply) else reply

    return ask


def _parameters(obj: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(obj).parameters
    except (TypeError, ValueError):  # some builtins have none to show
        return {}


def _takes_prompt(obj: Callable[..., Any]) -> bool:
    first = next(iter(_parameters(obj).values()), None)
    if first is None:
        return False
    if first.annotation is not inspect.Parameter.empty:
        return first.annotation in (str, "str")
    return any(name == first.name.casefold().removeprefix("user_").strip("_") for name in _PROMPT_NAMES)


@dataclass
class _Plain:
    """Stands in for LlamaIndex's message where an object has its methods but not its library."""

    role: str
    content: str


def _llama_messages(messages: Sequence[Message]) -> list[Any]:
    # Whoever has an object of that library has loaded this module of it.
    made = getattr(sys.modules.get(_LLAMA_TYPES), "ChatMessage", _Plain)
    return [made(role=message["role"], content=message["content"]) for message in as_dicts(messages)]


def _plain(obj: object, name: str) -> Any:
    """An attribute; a property that raises counts as absent."""
    try:
        return getattr(obj, name, None)
    except Exception:  # foreign properties may raise anything
        return None
