"""What deleting messages does to the file of the summary."""

from __future__ import annotations

import datetime as dt

from memweave_core.conversation.summary import Summary, parse_summary, rewritten, serialise_summary
from memweave_core.conversation.summary_edits import without_messages, without_statements
from memweave_core.messages import Message, ToolCall

SAID = tuple(
    Message("user", text, name)
    for name, text in [
        ("a", "I live in Lisbon."),
        ("b", "I am allergic to peanuts."),
        ("c", "My phone is 555-1234."),
        ("d", "I like peanuts after all."),
    ]
)
FILE = serialise_summary(
    Summary(
        "She lives in Lisbon. She is allergic to peanuts.\n\n- Phone: 555-1234.", "c", 3, dt.date(2026, 3, 21)
    )
).replace("date:", "mood: good\ndate:")


def test_what_a_deleted_message_said_is_struck() -> None:
    """Its sentence goes, the count falls, and the rest of the file stays, keys of a person too."""
    left = without_messages(FILE, SAID, SAID[1:2])
    assert left == FILE.replace(" She is allergic to peanuts.", "").replace("count: 3", "count: 2")


def test_the_message_before_takes_the_place_of_a_last_one_deleted() -> None:
    """The summary then stands for the messages up to that one, or for none."""
    assert parse_summary(without_messages(FILE, SAID, SAID[1:3])).until == "a"
    none = parse_summary(without_messages(FILE, SAID, SAID[:3]))
    assert (none.until, none.count, none.text) == ("", 0, "")


def test_a_message_not_yet_summarised_strikes_nothing() -> None:
    """What the summary says was said by another."""
    assert without_messages(FILE, SAID, SAID[3:]) == FILE


def test_a_summary_by_hand_is_struck_too() -> None:
    """One that says not how far it goes may hold anything."""
    by_hand = "She lives in Lisbon.\nShe is allergic to peanuts."
    assert without_messages(by_hand, SAID, SAID[1:2]) == "She lives in Lisbon."


def test_words_of_tool_calls_count() -> None:
    """A sentence that says what a call was made with goes with the call."""
    call = Message(
        "assistant", "", "b", tool_calls=(ToolCall("1", "save", {"note": ["allergic to peanuts"]}),)
    )
    left = without_messages(FILE, (SAID[0], call, SAID[2]), [call])
    assert "peanuts" not in left and "Lisbon" in left


def test_statements_are_struck_in_any_number() -> None:
    """All sentences that were taken out are named; without a hit the file is the same."""
    left, struck = without_statements(FILE, ["allergic to peanuts", "555-1234"])
    assert struck == ("She is allergic to peanuts.", "Phone: 555-1234.") and "mood: good" in left
    assert without_statements(FILE, ["plays chess"]) == (FILE, ())


def test_a_rewritten_summary_keeps_what_a_person_added() -> None:
    """Keys of a person stay; a file without legible front matter is written anew."""
    new = Summary("New.", "d", 4, dt.date(2026, 3, 22))
    made = rewritten(FILE, new)
    assert "mood: good" in made and parse_summary(made) == new
    for spoilt in ("", "By hand.", "---\na: [\n---\nText"):
        assert rewritten(spoilt, new) == serialise_summary(new)
