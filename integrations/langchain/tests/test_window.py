"""What a model is shown of a long conversation never parts a tool call from its results."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_memweave.shown import asked, last_turns, with_memory


def call(name: str) -> Any:
    """A tool call."""
    return {"name": "f", "args": {}, "id": name, "type": "tool_call"}


@st.composite
def conversations(draw: st.DrawFn) -> list[Any]:
    """Turns with any number of tool exchanges, some of them broken off."""
    messages: list[Any] = []
    for turn in range(draw(st.integers(1, 5))):
        messages += [HumanMessage(f"q{turn}") for _ in range(draw(st.integers(1, 2)))]
        for step in range(draw(st.integers(0, 2))):
            names = [f"{turn}.{step}.{n}" for n in range(draw(st.integers(1, 2)))]
            messages.append(AIMessage("", tool_calls=[call(name) for name in names]))
            kept = names[: draw(st.integers(0, len(names)))] if draw(st.booleans()) else names
            messages += [ToolMessage("r", tool_call_id=name) for name in kept]
        if draw(st.booleans()):
            messages.append(AIMessage(f"a{turn}"))
    return messages


def open_calls(messages: list[Any]) -> list[str]:
    """Calls without a result right after them, and results without a call right before them."""
    wrong, waiting = [], set()
    for message in messages:
        if isinstance(message, ToolMessage):
            wrong += [] if message.tool_call_id in waiting else [message.tool_call_id]
            waiting.discard(message.tool_call_id)
            continue
        wrong += sorted(waiting)
        waiting = {one["id"] for one in message.tool_calls} if isinstance(message, AIMessage) else set()
    return wrong


@given(conversations())
@settings(max_examples=100)
def test_every_cut_keeps_exchanges_whole(messages: list[Any]) -> None:
    """At every size of the window calls of earlier turns have their results, and the user speaks first."""
    for count in range(len(messages) + 2):
        shown = last_turns(messages, count)
        earlier = len(shown) - len(current(messages))
        assert isinstance(shown[0], HumanMessage)
        assert shown[earlier:] == current(messages)
        assert open_calls([*shown[:earlier], HumanMessage("end")]) == []


def current(messages: list[Any]) -> list[Any]:
    """The current turn: from the user's last messages in a row to the end."""
    last = max(n for n, message in enumerate(messages) if isinstance(message, HumanMessage))
    while last and isinstance(messages[last - 1], HumanMessage):
        last -= 1
    return messages[last:]


def test_a_long_turn_is_shown_whole() -> None:
    """However many tools a turn calls, the question it answers stays before the model."""
    steps: list[Any] = []
    for n in map(str, range(30)):
        steps += [AIMessage("", tool_calls=[call(n)]), ToolMessage("r", tool_call_id=n)]
    messages = [HumanMessage("old"), AIMessage("A."), HumanMessage("question"), *steps]
    assert last_turns(messages, 20) == messages[2:]
    assert asked(messages) == "question"


def test_system_messages_and_summaries_stay() -> None:
    """What stands for earlier messages is shown whatever the size of the window."""
    summary = HumanMessage("They said much.", additional_kwargs={"lc_source": "summarization"})
    messages = [
        SystemMessage("Be brief."),
        summary,
        HumanMessage("old"),
        AIMessage("A."),
        HumanMessage("new"),
    ]
    assert last_turns(messages, 1) == [messages[0], summary, messages[4]]
    assert last_turns(messages, None) == messages
    assert asked(messages) == "new"


def test_memory_stands_after_the_system_prompt() -> None:
    """Text or blocks, the system prompt keeps what it has, and nothing remembered changes nothing."""
    blocks = SystemMessage([{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}])
    assert with_memory(None, "") is None
    assert with_memory(SystemMessage("Be brief."), "Known.") == SystemMessage("Be brief.\n\nKnown.")
    made = with_memory(blocks, "Known.")
    assert made is not None
    assert made.content == [*blocks.content, {"type": "text", "text": "Known."}]
