"""What of a session a model is shown, and what goes into the summary."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core._errors import UsageError
from memweave_core.conversation.window import MEDIA_TOKENS, estimate_tokens, to_summarise, window
from memweave_core.messages import Message, ToolCall

Block = dict[str, object]


def said(*kinds: str) -> list[Message]:
    """Messages m1, m2, … from words: u, a, s; a:1,2 calls tools; t:1 is a result; t:? answers nothing."""
    made = []
    for k, kind in enumerate(kinds, 1):
        role, _, ids = kind.partition(":")
        calls = tuple(ToolCall(name, "f") for name in ids.split(",") if role == "a" and name)
        answers = ids if role == "t" else None
        names = {"u": "user", "a": "assistant", "s": "system", "t": "tool"}
        made.append(
            Message(names[role], f"{kind} {k}", f"m{k}", tool_calls=calls, tool_call_id=answers)  # type: ignore[arg-type]  # from a table
        )
    return made


def ids(messages: tuple[Message, ...]) -> list[str]:
    """The ids of messages without their m."""
    return [message.id[1:] for message in messages]


exchanges = st.one_of(
    st.sampled_from([["u"], ["a"], ["s"], ["u", "a"]]),
    st.sampled_from(
        [["a:1", "t:1"], ["a:1,2", "t:2", "t:1"], ["a:1,2", "t:1", "s", "t:2"], ["a:1,1", "t:1"]]
    ),
    st.sampled_from([["t:9"], ["a:1"], ["a:1,2", "t:1"], ["a:1", "u", "t:1"], ["a:1", "t:1", "t:1"]]),
)
sessions = st.lists(exchanges, max_size=12).map(
    lambda parts: said(*(kind for part in parts for kind in part))
)


def assert_accepted(messages: tuple[Message, ...]) -> None:
    """Every result follows its call, and only the calls of the last exchange may be open."""
    still_open: list[str] = []
    for message in messages:
        if message.role == "tool":
            assert message.tool_call_id in still_open
            still_open.remove(message.tool_call_id)
        else:
            assert not still_open
            still_open = [call.id for call in message.tool_calls]


@settings(max_examples=300)
@given(sessions, st.integers(0, 8), st.none() | st.integers(0, 120))
def test_a_model_accepts_every_window(messages: list[Message], count: int, budget: int | None) -> None:
    """Wherever a session is cut, no result stands without its call and no call without its results."""
    seen = window(messages, count=count, max_tokens=budget)
    assert_accepted(seen.messages)
    assert len(seen.messages) <= max(count, 4) and (count == 0) <= (not seen.messages)
    assert seen.system == tuple(message for message in messages if message.role == "system")
    assert seen.tokens == sum(map(estimate_tokens, (*seen.system, *seen.messages)))
    assert sorted(ids((*seen.system, *seen.messages, *seen.left_out))) == sorted(ids(tuple(messages)))


@settings(max_examples=200)
@given(sessions, st.integers(0, 5))
def test_each_message_is_summarised_once(messages: list[Message], keep: int) -> None:
    """As a session grows, the parts that are summarised follow each other and never reach into the window."""
    done: list[Message] = []
    for end in range(len(messages) + 1):
        new = to_summarise(messages[:end], keep=keep, after_id=done[-1].id if done else "")
        done += new
        shown = window(messages[:end], count=keep).messages
        assert not set(ids(tuple(new))) & set(ids(shown))
    talk = [message for message in messages if message.role != "system"]
    assert done == talk[: len(done)]


@given(sessions, st.integers(0, 5))
def test_a_summary_never_splits_an_exchange(messages: list[Message], keep: int) -> None:
    """What is left after summarising begins with no result whose call was summarised."""
    first = len(to_summarise(messages, keep=keep))
    talk = [message for message in messages if message.role != "system"]
    kept = window(messages, count=max(keep, 1)).messages
    if keep and first < len(talk) and kept:
        assert talk[first] == kept[0]


def test_the_last_twenty_are_shown() -> None:
    """Without a budget the last 20 messages are shown word for word, beside every system message."""
    seen = window(said("s", *["u", "a"] * 15, "s"))
    assert ids(seen.messages) == [str(k) for k in range(12, 32)]
    assert ids(seen.system) == ["1", "32"]
    assert ids(seen.left_out) == [str(k) for k in range(2, 12)]


def test_what_the_summary_says_is_not_left_out() -> None:
    """Messages that the summary stands for are not counted as left out."""
    assert ids(window(said(*["u"] * 30), summarised_until="m8").left_out) == ["9", "10"]


def test_parallel_calls_stay_whole() -> None:
    """An exchange of calls and results that does not fit is left out as a whole."""
    messages = said("u", "a:1,2", "t:2", "t:1", "a")
    assert ids(window(messages, count=3).messages) == ["5"]
    assert ids(window(messages, count=4).messages) == ["2", "3", "4", "5"]


def test_calls_and_results_in_blocks_count_too() -> None:
    """Calls and results in content blocks follow the same rules, also where a call stands in both forms."""
    call = Message("assistant", ({"type": "tool_use", "id": "1"},), "m1", tool_calls=(ToolCall("1", "f"),))
    result = Message("user", ({"type": "tool_result", "tool_use_id": "1"},), "m2")
    answer = Message("assistant", "done", "m3")
    assert ids(window([call, result, answer], count=2).messages) == ["3"]
    assert ids(window([call, answer], count=2).messages) == ["3"]


def test_a_budget_drops_from_the_front() -> None:
    """Over the budget whole exchanges are dropped, the oldest first; the count may be the caller's own."""
    messages = said("s", "u", "a:1", "t:1", "u")
    seen = window(messages, max_tokens=4, count_tokens=lambda message: 1)
    assert ids(seen.messages) == ["3", "4", "5"] and not seen.over_budget
    seen = window(messages, max_tokens=3, count_tokens=lambda message: 1)
    assert ids(seen.messages) == ["5"] and seen.tokens == 2


def test_the_last_exchange_is_shown_whatever_its_size() -> None:
    """A last message that alone is over the budget is shown whole, and the window says so."""
    seen = window(said("u", "u"), max_tokens=1)
    assert ids(seen.messages) == ["2"] and seen.over_budget


def test_a_deleted_message_is_no_reason_to_summarise_again() -> None:
    """Where the last summarised message was deleted, its number says where to go on."""
    messages = said(*["u"] * 10)
    del messages[3]
    assert ids(to_summarise(messages, keep=4, after_id="m4")) == ["5", "6"]
    assert ids(to_summarise(messages, keep=7, after_id="gone")) == ["1", "2"]


@pytest.mark.parametrize(
    ("block", "least", "most"),
    [
        ({"type": "text", "text": "word " * 100}, 100, 200),
        (
            {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 10_000}},
            MEDIA_TOKENS,
            1_010,
        ),
        ({"type": "tool_result", "content": [{"type": "text", "text": "word " * 100}]}, 100, 220),
        ({"type": "document", "source": {"type": "base64", "data": "A" * 10_000}}, MEDIA_TOKENS, 1_020),
        ({"type": "thinking", "thinking": "word " * 100}, 100, 200),
    ],
    ids=lambda value: str(value.get("type")) if isinstance(value, dict) else None,
)
def test_every_block_counts(block: Block, least: int, most: int) -> None:
    """Text of every type of block counts as text, and a picture or file as a fixed sum."""
    assert least <= estimate_tokens(Message("user", (block,))) <= most


def test_tool_calls_count() -> None:
    """The name and the arguments of a call count, parsed or not."""
    for arguments in ({"q": "word " * 100}, "word " * 100):
        assert estimate_tokens(Message("assistant", tool_calls=(ToolCall("c", "f", arguments),))) > 100


def test_no_window_has_fewer_than_no_messages() -> None:
    """A negative count is refused, and a count of none shows the system messages alone."""
    with pytest.raises(UsageError):
        window([], count=-1)
    seen = window(said("s", "u"), count=0)
    assert ids(seen.system) == ["1"] and seen.messages == ()
