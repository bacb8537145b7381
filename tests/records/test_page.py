"""The page of a record says all of it, and a person may change it."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memweave_core.records.page import PageUnreadableError, RecordPage, parse, render, rerender

NOW = dt.datetime(2026, 3, 21, 10, 30, 0, 123456, tzinfo=dt.UTC)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
)
VALUES = st.dictionaries(
    st.sampled_from(["text", "content", "n", "tags", "~~~", ""]) | st.text(), JSON, max_size=5
)
HOSTILE = st.sampled_from(
    [
        "---\na: b\n---",
        "~~~json record\n{}\n~~~",
        " padded ",
        "a\r\nb",
        "\x00",
        "\u2028",
        "\ud800",
        "```json\n{}",
        "\ufeff",
    ]
)


@settings(max_examples=150, deadline=None)
@example({"": "0"}, "", ["0"], "0")
@example({"text": None, "": "0"}, "", ["0"], "0")
@given(VALUES, HOSTILE, st.lists(st.text(min_size=1), min_size=1, max_size=3), st.text(min_size=1))
def test_a_page_comes_back_as_it_was(value: dict[str, Any], hostile: str, names: list[str], key: str) -> None:
    """Value, times, namespace, key and the rest are read as they were written, whatever they hold."""
    for one in (value, {**value, "text": hostile}, {"text": f"{value.get('text', '')}{hostile}"}):
        clean = [name.encode("utf-8", "replace").decode() for name in names]
        page = RecordPage(
            one,
            NOW,
            NOW,
            5.0,
            ("a.b",),
            {"thread": "t1"},
            tuple(clean),
            key.encode("utf-8", "replace").decode(),
        )
        assert parse(render(page)) == page


def test_text_is_the_body_and_the_rest_is_json() -> None:
    """A person reads the main text first and finds the other fields in one block."""
    text = render(RecordPage({"content": "drinks green tea", "importance": 4}, NOW, NOW))
    head, body = text.split("---\n")[1:]
    assert 'field: "content"' in head
    assert body == 'drinks green tea\n\n~~~json record\n{\n  "importance": 4\n}\n~~~\n'


def test_a_page_of_a_person_is_a_record() -> None:
    """A page without anything of ours is a value with its text, and has no times of its own."""
    assert parse("Just a note.\n\nTwo paragraphs.\n") == RecordPage(
        {"text": "Just a note.\n\nTwo paragraphs."}
    )


def test_windows_line_endings_do_no_harm() -> None:
    """A page that an editor saved with CRLF is read as before."""
    page = RecordPage({"text": "a\nb", "n": 1}, NOW, NOW)
    assert parse(render(page).replace("\n", "\r\n")) == page


@pytest.mark.parametrize(
    "block", ["~~~json record\n{oops\n~~~", "~~~json record\n[1]\n~~~", "~~~json record\n{}\n"]
)
def test_broken_json_is_said(block: str) -> None:
    """JSON that does not parse, is no object or does not end is an error that says so."""
    with pytest.raises(PageUnreadableError, match="JSON"):
        parse(f"text\n\n{block}")


def test_front_matter_of_others_is_kept() -> None:
    """Writing over a page keeps the keys and comments that a person added to its front matter."""
    old = render(RecordPage({"text": "one"}, NOW, NOW)).replace("---\n", "---\ntags: [a]  # mine\n", 1)
    new = rerender(old, RecordPage({"content": "two", "n": 1}, NOW, NOW))
    assert "tags: [a]  # mine" in new
    assert parse(new).value == {"content": "two", "n": 1}
    assert parse(new).foreign
