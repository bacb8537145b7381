"""Plain transcripts: messages on lines or in lists, as OpenAI, Anthropic, LangChain and ShareGPT do it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from ..messages import Message, Role, ToolCall
from .content import arguments, content_of, exchanges, holds_tools, tool_calls
from .imported import DAMAGE, Conversation, Imported, assembled, gathered, label, merged, reason
from .json_values import first_moment, first_string, items, mapping, role_of, string

_SESSION: Final = ("session", "session_id", "sessionId", "conversation_id", "conversationId", "thread_id")
_TIME: Final = ("timestamp", "created_at", "created", "create_time", "time", "date", "at", "ts")
_ID: Final = ("id", "uuid", "message_id")
_LISTS: Final = ("messages", "conversations", "conversation")


def parse(value: object) -> Imported:
    """Lines or a list of messages, of conversations, or of both; or one conversation.

    Messages of the same session (`session`, `session_id`, `conversation_id`, `thread_id`) are one
    conversation; those that name none are one together.
    """
    entries = [value] if isinstance(value, dict) else items(value)
    sessions: dict[str, list[tuple[int, Mapping[str, Any]]]] = {}
    whole: list[Any] = []
    problems = []
    for number, entry in enumerate(entries, 1):
        if isinstance(entry, list) or (isinstance(entry, dict) and message_list(entry) is not None):
            whole.append(entry)
        elif isinstance(entry, dict):
            sessions.setdefault(first_string(entry, _SESSION), []).append((number, entry))
        else:
            problems.append(f"Message {number} was not read: it is not an object.")
    parts = [Imported((), (), tuple(problems), len(problems)), gathered(whole, conversation)]
    parts += [_session(name, lines) for name, lines in sessions.items()]
    return merged(parts)


def conversation(item: object) -> Conversation:
    """One conversation: an object with a list of messages, or such a list. Raises `ValueError`."""
    head = mapping(item)
    raw = message_list(head) if head else items(item)
    messages = [message for entry in raw or () for message in messages_of(entry)]
    name = first_string(head, (*_SESSION, *_ID))
    return assembled(name, first_string(head, ("title", "name")), first_moment(head, _TIME), messages)


def message_list(item: Mapping[str, Any]) -> list[Any] | None:
    """The messages of a conversation; None when the object is no conversation."""
    return next((item[key] for key in _LISTS if isinstance(item.get(key), list)), None)


def messages_of(entry: object) -> list[Message]:
    """One entry as messages: more than one when it holds tool results, none when it is empty.

    Raises `ValueError` when it is no message or of an unknown role.
    """
    if not isinstance(entry, dict):
        raise ValueError("one of its messages is not an object")
    raw, at, name = _flat(entry), first_moment(entry, _TIME), first_string(entry, _ID)
    speaker = next(
        (raw[key] for key in ("role", "from", "type", "sender") if isinstance(raw.get(key), str)), ""
    )
    role = role_of(raw.get("role")) or role_of(speaker)
    if role is None:
        raise ValueError(f"a message has the role {speaker[:40]!r}" if speaker else "a message has no role")
    said = next((raw[key] for key in ("content", "value", "text") if raw.get(key) is not None), None)
    at = at or first_moment(raw, _TIME)
    name = name or first_string(raw, _ID)
    if holds_tools(said) and not tool_calls(raw.get("tool_calls")):
        return exchanges(role, items(said), name, at)
    message = _message(role, said, raw)
    return [replace(message, id=name, at=at)] if message.content or message.tool_calls else []


def _flat(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message itself where it stands under `data` (LangChain), `kwargs` (serialised) or `message`."""
    kwargs = entry.get("kwargs")
    if isinstance(kwargs, dict) and items(entry.get("id")):
        return {**kwargs, "type": entry["id"][-1]}
    for key in ("data", "message"):
        inner = entry.get(key)
        if isinstance(inner, dict) and ("content" in inner or "role" in inner):
            kind = inner.get("role") or inner.get("type") or entry.get("type") or entry.get("role")
            return {**inner, "type": entry.get("type") if key == "data" else kind}
    return entry


def _message(role: Role, said: object, raw: Mapping[str, Any]) -> Message:
    more = mapping(raw.get("additional_kwargs"))
    calls = tool_calls(raw.get("tool_calls")) or tool_calls(more.get("tool_calls"))
    single = mapping(raw.get("function_call")) or mapping(more.get("function_call"))
    if not calls and string(single.get("name")):
        calls = (ToolCall("", string(single["name"]), arguments(single.get("arguments"))),)
    return Message(
        role=role,
        content=content_of(said),
        name=string(raw.get("name")) or None,
        tool_calls=calls,
        tool_call_id=string(raw.get("tool_call_id")) or None,
    )


def _session(name: str, lines: list[tuple[int, Mapping[str, Any]]]) -> Imported:
    """The lines of one session; a line that is no message is named, and the others are read."""
    messages: list[Message] = []
    problems = []
    for number, line in lines:
        try:
            messages += messages_of(line)
        except DAMAGE as error:
            problems.append(f"Message {number} was not read: {reason(error)}.")
    created: dt.datetime | None = None
    title = next((text for _, line in lines if (text := first_string(line, ("title",)))), "")
    try:
        found = (assembled(name, title, created, messages),)
    except ValueError as error:
        problems.append(f"Conversation {label({'id': name}, lines[0][0])} was not read: {error}.")
        return Imported((), (), tuple(problems), len(problems))
    return Imported(found, (), tuple(problems), len(problems))
