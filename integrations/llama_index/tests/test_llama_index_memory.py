"""`MemWeaveMemory` stands where `ChatMemoryBuffer` stood, and remembers."""

from __future__ import annotations

import asyncio
import copy
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from llama_index.core.base.llms.types import ChatMessage, ToolCallBlock
from llama_index.core.llms import MockLLM
from llama_index.core.storage.chat_store import SimpleChatStore
from llama_index_memweave import MemWeaveChatStore, MemWeaveMemory

from memweave_core import MemWeave, Message, blocking


def user(text: str) -> ChatMessage:
    """Something a user says."""
    return ChatMessage(role="user", content=text)


def texts(messages: list[ChatMessage]) -> list[str | None]:
    """What messages say."""
    return [message.content for message in messages]


def words(memory: MemWeave, limit: int) -> MemWeaveMemory:
    """A memory that counts words as tokens."""
    return MemWeaveMemory.from_defaults(memory=memory, token_limit=limit, tokenizer_fn=str.split)


def test_it_is_made_like_a_buffer(memory: MemWeave) -> None:
    """The arguments of a buffer mean what they meant, and others are refused."""
    store = MemWeaveChatStore(memory, user_id="ana")
    made = MemWeaveMemory.from_defaults(
        chat_history=[user("a")], llm=MockLLM(), chat_store=store, chat_store_key="k", tokenizer_fn=str.split
    )
    assert (made.token_limit, made.chat_store_key, made.user_id) == (2925, "k", "ana")
    assert made.tokenizer_fn("a b") == ["a", "b"]
    assert texts(made.chat_store.get_messages("k")) == ["a"]
    assert MemWeaveMemory.from_defaults(memory=memory).token_limit == 3000
    for wrong in ({"limit": 3}, {"chat_store": SimpleChatStore()}, {"token_limit": 0}):
        with pytest.raises(ValueError, match=r"kwargs|transcripts|token_limit"):
            MemWeaveMemory.from_defaults(memory=memory, **wrong)


def test_an_empty_history_erases_nothing(memory: MemWeave) -> None:
    """A history that is given replaces the conversation; an empty one leaves it."""
    MemWeaveMemory.from_defaults(chat_history=[user("a")], memory=memory)
    assert texts(MemWeaveMemory.from_defaults(chat_history=[], memory=memory).get()) == ["a"]
    assert texts(MemWeaveMemory.from_defaults(chat_history=[user("b")], memory=memory).get()) == ["b"]


def test_the_oldest_turns_go_first(memory: MemWeave) -> None:
    """Whole turns go from the front until the rest fits, beside the tokens that are taken already."""
    made = words(memory, 6)
    for number in range(3):
        made.put_messages([user(f"q{number} x"), ChatMessage(role="assistant", content=f"a{number}")])
    assert texts(made.get()) == ["q1 x", "a1", "q2 x", "a2"]
    assert texts(made.get(initial_token_count=3)) == ["q2 x", "a2"]
    assert len(made.get_all()) == 6
    with pytest.raises(ValueError, match="Initial token count exceeds token limit"):
        made.get(initial_token_count=7)


def test_system_messages_stay(memory: MemWeave) -> None:
    """A system message is given first, whatever else has to go, and counts."""
    made = words(memory, 5)
    made.put(ChatMessage(role="system", content="be brief"))
    for number in range(9):
        made.put(user(f"q{number}"))
    assert texts(made.get()) == ["be brief", "q6", "q7", "q8"]


def test_a_tool_exchange_is_whole_or_not_there(memory: MemWeave) -> None:
    """A call whose result never came is not shown to a model, and comes back with its result."""
    made = words(memory, 100)
    call = ToolCallBlock(tool_call_id="t", tool_name="f", tool_kwargs={})
    made.put_messages([user("q"), ChatMessage(role="assistant", blocks=[call]), user("never mind")])
    assert texts(made.get()) == ["q", "never mind"]
    assert len(made.get_all()) == 3


def test_it_learns_from_what_is_put(memory: MemWeave) -> None:
    """What a user asks to be remembered is known at once, in another conversation, and to nobody else."""
    first = MemWeaveMemory.from_defaults(memory=memory, user_id="ana", chat_store_key="one")
    first.put(user("Remember that I am allergic to peanuts."))
    second = MemWeaveMemory.from_defaults(memory=memory, user_id="ana", chat_store_key="two")
    shown = second.get(input="What can I eat?")
    assert [message.role.value for message in shown] == ["system"]
    assert "allergic to peanuts" in (shown[0].content or "")
    second.put(user("What can I eat?"))
    assert "allergic to peanuts" in (second.get()[0].content or "")
    assert MemWeaveMemory.from_defaults(memory=memory, user_id="bo").get(input="What can I eat?") == []


def test_what_was_put_in_front_is_not_said_again(memory: MemWeave) -> None:
    """A program that stores what it was given does not store the memories in it."""
    made = MemWeaveMemory.from_defaults(memory=memory, user_id="ana")
    made.put(user("Remember that I live in Oslo."))
    shown = made.get()
    assert len(shown) == 2
    made.set(shown)
    assert texts(made.get_all()) == ["Remember that I live in Oslo."]


def test_nothing_given_is_changed(memory: MemWeave) -> None:
    """Putting and setting leave the messages as they were."""
    given = [ChatMessage(role="assistant", content="a", additional_kwargs={"x": [1]})]
    before = copy.deepcopy(given)
    made = MemWeaveMemory.from_defaults(memory=memory)
    made.put_messages(given)
    made.set(given)
    made.get()[0].additional_kwargs["x"].append(2)
    assert given == before == made.get_all()


def test_resetting_forgets_the_conversation_only(memory: MemWeave) -> None:
    """After a reset nothing was said, and what was learnt is still known."""
    made = MemWeaveMemory.from_defaults(memory=memory, user_id="ana")
    made.put(user("Remember that I live in Oslo."))
    made.reset()
    assert made.get_all() == []
    assert len(blocking.MemWeave.of(memory).facts("ana")) == 1


def test_it_survives_being_stored(memory: MemWeave) -> None:
    """As dictionary, string, pickle or copy it is the same conversation, in the same memory."""
    made = MemWeaveMemory(memory, user_id="ana", chat_store_key="k", token_limit=99, last_n=4)
    made.put(user("a"))
    again = [
        MemWeaveMemory.from_dict(made.to_dict()),
        MemWeaveMemory.from_string(made.to_string()),
        MemWeaveMemory.model_validate_json(made.model_dump_json()),
        pickle.loads(pickle.dumps(made)),
        copy.deepcopy(made),
    ]
    for one in again:
        assert one == made
        assert one.memweave is memory
        assert texts(one.get()) == ["a"]


def test_another_process_finds_the_conversation(memory: MemWeave) -> None:
    """Its string is enough for another process to go on."""
    made = MemWeaveMemory(memory, chat_store_key="k")
    made.put(user("a"))
    code = (
        "import sys; from llama_index_memweave import MemWeaveMemory as M; "
        "m = M.from_string(sys.argv[1]); m.put(m.get()[0]); print(len(m.get_all()))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "-c", code, made.to_string()],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "2"), done.stderr
    assert len(made.get_all()) == 2


async def test_many_at_once_lose_nothing(memory: MemWeave) -> None:
    """Messages put by many tasks, and read by blocking calls in the loop, are all there."""
    made = MemWeaveMemory.from_defaults(memory=memory, token_limit=10_000)
    await asyncio.gather(*(made.aput(user(str(k))) for k in range(20)))
    assert sorted(texts(made.get()), key=lambda text: int(text or 0)) == [str(k) for k in range(20)]
    await made.areset()
    assert await made.aget_all() == []


def test_two_loops_share_it(memory: MemWeave) -> None:
    """One event loop after another, and none, use the same memory."""
    made = MemWeaveMemory.from_defaults(memory=memory)
    for number in range(2):
        asyncio.run(made.aput(user(str(number))))
    assert texts(made.get()) == ["0", "1"]


def test_the_summary_stands_for_what_is_left_out(memory: MemWeave, tmp_path: Path) -> None:
    """A running summary beside the transcript is given before the last turns."""
    blocking.MemWeave.of(memory).chat("chat_history").append([Message("user", "old"), Message("user", "new")])
    (tmp_path / "memory" / "sessions" / "chat_history~summary.md").write_text(
        "---\nsummarised_until: m1\nsummarised_count: 1\n---\n\nAna plans a trip to Lima.\n", encoding="utf-8"
    )
    shown = MemWeaveMemory.from_defaults(memory=memory).get()
    assert "trip to Lima" in (shown[0].content or "")
    assert texts(shown[1:])[-1] == "new"
