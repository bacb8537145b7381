"""Chains keep their conversations in a memory, and no turn is lost in silence."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage, ToolMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableLambda, RunnableWithMessageHistory
from langchain_memweave import MemWeaveChatMessageHistory

from memweave_core import Message, StorageError

LEGACY = "ignore:.*RunnableWithMessageHistory"
SESSION: Any = {"configurable": {"session_id": "ana@example.com/1"}}


@pytest.fixture
def history(memory: Any) -> MemWeaveChatMessageHistory:
    """A conversation."""
    return MemWeaveChatMessageHistory("s1", memory)


def chain(memory: Any, model: Any) -> Any:
    """The chain that LangChain's own pages show."""
    prompt = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("human", "{question}")])
    return RunnableWithMessageHistory(
        prompt | model,
        lambda session_id: MemWeaveChatMessageHistory(session_id, memory),
        input_messages_key="question",
        history_messages_key="history",
    )


def texts(memory: Any, session: str = "ana@example.com/1") -> list[str]:
    """What stands in a transcript."""
    return [message.text for message in memory.chat(session).messages()]


def test_everything_comes_back(history: Any) -> None:
    """Ids, calls, blocks, metadata and usage are read back as they were added, chunks as messages."""
    usage: Any = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}
    call: Any = {"name": "add", "args": {"a": 1}, "id": "c1", "type": "tool_call"}
    picture = [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "https://x.y/z"}}]
    said = [
        HumanMessage(picture, id="h1", additional_kwargs={"k": 1}),
        AIMessage("", id="a1", tool_calls=[call], usage_metadata=usage, response_metadata={"model": "m"}),
        ToolMessage("2", id="t1", tool_call_id="c1", artifact={"x": [1]}),
        AIMessageChunk(content="Two.", id="a2"),
    ]
    history.add_messages(said)
    read = history.messages
    assert read[:3] == said[:3]
    assert read[3] == AIMessage("Two.", id="a2")


@pytest.mark.filterwarnings(LEGACY)
def test_each_message_is_kept_once(memory: Any, scripted: Any) -> None:
    """Calls and streams of a chain add each message once, and a call that fails adds nothing."""
    talk = chain(memory, scripted("A.", OSError("no network"), "B."))
    talk.invoke({"question": "one"}, SESSION)
    with pytest.raises(OSError, match="no network"):
        talk.invoke({"question": "lost"}, SESSION)
    list(talk.stream({"question": "two"}, SESSION))
    assert texts(memory) == ["one", "A.", "two", "B."]


@pytest.mark.filterwarnings(LEGACY)
async def test_works_with_await(memory: Any, scripted: Any) -> None:
    """The asynchronous chain reads and writes by itself."""
    model = scripted("A.", "B.")
    talk = chain(memory, model)
    await talk.ainvoke({"question": "one"}, SESSION)
    await talk.ainvoke({"question": "two"}, SESSION)
    assert [message.text for message in model.shown[-1]] == ["one", "A.", "two"]
    stored = await memory.asynchronous.chat("ana@example.com/1").messages()
    assert len(stored) == 4


@pytest.mark.filterwarnings(LEGACY)
def test_a_failed_write_is_loud_at_the_next_read(
    memory: Any, scripted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The chain swallows the error of a write, and the next call of the conversation raises it once."""
    talk = chain(memory, scripted("A.", "B.", "C."))

    async def failing(*_: Any) -> Any:
        raise OSError("disk full")

    with monkeypatch.context() as patched:
        patched.setattr(memory.asynchronous, "record", failing)
        assert talk.invoke({"question": "one"}, SESSION).text == "A."
    with pytest.raises(StorageError, match="disk full"):
        talk.invoke({"question": "two"}, SESSION)
    assert talk.invoke({"question": "three"}, SESSION).text == "B."


@pytest.mark.filterwarnings(LEGACY)
def test_a_concurrent_writer_hides_no_question(memory: Any) -> None:
    """What another writes during a call does not make the chain lose the question it was asked."""

    def model(messages: Any) -> AIMessage:
        memory.record(None, "ana@example.com/1", [{"role": "user", "content": "other"}])
        return AIMessage(f"saw {len(messages)}")

    talk = RunnableWithMessageHistory(
        RunnableLambda(model), lambda session_id: MemWeaveChatMessageHistory(session_id, memory)
    )
    talk.invoke([HumanMessage("mine")], SESSION)
    assert texts(memory) == ["other", "mine", "saw 1"]


def test_a_call_reads_one_state(memory: Any, history: Any) -> None:
    """What another writes between the beginning and the end of a call does not shift what was read."""
    history.add_user_message("one")
    first = history.messages
    MemWeaveChatMessageHistory("s1", memory).add_ai_message("other")
    assert history.messages == first
    history.add_ai_message("A.")
    assert [message.text for message in history.messages] == ["one", "other", "A."]


def test_the_summary_comes_first_and_is_never_stored(memory: Any, tmp_path: Path) -> None:
    """A model is shown the running summary and the last messages; adding them again adds nothing."""
    memory.chat("s1").append([Message("user", f"say {n}", f"m{n}") for n in range(1, 7)])
    (tmp_path / "memory/sessions/s1~summary.md").write_text(
        "---\nsummarised_until: m4\nsummarised_count: 4\n---\n\nFour were said.\n", encoding="utf-8"
    )
    history = MemWeaveChatMessageHistory("s1", memory, window=2)
    shown = history.messages
    assert isinstance(shown[0], SystemMessage)
    assert "Four were said." in shown[0].text
    assert [message.text for message in shown[1:]] == ["say 5", "say 6"]
    history.add_messages(shown)
    assert len(memory.chat("s1").messages()) == 6
    assert len(MemWeaveChatMessageHistory("s1", memory, window=None).messages) == 6


@pytest.mark.parametrize("session", ["a/b", "../x", "ana@example.com", "día 1", "x" * 400, "CON"])
def test_any_session_id_will_do(memory: Any, session: str) -> None:
    """Every name that is not empty names a conversation of its own, inside the workspace."""
    MemWeaveChatMessageHistory(session, memory).add_user_message("hi")
    assert [m.text for m in MemWeaveChatMessageHistory(session, memory).messages] == ["hi"]
    assert MemWeaveChatMessageHistory(session + "!", memory).messages == []


def test_one_object_in_eight_threads(memory: Any, history: Any) -> None:
    """Eight threads add to one object and nothing is lost."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(history.add_user_message, [f"say {n}" for n in range(24)]))
    assert len(memory.chat("s1").messages()) == 24


async def test_the_blocking_methods_work_in_a_running_loop(history: Any) -> None:
    """In a notebook, where a loop runs, nothing waits for itself."""
    history.add_user_message("hi")
    assert [message.text for message in history.messages] == ["hi"]
    await history.aclear()
    assert await history.aget_messages() == []


def test_one_object_in_two_loops(history: Any) -> None:
    """An object is used in one loop and then in another."""
    asyncio.run(history.aadd_messages([HumanMessage("one")]))
    asyncio.run(history.aadd_messages([HumanMessage("two")]))
    assert [message.text for message in asyncio.run(history.aget_messages())] == ["one", "two"]


def test_clear_leaves_nothing(memory: Any, history: Any, tmp_path: Path) -> None:
    """A cleared conversation is empty, and its file is in the trash."""
    history.add_user_message("hi")
    history.clear()
    assert history.messages == []
    assert list((tmp_path / ".memweave" / "trash").rglob("*"))


def test_what_is_shown_begins_with_the_user(memory: Any) -> None:
    """A window that would begin with an answer leaves it out; one in which the user says nothing is whole."""
    MemWeaveChatMessageHistory("s1", memory).add_messages([HumanMessage("Hi"), AIMessage("Hello")] * 3)
    shown = MemWeaveChatMessageHistory("s1", memory, window=3).messages
    assert [one.text for one in shown] == ["Hi", "Hello"]
    assert [one.text for one in MemWeaveChatMessageHistory("s1", memory, window=1).messages] == ["Hello"]


async def test_a_read_during_a_write_hides_nothing(
    history: Any, memory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an object has written it shows, whoever read with it meanwhile; a cancelled write is told of."""
    real = memory.asynchronous.record

    async def record(*given: Any) -> Any:
        await history.aget_messages()
        return await real(*given)

    monkeypatch.setattr(memory.asynchronous, "record", record)
    await history.aadd_messages([HumanMessage("Hi"), AIMessage("Hello")])
    assert [one.text for one in await history.aget_messages()] == ["Hi", "Hello"]

    async def endless(*given: Any) -> Any:
        await asyncio.sleep(60)

    monkeypatch.setattr(memory.asynchronous, "record", endless)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(history.aadd_messages([HumanMessage("lost")]), 0.2)
    with pytest.raises(StorageError, match="could not be written"):
        await history.aget_messages()
