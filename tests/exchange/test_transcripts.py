"""Plain transcripts in the shapes of several products."""

from __future__ import annotations

from typing import Any

import pytest

from memweave_core.exchange.transcripts import parse
from memweave_core.messages import Message


def messages(*entries: Any) -> list[Message]:
    """The messages of the one conversation in these entries."""
    (found,) = parse(list(entries)).conversations
    return list(found.messages)


@pytest.mark.parametrize(
    "entry",
    [
        {"role": "user", "content": "Hi"},
        {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
        {"role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
        {"type": "human", "data": {"content": "Hi", "additional_kwargs": {}, "type": "human"}},
        {"type": "human", "content": "Hi"},
        {"lc": 1, "type": "constructor", "id": ["langchain", "HumanMessage"], "kwargs": {"content": "Hi"}},
        {"from": "human", "value": "Hi"},
        {"type": "user", "message": {"role": "user", "content": "Hi"}, "uuid": "u"},
    ],
)
def test_spellings_of_one_message(entry: dict[str, Any]) -> None:
    """Each product's spelling of the same message gives the same message."""
    (message,) = messages(entry)
    assert (message.role, message.content) == ("user", "Hi")


def test_dates_and_sessions() -> None:
    """Messages of one session are one conversation, dated as their lines say."""
    lines = [
        {"role": "user", "content": "A", "timestamp": "2024-01-02T03:04:05+01:00", "session": "s1"},
        {"role": "user", "content": "B", "timestamp": 1_700_000_000_000, "session_id": "s2"},
        {"role": "assistant", "content": "C", "conversation_id": "s1"},
    ]
    one, two = parse(lines).conversations
    assert (one.id, [m.text for m in one.messages]) == ("s1", ["A", "C"])
    assert one.created is not None and one.created.isoformat() == "2024-01-02T02:04:05+00:00"
    assert two.created is not None and two.created.year == 2023


def test_tool_calls_in_each_spelling() -> None:
    """Calls as OpenAI, LangChain and Anthropic spell them have the same name and arguments."""
    openai = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}
    spellings = [
        {"role": "assistant", "content": None, "tool_calls": [openai]},
        {"role": "assistant", "content": None, "function_call": openai["function"]},
        {"type": "ai", "data": {"content": "", "tool_calls": [{"id": "c", "name": "f", "args": {"x": 1}}]}},
        {"type": "ai", "data": {"content": "", "additional_kwargs": {"tool_calls": [openai]}}},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {"x": 1}}]},
    ]
    for spelling in spellings:
        (message,) = messages(spelling)
        assert [(c.name, c.arguments) for c in message.tool_calls] == [("f", {"x": 1})]


def test_an_answer_of_a_tool_names_its_call() -> None:
    """A tool message keeps the id of the call, also as an Anthropic block in a user message."""
    openai = messages({"role": "tool", "content": "2", "tool_call_id": "c"})
    anthropic = messages(
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "2"}]}
    )
    assert [(m.role, m.text, m.tool_call_id) for m in openai + anthropic] == [("tool", "2", "c")] * 2


def test_arguments_that_are_no_json_stay_text() -> None:
    """What a model wrote as arguments and does not parse is kept as it is."""
    call = {"id": "c", "function": {"name": "f", "arguments": '{"x": '}}
    assert messages({"role": "assistant", "tool_calls": [call]})[0].tool_calls[0].arguments == '{"x": '


def test_whole_conversations() -> None:
    """Conversations in lists, under "messages" or in ShareGPT's form are one each."""
    share = {"id": "g1", "conversations": [{"from": "human", "value": "Q"}, {"from": "gpt", "value": "A"}]}
    tuned = {"messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}]}
    found = parse([share, tuned, [{"role": "user", "content": "alone"}]])
    assert [[m.role for m in c.messages] for c in found.conversations] == [
        ["user", "assistant"], ["system", "user"], ["user"],
    ]  # fmt: skip
    assert found.conversations[0].id == "g1"


def test_bad_messages_and_conversations_are_named() -> None:
    """A line that is no message is named by its number, a conversation by its name; the rest comes in."""
    bad = {"id": "torn", "messages": [{"role": "user", "content": "x"}, 5]}
    found = parse([{"role": "user", "content": "ok"}, {"role": "narrator", "content": "x"}, 5, bad])
    assert [m.text for c in found.conversations for m in c.messages] == ["ok"]
    assert found.problems == (
        "Message 3 was not read: it is not an object.",
        'Conversation "torn" was not read: one of its messages is not an object.',
        "Message 2 was not read: a message has the role 'narrator'.",
    )


def test_equal_messages_stay_apart() -> None:
    """The same words said twice are two messages with different ids."""
    found = messages(*[{"role": "user", "content": "ok"}] * 3)
    assert len({m.id for m in found}) == 3


def test_a_dated_transcript_that_grows_keeps_its_ids() -> None:
    """More lines at the end change neither the id of the conversation nor those of its messages."""
    lines = [{"role": "user", "content": str(k), "timestamp": k + 1e9} for k in range(4)]
    (before,), (after,) = parse(lines[:2]).conversations, parse(lines).conversations
    assert before.id == after.id
    assert before.messages == after.messages[:2]


def test_undated_transcripts_with_the_same_beginning_stay_apart() -> None:
    """Two undated conversations that begin alike have different ids."""
    hello = {"role": "user", "content": "hello"}
    one, two = parse([[hello], [hello, {"role": "assistant", "content": "hi"}]]).conversations
    assert one.id != two.id


def test_two_messages_under_one_id_both_come_in() -> None:
    """A twin of a message is left out; another message under the same id is kept under a new one."""
    one, other = {"role": "user", "content": "A", "id": "m"}, {"role": "user", "content": "B", "id": "m"}
    assert [(m.id, m.text) for m in messages(one, one, other)] == [("m", "A"), ("m~2", "B")]
