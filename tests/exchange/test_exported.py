"""Our own export."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core._errors import ImportFormatError
from memweave_core.exchange.exported import export, parse
from memweave_core.exchange.formats import read
from memweave_core.exchange.imported import Conversation
from memweave_core.messages import Fact, Message, ToolCall

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.text(max_size=5), JSON, max_size=3)
TIMES = st.none() | st.datetimes(
    timezones=st.just(dt.UTC) | st.just(dt.timezone(dt.timedelta(hours=5, minutes=45)))
)
NAMES = st.text(max_size=8)
DAYS = st.none() | st.dates()
CALLS = st.builds(ToolCall, NAMES, NAMES, OBJECTS | st.text(max_size=8))
MESSAGES = st.builds(
    Message,
    role=st.sampled_from(["system", "user", "assistant", "tool"]),
    content=st.text(max_size=20) | st.lists(OBJECTS, max_size=2).map(tuple),
    id=NAMES,
    at=TIMES,
    name=st.none() | NAMES,
    tool_calls=st.lists(CALLS, max_size=2).map(tuple),
    tool_call_id=st.none() | NAMES,
    extra=OBJECTS,
)
FACTS = st.builds(
    Fact,
    text=st.text(min_size=1, max_size=20),
    id=NAMES,
    importance=st.integers(1, 5),
    seen=st.integers(0, 99),
    origin=st.sampled_from(["explicit", "automatic", "person", "import"]),
    created=DAYS,
    updated=DAYS,
    source=NAMES,
    supersedes=NAMES,
)
CONVERSATIONS = st.builds(
    Conversation,
    NAMES,
    NAMES,
    TIMES,
    st.lists(MESSAGES, max_size=3).map(tuple),
    st.lists(NAMES, max_size=2).map(tuple),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(CONVERSATIONS, max_size=3), st.lists(FACTS, max_size=4), NAMES, TIMES)
def test_what_is_exported_comes_back(
    conversations: list[Conversation], facts: list[Fact], user: str, at: dt.datetime | None
) -> None:
    """Facts and conversations come back from an export, written as JSON, as they were."""
    data = json.dumps(export(conversations, facts, user, at)).encode()
    back = read("export.json", data)
    assert (list(back.conversations), list(back.facts), back.problems) == (conversations, facts, ())


def test_another_version_is_refused() -> None:
    """An export of a newer version is refused, and so is what is no export of ours."""
    whole = export([], [])
    values: list[object] = [whole | {"version": 2}, whole | {"version": "1"}, {"facts": []}, []]
    for value in values:
        with pytest.raises(ImportFormatError):
            parse(value)


@pytest.mark.parametrize(
    "change",
    [
        {"importance": 9},
        {"importance": True},
        {"text": ""},
        {"created": "soon"},
        {"origin": "elf"},
        {"seen": "2"},
    ],
)
def test_a_bad_fact_does_not_sink_the_others(change: dict[str, Any]) -> None:
    """A fact with a value out of range is named by its number, and the others come in."""
    document = export([], [Fact("Likes tea"), Fact("Sails")])
    document["facts"][0] |= change
    back = parse(document)
    assert back.facts == (Fact("Sails"),)
    assert len(back.problems) == 1 and back.problems[0].startswith("Fact number 1 was not read")


@pytest.mark.parametrize(
    "message", [{"role": "elf"}, {}, {"role": "user", "content": 3}, {"role": "user", "at": "noon"}, 4]
)
def test_a_bad_conversation_does_not_sink_the_others(message: Any) -> None:
    """A conversation with a message of the wrong shape is named, and the others come in."""
    document = export([Conversation("one"), Conversation("two")], [])
    document["conversations"][0]["messages"] = [message]
    back = parse(document)
    assert back.conversations == (Conversation("two"),)
    assert back.problems[0].startswith('Conversation "one" was not read: ')
