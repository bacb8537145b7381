"""ChatGPT's export in its known shapes."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from memweave_core.exchange.chatgpt import conversation, parse
from memweave_core.messages import Message

from .made_exports import T0, node, tea, tree


def only(content: Any, role: str = "assistant", **more: Any) -> list[Message]:
    """The messages of a conversation whose last node has this content."""
    item = tree(node("root", None), node("q", "root", "user", "Hi."), node("a", "q", role, content, **more))
    return list(conversation(item).messages[1:])


def test_a_conversation_keeps_ids_and_dates() -> None:
    """Id, title, dates in UTC and the ids of the messages are those of the export."""
    found = conversation(tea())
    assert (found.id, found.title) == ("conv-1", "Tea")
    assert found.created == dt.datetime(2023, 11, 14, 22, 13, 20, 500_000, tzinfo=dt.UTC)
    assert [(m.id, m.role, m.text) for m in found.messages] == [
        ("q", "user", "I drink green tea."),
        ("a", "assistant", "Noted."),
    ]
    assert found.messages[1].extra == {"model": "gpt-4o"}


def test_abandoned_branches_are_left_out() -> None:
    """Of an edited question only the branch that leads to the current node is read."""
    item = tree(
        node("root", None),
        node("q1", "root", "user", "Old question"),
        node("a1", "q1", "assistant", "Old answer"),
        node("q2", "root", "user", "New question"),
        node("a2", "q2", "assistant", "New answer"),
        current="a2",
    )
    assert [m.id for m in conversation(item).messages] == ["q2", "a2"]


@pytest.mark.parametrize("current", [None, "gone", 7])
def test_without_a_current_node_the_newest_leaf_is_read(current: object) -> None:
    """When `current_node` is missing or names no node, the branch with the latest leaf is read."""
    item = tree(
        node("root", None),
        node("q", "root", "user", "Q", at=T0),
        node("late", "q", "assistant", "Late", at=T0 + 9),
        node("early", "q", "assistant", "Early", at=T0 + 1),
    )
    assert [m.id for m in conversation(item | {"current_node": current}).messages] == ["q", "late"]


@pytest.mark.parametrize("missing", ["parent", "children"])
def test_one_kind_of_link_is_enough(missing: str) -> None:
    """A tree that has only links to parents, or only to children, is read whole."""
    item = tea()
    for one in item["mapping"].values():
        del one[missing]
    assert [m.id for m in conversation(item).messages] == ["q", "a"]


def test_a_circle_of_nodes_ends() -> None:
    """Nodes that are each other's parents are read once each."""
    item = tree(node("x", "y", "user", "X"), node("y", "x", "assistant", "Y"))
    assert len(conversation(item).messages) == 2


def test_hidden_and_empty_messages_are_left_out() -> None:
    """Null messages, empty ones and those that the product hides do not come in."""
    hidden = {"is_visually_hidden_from_conversation": True}
    item = tree(
        node("root", None),
        node("s", "root", "system", ""),
        node("h", "s", "system", "Secret instructions", metadata=hidden),
        node("q", "h", "user", "Hello"),
    )
    assert [m.id for m in conversation(item).messages] == ["q"]


def test_a_message_without_a_date_gets_the_one_before() -> None:
    """An undated message has the date of the message before it, or of the conversation."""
    item = tree(
        node("q", None, "user", "Q"),
        node("a", "q", "assistant", "A", at=T0 + 60),
        node("b", "a", "user", "B"),
    )
    offsets = [(m.at.timestamp() - T0 if m.at else None) for m in conversation(item).messages]
    assert offsets == [0, 60, 60]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"content_type": "text", "parts": ["One", "", "two"]}, "One\n\ntwo"),
        ({"content_type": "code", "language": "python", "text": "1 + 1"}, "```python\n1 + 1\n```"),
        ({"content_type": "code", "language": "unknown", "text": "search()"}, "search()"),
        ({"content_type": "execution_output", "text": "2"}, "2"),
        ({"content_type": "tether_quote", "title": "T", "url": "u", "text": "Q"}, "T u\n\nQ"),
        ({"content_type": "tether_browsing_display", "result": "R", "summary": "S"}, "R"),
        ({"content_type": "system_error", "name": "Timeout", "text": "late"}, "Timeout: late"),
        ({"content_type": "thoughts", "thoughts": [{"summary": "S", "content": "C"}]}, ""),
        ({"content_type": "reasoning_recap", "content": "Thought for 3 s"}, ""),
        ({"content_type": "new_kind", "text": "still read"}, "still read"),
        ({"content_type": "new_kind", "payload": [1]}, ""),
    ],
)
def test_content_types(content: dict[str, Any], text: str) -> None:
    """Each content type gives its text, and what is no text is kept as a block."""
    (message,) = only(content)
    assert message.text == text
    assert text or message.content[0]["type"] in ("thinking", "new_kind")  # type: ignore[index]  # a block


def test_images_and_speech_in_a_message() -> None:
    """Of a multimodal message the text and what was spoken are text, and pointers to images are blocks."""
    image = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://f1", "width": 3}
    spoken = {"content_type": "audio_transcription", "text": "and this", "direction": "in"}
    (message,) = only({"content_type": "multimodal_text", "parts": [image, "Look", spoken]}, "user")
    assert message.text == "Look\n\nand this"
    assert message.content[0] == {
        "type": "image_asset_pointer",
        "asset_pointer": "file-service://f1",
        "width": 3,
    }


def test_custom_instructions_are_not_what_the_user_said() -> None:
    """Custom instructions that are shown come in as a system message."""
    body = {
        "content_type": "user_editable_context",
        "user_profile": "A sailor",
        "user_instructions": "Be brief",
    }
    (message,) = only(body, "user")
    assert (message.role, message.text) == ("system", "A sailor\n\nBe brief")


def test_a_tool_call_and_its_answer_belong_together() -> None:
    """A message to a tool is a call with arguments, and the tool's message answers it."""
    item = tree(
        node("q", None, "user", "Add"),
        node(
            "c",
            "q",
            "assistant",
            {"content_type": "code", "language": "python", "text": "1+1"},
            recipient="python",
        ),
        node("r", "c", "tool", {"content_type": "execution_output", "text": "2"}, author="python"),
        node("a", "r", "assistant", "Two.", recipient="all"),
    )
    _, call, result, answer = conversation(item).messages
    assert [(c.id, c.name, c.arguments) for c in call.tool_calls] == [("c", "python", "1+1")]
    assert (result.role, result.name, result.tool_call_id, result.text) == ("tool", "python", "c", "2")
    assert (answer.tool_calls, answer.text) == ((), "Two.")


def test_bad_conversations_do_not_sink_the_good_ones() -> None:
    """Each conversation that cannot be read is named, and the others come in."""
    bad = [{"title": "No tree"}, None, tree(node("r", None), title=None, id="empty-1"), {"mapping": {"x": 1}}]
    found = parse([*bad, tea()])
    assert [c.id for c in found.conversations] == ["conv-1"]
    assert found.problems == (
        'Conversation "No tree" was not read: it has no tree of messages ("mapping").',
        "Conversation number 2 was not read: it is not an object.",
        'Conversation "empty-1" was not read: it holds no messages.',
        "Conversation number 4 was not read: it holds no messages.",
    )


def test_other_wrappings() -> None:
    """One conversation alone, a list under a key, and a shared list of messages are read too."""
    linear = {"id": "conv-1", "linear_conversation": list(tea()["mapping"].values())}
    for value in (tea(), {"conversations": [tea()]}, [linear]):
        assert [m.id for m in parse(value).conversations[0].messages] == ["q", "a"]


def test_a_null_title_and_a_null_date() -> None:
    """A conversation without title and date takes its date from the first message that has one."""
    found = conversation(tea() | {"title": None, "create_time": None})
    assert (found.title, found.created) == ("", found.messages[0].at)
