"""`MemWeaveFactsBlock`: what is known of a user, as a block of LlamaIndex's `Memory`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.bridge.pydantic import Field
from llama_index.core.memory.memory import BaseMemoryBlock
from llama_index.core.utils import get_tokenizer

from memweave_core import Message

from .conversion import to_message
from .opened import Given, InWorkspace
from .recalled import is_memory, last_question, remembered


class MemWeaveFactsBlock(InWorkspace, BaseMemoryBlock[str]):
    """Facts about `user_id` nearest to the last message, and the summary of the conversation.

    It learns from every message that it is shown, before any leaves the queue: what is said now is known in
    the next conversation. Messages that stand in the transcript of the session already, as those that
    `MemWeaveAsyncChatStore` holds for the same user do, are not recorded again.
    """

    name: str = Field(default="long_term_memory", description="What the block is called in the prompt.")
    user_id: str = Field(description="Whose facts they are.")

    def __init__(self, memory: Given | None = None, *, user_id: str, **data: Any) -> None:
        super().__init__(memory, user_id=user_id, **data)

    async def aput(
        self,
        messages: Sequence[ChatMessage],
        from_short_term_memory: bool = False,
        session_id: str | None = None,
    ) -> None:
        """Learn from messages, those that leave the queue or others; they are not changed."""
        if not from_short_term_memory or self.accept_short_term_memory:
            await self._learn(messages, session_id)

    async def _aput(self, messages: Sequence[ChatMessage]) -> None:
        await self._learn(messages, None)

    async def _aget(
        self, messages: Sequence[ChatMessage] | None = None, session_id: str | None = None, **_: Any
    ) -> str:
        shown = messages or ()
        await self._learn(shown, session_id)
        return await remembered(self.memweave, self.user_id, session_id or self.name, last_question(shown))

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """The text without its last lines, so many that at least these tokens go; None when none is left."""
        tokenizer = get_tokenizer()
        most = len(tokenizer(content)) - tokens_to_truncate
        lines = content.split("\n")
        facts = [k for k, line in enumerate(lines) if line.startswith("- ")]
        while len(facts) > 1:
            del lines[facts.pop()]
            if len(tokenizer("\n".join(lines))) <= most:
                return "\n".join(lines)
        return None

    async def _learn(self, messages: Sequence[ChatMessage], session_id: str | None) -> None:
        """Record what is not in the transcript of the session yet."""
        session = session_id or self.name
        said = [to_message(_plain(message)) for message in messages if _is_said(message)]
        if not said:
            return
        stored = await self.memweave.chat(session, self.user_id).messages()
        known = Counter(_key(message) for message in stored)
        new = []
        for message in said:
            known[_key(message)] -= 1
            if known[_key(message)] < 0:
                new.append(message)
        if new:
            await self.memweave.record(self.user_id, session, new)


def _is_said(message: ChatMessage) -> bool:
    """Whether somebody said it: calls, results and what was put in front teach nothing of a user."""
    spoken = message.role in (MessageRole.USER, MessageRole.ASSISTANT)
    return spoken and bool((message.content or "").strip()) and not is_memory(message)


def _plain(message: ChatMessage) -> ChatMessage:
    """The text of a message alone."""
    return ChatMessage(role=message.role, content=message.content)


def _key(message: Message) -> tuple[str, str]:
    return message.role, " ".join(message.text.split())
