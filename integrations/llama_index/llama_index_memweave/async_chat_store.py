"""Conversations in Markdown below LlamaIndex's `Memory`, whose queue they hold."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.storage.chat_store.base_db import AsyncDBChatStore, MessageStatus

from memweave_core import Chat, Message

from .conversion import archived, is_archived, to_message
from .opened import Given, InWorkspace
from .transcripts import merged, read, take_out

ACTIVE, ARCHIVED = MessageStatus.ACTIVE, MessageStatus.ARCHIVED

_Queue: TypeAlias = tuple[str, str | None, str]
"""A workspace, a user and a session."""

_read: Final[WeakKeyDictionary[asyncio.Task[Any], dict[_Queue, list[str]]]] = WeakKeyDictionary()
"""The ids of the active messages that a task has read last, and has not archived since, by queue."""


class MemWeaveAsyncChatStore(InWorkspace, AsyncDBChatStore):
    """Keeps the messages of ``Memory.from_defaults(chat_store=...)``: the session is its `session_id`.

    ``MemWeaveAsyncChatStore(memory)`` takes a `MemWeave` or the folder of a workspace, and `user_id`: with a
    user, what is added is learnt from at once. A message that leaves the queue is marked as archived and
    stays in the transcript. System messages and the last message of the user never leave it, and a tool
    result leaves it together with its call.
    """

    def __init__(self, memory: Given | None = None, *, user_id: str | None = None, **data: Any) -> None:
        super().__init__(memory, user_id=user_id, **data)

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex stores it."""
        return "MemWeaveAsyncChatStore"

    async def get_messages(
        self,
        key: str,
        status: MessageStatus | None = ACTIVE,
        limit: int | None = None,
        offset: int | None = None,
    ) -> list[ChatMessage]:
        """Messages of a status, None for all, oldest first: `limit` of them after the first `offset`."""
        found = _of(await self._chat(key).messages(), status)
        if status is ACTIVE and limit is None and not offset and (task := asyncio.current_task()):
            _read.setdefault(task, {})[self._queue(key)] = [message.id for message in found]
        found = found[offset or 0 :]
        return await read(found if limit is None else found[:limit])

    async def count_messages(self, key: str, status: MessageStatus | None = ACTIVE) -> int:
        """How many messages of a status there are, None for all."""
        return len(_of(await self._chat(key).messages(), status))

    async def add_message(self, key: str, message: ChatMessage, status: MessageStatus = ACTIVE) -> None:
        """Add a message at the end."""
        await self.add_messages(key, [message], status)

    async def add_messages(
        self, key: str, messages: list[ChatMessage], status: MessageStatus = ACTIVE
    ) -> None:
        """Add messages at the end, all or none."""
        await self.memweave.record(self.user_id, key, _written(messages, status))

    async def set_messages(
        self, key: str, messages: list[ChatMessage], status: MessageStatus = ACTIVE
    ) -> None:
        """Replace the messages of a status in one step; the others stay."""
        wanted = _written(messages, status)

        def change(stored: tuple[Message, ...]) -> list[Message]:
            stay = [message for message in stored if is_archived(message) != (status is ARCHIVED)]
            new = merged(_of(stored, status), wanted)
            return [*new, *stay] if status is ARCHIVED else [*stay, *new]

        await self._chat(key).rewrite(change)

    async def delete_message(self, key: str, idx: int) -> ChatMessage | None:
        """Delete the active message at a position; None when there is none."""
        chat = self._chat(key)
        return await take_out(chat, _of(await chat.messages(), ACTIVE), idx)

    async def delete_messages(self, key: str, status: MessageStatus | None = None) -> None:
        """Delete the messages of a status, the whole conversation for None."""
        if status is None:
            await self._chat(key).clear()
        else:
            await self._chat(key).rewrite(
                lambda stored: [m for m in stored if is_archived(m) != (status is ARCHIVED)]
            )

    async def delete_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        """Delete the oldest `n` active messages; returns them."""
        chat = self._chat(key)
        oldest = _of(await chat.messages(), ACTIVE)[: max(n, 0)]
        return await read(await chat.delete(message.id for message in oldest))

    async def archive_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        """Let the oldest `n` active messages leave the queue, but for what always stays; returns them.

        Those that this task has read last are counted: two tasks that find the queue too long at the same
        time let the same messages leave it, and not twice as many.
        """
        left: list[Message] = []
        task = asyncio.current_task()
        seen = _read.get(task, {}).get(self._queue(key), []) if task else []
        counted, seen[:] = set(seen[: max(n, 0)]), seen[max(n, 0) :]

        def change(stored: tuple[Message, ...]) -> list[Message]:
            active = _of(stored, ACTIVE)
            left[:] = _leaving(active, sum(m.id in counted for m in active) if counted else n)
            names = {message.id for message in left}
            return [archived(message) if message.id in names else message for message in stored]

        await self._chat(key).rewrite(change)
        return await read(left)

    async def get_keys(self) -> list[str]:
        """The keys of all conversations, those that changed last first."""
        return [info.session for info in await self.memweave.sessions(self.user_id)]

    def _queue(self, key: str) -> _Queue:
        return self.workspace, self.user_id, key

    def _chat(self, key: str) -> Chat:
        return self.memweave.chat(key, self.user_id)


def _of(messages: Sequence[Message], status: MessageStatus | None) -> list[Message]:
    return [m for m in messages if status is None or is_archived(m) == (status is ARCHIVED)]


def _written(messages: Sequence[ChatMessage], status: MessageStatus) -> list[Message]:
    new = map(to_message, messages)
    return [archived(message) for message in new] if status is ARCHIVED else list(new)


def _leaving(active: Sequence[Message], n: int) -> list[Message]:
    """What leaves when the oldest `n` are to: providers refuse a result without its call, or no question."""
    n = max(n, 0)
    while 0 < n < len(active) and active[n].role == "tool":
        n += 1
    questions = [k for k, message in enumerate(active) if message.role == "user"]
    kept = questions[-1] if questions else -1
    return [message for k, message in enumerate(active[:n]) if k != kept and message.role != "system"]
