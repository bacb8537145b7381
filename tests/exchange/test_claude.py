"""Claude's export."""

from __future__ import annotations

import datetime as dt

from memweave_core.exchange.claude import conversation, parse

from .made_exports import claude_chat, said


def test_a_conversation_keeps_ids_and_dates() -> None:
    """Name, ids and dates are those of the export, "human" is the user."""
    found = conversation(
        claude_chat(said("m1", "human", "My boat is called Alba."), said("m2", "assistant", "Nice."))
    )
    assert (found.id, found.title) == ("c-1", "Boats")
    assert found.created == dt.datetime(2024, 5, 1, 8, tzinfo=dt.UTC)
    assert [(m.id, m.role, m.text) for m in found.messages] == [
        ("m1", "user", "My boat is called Alba."),
        ("m2", "assistant", "Nice."),
    ]


def test_text_stands_in_for_missing_blocks() -> None:
    """An older message without content blocks, or with empty ones, is read from its plain text."""
    found = conversation(
        claude_chat(said("m1", "human", text="Plain"), said("m2", "assistant", "", text="Too"))
    )
    assert [m.text for m in found.messages] == ["Plain", "Too"]


def test_tool_exchanges_become_messages_in_their_order() -> None:
    """A message that used a tool is an assistant message with the call, a tool message, and the rest."""
    use = {"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "wind"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "North"}]}
    found = conversation(claude_chat(said("m", "assistant", "Looking.", use, result, "It blows north.")))
    call, answer, rest = found.messages
    assert [m.id for m in found.messages] == ["m", "m.2", "m.3"]
    assert (call.text, call.tool_calls[0].arguments) == ("Looking.", {"q": "wind"})
    assert (answer.role, answer.tool_call_id, answer.text) == ("tool", "t1", "North")
    assert rest.text == "It blows north."


def test_tools_without_ids_are_matched_by_their_order() -> None:
    """Where the export has no ids for tool calls, a result answers the call before it."""
    use, result = (
        {"type": "tool_use", "name": "clock", "input": None},
        {"type": "tool_result", "content": "noon"},
    )
    call, answer = conversation(claude_chat(said("m", "assistant", use, result))).messages
    assert call.tool_calls[0].id == answer.tool_call_id != ""


def test_attached_files_are_not_what_the_user_said() -> None:
    """The text of an attachment is kept as a block beside the text; a file without text by its name."""
    attached = {"file_name": "log.txt", "extracted_content": "Day 1: calm"}
    item = said("m", "human", "See this", attachments=[attached], files=[{"file_name": "map.png"}])
    (message,) = conversation(claude_chat(item)).messages
    assert message.text == "See this"
    assert message.content[1:] == (
        {"type": "document", "title": "log.txt", "text": "Day 1: calm"},
        {"type": "file", "title": "map.png"},
    )


def test_thoughts_are_not_text() -> None:
    """What the model thought is a block of its own, and the display's own blocks are left out."""
    thought = {"type": "thinking", "thinking": "Hmm"}
    (message,) = conversation(
        claude_chat(said("m", "assistant", thought, {"type": "token_budget"}, "Yes"))
    ).messages
    assert message.text == "Yes"
    assert message.content == (thought, {"type": "text", "text": "Yes"})


def test_abandoned_branches_are_left_out() -> None:
    """Where two messages have the same parent, only the branch of the last message is read."""
    root = "00000000-0000-4000-8000-000000000000"
    item = claude_chat(
        said("q", "human", "Q", parent_message_uuid=root),
        said("a1", "assistant", "Old", parent_message_uuid="q"),
        said("a2", "assistant", "New", parent_message_uuid="q"),
    )
    assert [m.id for m in conversation(item).messages] == ["q", "a2"]
    chosen = conversation(item | {"current_leaf_message_uuid": "a1"})
    assert [m.id for m in chosen.messages] == ["q", "a1"]


def test_bad_conversations_do_not_sink_the_good_ones() -> None:
    """Each conversation that cannot be read is named, and the others come in."""
    good = claude_chat(said("m", "human", "Hello"))
    found = parse([{"name": "Torn"}, claude_chat(said("m", "ghost", "Boo"), name="Odd"), claude_chat(), good])
    assert [c.id for c in found.conversations] == ["c-1"]
    assert found.problems == (
        'Conversation "Torn" was not read: it has no list of messages ("chat_messages").',
        "Conversation \"Odd\" was not read: a message is from 'ghost', which is no known speaker.",
        'Conversation "Boats" was not read: it holds no messages.',
    )
