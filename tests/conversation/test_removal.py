"""Taking messages out of a transcript: nothing else changes."""

from __future__ import annotations

import datetime as dt

from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core.conversation.removal import withhold, without
from memweave_core.conversation.transcript import header, next_id, parse, parse_added, serialise
from memweave_core.messages import Message

said = st.lists(
    st.text(max_size=12) | st.sampled_from(["<!--/-->", "---", "**user** · {#m1}", "```"]), max_size=6
)
chosen = st.sets(st.integers(1, 6))


def talk(texts: list[str]) -> list[str]:
    """The parts of a transcript: its header, then each message, m1, m2, …"""
    parts = [serialise(Message("user", text, f"m{k}")) for k, text in enumerate(texts, 1)]
    return [header("s", "ana", dt.date(2026, 3, 21)), *parts]


def body(text: str) -> str:
    """A transcript without its front matter."""
    return text.partition("\n---\n")[2]


@settings(max_examples=60)
@given(said, chosen)
def test_deleting_leaves_the_bytes_of_the_others(texts: list[str], numbers: set[int]) -> None:
    """What is left below the front matter is the other messages as they stood, and what went is the rest."""
    parts = talk(texts)
    left, taken = without("".join(parts), {f"m{k}" for k in numbers})
    kept = [part for k, part in enumerate(parts[1:], 1) if k not in numbers]
    assert body(left) == "".join(kept)
    assert taken == "".join(part for k, part in enumerate(parts[1:], 1) if k in numbers)


@settings(max_examples=30)
@given(said.filter(bool), chosen)
def test_no_id_is_given_twice(texts: list[str], numbers: set[int]) -> None:
    """After deletions, in one step or in several, the next id is a new one."""
    text = "".join(talk(texts))
    for k in numbers:
        text, _ = without(text, {f"m{k}"})
    read = parse(text)
    assert next_id([*(message.id for message in read.messages), read.last_id]) == f"m{len(texts) + 1}"


def test_what_a_person_wrote_stays() -> None:
    """Text below an end mark, a message without one, comments and other keys outlive the deletion between."""
    text = "---\n# mine\nsession: s\nmood: good\n---\n\nNotes\n" + "".join(talk(["one", "two"])[1:])
    text += "stray\n\n**user**\n\nBy hand\n"
    left, taken = without(text, {"m2"})
    assert "# mine\nsession: s\nmood: good\nlast_id: m2\n---\n\nNotes\n" in left
    assert left.endswith("one\n\n<!--/-->\nstray\n\n**user**\n\nBy hand\n") and "two" in taken


def test_a_message_written_by_hand_can_be_deleted() -> None:
    """One without id or end mark goes up to the next message."""
    text = "\n**user**\n\nBy hand\n\n**assistant**\n\nAlso\n" + talk(["one"])[1]
    first, second, _ = parse(text).messages
    assert without(text, {first.id})[0] == "\n**assistant**\n\nAlso\n" + talk(["one"])[1]
    assert body("\n---\n" + without(text, {second.id})[0]) == "\n**user**\n\nBy hand\n" + talk(["one"])[1]


def test_windows_line_ends_stay() -> None:
    """In a file with CRLF the message goes with its empty line, and every ending left is as before."""
    parts = [part.replace("\n", "\r\n") for part in talk(["one", "two", "three"])]
    assert without("".join(parts), {"m2"})[0] == parts[0] + parts[1] + parts[3]


@given(st.lists(st.text(min_size=1, max_size=8).filter(lambda t: t.isprintable()), unique=True))
def test_withheld_ids_come_back(ids: list[str]) -> None:
    """Whatever the ids, the transcript names them, once, and its messages are the same."""
    text = "".join(talk(["one", "two"]))
    marked = withhold(withhold(text, ids[:2]), ids)
    assert parse(marked).withheld == frozenset(ids) and body(marked) == body(text)
    assert withhold(marked, ids) == marked


def test_a_deleted_message_is_withheld_no_more() -> None:
    """The front matter names only messages that are there."""
    left, _ = without(withhold("".join(talk(["one", "two"])), ["m1", "m2"]), {"m1"})
    assert parse(left).withheld == frozenset({"m2"})


@settings(max_examples=60)
@given(said, said)
def test_reading_what_was_added_is_reading_it_all(before: list[str], later: list[str]) -> None:
    """The messages of a transcript and those of what was appended to it are the messages of both together."""
    text = "".join(talk(before))
    added = "".join(serialise(Message("user", t, f"x{k}")) for k, t in enumerate(later))
    known = parse(text).messages
    more = parse_added(added, {message.id for message in known}) if added else ()
    assert more is not None and known + more == parse(text + added).messages


def test_what_is_not_just_messages_is_left_to_a_whole_reading() -> None:
    """Text by hand, an id that is known, and a message cut off tell nothing by themselves."""
    whole = serialise(Message("user", "one", "m1"))
    for added in (
        "more text\n",
        whole,
        whole.replace("m1", "m2")[:-12],
        whole.replace("m1", "m2") + "stray\n",
    ):
        assert parse_added(added, {"m1"}) is None
