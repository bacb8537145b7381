"""A conversation as LangChain's chat message history, for chains that still use one."""

from __future__ import annotations

import logging
import threading
import weakref
from collections.abc import Sequence
from typing import Final

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from memweave_core import ConfigError, MemWeave, StorageError

from .faces import Memory, apart, asynchronous, wait
from .messages import all_from_memweave, all_to_memweave, is_summary

logger = logging.getLogger(__name__)
_Conversation = tuple[str | None, str]
_failed: Final[weakref.WeakKeyDictionary[MemWeave, dict[_Conversation, BaseException]]] = (
    weakref.WeakKeyDictionary()
)
"""Writes that failed and that nobody was told of yet. Chains make a new history for each call."""
_lock: Final = threading.Lock()


class MemWeaveChatMessageHistory(BaseChatMessageHistory):
    """The conversation `session_id` of `user_id`, or of nobody. Any names that are not empty will do.

    `messages` are the running summary, if there is one, and the last `window` messages, without tool calls
    that lost their results, and from the first of the user's on, because models want it so; ``window=None``
    gives all of them and no summary. They are read once: what others write between the beginning and the end
    of a call does not change them. An object may be shared between threads and event loops.

    Chains log an error of `add_messages` and go on. So that no turn is lost in silence, the next read of this
    conversation, by whatever object, raises `StorageError` once after a write has failed.
    """

    def __init__(
        self, session_id: str, memory: Memory, *, user_id: str | None = None, window: int | None = 20
    ) -> None:
        if window is not None and window < 0:
            raise ConfigError(f"A window of {window} messages is not possible; None shows all.")
        self.session_id = session_id
        self.user_id = user_id
        self.window = window
        self._memory = asynchronous(memory)
        self._snapshot: list[BaseMessage] | None = None
        self._changes = 0

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # LangChain has a plain attribute
        """What a model is to be shown of the conversation. Raises `StorageError` after a failed write."""
        return list(self._snapshot) if self._snapshot is not None else wait(self._read())

    async def aget_messages(self) -> list[BaseMessage]:
        """See `messages`."""
        return list(self._snapshot) if self._snapshot is not None else await self._read()

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Write messages down, all or none; one whose id is there already adds nothing."""
        wait(self._add(messages))

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """See `add_messages`."""
        await apart(self._add(messages))

    def clear(self) -> None:
        """Delete the conversation with its summary; a copy stays in the trash of the memory."""
        wait(self._clear())

    async def aclear(self) -> None:
        """See `clear`."""
        await self._clear()

    async def _read(self) -> list[BaseMessage]:
        with _lock:
            failure = _failed.get(self._memory, {}).pop((self.user_id, self.session_id), None)
        if failure is not None:
            raise StorageError(
                f"The last turn of the conversation {self.session_id!r} could not be written and is not in"
                f" its history: {failure}"
            ) from failure
        changes = self._changes
        chat = self._memory.chat(self.session_id, self.user_id)
        if self.window is None:
            found = all_from_memweave(await chat.messages())
        else:
            shown = await chat.window(self.window)
            summary = (await self._memory.preview(self.user_id, self.session_id)).summary
            found = all_from_memweave(shown.system)
            if summary:
                marked = {"lc_source": "summarization"}
                found.append(SystemMessage(summary, additional_kwargs=marked))
            found += _from_the_user_on(all_from_memweave(shown.messages))
        if changes == self._changes:  # nobody has written with this object meanwhile
            self._snapshot = found
        return list(found)

    async def _add(self, messages: Sequence[BaseMessage]) -> None:
        try:
            said = all_to_memweave(message for message in messages if not is_summary(message))
            await self._memory.record(self.user_id, self.session_id, said)
        except BaseException as error:  # a cancelled write, too, is one that the next reader must know of
            logger.error("The conversation %r could not be written: %r", self.session_id, error)
            with _lock:
                _failed.setdefault(self._memory, {})[self.user_id, self.session_id] = error
            raise
        finally:
            self._changed()

    def _changed(self) -> None:
        self._snapshot = None
        self._changes += 1

    async def _clear(self) -> None:
        with _lock:
            _failed.get(self._memory, {}).pop((self.user_id, self.session_id), None)
        await self._memory.chat(self.session_id, self.user_id).clear()
        self._changed()


def _from_the_user_on(messages: list[BaseMessage]) -> list[BaseMessage]:
    """Without the end of an exchange whose beginning is not shown; all where the user says nothing."""
    first = next((at for at, one in enumerate(messages) if isinstance(one, HumanMessage)), 0)
    return messages[first:]
