"""What the chat stores and the memory do with a transcript: read, give it other messages, take one out."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from typing import Any, Final

from llama_index.core.base.llms.types import ChatMessage

from memweave_core import Chat, Message

from .conversion import from_message, to_message

AT_ONCE: Final = 64
"""So many messages are converted on the event loop; more would hold it up and go to a thread."""


async def read(messages: Sequence[Message]) -> list[ChatMessage]:
    """Messages of a transcript as chat messages that share nothing with them."""
    if len(messages) > AT_ONCE:
        return await asyncio.to_thread(lambda: [from_message(message) for message in messages])
    return [from_message(message) for message in messages]


def merged(stored: Sequence[Message], wanted: Iterable[Message]) -> list[Message]:
    """`wanted`, in which what is stored already stands as it is stored, with its id, time and extras.

    Messages are matched in their order, so that each stored one is used at most once.
    """
    places: dict[str, deque[int]] = defaultdict(deque)
    for at, message in enumerate(stored):
        places[_form(to_message(from_message(message)))].append(at)
    made: list[Message] = []
    next_at = 0
    for message in wanted:
        candidates = places[_form(message)]
        while candidates and candidates[0] < next_at:
            candidates.popleft()
        if candidates:
            next_at = candidates[0] + 1
            made.append(stored[candidates.popleft()])
        else:
            made.append(message)
    return made


def _form(message: Message) -> str:
    """What makes two messages the same one to LlamaIndex."""
    calls = [(call.id, call.name, call.arguments) for call in message.tool_calls]
    parts: list[Any] = [
        message.role,
        message.content,
        message.name,
        calls,
        message.tool_call_id,
        message.extra,
    ]
    return json.dumps(parts, sort_keys=True, default=dict)


async def give(chat: Chat, messages: Iterable[ChatMessage]) -> None:
    """Let a conversation consist of `messages`; what is gone stays in the trash."""
    wanted = [to_message(message) for message in messages]
    await chat.rewrite(lambda stored: merged(stored, wanted))


async def insert(chat: Chat, message: ChatMessage, position: int) -> None:
    """Put a message before the one at a position."""
    new = to_message(message)
    await chat.rewrite(lambda stored: [*stored[:position], new, *stored[position:]])


async def take_out(chat: Chat, messages: Sequence[Message], position: int) -> ChatMessage | None:
    """Delete the one of `messages` at a position, counted from the end when negative; None for no such."""
    if not -len(messages) <= position < len(messages):
        return None
    gone = await chat.delete(messages[position].id)
    return from_message(gone[0]) if gone else None
