"""Chat stores keep conversations in Markdown, whole and in order, whoever writes at the same time."""

from __future__ import annotations

import asyncio
import copy
from pathlib import Path

import pytest
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock, ToolCallBlock
from llama_index.core.memory import ChatMemoryBuffer, Memory
from llama_index.core.storage.chat_store.base_db import MessageStatus
from llama_index.core.storage.chat_store.loading import RECOGNIZED_CHAT_STORES
from llama_index_memweave import MemWeaveAsyncChatStore, MemWeaveChatStore

from memweave_core import MemWeave, Message, blocking


def user(text: str) -> ChatMessage:
    """Something a user says."""
    return ChatMessage(role="user", content=text)


def call(name: str) -> list[ChatMessage]:
    """A tool call and its result."""
    block = ToolCallBlock(tool_call_id=name, tool_name="f", tool_kwargs={"a": 1})
    result = ChatMessage(role="tool", content="r", additional_kwargs={"tool_call_id": name})
    return [ChatMessage(role="assistant", blocks=[block]), result]


def texts(messages: list[ChatMessage]) -> list[str | None]:
    """What messages say."""
    return [message.content for message in messages]


@pytest.fixture
def store(memory: MemWeave) -> MemWeaveChatStore:
    """A store over an empty memory."""
    return MemWeaveChatStore(memory)


@pytest.fixture
def queue(memory: MemWeave) -> MemWeaveAsyncChatStore:
    """A queue over an empty memory."""
    return MemWeaveAsyncChatStore(memory)


def test_a_conversation_is_a_file_that_can_be_read(store: MemWeaveChatStore, tmp_path: Path) -> None:
    """What is added stands as text in the transcript of its session."""
    store.add_message("trip", user("Where to?"))
    text = (tmp_path / "memory" / "sessions" / "trip.md").read_text(encoding="utf-8")
    assert "**user** · " in text
    assert "\nWhere to?\n" in text
    assert "json" not in text


def test_setting_keeps_what_is_there_already(store: MemWeaveChatStore) -> None:
    """Messages that stay keep their ids, also those that another framework wrote with more than we know."""
    chat = blocking.MemWeave.of(store.memweave).chat("s")
    foreign = Message(
        "assistant", ({"type": "text", "text": "b"}, {"type": "odd"}), extra={"langchain": {"x": 1}}
    )
    chat.append([Message("user", "a"), foreign, Message("user", "c")])
    store.set_messages("s", [*store.get_messages("s")[1:], user("d")])
    assert store.get_message_ids("s") == ["m2", "m3", "m4"]
    assert chat.messages()[0].extra == {"langchain": {"x": 1}}


def test_replaced_messages_stay_in_the_trash(store: MemWeaveChatStore, tmp_path: Path) -> None:
    """What is replaced or deleted can be found again."""
    store.set_messages("s", [user("precious")])
    store.set_messages("s", [user("other")])
    kept = [path.read_text(encoding="utf-8") for path in (tmp_path / ".memweave" / "trash").rglob("*.md")]
    assert any("precious" in text for text in kept)


def test_messages_can_be_put_between_and_taken_from_the_end(store: MemWeaveChatStore) -> None:
    """Positions work as in a list, and one that is not there is no error."""
    store.set_messages("s", [user("a"), user("c")])
    store.add_message("s", user("b"), idx=1)
    assert texts(store.get_messages("s")) == ["a", "b", "c"]
    assert [store.delete_message("s", k) for k in (3, -4)] == [None, None]
    last = store.delete_message("s", -1)
    assert last is not None
    assert last.content == "c"


def test_users_do_not_see_each_other(memory: MemWeave) -> None:
    """The same key is another conversation for another user, and for nobody."""
    stores = [MemWeaveChatStore(memory, user_id=name) for name in ("ana", "bo", None)]
    for name, one in zip("abc", stores, strict=True):
        one.add_message("s", user(name))
    assert [texts(one.get_messages("s")) for one in stores] == [["a"], ["b"], ["c"]]


async def test_both_faces_work_in_a_running_loop(store: MemWeaveChatStore) -> None:
    """Blocking calls inside a loop, and awaited ones beside them, see the same messages in order."""
    store.add_message("s", user("0"))
    await asyncio.gather(*(store.async_add_message("s", user(str(k))) for k in range(1, 9)))
    assert sorted(texts(store.get_messages("s"))) == sorted(texts(await store.aget_messages("s")))
    assert len(store.get_message_ids("s")) == 9


def test_nothing_given_is_changed_or_shared(store: MemWeaveChatStore) -> None:
    """The store keeps copies and returns copies."""
    given = ChatMessage(role="user", blocks=[TextBlock(text="a"), ImageBlock(image=b"QUJD")])
    before = copy.deepcopy(given)
    store.add_message("s", given)
    store.get_messages("s")[0].additional_kwargs["x"] = 1
    assert given == before == store.get_messages("s")[0]


def test_a_buffer_over_the_store_survives_being_stored(
    store: MemWeaveChatStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the store registered, a stock buffer comes back from its dictionary and from its string."""
    monkeypatch.setitem(RECOGNIZED_CHAT_STORES, "MemWeaveChatStore", MemWeaveChatStore)
    buffer = ChatMemoryBuffer.from_defaults(chat_store=store, chat_store_key="s")
    buffer.put(user("hola"))
    assert texts(ChatMemoryBuffer.from_dict(buffer.to_dict()).get()) == ["hola"]
    assert texts(ChatMemoryBuffer.from_string(buffer.to_string()).get()) == ["hola"]


async def test_archived_messages_stay_in_the_transcript(queue: MemWeaveAsyncChatStore) -> None:
    """What leaves the queue is read as archived, and others still read the whole conversation."""
    await queue.add_messages("s", [user("a"), user("b")])
    assert texts(await queue.archive_oldest_messages("s", 1)) == ["a"]
    assert texts(await queue.get_messages("s")) == ["b"]
    assert texts(await queue.get_messages("s", MessageStatus.ARCHIVED)) == ["a"]
    assert [message.text for message in await queue.memweave.chat("s").messages()] == ["a", "b"]


async def test_system_messages_and_exchanges_are_whole_at_every_cut(queue: MemWeaveAsyncChatStore) -> None:
    """However many are to leave: the system message and the question stay, no result is without its call."""
    said = [ChatMessage(role="system", content="rules"), user("q"), *call("t1"), *call("t2")]
    for count in range(8):
        await queue.set_messages(f"s{count}", said)
        await queue.archive_oldest_messages(f"s{count}", count)
        left = await queue.get_messages(f"s{count}")
        assert texts(left)[:2] == ["rules", "q"]
        assert [message.role.value for message in left[2:]] in (
            [],
            ["assistant", "tool"],
            ["assistant", "tool"] * 2,
        )


async def test_statuses_can_be_set_and_deleted_apart(queue: MemWeaveAsyncChatStore) -> None:
    """Setting or deleting the messages of one status leaves those of the other."""
    await queue.set_messages("s", [user("old")], MessageStatus.ARCHIVED)
    await queue.set_messages("s", [user("new")])
    await queue.set_messages("s", [user("older"), user("old")], MessageStatus.ARCHIVED)
    assert texts(await queue.get_messages("s", None)) == ["older", "old", "new"]
    await queue.delete_messages("s", MessageStatus.ARCHIVED)
    assert texts(await queue.get_messages("s", None)) == ["new"]
    await queue.delete_messages("s")
    assert await queue.get_keys() == []


async def test_a_stock_memory_keeps_its_system_message(queue: MemWeaveAsyncChatStore) -> None:
    """A queue that overflows many times still begins with the system message and a question."""
    stock = Memory.from_defaults(session_id="s", token_limit=60, token_flush_size=10, chat_store=queue)
    await stock.aput(ChatMessage(role="system", content="rules"))
    for number in range(12):
        await stock.aput_messages([user(f"q{number} " + "w " * 8), *call(f"t{number}")])
    shown = await stock.aget()
    assert [message.role.value for message in shown[:2]] == ["system", "user"]
    assert await queue.count_messages("s", None) == 37
    assert await queue.count_messages("s") < 15


async def test_two_that_find_the_queue_too_long_shorten_it_once(queue: MemWeaveAsyncChatStore) -> None:
    """The same messages leave when two tasks that saw the same queue ask for it."""
    await queue.add_messages("s", [user(str(k)) for k in range(8)])

    async def shorten() -> None:
        await queue.get_messages("s")
        await asyncio.sleep(0.05)
        await queue.archive_oldest_messages("s", 2)
        await queue.archive_oldest_messages("s", 1)

    await asyncio.gather(shorten(), shorten())
    assert texts(await queue.get_messages("s")) == list("34567")
