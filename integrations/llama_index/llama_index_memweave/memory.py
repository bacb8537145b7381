"""`MemWeaveMemory`: a conversation in Markdown, and what is known of the user, as LlamaIndex's memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.llms.llm import LLM
from llama_index.core.memory.types import BaseMemory
from llama_index.core.storage.chat_store.base import BaseChatStore
from llama_index.core.utils import get_tokenizer

from memweave_core import Chat
from memweave_core.blocking import wait

from .chat_store import MemWeaveChatStore
from .conversion import to_message
from .fitting import Tokenizer, counted, fitting
from .opened import Given, InWorkspace
from .recalled import is_memory, remembered
from .transcripts import give, read

TOKEN_LIMIT: Final = 3000
"""Tokens a model is given when neither a limit nor a model says how many."""

TOKEN_LIMIT_RATIO: Final = 0.75
"""Share of a model's context window that a conversation may take."""

WHOLE: Final = 1_000_000_000
"""A window of so many messages is the whole conversation."""


class MemWeaveMemory(InWorkspace, BaseMemory):
    """Takes the place of `ChatMemoryBuffer`: the same constructor and methods, and a memory that lasts.

    The conversation `chat_store_key` of `user_id` is a Markdown file. `get` gives its system messages, what
    is known of the user and the running summary as one more, and the last whole turns within `token_limit`.
    What is put is learnt from at once. All fields are JSON, so that it survives the `Context` of a workflow.
    """

    chat_store_key: str = Field(default="chat_history", description="The session of the conversation.")
    token_limit: int = Field(default=TOKEN_LIMIT, ge=1, description="Tokens a model is given at most.")
    last_n: int | None = Field(default=None, ge=1, description="Messages a model is given at most.")
    _tokenizer: Tokenizer | None = PrivateAttr(default=None)

    def __init__(
        self, memory: Given | None = None, *, tokenizer_fn: Tokenizer | None = None, **data: Any
    ) -> None:
        super().__init__(memory, **data)
        self._tokenizer = tokenizer_fn

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex stores it."""
        return "MemWeaveMemory"

    @classmethod
    def from_defaults(
        cls,
        chat_history: Sequence[ChatMessage] | None = None,
        llm: LLM | None = None,
        chat_store: BaseChatStore | None = None,
        chat_store_key: str = "chat_history",
        token_limit: int | None = None,
        tokenizer_fn: Tokenizer | None = None,
        *,
        memory: Given | None = None,
        user_id: str | None = None,
        last_n: int | None = None,
        **kwargs: Any,
    ) -> MemWeaveMemory:
        """A memory on a `MemWeave`, a workspace, or what `chat_store` works on.

        A `chat_history` that is not empty replaces the conversation. `llm` only says how many tokens there
        are. Raises `ValueError` for unknown arguments and for a store that is not a `MemWeaveChatStore`.
        """
        if kwargs:
            raise ValueError(f"Unexpected kwargs: {kwargs}")
        if isinstance(chat_store, MemWeaveChatStore):
            memory = chat_store.memweave if memory is None else memory
            user_id = chat_store.user_id if user_id is None else user_id
        elif chat_store is not None:
            raise ValueError(
                f"MemWeaveMemory keeps messages in transcripts, not in a {type(chat_store).__name__}: leave "
                "chat_store out, or give that store to LlamaIndex's ChatMemoryBuffer."
            )
        if token_limit is None:
            token_limit = TOKEN_LIMIT if llm is None else int(llm.metadata.context_window * TOKEN_LIMIT_RATIO)
        made = cls(
            memory,
            user_id=user_id,
            chat_store_key=chat_store_key,
            token_limit=token_limit,
            last_n=last_n,
            tokenizer_fn=tokenizer_fn,
        )
        if chat_history:
            made.set(list(chat_history))
        return made

    @property
    def chat_store(self) -> MemWeaveChatStore:
        """The conversations of this user as a chat store."""
        return MemWeaveChatStore(self.memweave, user_id=self.user_id)

    @property
    def tokenizer_fn(self) -> Callable[[str], Sequence[Any]]:
        """What counts tokens: the function that was given, else LlamaIndex's tokenizer."""
        return self._tokenizer or get_tokenizer()

    # --- asking ----------------------------------------------------------------------------------------

    async def aget(
        self, input: str | ChatMessage | None = None, initial_token_count: int = 0, **_: Any
    ) -> list[ChatMessage]:
        """What to give a model before `input`, or before it answers the last message.

        System messages, what is remembered, and the last turns, together at most `token_limit` tokens without
        `initial_token_count`; a last message that is longer comes nevertheless. Raises `ValueError` when
        `initial_token_count` is above the limit. Other arguments are ignored.
        """
        if initial_token_count > self.token_limit:
            raise ValueError("Initial token count exceeds token limit")
        count = counted(self.tokenizer_fn)
        shown = await self._chat.window(WHOLE, count_tokens=lambda _: 0)
        asked = input.content if isinstance(input, ChatMessage) else input
        question = asked or next((m.text for m in reversed(shown.messages) if m.role == "user"), "")
        budget = self.token_limit - initial_token_count
        text = await remembered(
            self.memweave, self.user_id, self.chat_store_key, question, tokens=budget, count=count
        )
        known = [ChatMessage(role=MessageRole.SYSTEM, content=text)] if text else []
        left = budget - sum(map(count, (*shown.system, *map(to_message, known))))
        turns = fitting(shown.messages, left, count, most=self.last_n)
        return [*await read(shown.system), *known, *await read(turns)]

    async def aget_all(self) -> list[ChatMessage]:
        """The whole conversation, as it was said."""
        return await read(await self._chat.messages())

    def get(
        self, input: str | ChatMessage | None = None, initial_token_count: int = 0, **kwargs: Any
    ) -> list[ChatMessage]:
        """See `aget`."""
        return wait(self.aget(input, initial_token_count, **kwargs))

    def get_all(self) -> list[ChatMessage]:
        """See `aget_all`."""
        return wait(self.aget_all())

    # --- saying ----------------------------------------------------------------------------------------

    async def aput(self, message: ChatMessage) -> None:
        """Write a message down, and learn from it."""
        await self.aput_messages([message])

    async def aput_messages(self, messages: Sequence[ChatMessage]) -> None:
        """Write messages down, all or none, and learn from them. What `get` put in front is left out."""
        said = [to_message(message) for message in messages if not is_memory(message)]
        await self.memweave.record(self.user_id, self.chat_store_key, said)

    async def aset(self, messages: Sequence[ChatMessage]) -> None:
        """Replace the conversation in one step; what is gone stays in ``.memweave/trash``."""
        await give(self._chat, [message for message in messages if not is_memory(message)])

    async def areset(self) -> None:
        """Delete the conversation; what was learnt from it stays."""
        await self._chat.clear()

    def put(self, message: ChatMessage) -> None:
        """See `aput`."""
        wait(self.aput(message))

    def put_messages(self, messages: Sequence[ChatMessage]) -> None:
        """See `aput_messages`."""
        wait(self.aput_messages(messages))

    def set(self, messages: Sequence[ChatMessage]) -> None:
        """See `aset`."""
        wait(self.aset(messages))

    def reset(self) -> None:
        """See `areset`."""
        wait(self.areset())

    # --- storing ---------------------------------------------------------------------------------------

    def to_string(self) -> str:
        """Where the conversation is, as JSON; the messages are in the workspace."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_string(cls, json_str: str) -> MemWeaveMemory:
        """What `to_string` was called on."""
        return cls.from_dict(json.loads(json_str))

    @property
    def _chat(self) -> Chat:
        return self.memweave.chat(self.chat_store_key, self.user_id)
