"""Chat messages become messages of a transcript and come back as they were."""

from __future__ import annotations

import copy
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.base.llms.types import (
    AudioBlock,
    CacheControl,
    CachePoint,
    ChatMessage,
    CitableBlock,
    CitationBlock,
    DocumentBlock,
    ImageBlock,
    MessageRole,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    VideoBlock,
)
from llama_index_memweave.conversion import archived, from_message, is_archived, to_message
from pydantic import BaseModel

from memweave_core import Message, ToolCall
from memweave_core.conversation.transcript import parse, serialise

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
names = st.text("abcdefgh_", min_size=1, max_size=8)
json = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**18), 10**18) | st.floats(allow_nan=False) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=5,
)
objects = st.dictionaries(names, json, max_size=3)
data = st.none() | st.binary(max_size=24)
maybe = st.none() | names
texts = st.builds(TextBlock, text=text)
images = st.builds(
    ImageBlock, image=data, url=st.none() | st.just("https://e.org/a.png"), detail=maybe, image_mimetype=maybe
)
blocks = st.one_of(
    texts,
    images,
    st.builds(AudioBlock, audio=data, format=maybe, url=st.none() | st.just("https://e.org/a.mp3")),
    st.builds(VideoBlock, video=data, detail=maybe, fps=st.none() | st.integers(1, 60)),
    st.builds(DocumentBlock, data=data, title=maybe, document_mimetype=maybe, path=maybe),
    st.builds(CachePoint, cache_control=st.builds(CacheControl, type=names)),
    st.builds(CitableBlock, title=text, source=text, content=st.lists(texts | images, max_size=2)),
    st.builds(
        CitationBlock,
        cited_content=texts | images,
        source=text,
        title=text,
        additional_location_info=st.dictionaries(names, st.integers(0, 9), max_size=2),
    ),
    st.builds(
        ThinkingBlock,
        content=st.none() | text,
        num_tokens=st.none() | st.integers(0, 9),
        additional_information=objects,
    ),
    st.builds(ToolCallBlock, tool_call_id=maybe, tool_name=text, tool_kwargs=objects | text),
)
messages = st.builds(
    lambda role, made, kwargs: ChatMessage(role=role, blocks=made, additional_kwargs=kwargs),
    st.sampled_from(MessageRole),
    st.lists(blocks, max_size=4),
    st.dictionaries(names | st.sampled_from(["name", "tool_call_id", "tool_calls"]), json, max_size=3),
)


def through_file(message: ChatMessage) -> ChatMessage:
    """The message as it is read from the transcript it was written to."""
    written = serialise(Message(**{**_fields(to_message(message)), "id": "m1"}))
    return from_message(parse(written).messages[0])


def _fields(message: Message) -> dict[str, Any]:
    return {name: getattr(message, name) for name in message.__slots__}


@settings(max_examples=400, deadline=None)
@given(messages)
def test_every_message_comes_back_as_it_was(message: ChatMessage) -> None:
    """Roles, blocks of all types, their order and additional arguments survive the file, unchanged."""
    before = copy.deepcopy(message)
    back = through_file(message)
    assert back.model_dump() == before.model_dump()
    assert [type(block) for block in back.blocks] == [type(block) for block in before.blocks]
    assert message.model_dump() == before.model_dump()


def test_plain_messages_need_nothing_but_text() -> None:
    """A question and an answer are text under their roles and nothing else."""
    assert to_message(ChatMessage(role="user", content="hola")) == Message("user", "hola")
    assert to_message(ChatMessage(role="assistant", content="día")) == Message("assistant", "día")


def test_tool_turns_are_readable_by_others() -> None:
    """A call is a tool call and its result an answer to it, without anything of LlamaIndex's own."""
    call = ChatMessage(
        role="assistant", blocks=[ToolCallBlock(tool_call_id="t", tool_name="f", tool_kwargs={"a": 1})]
    )
    result = ChatMessage(role="tool", content="3", additional_kwargs={"tool_call_id": "t", "name": "f"})
    assert to_message(call) == Message("assistant", tool_calls=(ToolCall("t", "f", {"a": 1}),))
    assert to_message(result) == Message("tool", "3", tool_call_id="t", name="f")


def test_older_tool_calls_are_seen_and_stay_where_they_are() -> None:
    """Calls in additional arguments count as calls, and come back only there."""
    older = {"id": "t", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    message = ChatMessage(role="assistant", content=None, additional_kwargs={"tool_calls": [older]})
    assert to_message(message).tool_calls == (ToolCall("t", "f", '{"a": 1}'),)
    assert through_file(message) == message


def test_what_is_no_json_becomes_json() -> None:
    """Models become objects, anything else its text, and streams their bytes; nothing raises."""

    class Call(BaseModel):
        x: int = 1

    message = ChatMessage(content="", additional_kwargs={"calls": [Call()], "path": Path("a"), "odd": object})
    kwargs = through_file(message).additional_kwargs
    assert kwargs["calls"] == [{"x": 1}]
    assert kwargs["path"] == "a"
    picture = through_file(ChatMessage(blocks=[ImageBlock(image=BytesIO(b"\x89PNG\r\n\x1a\n\xff"))])).blocks[
        0
    ]
    assert isinstance(picture, ImageBlock)
    assert picture.resolve_image().read() == b"\x89PNG\r\n\x1a\n\xff"


def test_pictures_of_older_code_do_not_multiply() -> None:
    """Additional arguments named "images" are not turned into blocks a second time."""
    message = ChatMessage(content="look")
    message.additional_kwargs["images"] = ["one"]
    assert through_file(message) == message


def test_a_file_that_is_gone_is_no_error(tmp_path: Path) -> None:
    """A message that names a picture on the disk is read when the picture is gone."""
    picture = tmp_path / "a.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n")
    kept = to_message(ChatMessage(blocks=[ImageBlock(path=picture)]))
    picture.unlink()
    assert from_message(kept).blocks[0].path == picture  # type: ignore[union-attr]  # it is a picture


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (
            {"type": "image_url", "image_url": {"url": "https://e.org/a.png"}},
            ImageBlock(url="https://e.org/a.png"),
        ),
        (
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}},
            ImageBlock(image=b"QUJD", image_mimetype="image/png"),
        ),
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}},
            ImageBlock(image=b"QUJD", image_mimetype="image/png"),
        ),
        (
            {"type": "image", "source_type": "base64", "mime_type": "image/png", "data": "QUJD"},
            ImageBlock(image=b"QUJD", image_mimetype="image/png"),
        ),
        (
            {"type": "image", "source_type": "url", "url": "https://e.org/a.png"},
            ImageBlock(url="https://e.org/a.png"),
        ),
        ({"type": "file", "source_type": "text", "text": "said"}, TextBlock(text="said")),
        ({"type": "image", "file_id": "f"}, TextBlock(text='{"type": "image", "file_id": "f"}')),
        (
            {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "wav"}},
            AudioBlock(audio=b"QUJD", format="wav"),
        ),
        (
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            ThinkingBlock(content="hm", additional_information={"signature": "s"}),
        ),
        (
            {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}},
            ToolCallBlock(tool_call_id="t", tool_name="f", tool_kwargs={"a": 1}),
        ),
        ({"type": "tool_result", "tool_use_id": "t", "content": "3"}, TextBlock(text="3")),
        ({"type": "odd", "x": 1}, TextBlock(text='{"type": "odd", "x": 1}')),
    ],
)
def test_blocks_of_others_are_understood(block: dict[str, Any], expected: object) -> None:
    """What the APIs of other providers write becomes the block that LlamaIndex has for it."""
    assert from_message(Message("user", ({"type": "text", "text": "a"}, block))).blocks[1] == expected


def test_a_call_in_two_places_is_one() -> None:
    """A call that stands among the blocks and among the calls, as LangChain has it, comes once."""
    message = Message(
        "assistant",
        ({"type": "text", "text": "a"}, {"type": "tool_use", "id": "t", "name": "f", "input": {}}),
        tool_calls=(ToolCall("t", "f"),),
    )
    assert [block.block_type for block in from_message(message).blocks] == ["text", "tool_call"]


def test_being_archived_is_not_part_of_a_message() -> None:
    """A message that left the queue is marked, and reads as before."""
    message = to_message(ChatMessage(content="x", additional_kwargs={"a": 1}))
    assert not is_archived(message)
    assert is_archived(archived(message))
    assert from_message(archived(message)) == from_message(message)
