"""The running summary: what is asked, the file, and deletion."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memweave_core.conversation.striking import mentions, strike
from memweave_core.conversation.summary import (
    MOST_CHARS,
    Summary,
    parse_summary,
    prompt,
    read_reply,
    serialise_summary,
)
from memweave_core.messages import Message, ToolCall

TEXT = """\
Ana works at Acme in Lisbon. Ana prefers Python to JavaScript. She has a daughter called Mia.

- Ana's phone is 555-1234.
- Release is planned for 2026-06-12; the port is 8080. Ana is allergic to peanuts!
- Decision: SQLite instead of Postgres, because it needs no server."""


def words(text: str) -> list[str]:
    """The words of a text, without the marks of list items."""
    return [word for word in text.split() if word != "-"]


@given(st.builds(Summary, st.text(), st.text(), st.integers(0, 10**6), st.none() | st.dates()))
def test_a_summary_comes_back_as_it_was(summary: Summary) -> None:
    """What is written is read back, whatever the text and the id."""
    text = serialise_summary(summary)
    assert parse_summary(text.encode().decode()) == summary


def test_the_file_is_readable() -> None:
    """How far the summary goes stands above its text."""
    summary = Summary("She moved.", "m40", 38, dt.date(2026, 3, 21))
    assert serialise_summary(summary) == (
        "---\nsummarised_until: m40\nsummarised_count: 38\ndate: 2026-03-21\n---\n\nShe moved.\n"
    )


@given(st.text())
def test_any_text_is_a_summary(text: str) -> None:
    """A file that a person spoilt or wrote anew is read as a summary that stands for no message yet."""
    assert parse_summary("# " + text).until == ""


@given(st.text(), st.text())
def test_every_line_that_was_said_is_marked_as_data(previous: str, said: str) -> None:
    """Nothing in a summary or message stands in the prompt without the mark in front."""
    _, ask = prompt(previous, [Message("user", said, "m1")])
    own = [line for line in ask.text.split("\n") if line and not line.startswith("|")]
    assert own[-2:] == ["The messages since:", "Write the new summary, at most 400 words."]
    assert len(own) == (3 if previous.strip() else 2)


def test_the_summariser_sees_who_said_what() -> None:
    """A message is shown with its speaker, time, calls and kinds of blocks, and the old summary before it."""
    at = dt.datetime(2026, 3, 21, 10, 32, tzinfo=dt.UTC)
    blocks = ({"type": "text", "text": "Look"}, {"type": "image_url"})
    call = Message("assistant", "", "m2", tool_calls=(ToolCall("1", "find", {"q": "x"}),))
    system, ask = prompt("Old.", [Message("user", blocks, "m1", at, "Ana"), call], words=50)
    assert "At most 50 words" in system.text and system.role == "system"
    assert "| Old.\n\n" in ask.text
    assert "| [user (Ana) 2026-03-21 10:32]\n| Look\n| (and image_url)\n|\n| [assistant]\n" in ask.text
    assert '| (calls find: {"q": "x"})' in ask.text


def test_a_long_message_is_shown_in_part() -> None:
    """Of a page of tool output the beginning and the end are shown, and how much is left out."""
    _, ask = prompt("", [Message("tool", "a" * 9_000 + "z", "m1")])
    assert len(ask.text) < MOST_CHARS + 200
    assert "… 5001 characters left out …" in ask.text and "z\n" in ask.text


@pytest.mark.parametrize(
    "reply", ["She moved.", " She moved.\n", "<think>hm</think>\nShe moved.", "```markdown\nShe moved.\n```"]
)
def test_a_wrapped_reply_is_read(reply: str) -> None:
    """Thoughts and a fence around a summary are not part of it."""
    assert read_reply(reply) == "She moved."


def test_thoughts_alone_are_no_summary() -> None:
    """A reply that was cut off in its thoughts gives no summary."""
    assert read_reply("<think>hm, the user") == ""


@pytest.mark.parametrize(
    ("deleted", "gone"),
    [
        ("Prefers Python to JavaScript", "Ana prefers Python to JavaScript."),
        ("Prefiere Python", "Ana prefers Python to JavaScript."),
        ("Lives in Lisbon", "Ana works at Acme in Lisbon."),
        ("Can be reached under 555-1234", "Ana's phone is 555-1234."),
        ("The port is 8080", "Release is planned for 2026-06-12; the port is 8080."),
        ("Hi! I'm allergic to peanuts and wonder what to have for breakfast.", "Ana is allergic to peanuts!"),
        ("Uses SQLite", "Decision: SQLite instead of Postgres, because it needs no server."),
    ],
)
def test_a_deleted_fact_is_struck(deleted: str, gone: str) -> None:
    """The one sentence that says what was deleted goes, and every other stays."""
    done = strike(TEXT, deleted)
    assert done.struck == (gone,)
    assert words(done.text) == words(TEXT.replace(gone, ""))


@pytest.mark.parametrize(
    "deleted", ["Likes tea", "Ana likes hiking", "Works for Globex", "Born in 2026", "", "the"]
)
def test_other_facts_strike_nothing(deleted: str) -> None:
    """What the summary does not say, or only shares a name or year with, leaves it as it is."""
    assert strike(TEXT, deleted).text == TEXT and not mentions(TEXT, deleted)


@given(st.text(), st.text())
def test_striking_only_takes_away(text: str, deleted: str) -> None:
    """No word is in the text afterwards that was not in it before; without a hit it is the same text."""
    done = strike(text, deleted)
    assert set(done.text.split()) <= set(text.split())
    assert bool(done.struck) or done.text == text


def test_the_end_of_a_huge_reply_is_not_read() -> None:
    """Thoughts of any usual length are passed over; of megabytes the beginning counts."""
    assert read_reply("<think>" + "hm " * 100_000 + "</think>She likes tea.") == "She likes tea."
    assert len(read_reply("She likes tea. " * 1_000_000)) <= 400_000
