"""LangChain's messages as messages of a transcript, and back, without loss.

What every framework has (role, content, name, tool calls, what a result answers) stands where every framework
finds it. All else of LangChain's stands in `Message.extra` under ``"langchain"``.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    BaseMessageChunk,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    message_chunk_to_message,
)
from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from memweave_core import Message, ToolCall, UsageError

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
KEY: Final = "langchain"
logger = logging.getLogger(__name__)

_KINDS: Final[dict[str, type[BaseMessage]]] = {
    "ai": AIMessage,
    "chat": ChatMessage,
    "function": FunctionMessage,
    "human": HumanMessage,
    "system": SystemMessage,
    "tool": ToolMessage,
}
_ROLES: Final[dict[str, Role]] = {
    "ai": "assistant",
    "function": "tool",
    "human": "user",
    "system": "system",
    "tool": "tool",
}
_PLAIN: Final[dict[Role, str]] = {"assistant": "ai", "system": "system", "tool": "tool", "user": "human"}
"""The kind of message that each role means where nothing says otherwise."""

_ELSEWHERE: Final = frozenset({"content", "id", "name", "type", "tool_call_id"})
"""Fields that a transcript has a place of its own for."""


def to_memweave(message: BaseMessage) -> Message:
    """The message as a transcript has it. A chunk becomes the message that it is.

    Values that are not JSON are kept as JSON where pydantic knows how (bytes in base64), else as their text;
    of a message that cannot be told in JSON at all the text is kept. Raises `UsageError` for what is no
    message, such as `RemoveMessage`.
    """
    if isinstance(message, BaseMessageChunk):
        message = message_chunk_to_message(message)
    if isinstance(message, RemoveMessage) or not isinstance(message, BaseMessage):
        raise UsageError(f"A conversation is made of messages, and {type(message).__name__} is none.")
    role = _role(message)
    try:
        values: dict[str, Any] = to_jsonable_python(
            message.model_dump(), fallback=str, inf_nan_mode="constants", bytes_mode="base64"
        )
    except (ValueError, RecursionError) as error:  # it holds itself, or is nested without end
        logger.warning("Of a message of %s only the text is written down: %s", role, error)
        answers = getattr(message, "tool_call_id", None)
        return Message(role=role, content=message.text, id=message.id or "", tool_call_id=answers)
    kind = type(message) if message.type not in _KINDS else _KINDS[message.type]
    beside = {
        name: value
        for name, value in values.items()
        if name not in _ELSEWHERE and value != _default(kind, name)
    }
    if message.type != _PLAIN[role]:
        beside["type"] = message.type
    calls = _calls(beside)
    content, strings = _content(values["content"])
    if strings:
        beside["strings"] = strings
    return Message(
        role=role,
        content=content,
        id=message.id or "",
        name=message.name,
        tool_calls=calls,
        tool_call_id=values.get("tool_call_id"),
        extra={KEY: beside} if beside else {},
    )


def from_memweave(message: Message) -> BaseMessage:
    """The message as LangChain has it: the one it was made of, or the one that its role means."""
    own = message.extra.get(KEY)
    values = dict(own) if isinstance(own, Mapping) else {}
    strings = values.pop("strings", ())
    kind = _KINDS.get(str(values.pop("type", "")), _KINDS[_PLAIN[message.role]])
    values["content"] = _as_content(message.content, strings)
    if message.id:
        values["id"] = message.id
    if message.name is not None:
        values["name"] = message.name
    if kind is AIMessage:
        _put_calls(values, message.tool_calls)
    if kind is ToolMessage:
        values["tool_call_id"] = message.tool_call_id or ""
    try:
        return kind(**values)
    except ValidationError:  # people may edit a transcript; what was said is still to be read
        return _bare(message, str(values["content"]) if isinstance(values["content"], str) else message.text)


def _bare(message: Message, text: str) -> BaseMessage:
    """The message of a role with nothing but text and id."""
    kind = _KINDS[_PLAIN[message.role]]
    answers = {"tool_call_id": message.tool_call_id or ""} if kind is ToolMessage else {}
    return kind(content=text, id=message.id or None, **answers)


def all_to_memweave(messages: Iterable[BaseMessage]) -> tuple[Message, ...]:
    """`to_memweave` of each."""
    return tuple(map(to_memweave, messages))


def all_from_memweave(messages: Iterable[Message]) -> list[BaseMessage]:
    """`from_memweave` of each."""
    return list(map(from_memweave, messages))


def is_summary(message: BaseMessage) -> bool:
    """Whether LangChain's own summarising put a message in the place of others."""
    return bool(message.additional_kwargs.get("lc_source") == "summarization")


# --- there ---------------------------------------------------------------------------------------------


def _role(message: BaseMessage) -> Role:
    """The role of a message; one with a role of its own is taken for the user's unless a role is meant."""
    if isinstance(message, ChatMessage):
        named = message.role.casefold()
        for role, kind in _PLAIN.items():
            if named in (role, kind):
                return role
        return "user"
    return _ROLES.get(message.type, "user")


def _default(kind: type[BaseMessage], name: str) -> Any:
    field = kind.model_fields.get(name)
    return ... if field is None or field.is_required() else field.get_default(call_default_factory=True)


def _calls(beside: dict[str, Any]) -> tuple[ToolCall, ...]:
    """The tool calls; they stay beside only where one has more than a transcript has a place for."""
    calls = beside.get("tool_calls", ())
    if all(set(call) <= {"name", "args", "id", "type"} and call.get("id") is not None for call in calls):
        beside.pop("tool_calls", None)
    return tuple(ToolCall(call.get("id") or "", call["name"], call["args"]) for call in calls)


def _content(content: Any) -> tuple[str | tuple[Mapping[str, Any], ...], list[int]]:
    """The content, and which of its blocks are bare strings in LangChain's own."""
    if isinstance(content, str):
        return content, []
    strings = [number for number, block in enumerate(content) if isinstance(block, str)]
    return tuple({"type": "text", "text": one} if isinstance(one, str) else one for one in content), strings


# --- and back ------------------------------------------------------------------------------------------


def _as_content(
    content: str | Sequence[Mapping[str, Any]], strings: Sequence[int]
) -> str | list[str | dict[str, Any]]:
    if isinstance(content, str):
        return content
    bare = frozenset(strings)
    return [
        str(block.get("text", "")) if number in bare else dict(block) for number, block in enumerate(content)
    ]


def _put_calls(values: dict[str, Any], calls: Iterable[ToolCall]) -> None:
    """The tool calls as LangChain has them; arguments that no program can read are an invalid call."""
    if "tool_calls" in values:
        return
    valid, invalid = [], []
    for call in calls:
        arguments = _read(call.arguments)
        if isinstance(arguments, Mapping):
            valid.append({"name": call.name, "args": dict(arguments), "id": call.id, "type": "tool_call"})
        else:
            wrong = {"name": call.name, "args": call.arguments, "id": call.id, "error": None}
            invalid.append({**wrong, "type": "invalid_tool_call"})
    values["tool_calls"] = valid
    if invalid:
        values.setdefault("invalid_tool_calls", invalid)


def _read(arguments: Mapping[str, Any] | str) -> Any:
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except ValueError:
        return None
