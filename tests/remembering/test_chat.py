"""A conversation in the hands of a program: append, window, summary, delete."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from memweave_core import MemWeave
from memweave_core._errors import NameRefusedError, ReadOnlyError, UsageError
from memweave_core.adapters.markdown.store import MarkdownFiles
from memweave_core.config import MemoryConfig
from memweave_core.conversation.summary import Summary
from memweave_core.conversation_config import ConversationConfig
from memweave_core.messages import Message, ToolCall
from memweave_core.remembering.chat import Chat
from memweave_core.remembering.sessions import SessionFiles
from memweave_core.testing.fakes import FakeClock
from memweave_core.workers import WorkerPool

T = TypeVar("T")


class Parts:
    """What a chat needs, over the files of a workspace; remembers the threads its calls ran on."""

    def __init__(self, folder: Path, **settings: int) -> None:
        self.sessions = SessionFiles(MarkdownFiles(MemoryConfig(workspace_dir=str(folder))), FakeClock())
        self.settings = ConversationConfig(**settings)
        self.threads: list[int] = []
        self._pool = WorkerPool("reader", 2)

    async def run(self, call: Callable[[], T]) -> T:
        """Make the call on another thread."""

        def there() -> T:
            self.threads.append(threading.get_ident())
            return call()

        return await self._pool.run(there)

    async def append(
        self, user: str | None, session: str, messages: Sequence[Message]
    ) -> tuple[Message, ...]:
        """Append, and nothing in the background."""
        return await self.run(lambda: self.sessions.append(user, session, messages))


@pytest.fixture
def parts(tmp_path: Path) -> Parts:
    """The parts with the settings as they come."""
    return Parts(tmp_path)


def chat_of(parts: Parts, user: str | None = "ana", session: str = "s") -> Chat:
    """A conversation over these parts."""

    async def ready() -> Parts:
        return parts

    return Chat(ready, session, user)


def talk(count: int, start: int = 1) -> list[Message]:
    """So many messages of a user."""
    return [Message("user", f"text {k}") for k in range(start, start + count)]


async def test_one_message_or_several(parts: Parts) -> None:
    """A message by itself is taken like a list of one; none at all is fine."""
    chat = chat_of(parts)
    (first,) = await chat.append(Message("user", "one"))
    assert [message.id for message in await chat.append([*talk(2), first])] == ["m2", "m3", "m1"]
    assert await chat.append([]) == () and len(await chat.messages()) == 3


async def test_t1_a_model_sees_the_summary_and_the_last_twenty(parts: Parts) -> None:
    """The window is the last twenty messages; those before are in the summary, or named as left out."""
    chat = chat_of(parts)
    stored = await chat.append(talk(45))
    assert parts.sessions.write_summary("ana", "s", Summary("They talked.", "m22", 22), Summary())
    shown = await chat.window()
    assert shown.messages == stored[-20:] and shown.left_out == stored[22:25]
    assert (await chat.summary()).text == "They talked."


async def test_t1_the_window_is_a_setting(tmp_path: Path) -> None:
    """`conversation.window` says how many messages, and a call may say otherwise."""
    chat = chat_of(Parts(tmp_path, window=3))
    stored = await chat.append(talk(8))
    assert (await chat.window()).messages == stored[-3:]
    assert (await chat.window(5)).messages == stored[-5:]
    with pytest.raises(UsageError):
        await chat.window(-1)


async def test_a_window_keeps_calls_with_their_results(parts: Parts) -> None:
    """A tool result is never shown without its call."""
    chat = chat_of(parts)
    call = Message("assistant", "", tool_calls=(ToolCall("c", "f"),))
    await chat.append(
        [*talk(2), call, Message("tool", "42", tool_call_id="c"), Message("assistant", "It is.")]
    )
    assert [message.role for message in (await chat.window(2)).messages] == ["assistant"]
    assert [message.role for message in (await chat.window(3)).messages] == ["assistant", "tool", "assistant"]


async def test_a_budget_narrows_the_window(parts: Parts) -> None:
    """With `max_tokens`, counted as the caller likes, whole messages are dropped from the front."""
    chat = chat_of(parts)
    stored = await chat.append(talk(5))
    shown = await chat.window(max_tokens=25, count_tokens=lambda message: 10)
    assert shown.messages == stored[-2:] and shown.tokens == 20


async def test_t17_a_deleted_message_is_in_no_window_and_no_summary(parts: Parts) -> None:
    """It leaves transcript, window and summary, and a copy stays in the trash unless that is unwanted."""
    chat = chat_of(parts)
    await chat.append([Message("user", "I am allergic to peanuts."), *talk(2)])
    parts.sessions.write_summary("ana", "s", Summary("She is allergic to peanuts.", "m3", 3), Summary())
    (gone,) = await chat.delete("m1")
    await chat.delete(["m2"], keep=False)
    assert gone.id == "m1" and [message.id for message in (await chat.window()).messages] == ["m3"]
    assert (await chat.summary()).text == "" and await chat.messages() == (await chat.window()).messages
    assert len(list(parts.sessions.trash.iterdir())) == 1


@pytest.mark.parametrize("keep", [True, False])
async def test_clearing_deletes_everything(parts: Parts, keep: bool) -> None:
    """The conversation is empty afterwards; its files are in the trash, or nowhere."""
    chat = chat_of(parts)
    await chat.append(talk(2))
    assert await chat.clear(keep=keep) and not await chat.clear()
    assert await chat.messages() == () and (await chat.window()).messages == ()
    assert parts.sessions.trash.exists() is keep


async def test_t16_chats_are_apart(parts: Parts) -> None:
    """Conversations of one name, of different users and of nobody, share nothing."""
    owners = ["john_doe", "john-doe", "johnXdoe", None]
    for owner in owners:
        await chat_of(parts, owner).append(Message("user", f"{owner}"))
    for owner in owners:
        assert [message.text for message in await chat_of(parts, owner).messages()] == [f"{owner}"]
    with pytest.raises(NameRefusedError):
        await chat_of(parts, "").append(talk(1))


async def test_many_at_once(parts: Parts) -> None:
    """Appends, readings and deletions awaited together lose nothing."""
    chat = chat_of(parts)
    appends = [chat.append(message) for message in talk(30)]
    done = await asyncio.gather(*appends, *(chat.window() for _ in range(10)))
    ids = {stored[0].id for stored in done[:30] if isinstance(stored, tuple)}
    assert ids == {message.id for message in await chat.messages()} and len(ids) == 30


async def test_nothing_blocks_the_loop(parts: Parts) -> None:
    """Every call touches files on other threads only."""
    chat = chat_of(parts)
    await chat.append(talk(3))
    for call in (chat.messages(), chat.window(), chat.summary(), chat.delete("m1"), chat.clear()):
        await call
    assert len(parts.threads) == 6 and threading.get_ident() not in parts.threads


async def test_a_memory_to_be_read_takes_no_part_of_a_conversation_away(tmp_path: Path) -> None:
    """In a memory opened to be read a conversation is shown, and whatever would change it is refused."""
    config = MemoryConfig(workspace_dir=str(tmp_path))
    async with MemWeave(config, embedder="none") as memory:
        await memory.chat("s", "ana").append(talk(2))
    async with MemWeave(config, embedder="none", read_only=True) as memory:
        chat = memory.chat("s", "ana")
        changes = [chat.append(talk(1)), chat.delete("m1"), chat.rewrite(lambda _: ()), chat.clear()]
        for change in changes:
            with pytest.raises(ReadOnlyError):
                await change
        assert len(await chat.messages()) == 2


@pytest.mark.parametrize(
    "broken",
    [
        Message("user", None),  # type: ignore[arg-type]  # what programs without types give
        Message("user", 5),  # type: ignore[arg-type]  # the same
        Message("user", ("text",)),  # type: ignore[arg-type]  # the same
        Message("user", "x", id=5),  # type: ignore[arg-type]  # the same
        Message("assistant", "x", tool_calls=({"id": "c1"},)),  # type: ignore[arg-type]  # the same
    ],
)
async def test_what_is_no_message_is_refused(parts: Parts, broken: Message) -> None:
    """A message with parts of other types is refused with a sentence, and nothing is written."""
    with pytest.raises(UsageError, match=r"(?i)message"):
        await chat_of(parts).append([Message("user", "fine"), broken])
    assert await chat_of(parts).messages() == ()


async def test_a_dictionary_is_appended_as_a_message(parts: Parts) -> None:
    """Messages as the APIs of models have them can be appended, too."""
    (stored,) = await chat_of(parts).append({"role": "user", "content": "Hello"})
    assert (stored.id, stored.role, stored.text) == ("m1", "user", "Hello")
