"""Conversations in Markdown behind LlamaIndex's `BaseChatStore`."""

from __future__ import annotations

from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.storage.chat_store.base import BaseChatStore

from memweave_core import Chat
from memweave_core.blocking import wait

from .conversion import to_message
from .opened import Given, InWorkspace
from .transcripts import give, insert, read, take_out


class MemWeaveChatStore(InWorkspace, BaseChatStore):
    """Keeps each conversation as a Markdown file: its key is the session.

    ``MemWeaveChatStore(memory)`` takes a `MemWeave` or the folder of a workspace, and `user_id`: with a user
    it sees that user's conversations, and what is added is learnt from. Messages are returned as copies. What
    is deleted or replaced stays in ``.memweave/trash``. Works from any thread and any event loop.
    """

    def __init__(self, memory: Given | None = None, *, user_id: str | None = None, **data: Any) -> None:
        super().__init__(memory, user_id=user_id, **data)

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex stores it."""
        return "MemWeaveChatStore"

    async def aset_messages(self, key: str, messages: list[ChatMessage]) -> None:
        """Replace a conversation in one step; messages that are there already keep id and time."""
        await give(self._chat(key), messages)

    async def aget_messages(self, key: str) -> list[ChatMessage]:
        """The messages of a conversation, oldest first; none for an unknown key."""
        return await read(await self._chat(key).messages())

    async def async_add_message(self, key: str, message: ChatMessage, idx: int | None = None) -> None:
        """Add a message at the end, or before the one at position `idx`."""
        if idx is None:
            await self.memweave.record(self.user_id, key, to_message(message))
        else:
            await insert(self._chat(key), message, idx)

    async def adelete_messages(self, key: str) -> list[ChatMessage] | None:
        """Delete a conversation; its messages, None for an unknown key."""
        chat = self._chat(key)
        messages = await chat.messages()
        return await read(messages) if await chat.clear() else None

    async def adelete_message(self, key: str, idx: int) -> ChatMessage | None:
        """Delete the message at a position; None when there is none."""
        chat = self._chat(key)
        return await take_out(chat, await chat.messages(), idx)

    async def adelete_last_message(self, key: str) -> ChatMessage | None:
        """Delete the last message; None when there is none."""
        return await self.adelete_message(key, -1)

    async def aget_keys(self) -> list[str]:
        """The keys of all conversations, those that changed last first."""
        return [info.session for info in await self.memweave.sessions(self.user_id)]

    async def aget_message_ids(self, key: str) -> list[str]:
        """The ids of the messages of a conversation in the transcript, in their order."""
        return [message.id for message in await self._chat(key).messages()]

    def set_messages(self, key: str, messages: list[ChatMessage]) -> None:
        """See `aset_messages`."""
        wait(self.aset_messages(key, messages))

    def get_messages(self, key: str) -> list[ChatMessage]:
        """See `aget_messages`."""
        return wait(self.aget_messages(key))

    def add_message(self, key: str, message: ChatMessage, idx: int | None = None) -> None:
        """See `async_add_message`."""
        wait(self.async_add_message(key, message, idx))

    def delete_messages(self, key: str) -> list[ChatMessage] | None:
        """See `adelete_messages`."""
        return wait(self.adelete_messages(key))

    def delete_message(self, key: str, idx: int) -> ChatMessage | None:
        """See `adelete_message`."""
        return wait(self.adelete_message(key, idx))

    def delete_last_message(self, key: str) -> ChatMessage | None:
        """See `adelete_last_message`."""
        return wait(self.adelete_last_message(key))

    def get_keys(self) -> list[str]:
        """See `aget_keys`."""
        return wait(self.aget_keys())

    def get_message_ids(self, key: str) -> list[str]:
        """See `aget_message_ids`."""
        return wait(self.aget_message_ids(key))

    def _chat(self, key: str) -> Chat:
        return self.memweave.chat(key, self.user_id)
