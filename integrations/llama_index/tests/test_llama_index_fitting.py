"""What of a conversation fits: whole turns, counted with everything that is sent."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, ThinkingBlock, ToolCallBlock
from llama_index_memweave.conversion import to_message
from llama_index_memweave.fitting import MEDIA_TOKENS, counted, fitting

from memweave_core import Message, ToolCall

count = counted(str.split)

turns = st.lists(
    st.tuples(st.integers(1, 9), st.lists(st.tuples(st.integers(1, 9), st.integers(0, 2)), max_size=3)),
    max_size=5,
)


def said(words: int) -> str:
    """So many tokens."""
    return "w " * words


def conversation(shape: list[tuple[int, list[tuple[int, int]]]]) -> list[Message]:
    """Turns of a question and answers, each with so many tool results behind it."""
    made = []
    for question, answers in shape:
        made.append(Message("user", said(question)))
        for words, results in answers:
            calls = tuple(ToolCall(f"{len(made)}-{k}", "f") for k in range(results))
            made.append(Message("assistant", said(words), tool_calls=calls))
            made += [Message("tool", "r", tool_call_id=call.id) for call in calls]
    return made


@given(turns, st.integers(0, 80), st.none() | st.integers(1, 12))
def test_cuts_are_between_turns(
    shape: list[tuple[int, list[tuple[int, int]]]], budget: int, most: int | None
) -> None:
    """It begins with a question, keeps calls with their results, and is in the budget if it can be."""
    messages = conversation(shape)
    shown = fitting(messages, budget, count, most=most)
    assert bool(shown) == bool(messages)
    if not shown:
        return
    assert shown[0].role == "user"
    calls = [call.id for message in shown for call in message.tool_calls]
    assert calls == [message.tool_call_id for message in shown if message.role == "tool"]
    assert shown[-1] is messages[-1]
    last_turn = [k for k, message in enumerate(messages) if message.role == "user"][-1]
    if shown[0] is not messages[last_turn]:
        assert sum(map(count, shown)) <= budget
        assert most is None or len(shown) <= most


def test_all_of_it_comes_when_it_fits() -> None:
    """A conversation that begins with a greeting keeps it until something has to go."""
    messages = [Message("assistant", "hello"), *conversation([(1, [(1, 0)]), (1, [])])]
    assert fitting(messages, 4, count) == messages
    assert fitting(messages, 3, count) == messages[1:]
    assert fitting(messages, 2, count) == messages[3:]


def test_a_turn_that_is_too_long_keeps_its_question() -> None:
    """Of a long last turn the question and the last exchanges come, one at least whatever its size."""
    messages = conversation([(2, [(3, 1), (3, 1), (3, 1)])])
    assert fitting(messages, 0, count) == [messages[0], *messages[-2:]]
    assert fitting(messages, 2 + 2 * sum(map(count, messages[1:3])), count) == [messages[0], *messages[3:]]


def test_everything_that_is_sent_counts() -> None:
    """Tool calls, reasoning, pictures and additional arguments are tokens, and no call counts twice."""
    call = ToolCallBlock(tool_call_id="t", tool_name="f", tool_kwargs={"query": said(50)})
    asked = count(to_message(ChatMessage(role="assistant", blocks=[call])))
    assert asked >= 50
    older = {"id": "t", "function": {"name": "f", "arguments": said(50)}}
    both = ChatMessage(role="assistant", blocks=[call], additional_kwargs={"tool_calls": [older]})
    assert count(to_message(both)) == asked
    assert count(to_message(ChatMessage(blocks=[ThinkingBlock(content=said(7))]))) == 7
    assert count(to_message(ChatMessage(blocks=[ThinkingBlock(content="x", num_tokens=9)]))) == 9
    assert count(to_message(ChatMessage(blocks=[ImageBlock(image=b"QUJD")]))) == MEDIA_TOKENS
    assert count(to_message(ChatMessage(content="", additional_kwargs={"refusal": said(5)}))) >= 5
