"""Messages of LangChain go into a transcript and come back as they were."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_memweave import from_memweave, to_memweave

from memweave_core import Message, ToolCall, UsageError
from memweave_core.conversation.transcript import parse, serialise

TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
OBJECTS = st.dictionaries(TEXT, JSON, max_size=2)
BLOCKS = st.one_of(
    TEXT,
    TEXT.map(lambda text: {"type": "text", "text": text}),
    TEXT.map(lambda data: {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}),
    OBJECTS.map(lambda more: {**more, "type": "reasoning"}),
)
CONTENT = TEXT | st.lists(BLOCKS, max_size=3)
BASE = {"content": CONTENT, "id": st.none() | TEXT.filter(bool), "name": st.none() | TEXT.filter(bool)}
META = {"additional_kwargs": OBJECTS.map(lambda o: {"x": o}), "response_metadata": OBJECTS}
CALLS = st.lists(
    st.builds(
        lambda name, args, id: {"name": name, "args": args, "id": id, "type": "tool_call"},
        TEXT, OBJECTS, st.none() | TEXT.filter(bool),
    ),
    max_size=2,
)  # fmt: skip
INVALID = st.lists(
    st.builds(
        lambda text: {"name": "f", "args": text, "id": "i", "error": text, "type": "invalid_tool_call"},
        st.none() | TEXT,
    ),
    max_size=1,
)  # fmt: skip
USAGE = st.none() | st.just(
    {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7, "input_token_details": {"cache_read": 1}}
)
MESSAGES = st.one_of(
    st.builds(HumanMessage, **BASE, **META),
    st.builds(SystemMessage, **BASE, **META),
    st.builds(ChatMessage, **BASE, role=TEXT | st.sampled_from(["assistant", "tool", "System"])),
    st.builds(FunctionMessage, content=TEXT, name=TEXT.filter(bool)),
    st.builds(
        AIMessage, **BASE, **META, tool_calls=CALLS, invalid_tool_calls=INVALID, usage_metadata=USAGE
    ),
    st.builds(
        ToolMessage, **BASE, **META, tool_call_id=TEXT, artifact=JSON,
        status=st.sampled_from(["success", "error"]),
    ),
)  # fmt: skip


def through_a_file(message: Message) -> Message:
    """The message as a transcript has it."""
    [read] = parse(serialise(message)).messages
    return read


@given(MESSAGES)
@settings(max_examples=150)
def test_messages_come_back_as_they_were(message: BaseMessage) -> None:
    """Content, ids, calls valid and not, metadata and usage all come back, also out of a file."""
    there = to_memweave(message)
    assert from_memweave(there) == message
    if there.id:
        assert from_memweave(through_a_file(there)) == message


def test_a_chunk_is_kept_as_the_message_it_is() -> None:
    """What a stream was added up to comes back as a message of the assistant."""
    chunk = AIMessageChunk(content="Hel", id="a") + AIMessageChunk(content="lo", id="a")
    assert from_memweave(to_memweave(chunk)) == AIMessage(content="Hello", id="a")


def test_every_framework_finds_what_it_knows() -> None:
    """Role, text, tool calls and what a result answers stand where other frameworks look for them."""
    call: Any = {"name": "add", "args": {"a": 1}, "id": "c1", "type": "tool_call"}
    made = to_memweave(AIMessage("Adding.", id="a", tool_calls=[call]))
    assert made == Message("assistant", "Adding.", "a", tool_calls=(ToolCall("c1", "add", {"a": 1}),))
    assert to_memweave(ToolMessage("2", tool_call_id="c1")) == Message("tool", "2", tool_call_id="c1")


def test_messages_of_other_frameworks_are_read() -> None:
    """A message that LangChain never saw becomes the one that its role means."""
    calls = (ToolCall("c1", "add", '{"a": 1}'), ToolCall("c2", "add", "{nonsense"))
    read = from_memweave(Message("assistant", "", "m1", tool_calls=calls, extra={"llama_index": {"x": 1}}))
    assert isinstance(read, AIMessage)
    assert [call["args"] for call in read.tool_calls] == [{"a": 1}]
    assert [call["id"] for call in read.invalid_tool_calls] == ["c2"]


def test_what_is_not_json_is_kept_as_text() -> None:
    """An object in the metadata does not cost the message."""
    made = to_memweave(AIMessage("hi", additional_kwargs={"parsed": complex(1, 2)}))
    assert made.extra["langchain"]["additional_kwargs"] == {"parsed": "1+2j"}


def test_what_is_no_message_is_refused() -> None:
    """An order to remove a message cannot be said in a conversation."""
    with pytest.raises(UsageError, match="RemoveMessage"):
        to_memweave(RemoveMessage(id="a"))


def test_a_spoilt_transcript_can_still_be_read() -> None:
    """What a person made of the metadata by hand does not hide what was said."""
    spoilt = Message("assistant", "Hello.", "m1", extra={"langchain": {"usage_metadata": "many"}})
    assert from_memweave(spoilt) == AIMessage("Hello.", id="m1")
