"""Results show what was said and what is known, without the marks of the files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memweave_core.conversation.message_form import serialise
from memweave_core.messages import Message
from memweave_core.search.marks import heading_or_title, without_marks

SAID = "".join(
    serialise(Message(role, text, id=role)) for role, text in (("user", "Tea?"), ("tool", "Noted."))
)
KNOWN = "- Drinks tea {#f95 importance=5 origin=explicit created=2026-03-02}\n- Rows {#f96 origin=person}\n"


@pytest.mark.parametrize("path", ["memory/users/ana/sessions/a.md", "memory/sessions/a.md"])
def test_messages_without_labels(path: str) -> None:
    """Of messages what was said is shown, and neither labels nor ends."""
    assert without_marks(path, SAID) == "Tea?\n\nNoted."


def test_facts_without_attributes() -> None:
    """Of facts the words are shown."""
    assert without_marks("memory/users/ana/facts.md", KNOWN) == "- Drinks tea\n- Rows"


def test_other_pages_are_shown_as_they_are() -> None:
    """A page that shows the format, and headings with ids, keep all; so does a chunk of marks only."""
    assert without_marks("memory/format.md", SAID + KNOWN) == SAID + KNOWN
    assert without_marks("memory/sessions/a.md", "# Tea {#tea}\n") == "# Tea {#tea}"
    assert without_marks("memory/sessions/a.md", "<!--/-->\n") == "<!--/-->\n"


@pytest.mark.parametrize(
    ("path", "heading", "title", "shown"),
    [
        ("memory/sessions/a.md", "", "Bees", "Bees"),
        ("memory/sessions/a.md", "", "a", ""),
        ("memory/sessions/a.md", "Under", "Bees", "Under"),
        ("memory/notes/a.md", "", "Bees", ""),
    ],
)
def test_the_title_of_a_conversation(path: str, heading: str, title: str, shown: str) -> None:
    """Passages of a conversation with a title show it as their heading; one named by its file has none."""
    assert heading_or_title(heading, path, title) == shown


@given(st.text(alphabet="ab {}#=*·<!-/>\n\r\t", max_size=200))
def test_any_text_has_a_readable_form(text: str) -> None:
    """No text becomes longer, and none becomes nothing."""
    shown = without_marks("memory/sessions/a.md", text)
    assert len(shown) <= len(text) and bool(shown.strip()) == bool(text.strip())
