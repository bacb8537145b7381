"""What is remembered of a user and a conversation, as text to put before a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from llama_index.core.base.llms.types import ChatMessage, MessageRole

from memweave_core import MemWeave, Message

OPENING: Final = "<memory-context>"
CLOSING: Final = "</memory-context>"
"""Between these a memory stands in a prompt."""


async def remembered(
    memory: MemWeave,
    user: str | None,
    session: str,
    asked: str,
    *,
    tokens: int | None = None,
    count: Callable[[Message], int] | None = None,
) -> str:
    """Facts about the user nearest to what was `asked`, and the summary of the conversation; "" for nothing.

    It takes at most three fifths of `tokens`.
    """
    if user is None and not (await memory.chat(session).summary()).text:
        return ""
    if tokens is not None and count is not None:
        tokens += count(Message("user", asked))  # which the context would make room for
    return (await memory.context(user, session, asked, max_tokens=tokens, count_tokens=count)).text


def last_question(messages: Sequence[ChatMessage]) -> str:
    """The text of the last message of the user; "" when there is none."""
    return next((m.content or "" for m in reversed(messages) if m.role == MessageRole.USER), "")


def is_memory(message: ChatMessage) -> bool:
    """Whether a message is one in which memories were put before a model, and so nothing that was said."""
    text = (message.content or "").strip()
    return message.role == MessageRole.SYSTEM and text.startswith(OPENING) and text.endswith(CLOSING)
