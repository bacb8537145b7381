"""The file of facts: what is read from it, and that a change touches nothing else."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core.facts.bullets import Changes, identified, new_id, parse, render, write
from memweave_core.messages import Fact

DAY = dt.date(2026, 4, 1)
FULL = Fact(
    "Prefers Python to JavaScript",
    "f3a9c10",
    4,
    2,
    "automatic",
    dt.date(2026, 3, 1),
    DAY,
    "ana-1#m12",
    "f77aa01",
)
LINE = (
    "- Prefers Python to JavaScript {#f3a9c10 importance=4 seen=2 origin=automatic created=2026-03-01"
    " updated=2026-04-01 from=session:ana-1#m12 supersedes=f77aa01}"
)
FILE = f"""---
tier: semantic
---
# Ana

Some words of her own.
{LINE}
* Likes olives
- Allergic to nuts {{importance=5}}

```
- not a fact
```
<!-- - nor this
- nor that -->

## Food
1. Cooks on Sundays

## Earlier
- Drinks coffee {{#f000001 importance=2 until=2026-01-01}}
- Lived in Lugo

## Later
- Plays chess
"""

texts = st.text(min_size=1, max_size=60) | st.sampled_from(
    ["- a", "1. b", "{#f1 importance=5}", "a {importance=1}", "&#10;", "&#38;#10;", "<!-- x", "```", "---",
     "\n\n", "a\r\nb", " a ", "## Earlier", "\u2028", "x\ufeff", "\ud800", "- - -", "[ ] x"]
)  # fmt: skip
facts = st.builds(
    Fact,
    texts,
    id=texts,
    importance=st.integers(1, 5),
    seen=st.integers(1, 999),
    origin=st.sampled_from(["explicit", "automatic", "person", "import"]),
    created=st.none() | st.dates(),
    updated=st.none() | st.dates(),
    source=st.text(max_size=20),
    supersedes=st.text(max_size=20),
)


def test_every_attribute_is_written_and_read() -> None:
    """The line of a fact holds all that is known of it, and is read back the same."""
    assert render(FULL) == LINE
    assert parse(LINE).facts == (FULL,)


@settings(max_examples=300)
@given(facts)
def test_any_fact_comes_back(fact: Fact) -> None:
    """Whatever a fact holds, its line is one line and is read back as that fact without problems."""
    line = render(fact)
    assert len(line.splitlines()) == 1
    read = parse(f"# Facts\n\n{line}\n- After it\n")
    assert read.facts == (fact, Fact("After it"))
    assert read.problems == ()
    line.encode()


@settings(max_examples=100)
@given(st.text(max_size=200))
def test_any_text_is_a_file(text: str) -> None:
    """Reading never fails, and writing no changes gives the same text."""
    assert write(parse(text), Changes()) == text


@settings(max_examples=150)
@given(st.text(alphabet="- a#\n\r{}=1\ufeff!>", max_size=80), facts)
def test_an_added_fact_is_current(text: str, fact: Fact) -> None:
    """A fact added to a file without open code or comments is read from it, beside those before."""
    before = parse(text)
    after = parse(write(before, Changes(added=[fact])))
    assert fact in after.facts
    assert len(after.entries) == len(before.entries) + 1


def test_what_people_write_is_read() -> None:
    """Bare bullets count 3 and have no id; code, comments, prose and history are no current facts."""
    read = parse(FILE)
    assert [(fact.text, fact.importance, fact.id) for fact in read.facts] == [
        ("Prefers Python to JavaScript", 4, "f3a9c10"),
        ("Likes olives", 3, ""),
        ("Allergic to nuts", 5, ""),
        ("Cooks on Sundays", 3, ""),
        ("Plays chess", 3, ""),
    ]
    assert [(entry.fact.text, entry.until) for entry in read.earlier] == [
        ("Drinks coffee", dt.date(2026, 1, 1)),
        ("Lived in Lugo", None),
    ]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_change_touches_only_its_line(newline: str, mark: str) -> None:
    """Replacing a fact changes its line; every other byte, line endings and byte order mark stay."""
    text = mark + FILE.replace("\n", newline)
    read = parse(text)
    entry = read.entry("f3a9c10")
    assert entry is not None
    changed = write(read, Changes(replaced={entry.line: replace(entry.fact, importance=5)}))
    assert changed == text.replace("importance=4", "importance=5")


def test_a_new_fact_follows_the_last_one() -> None:
    """Facts are added after the last current one, or before the history when there is none."""
    new = Fact("Has a cat", "fabc123")
    assert (
        write(parse("- A\n\nwords"), Changes(added=[new]))
        == "- A\n- Has a cat {#fabc123 importance=3}\n\nwords"
    )
    assert write(parse("- A"), Changes(added=[new])) == "- A\n- Has a cat {#fabc123 importance=3}\n"
    only = "# F\n\n## Earlier\n- B\n"
    assert (
        write(parse(only), Changes(added=[new]))
        == "# F\n- Has a cat {#fabc123 importance=3}\n\n## Earlier\n- B\n"
    )
    assert write(parse(""), Changes(added=[new])) == "# Facts\n\n- Has a cat {#fabc123 importance=3}\n"


def test_a_retired_fact_goes_to_the_history() -> None:
    """A superseded fact moves under "Earlier" with the day it ended, and is not current any more."""
    text = "- Drinks coffee {#f000001 importance=2}\n- Has a cat\n"
    changed = write(parse(text), Changes(retired={1: DAY}, added=[Fact("Drinks tea", "f000002")]))
    assert changed == (
        "- Has a cat\n- Drinks tea {#f000002 importance=3}\n\n## Earlier\n\n"
        "- Drinks coffee {#f000001 importance=2 until=2026-04-01}\n"
    )
    again = write(parse(changed), Changes(retired={1: DAY}))
    assert again.endswith("until=2026-04-01}\n- Has a cat {importance=3 until=2026-04-01}\n")
    assert [fact.text for fact in parse(again).facts] == ["Drinks tea"]


def test_a_removed_fact_leaves_nothing() -> None:
    """Removing takes all the lines of a bullet, and the byte order mark stays."""
    read = parse("\ufeff- A\n  goes on\n- B\n")
    assert [fact.text for fact in read.facts] == ["A goes on", "B"]
    assert write(read, Changes(removed=[1])) == "\ufeff- B\n"
    assert write(read, Changes(removed=[1, 3])) == "\ufeff"


def test_unknown_attributes_are_kept() -> None:
    """Attributes of other programs survive a change of the fact."""
    read = parse("- A {#f1 .red importance=2 mood=good}\n")
    changed = write(read, Changes(replaced={1: Fact("B", "f1", 4)}))
    assert changed == "- B {#f1 importance=4 .red mood=good}\n"


@pytest.mark.parametrize(
    ("attributes", "importance", "problems"),
    [("#f1 importance=9", 5, 1), ("#f1 importance=0", 1, 1), ("#f1 importance=high", 3, 1),
     ("#f1 importance=2", 2, 0), ("#f1 seen=-1", 3, 1), ("#f1 created=2026-02-30", 3, 1),
     ("#f1 origin=me", 3, 1)],
)  # fmt: skip
def test_attributes_changed_by_hand(attributes: str, importance: int, problems: int) -> None:
    """A changed importance counts within 1 to 5, and what cannot be understood is reported by line."""
    read = parse(f"\n- A {{{attributes}}}")
    assert read.facts[0].importance == importance
    assert [problem[:7] for problem in read.problems] == ["Line 2:"] * problems


def test_an_id_counts_once() -> None:
    """A line copied with its id keeps its text and loses the id."""
    read = parse("- A {#f1}\n- B {#f1}\n")
    assert [(fact.text, fact.id) for fact in read.facts] == [("A", "f1"), ("B", "")]
    assert len(read.problems) == 1


def test_braces_that_are_no_attributes_are_text() -> None:
    """Braces a person wrote for something else belong to the text."""
    assert [fact.text for fact in parse("- Uses {curly} braces {so}\n- {a: 1}\n").facts] == [
        "Uses {curly} braces {so}",
        "{a: 1}",
    ]


def test_ids_depend_on_the_text() -> None:
    """The id of a text is the same every time, and another one when it is taken."""
    first = new_id("Likes olives")
    assert first == new_id(" likes  OLIVES ")
    second = new_id("Likes olives", {first})
    assert second != first
    assert {len(first), len(second)} == {7}


def test_bare_bullets_are_given_ids() -> None:
    """Identifying gives each current fact without an id one of its own and the day."""
    text = "- A {#f1 importance=2}\n- B\n- B\n## Earlier\n- C\n"
    read = parse(write(parse(text), identified(parse(text), DAY)))
    assert [fact.created for fact in read.facts] == [None, DAY, DAY]
    assert len({fact.id for fact in read.facts} - {""}) == 3
    assert read.text.startswith("- A {#f1 importance=2}\n")
    assert read.text.endswith("## Earlier\n- C\n")
