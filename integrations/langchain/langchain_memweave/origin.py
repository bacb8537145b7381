"""Whose run this is: user and conversation, from where LangChain and LangGraph carry them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from langchain_core.runnables.config import ensure_config

from memweave_core import Branch, UsageError

NameOf: TypeAlias = Callable[[Any], str | None]
"""From the context of a run, or None, to a name."""


_ABSENT: Final = object()


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a tool call comes from: `message` is the id of the message that asks for it."""

    user: str | None
    session: str
    message: str = ""
    branch: Branch | None = None

    @property
    def source(self) -> str:
        """As a fact names it."""
        return f"{self.session}#{self.message}" if self.message else ""


current: Final[ContextVar[Origin | None]] = ContextVar("memweave_origin", default=None)
"""Whose run called the tool of a middleware that runs now."""
in_tool: Final[ContextVar[bool]] = ContextVar("memweave_in_tool", default=False)
"""Whether a tool of an agent with memory runs now: what is said within is said by models to models."""


@contextmanager
def calling(origin: Origin | None) -> Iterator[None]:
    """Around a tool call; `origin` for a tool of the middleware's own."""
    tokens = current.set(origin or current.get()), in_tool.set(True)
    try:
        yield
    finally:
        current.reset(tokens[0])
        in_tool.reset(tokens[1])


def user_of_run(context: Any = None) -> str | None:
    """``user_id`` of the run's context (attribute or key), else of ``config["configurable"]``.

    Raises `UsageError` when there is none, for then nobody could be remembered.
    """
    found = _named("user_id", context)
    if found is None:
        raise UsageError(
            "Nobody says whose memory this is. Give user_id in the context or in config['configurable'] of"
            " the run, or name the user when you make the middleware or the tools (user='ana'; user=None is"
            " for conversations that belong to nobody)."
        )
    return found


def thread_stays(named: NameOf) -> Callable[[Any, Mapping[str, Any]], str | None]:
    """`named`, which is also given what the state of the thread says of its users.

    A run that says nothing of who it is, such as one from an earlier checkpoint, is of the thread's user
    where that has had one only. Raises `UsageError` otherwise.
    """

    def user_of(context: Any, values: Mapping[str, Any]) -> str | None:
        try:
            return named(context)
        except UsageError:
            if len(values.get("users", ())) != 1 or _names_nobody(context):
                raise
            user: str | None = values["last"]
            return user

    return user_of


def _names_nobody(context: Any) -> bool:
    """Whether a run says itself that it is nobody's: its ``user_id`` is there, and is empty."""
    configured = (ensure_config().get("configurable") or {}).get("user_id", _ABSENT)
    own = context.get("user_id", _ABSENT) if isinstance(context, Mapping) else _ABSENT
    return any(value in (None, "") for value in (getattr(context, "user_id", own), configured))


def session_of_run(context: Any = None) -> str | None:
    """``session_id`` of the run's context, else ``thread_id`` of ``config["configurable"]``, else None."""
    return _named("session_id", context) or _configured("thread_id")


def thread_of_run() -> str:
    """``thread_id`` of ``config["configurable"]``, "" for none."""
    return _configured("thread_id") or ""


def _named(key: str, context: Any) -> str | None:
    value = context.get(key) if isinstance(context, Mapping) else getattr(context, key, None)
    return _configured(key) if value in (None, "") else str(value)


def _configured(key: str) -> str | None:
    value = (ensure_config().get("configurable") or {}).get(key)
    return None if value in (None, "") else str(value)
