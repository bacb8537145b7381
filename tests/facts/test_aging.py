"""How facts merge, supersede each other, gain weight and are pruned."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core.facts.aging import decide, prune, reinforce
from memweave_core.messages import Fact, Origin, Remembered

BEFORE = dt.date(2026, 3, 1)
TODAY = dt.date(2026, 4, 1)


def auto(text: str, importance: int = 2, source: str = "s1#m1", name: str = "f000001") -> Fact:
    """An automatic fact that is known since March."""
    return Fact(text, name, importance, 1, "automatic", BEFORE, BEFORE, source)


def decided(new: Fact, *known: Fact, similarity: float = 0.97) -> Remembered:
    """What becomes of a fact under an embedder that finds everything alike."""
    return decide(new, known, lambda fact: similarity, 0.85, TODAY)


def test_another_session_reinforces() -> None:
    """T10: seen again in another session a fact gains one importance, in the same session none."""
    fact = auto("Likes olives")
    again = reinforce(fact, TODAY, "s2#m9")
    assert (again.importance, again.seen, again.updated, again.source) == (3, 2, TODAY, "s2#m9")
    twice = reinforce(again, TODAY, "s2#m12")
    assert (twice.importance, twice.seen) == (3, 2)


@pytest.mark.parametrize(
    ("origin", "importance", "expected"),
    [("automatic", 4, 4), ("automatic", 5, 5), ("import", 3, 4), ("explicit", 5, 5), ("person", 1, 1)],
)
def test_reinforcement_has_a_ceiling(origin: Origin, importance: int, expected: int) -> None:
    """Repetition makes at most a 4 of an automatic fact, and leaves alone what a person weighed."""
    fact = Fact("Likes olives", "f1", importance, origin=origin, source="s1#m1")
    assert reinforce(fact, TODAY, "s2#m1").importance == expected


def test_an_unknown_session_does_not_reinforce() -> None:
    """Without knowing where it came from nothing counts as another session."""
    assert reinforce(auto("Likes olives"), TODAY, "").seen == 1


def test_pruning_drops_the_least_and_oldest() -> None:
    """T14, T15: above the limit the lowest importance goes first, the oldest among equals."""
    days = [BEFORE + dt.timedelta(days=i) for i in range(160)]
    facts = [Fact(f"Fact {i}", f"f{i}", 1 + i % 5, created=day, updated=day) for i, day in enumerate(days)]
    dropped, report = prune(facts)
    assert [fact.id for fact in dropped] == [f"f{i}" for i in range(0, 50, 5)]
    assert (report.dropped, report.excess) == (10, 0)


def test_pruning_never_takes_what_matters() -> None:
    """T15: of 160 facts of importance 4 and more none is dropped, and the excess is reported."""
    facts = [Fact(f"Fact {i}", f"f{i}", 4 + i % 2) for i in range(160)]
    dropped, report = prune(facts)
    assert dropped == ()
    assert report.excess == 10
    assert "10 too many" in report.sentence


def test_nothing_to_prune() -> None:
    """T14: at the limit nothing is dropped and nothing said; undated facts go after dated ones."""
    facts = [Fact("A", "f1"), auto("B", 3)]
    assert prune(facts, 2)[0] == ()
    assert prune(facts, 2)[1].sentence == ""
    assert prune(facts, 1)[0] == (facts[1],)


@settings(max_examples=100)
@given(st.lists(st.integers(1, 5), max_size=30), st.integers(0, 30))
def test_pruning_keeps_its_word(weights: Sequence[int], limit: int) -> None:
    """Whatever is dropped weighs less than 4 and no more than what is kept, and the numbers add up."""
    facts = [Fact(f"Fact {i}", f"f{i}", weight) for i, weight in enumerate(weights)]
    dropped, report = prune(facts, limit)
    kept = [fact for fact in facts if fact not in dropped]
    assert all(fact.importance < 4 for fact in dropped)
    assert max((fact.importance for fact in dropped), default=0) <= min(
        (f.importance for f in kept), default=5
    )
    assert len(kept) - report.excess <= limit or not facts


def test_a_fuller_fact_merges() -> None:
    """T9: "likes Python" and "prefers Python to JavaScript" become one fact in its fullest form."""
    old = auto("Likes Python")
    result = decided(auto("Prefers Python to JavaScript", 3, "s2#m4", ""), old)
    assert (result.outcome, result.replaced) == ("merged", old)
    assert (result.fact.text, result.fact.id) == ("Prefers Python to JavaScript", "f000001")
    assert (result.fact.importance, result.fact.seen, result.fact.created) == (3, 2, BEFORE)
    back = decided(auto("Likes Python", 1, "s3#m1", ""), result.fact)
    assert (back.outcome, back.fact.text, back.fact.seen) == ("merged", "Prefers Python to JavaScript", 3)


def test_a_changed_value_supersedes() -> None:
    """ "Was coffee, now tea" puts tea in the place of coffee, with the id of what it replaced."""
    old = auto("Favourite drink is coffee", 3)
    result = decided(auto("Favourite drink was coffee, now it is tea", 1, "s2#m1", ""), old)
    assert (result.outcome, result.replaced) == ("superseded", old)
    assert result.fact.supersedes == old.id
    assert result.fact.id not in ("", old.id)
    assert result.fact.importance == 3


@pytest.mark.parametrize("other", ["Runs 10 km", "Runs 5 miles", "Never runs 5 km", "Ana runs 5 km"])
def test_other_facts_are_stored(other: str) -> None:
    """Facts that differ in a number, unit, negation or name both stay, however similar."""
    result = decided(auto(other, name=""), auto("Runs 5 km"))
    assert (result.outcome, result.replaced) == ("stored", None)
    assert result.fact.id.startswith("f")
    assert result.fact.created == BEFORE


def test_the_threshold_is_strict() -> None:
    """T9: at exactly 0.85 facts are no candidates; the very same words merge without any similarity."""
    new = auto("Prefers Python to JavaScript", name="", source="s2#m1")
    assert decided(new, auto("Likes Python"), similarity=0.85).outcome == "stored"
    assert decided(auto("likes python.", name=""), auto("Likes Python"), similarity=0.0).outcome == "merged"


def test_similarities_may_be_a_mapping() -> None:
    """Similarities by id work like a function, and a missing one counts as none."""
    new, old = auto("Prefers Python to Java", name=""), auto("Likes Python")
    assert decide(new, [old], {old.id: 0.9}, 0.85, TODAY).outcome == "merged"
    assert decide(new, [old], {}, 0.85, TODAY).outcome == "stored"


def test_the_best_verdict_wins() -> None:
    """Of several candidates the same statement is taken before a fuller or a changed one."""
    known = [
        auto("Lives in Vigo", name="f1"),
        auto("Lives in Lugo with Ana", name="f2"),
        auto("Lives in Lugo", name="f3"),
    ]
    result = decided(auto("Lives in Lugo", name=""), *known)
    assert result.replaced == known[2]


def test_a_model_does_not_speak_for_a_person() -> None:
    """What was extracted neither rewords nor supersedes what a person said, and cannot make a 5."""
    said = Fact("Likes Python", "f1", 5, origin="explicit", source="s1#m1")
    assert decided(auto("Prefers Python to JavaScript", 4, name=""), said).outcome == "stored"
    home = Fact("Lives in Lugo", "f2", 5, origin="explicit", source="s1#m1")
    assert decided(auto("Lives in Vigo", 4, name=""), home).outcome == "stored"
    again = decided(auto("likes Python", 4, "s2#m1", ""), said)
    assert (again.outcome, again.fact.text, again.fact.importance, again.fact.seen) == (
        "merged",
        "Likes Python",
        5,
        2,
    )


def test_a_person_overrules_a_model() -> None:
    """Asked to be remembered, a known automatic fact becomes explicit, in the person's words, with 5."""
    new = Fact("I like Python", importance=5, origin="explicit", source="s1#m3")
    fact = decided(new, auto("Likes Python")).fact
    assert (fact.text, fact.importance, fact.origin, fact.id) == ("I like Python", 5, "explicit", "f000001")


def test_a_weight_given_by_hand_stays() -> None:
    """A bare bullet that comes up again keeps the importance a person left it, and gets an id."""
    fact = decided(auto("Likes olives", 4, "s2#m1", ""), Fact("Likes olives", importance=1)).fact
    assert (fact.importance, fact.seen, fact.origin) == (1, 2, "person")
    assert fact.id


def test_words_are_needed() -> None:
    """A fact without a word is skipped and comes back as it was."""
    assert decided(Fact(" - ")).outcome == "skipped"


def test_ids_that_are_taken_are_not_given() -> None:
    """A new fact never gets an id of a known or an earlier fact."""
    first = decide(Fact("Likes tea"), [], {}, 0.85, TODAY).fact
    second = decide(Fact("Likes tea"), [], {}, 0.85, TODAY, taken={first.id}).fact
    assert first.id != second.id
