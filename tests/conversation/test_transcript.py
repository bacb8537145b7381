"""Sessions as Markdown: lossless, readable, never broken by what is said in them."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memweave_core._errors import UsageError
from memweave_core.conversation.message_form import END, LABEL, OPEN, ROLES, decode_id, encode_id
from memweave_core.conversation.transcript import (
    decode_part,
    header,
    message_ids,
    next_id,
    parse,
    parse_tail,
    serialise,
)
from memweave_core.messages import Message, ToolCall
from memweave_core.text.passages import passages
from memweave_core.types import FileStamp, Page, PageMeta

HOSTILE = [
    "**user** · 2026-03-21 10:32:05+01:00 {#m1}", "**assistant**", "**tool** {#x}", "**user** · Ana {#m1}",
    END, OPEN, "`" + OPEN, "```", "~~~~", "```py", "<!--", "-->", "<pre>", "</pre>", "---", "===", "# T",
    "> q", "- a", "    x", "\\", "\\\\" + END, "\\**user**", "\t", "\r", "\r\n", "\u2028", "\x85", "\x00",
    "\x1b[0m", "\ufeff", "🙂", "\ud800", "a b", "{#m1}", "|a|", "|-|", "> ```",
]  # fmt: skip
texts = st.one_of(
    st.text(),
    st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=5)), max_size=8).map("\n".join),
    st.lists(st.sampled_from(HOSTILE), max_size=5).map("".join),
    st.lists(st.sampled_from(HOSTILE), max_size=5).map("\r\n".join),
).filter(lambda text: text == text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass"))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
objects = st.dictionaries(texts, values, max_size=3)
blocks = st.one_of(objects, texts.map(lambda text: {"type": "text", "text": text}))
zones = st.none() | st.integers(-82_800, 82_800).map(lambda s: dt.timezone(dt.timedelta(seconds=s)))
messages = st.builds(
    Message,
    role=st.sampled_from(ROLES),
    content=texts | st.lists(blocks, max_size=3).map(tuple),
    id=texts.filter(bool),
    at=st.none() | st.datetimes(timezones=zones),
    name=st.none() | st.sampled_from(["Ana", "2026-01-01 10:00", "Ana · Bo", "", "x" * 30, "a" * 20]) | texts,
    tool_calls=st.lists(st.builds(ToolCall, id=texts, name=texts, arguments=texts | objects), max_size=2).map(
        tuple
    ),
    tool_call_id=st.none() | texts,
    extra=objects,
)
conversations = st.lists(messages, max_size=5, unique_by=lambda message: message.id)


def written(*said: Message) -> str:
    """A transcript of messages appended one by one."""
    return header("s", "ana", dt.date(2026, 3, 21)) + "".join(serialise(message) for message in said)


def talk(*said: str) -> str:
    """A transcript of user messages m1, m2, …"""
    return written(*(Message("user", text, f"m{k}") for k, text in enumerate(said, 1)))


@settings(max_examples=100)
@given(conversations)
def test_every_conversation_comes_back_as_it_was(said: list[Message]) -> None:
    """What is written is read back without loss or complaint, and encodes as UTF-8."""
    text = written(*said)
    read = parse(text.encode().decode())
    assert (list(read.messages), read.problems, read.whole) == (said, (), len(text))
    assert (read.session, read.user, read.date) == ("s", "ana", dt.date(2026, 3, 21))


@settings(max_examples=30)
@given(conversations)
def test_a_checkout_with_other_line_endings_reads_the_same(said: list[Message]) -> None:
    """A file whose line endings git turned into CRLF says the same."""
    assert list(parse(written(*said).replace("\n", "\r\n")).messages) == said


@settings(max_examples=50)
@given(conversations.filter(bool), st.floats(0, 1))
@example([Message("user", "a\n\nb", "m1")], 0.5)
def test_a_crash_loses_only_the_message_it_cut(said: list[Message], where: float) -> None:
    """A file cut in its last message keeps all before it; cut off at `whole` it can be gone on with."""
    before, last = written(*said[:-1]), serialise(said[-1])
    text = before + last[: round(where * len(last))]
    read = parse(text)
    if read.whole == len(text):
        assert list(read.messages) in (said[:-1], said)
    else:
        assert list(read.messages) == said[:-1] and "was cut off" in read.problems[-1]
    assert list(parse(text[: read.whole] + last).messages) == said


def test_a_message_cut_between_paragraphs_is_not_taken_for_whole() -> None:
    """Half of the text is not the text, even where the cut is at a paragraph."""
    text = talk("one", "two\n\nthree")
    read = parse(text[: text.index("three")])
    assert [message.text for message in read.messages] == ["one"]
    assert read.problems == ("The message in line 13 was cut off before its end; it was not read.",)


@settings(max_examples=50)
@given(conversations, st.integers(0, 3000))
def test_the_end_of_a_file_gives_the_messages_in_it(said: list[Message], size: int) -> None:
    """A part from any character to the end gives just the messages that are wholly in it."""
    text = written(*said)
    start = max(0, len(text) - size)
    sizes = [len(text) - sum(len(serialise(message)) for message in said[k:]) for k in range(len(said))]
    inside = [message for message, begins in zip(said, sizes, strict=True) if begins >= start]
    assert list(parse_tail(text[start:]).messages) == inside


@given(st.text(min_size=1), st.integers(0, 8), st.integers(0, 8))
def test_half_characters_at_a_cut_are_left_out(text: str, start: int, end: int) -> None:
    """A part of a file cut in the middle of a character decodes to the whole ones in it."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return
    assert decode_part(data[start : len(data) - end]) in text


def test_a_transcript_is_readable() -> None:
    """Speaker, time and text stand there as a person would write them."""
    at = dt.datetime(2026, 3, 21, 10, 32, 5, tzinfo=dt.timezone(dt.timedelta(hours=1)))
    answer = Message("tool", "42", "m2", tool_call_id="c1")
    assert written(Message("user", "Hi *there*", "m1", at, "Ana"), answer) == (
        "---\nsession: s\nuser: ana\ndate: 2026-03-21\n---\n\n"
        "**user** · Ana · 2026-03-21 10:32:05+01:00 {#m1}\n\nHi *there*\n\n<!--/-->\n\n"
        '**tool** · {#m2}\n\n42\n\n```json memweave\n{"tool_call_id": "c1"}\n```\n\n<!--/-->\n'
    )


def test_the_text_of_blocks_stands_as_text() -> None:
    """The first text of a list of blocks is readable; what else there is stands in the block below."""
    picture = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    said = Message("user", ({"type": "text", "text": "What is\nthis?"}, picture), "m1")
    assert "\nWhat is\nthis?\n" in serialise(said)
    assert parse(serialise(said)).messages == (said,)


def test_text_edited_by_hand_is_read_as_it_stands() -> None:
    """A person may change the text of a message; nothing complains."""
    read = parse(talk("one", "two").replace("one", "One, mended.\n\nWith more."))
    assert [message.text for message in read.messages] == ["One, mended.\n\nWith more.", "two"]
    assert read.problems == ()


def test_a_message_written_by_hand_gets_a_lasting_id() -> None:
    """A message without id or end mark is read, under an id that other messages do not change."""
    by_hand = "\n**user** · 2026-03-21 10:00\n\nBy hand\n"
    first = parse(talk("one") + by_hand).messages[-1]
    later = parse(by_hand + talk("x")[45:])
    assert first.text == "By hand" and first.id.startswith("h")
    assert later.messages[0].id == first.id and later.problems == ()


def test_text_that_belongs_to_no_message_is_named() -> None:
    """Text before the first message is a preamble; text after an end mark is reported."""
    text = talk("one").replace("---\n\n", "---\nNotes of mine\n\n") + "\nAnd this\n"
    read = parse(text)
    assert read.preamble == "Notes of mine" and read.whole == len(text)
    assert read.problems == ("Message m1 has text below its end mark, which is not part of it.",)


def test_a_message_appended_twice_is_there_once() -> None:
    """The same message appended again after a crash is taken once; another one under its id is kept."""
    text = talk("one") + serialise(Message("user", "one", "m1")) + serialise(Message("user", "two", "m1"))
    read = parse(text)
    assert [(message.id, message.text) for message in read.messages] == [("m1", "one"), ("m1-2", "two")]
    assert len(read.problems) == 2


@pytest.mark.parametrize(
    "block", ["{", "[]", '{"tool_calls": 3}', '{"content": [1]}', '{"extra": ""}', '{"edges": 1}']
)
def test_a_spoilt_block_costs_only_itself(block: str) -> None:
    """Where a block was damaged by hand the text of the message is still read, and the damage is named."""
    said = replace(Message("user", "one", "m1"), tool_call_id="c")
    text = written(said).replace('{"tool_call_id": "c"}', block)
    read = parse(text)
    assert [message.text for message in read.messages] == ["one"]
    assert "Message m1 has a block" in read.problems[0]


@pytest.mark.parametrize(
    "changes",
    [{"id": ""}, {"role": "narrator"}, {"extra": {1: 2}}, {"extra": {"at": dt.date(2026, 1, 1)}}],
    ids=str,
)
def test_what_would_not_come_back_is_refused(changes: dict[str, Any]) -> None:
    """A message without id, of an unknown role, or with values that JSON would change is refused."""
    with pytest.raises(UsageError):
        serialise(replace(Message("user", "x", "m1"), **changes))


@given(texts)
def test_ids_of_any_characters_fit_a_label(name: str) -> None:
    """An encoded id has no space and no brace, and comes back."""
    encoded = encode_id(name)
    assert not set(encoded) & set(" {}\n") and decode_id(encoded) == name


def test_ids_go_on_from_the_largest() -> None:
    """The next id is one more than the largest numbered one, wherever that stands."""
    assert next_id([]) == "m1"
    assert next_id(["m2", "m10", "m3", "own", "m007"]) == "m11"
    assert message_ids(talk("**user** · {#m7}", "b")) == ["m1", "m2"]


def test_a_broken_header_is_named() -> None:
    """Front matter that does not parse is reported, and the messages are read."""
    read = parse(talk("one").replace("user: ana", "user: [ana"))
    assert [message.text for message in read.messages] == ["one"]
    assert "Front matter" in read.problems[0]


@settings(max_examples=100)
@given(st.lists(texts, min_size=1, max_size=5))
@example(["```py\nx = 1", "<pre>\nb", "~~~~~\n```", "<!-- c", "- ```\n  d", "> ```\n> e"])
def test_every_message_begins_a_chunk(said: list[str]) -> None:
    """Whatever is said, and however few messages there are, the index sees where each begins."""
    text = talk(*said)
    page = Page(PageMeta("sessions/s.md", "sessions"), text, FileStamp(1, 1, 1), "")
    starts = {piece.chunk.start_line for piece in passages(page, tokens=400, overlap=80)}
    labels = {text.count("\n", 0, label.start()) + 1 for label in LABEL.finditer(text)}
    assert len(labels) == len(said) and labels <= starts
