"""Taking facts into a file of facts, as changes to it."""

from __future__ import annotations

import datetime as dt

from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core.facts.bullets import parse, write
from memweave_core.facts.likeness import Likeness
from memweave_core.facts.upkeep import Rules, TakenIn, edit, proper, take_in, versions, with_history
from memweave_core.messages import Fact

DAY = dt.date(2026, 4, 1)
FILE = """# Facts

- Drinks tea {#f1 importance=3 origin=automatic from=session:s1#m1 supersedes=f2}
- Sings

## Earlier

- Drinks coffee {#f2 importance=3 origin=automatic from=session:s0#m1 until=2026-03-01}
"""
sayings = st.sampled_from(
    ["Likes Python", "Prefers Python to JavaScript", "Drinks coffee", "Drinks tea now", "Lives in Lugo",
     "Lives in Madrid", "Has 2 cats", "Has 3 cats", "Sings", "", "Does not drink coffee"]
)  # fmt: skip


def _taken(text: str, *new: Fact, limit: int = 150) -> tuple[TakenIn, str]:
    file = parse(text)
    taken = take_in(file, new, Likeness({}, 0.85), Rules(limit, DAY))
    return taken, write(file, taken.changes)


def test_what_holds_no_longer_is_not_learnt_again() -> None:
    """A fact from the message that taught its earlier value is skipped; from another message it is news."""
    again, text = _taken(FILE, Fact("Drinks coffee", origin="automatic", source="s0#m1"))
    assert again.remembered[0].outcome == "skipped" and text == FILE
    news, _ = _taken(FILE, Fact("Drinks coffee now", origin="automatic", source="s2#m1"))
    assert news.remembered[0].outcome == "superseded"


def test_several_new_facts_meet_each_other() -> None:
    """Facts that come together are compared with each other: one row, and the change in the history."""
    taken, text = _taken(
        "", Fact("Likes Python"), Fact("Likes Python."), Fact("Lives in Lugo"), Fact("Lives in Vigo")
    )
    assert [one.outcome for one in taken.remembered] == ["stored", "merged", "stored", "superseded"]
    file = parse(text)
    assert [fact.text for fact in file.facts] == ["Likes Python", "Lives in Vigo"]
    assert [(one.fact.text, one.until) for one in file.earlier] == [("Lives in Lugo", DAY)]


def test_the_history_of_a_fact() -> None:
    """A fact's versions are the same whichever of them is named, and its chain goes with it."""
    file = parse(FILE)
    assert (
        [one.fact.id for one in versions(file, "f1")]
        == ["f1", "f2"]
        == [one.fact.id for one in versions(file, "f2")]
    )
    assert [one.fact.id for one in with_history(file, file.entries[0])] == ["f1", "f2"]
    assert versions(file, "f9") == []


def test_a_circle_of_versions_ends() -> None:
    """Facts that supersede each other, as only a hand can write, are each listed once."""
    file = parse("- a {#f1 supersedes=f2}\n- b {#f2 supersedes=f1}\n")
    assert sorted(one.fact.id for one in versions(file, "f1")) == ["f1", "f2"]


def test_an_edit_that_changes_nothing() -> None:
    """Giving a fact the words and importance it has changes no byte."""
    file = parse(FILE)
    changes, fact = edit(file, file.entries[0], "Drinks tea", 3, DAY)
    assert write(file, changes) == FILE and fact == file.facts[0]


@settings(max_examples=60)
@given(st.lists(sayings, max_size=8), st.integers(1, 6))
def test_no_id_is_given_twice_and_the_limit_holds(said: list[str], limit: int) -> None:
    """Whatever is remembered in whatever order: ids are unique, the file reads back, the limit holds."""
    text = FILE
    for number, saying in enumerate(said):
        taken, text = _taken(text, proper(Fact(saying, source=f"s{number}#m1")), limit=limit)
        assert [one.reason for one in taken.remembered if not one.reason] == []
    file = parse(text)
    ids = [entry.fact.id for entry in file.entries if entry.fact.id]
    assert file.problems == () and len(ids) == len(set(ids))
    assert len(file.facts) <= max(limit, 2)


def test_a_source_holds_no_secret() -> None:
    """What is given as the source of a fact is masked like its text."""
    kept = proper(Fact("Likes tea", source="chat#gh" + "p_" + "a1B2c3D4e5F6" * 3))
    assert kept.source == "chat#[secret: github token]"
