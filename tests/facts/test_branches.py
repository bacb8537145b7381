"""Which facts hold on a branch of a conversation that was taken back and gone on with."""

from __future__ import annotations

import datetime as dt

from memweave_core.facts.branches import Branch, facts_on, leave
from memweave_core.facts.bullets import FactFile, parse, write
from memweave_core.messages import Fact, Message

TODAY = dt.date(2026, 3, 21)


def turn(after: str, *ids: str) -> tuple[Message, ...]:
    """A turn of messages with these ids."""
    return Branch.turn(
        [Message("user" if n == 0 else "assistant", id=one) for n, one in enumerate(ids)], after
    )


FORKED = (*turn("", "h1", "a1"), *turn("a1", "h2", "a2"), *turn("a1", "h2~x", "a2~x"))
FILE = """# Facts

- Lives in Quito {#f2 from=session:t#h2 supersedes=f1}
- Has a cat {#f3 from=session:t#h1}
- Plays the oboe {#f4 from=session:other#h2}

## Earlier

- Lives in Lima {#f1 from=session:t#h1 until=2026-03-20}
"""


def texts(file: FactFile, branch: Branch) -> list[str]:
    """The facts on a branch."""
    return [fact.text for fact in facts_on(file, branch)]


def test_other_branches_are_left() -> None:
    """On a branch the messages of the others are left, and those before the fork are not."""
    assert Branch.of("t", FORKED, "a2~x").left == {"h2", "a2"}
    assert Branch.of("t", FORKED, "a2").left == {"h2~x", "a2~x"}
    assert Branch.of("t", FORKED, "").left == {"h1", "a1", "h2", "a2", "h2~x", "a2~x"}


def test_a_message_can_be_on_two_branches() -> None:
    """A question that was answered twice belongs to both answers."""
    twice = (*turn("", "h1", "a1"), *turn("", "h1", "b1")[1:])
    assert Branch.of("t", twice, "b1").left == {"a1"}


def test_messages_of_no_turn_are_on_every_branch() -> None:
    """What other programs wrote into the conversation is on every branch."""
    messages = (Message("user", id="m1"), *turn("m1", "h1", "a1"))
    assert Branch.of("t", messages, "m1").left == {"h1", "a1"}
    assert Branch.of("t", [Message("user", id="m1", extra={"turn": "x"})], "").left == frozenset()


def test_what_was_superseded_elsewhere_counts_again() -> None:
    """A fact of another branch is not known, what it took the place of is, and other conversations are."""
    assert texts(parse(FILE), Branch("t", frozenset({"h2"}))) == [
        "Lives in Lima",
        "Has a cat",
        "Plays the oboe",
    ]
    assert texts(parse(FILE), Branch("t")) == ["Lives in Quito", "Has a cat", "Plays the oboe"]
    assert texts(parse(FILE), Branch("t", frozenset({"h1", "h2"}))) == ["Plays the oboe"]


def test_a_fact_from_two_conversations_is_known() -> None:
    """What came up in another conversation too is known on every branch."""
    assert Branch("t", frozenset({"h2"})).has(Fact("Likes tea", source="t#h2", seen=2))


def test_a_fact_that_came_up_again_here_is_known() -> None:
    """What was said on both branches is known on both."""
    fact = Fact("Likes tea", "f1", source="t#h2")
    assert Branch("t", frozenset({"h2"}), frozenset({"f1"})).has(fact)
    assert not Branch("t", frozenset({"h2"})).has(fact)


def test_rings_end() -> None:
    """Facts and turns that name one another in a ring are no reason to go on for ever."""
    ring = parse("- A {#f1 from=session:t#x supersedes=f2}\n- B {#f2 from=session:t#x supersedes=f1}\n")
    assert texts(ring, Branch("t", frozenset({"x"}))) == []
    assert Branch.of("t", turn("a1", "a1"), "a1").left == frozenset()


def test_leaving_a_branch_keeps_its_facts_as_history() -> None:
    """Afterwards the file holds what holds on the branch, and the rest under its history, in one chain."""
    branch = Branch("t", frozenset({"h2"}))
    after = parse(write(parse(FILE), leave(parse(FILE), branch, TODAY)))
    assert sorted(fact.text for fact in after.facts) == sorted(texts(parse(FILE), branch))
    [left] = after.earlier
    assert (left.fact.text, left.until) == ("Lives in Quito", TODAY)
    assert [fact.supersedes for fact in after.facts if fact.id == "f1"] == ["f2"]
    assert not leave(after, branch, TODAY)


def test_turns_of_other_threads_and_of_the_same_time_are_not_left() -> None:
    """Only a turn that began after another had been written can have left it."""
    said = [
        *Branch.turn([Message("user", "a", id="a")], "", thread="one", since=""),
        *Branch.turn([Message("user", "b", id="b")], "", thread="one", since=""),
        *Branch.turn([Message("user", "c", id="c")], "b", thread="two", since="b"),
        *Branch.turn([Message("user", "d", id="d")], "", thread="one", since="c"),
    ]
    assert Branch.of("t", said, "b").left == {"d"}
    assert Branch.of("t", said, "d").left == {"a", "b"}
    assert Branch.of("t", said, "", "one").left == {"a", "b", "d"}
    assert Branch.of("t", said, "", "three").left == frozenset()
