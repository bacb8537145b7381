"""What a model is shown of an agent's state: the last whole turns, and what is remembered beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from memweave_core import Message, ToolCall, window

from .messages import is_summary

_END: Final = "end"


def last_turns(messages: Sequence[AnyMessage], count: int | None) -> list[AnyMessage]:
    """The current turn, whatever its size, and of the turns before it as many as fit into `count` messages.

    Turns and tool exchanges are whole; broken exchanges of earlier turns are left out, because the APIs of
    models refuse them. System messages and summaries stay. None for `count` gives all messages as they are.
    """
    if count is None:
        return list(messages)
    start = turn_start(messages)
    first = _turn_before(messages, start - 2 * count)  # enough, and long threads cost no more than short ones
    # The current turn stands there as one message, so that an exchange before it counts as broken off.
    outline = [
        *(_outline(n, messages[n]) for n in range(first, start)),
        Message("user", id=_END),
    ]
    shown = window(outline, count=1 + max(0, count - (len(messages) - start)))
    kept = [int(message.id) for message in shown.messages if message.id != _END]
    while kept and not isinstance(messages[kept[0]], HumanMessage):
        kept.pop(0)
    always = [n for n in range(start) if isinstance(messages[n], SystemMessage) or is_summary(messages[n])]
    return [messages[number] for number in sorted({*kept, *always})] + list(messages[start:])


def turn_start(messages: Sequence[BaseMessage]) -> int:
    """Where the current turn begins: with the first of the user's last messages in a row; 0 without any."""
    start = None
    for number in range(len(messages) - 1, -1, -1):
        if isinstance(messages[number], HumanMessage) and not is_summary(messages[number]):
            start = number
        elif start is not None:
            break
    return start or 0


def _turn_before(messages: Sequence[AnyMessage], number: int) -> int:
    """Where the turn begins that the message `number` is in; 0 for one before all."""
    while number > 0 and not isinstance(messages[number], HumanMessage):
        number -= 1
    return max(0, number)


def asked(messages: Sequence[AnyMessage]) -> str:
    """What the user says in the current turn."""
    turn = messages[turn_start(messages) :]
    said = [one.text for one in turn if isinstance(one, HumanMessage) and not is_summary(one)]
    return "\n\n".join(said)


def with_memory(system: SystemMessage | None, text: str) -> SystemMessage | None:
    """The system message with what is remembered after it."""
    if not text:
        return system
    if system is None:
        return SystemMessage(text)
    if isinstance(system.content, str):
        return system.model_copy(update={"content": f"{system.content}\n\n{text}".strip()})
    return system.model_copy(update={"content": [*system.content, {"type": "text", "text": text}]})


def _outline(number: int, message: AnyMessage) -> Message:
    """As much of a message as tells which exchange it belongs to, under its number."""
    if isinstance(message, SystemMessage) or is_summary(message):
        return Message("system", id=str(number))
    if isinstance(message, ToolMessage):
        return Message("tool", id=str(number), tool_call_id=message.tool_call_id)
    if isinstance(message, AIMessage):
        calls = tuple(ToolCall(call["id"] or "", call["name"]) for call in message.tool_calls)
        return Message("assistant", id=str(number), tool_calls=calls)
    return Message("user", id=str(number))
