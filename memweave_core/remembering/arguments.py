"""What callers give as messages, as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from .._errors import UsageError
from ..exchange.transcripts import messages_of
from ..messages import Message, ToolCall

Given: TypeAlias = Message | Mapping[str, Any]
"""A message: our own, or a dictionary as the APIs of language models have it (``role``, ``content``, …)."""


def as_messages(given: Given | Sequence[Given]) -> tuple[Message, ...]:
    """One or several messages. Raises `UsageError` for what is none, and when no message says anything.

    A dictionary without content and without calls, which models give now and then beside others, is left out.
    """
    if isinstance(given, Message | Mapping):
        given = [given]
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise UsageError(
            f"A message has a role; give Message('user', text) or a dictionary, not {type(given).__name__}."
        )
    found = tuple(message for number, item in enumerate(given, 1) for message in _messages(item, number))
    if given and not found:
        which = (
            "The message"
            if len(given) == 1
            else f"None of the {len(given)} messages says anything: the first"
        )
        raise UsageError(f"{which} has neither content nor tool calls: {str(given[0])[:80]}.")
    return found


def _messages(item: object, number: int) -> list[Message]:
    if isinstance(item, Message):
        _check(item)
        return [item]
    if not isinstance(item, Mapping):
        raise UsageError(f"A message is a Message or a dictionary with a role, not {type(item).__name__}.")
    try:
        made = messages_of(dict(item))
    except ValueError as error:
        raise UsageError(f"Message {number} could not be read: {error}.") from error
    if not made and item.get("role") == "tool" and isinstance(item.get("tool_call_id"), str):
        name = item.get("id")  # a tool may have nothing to say, and its call needs the result all the same
        return [Message("tool", "", name if isinstance(name, str) else "", tool_call_id=item["tool_call_id"])]
    lost = _calls_lost(item, made)
    if lost:
        raise UsageError(f"Message {number} has {lost}; each is a dictionary with the name of its function.")
    return made


def _calls_lost(item: Mapping[str, Any], made: Sequence[Message]) -> str:
    """What of the `tool_calls` of a dictionary is in no message, in words; "" when all are."""
    given = item.get("tool_calls")
    if not given:
        return ""
    if not isinstance(given, list | tuple):
        return f"tool_calls that are no list but {type(given).__name__}"
    lost = len(given) - sum(len(message.tool_calls) for message in made)
    return f"{lost} of {len(given)} tool calls that cannot be read" if lost > 0 else ""


def _check(message: Message) -> None:
    """Raises `UsageError` for a message whose parts are not of their types."""
    content, calls = message.content, message.tool_calls
    if not isinstance(content, str | Sequence) or isinstance(content, bytes):
        raise UsageError(
            f"The content of a message is text or a list of blocks, not {type(content).__name__}."
        )
    if not isinstance(content, str) and not all(isinstance(block, Mapping) for block in content):
        raise UsageError("Each block of a message's content is a dictionary; plain text needs no list.")
    if not isinstance(message.id, str):
        raise UsageError(f"The id of a message is text, not {type(message.id).__name__}.")
    if not isinstance(calls, Sequence) or not all(isinstance(call, ToolCall) for call in calls):
        raise UsageError(
            "The tool calls of a Message are of ToolCall; a dictionary as APIs have it may be given."
        )
