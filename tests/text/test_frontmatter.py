"""Reading and rewriting front matter."""

import datetime as dt
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core import _errors
from memweave_core.text.frontmatter import MAX_CHARS, split, update

BROKEN = {
    "italic": "---\ntitle: *Italic*\n---\nText",
    "windows path": "---\npath: `C:\\notes\\x`\n---\nText",
    "link with suffix": "---\nlinks:\n  - [[link]]suffix\n---\nText",
    "rule": "---\n\nSome text between rules.\n\n---\n\nText",
    "list": "---\n- a\n- b\n---\nText",
    "number": "---\n42\n---\nText",
    "wrong tag": "---\na: !!int x\n---\nText",
    "wrong timestamp tag": "---\na: !!timestamp x\n---\nText",
    "foreign tag": "---\na: !!python/object:os.system x\n---\nText",
    "list as key": "---\n? [a]\n: b\n---\nText",
    "cycle": "---\na: &a [*a]\n---\nText",
    "too deep": "---\na: " + "[" * 5000 + "\n---\nText",
    "too long": "---\na: " + "x" * MAX_CHARS + "\n---\nText",
    "lone surrogate": "---\na: \ud83d\n---\nText",
    "control character": "---\na: \x00\n---\nText",
    "huge number": "---\na: !!int " + "9" * 5000 + "\n---\nText",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_block_is_plain_text(text: str) -> None:
    """A block that is not a YAML mapping leaves the whole file as body and a sentence that says why."""
    parts = split(text)
    assert (parts.data, parts.body, parts.body_start_line, parts.raw) == ({}, text, 1, "")
    assert parts.problem is not None
    assert parts.problem.startswith("Front matter ") and parts.problem.endswith(".")


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_block_is_never_rewritten(text: str) -> None:
    """Changing a key of a block that does not parse is refused."""
    with pytest.raises(_errors.UsageError):
        update(text, {"tier": "semantic"})


def test_the_problem_names_the_line_of_the_file() -> None:
    """The line number in a complaint counts from the top of the file."""
    assert "line 3" in str(split("---\na: 1\ntitle: *Italic*\n---\n").problem)


def test_aliases_that_explode_are_refused() -> None:
    """Nine levels of aliases, a thousand million values when written out, are a problem and not a hang."""
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]" for k in range(1, 10)]
    assert "aliases" in str(split("---\n" + "\n".join(levels) + "\n---\n").problem)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["---", "...", "--- "])
def test_a_block_is_taken_off_the_body(newline: str, bom: str, end: str) -> None:
    """Any line ending, a BOM, and both end marks give the same mapping and the exact body."""
    parts = split(bom + newline.join(["---", "title: A", "tags: [x, y]", end, "", "Body", ""]))
    assert parts.data == {"title": "A", "tags": ["x", "y"]}
    assert (parts.body_start_line, parts.body) == (5, newline.join(["", "Body", ""]))


@pytest.mark.parametrize(
    "text", ["", "Text", "\n---\na: 1\n---\n", "----\na: 1\n---\n", "---\n\nText", "--- a\n---\n"]
)
def test_text_without_a_block_is_all_body(text: str) -> None:
    """Without a `---` line at the very top and its partner there is no front matter and no complaint."""
    parts = split(text)
    assert (parts.data, parts.body, parts.body_start_line, parts.problem) == ({}, text, 1, None)


def test_an_unclosed_block_is_reported() -> None:
    """A block of keys that is never closed is plain text with a complaint."""
    parts = split("---\ntitle: A\n\nText")
    assert parts.body == "---\ntitle: A\n\nText"
    assert "never closed" in str(parts.problem)


def test_only_what_changes_is_written_anew() -> None:
    """A key that keeps its value keeps its line, and one without a value can be taken out."""
    text = "---\ncreated: 2026-03-21   10:30:00\nnothing:\ntag: a\n---\nText"
    same = split(text).data["created"]
    assert update(text, {"created": same, "tag": "b"}) == text.replace("tag: a", "tag: b")
    assert update(text, {"nothing": None}) == text.replace("nothing:\n", "")


@pytest.mark.parametrize("inside", ["", "\n", "# only a comment\n", "~\n"])
def test_an_empty_block_is_fine(inside: str) -> None:
    """An empty block is a mapping without keys."""
    parts = split(f"---\n{inside}---\nText")
    assert (parts.data, parts.body, parts.problem) == ({}, "Text", None)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("x: 12:30", "12:30"),
        ("x: yes", "yes"),
        ("x: 007", "007"),
        ("x: 2026-02-30", "2026-02-30"),
        ("x: 2026-03-21", dt.date(2026, 3, 21)),
        ("x: {{date}}", "{{date}}"),
        ("x: {{date:YYYY-MM-DD}}", "{{date:YYYY-MM-DD}}"),
        ("x: {{title}} - it's", "{{title}} - it's"),
        ("x: [{{a}}, b]", "[{{a}}, b]"),
        ('x: "{{date}}"', "{{date}}"),
        ("x: <% tp.date.now() %>", "<% tp.date.now() %>"),
        ("x:\t3", 3),
        ("x: true", True),
        ("x: 1.5e3", 1500.0),
        ("x:", None),
        ("x: 1\nx: 2", 2),
    ],
)
def test_values_are_what_a_person_meant(line: str, value: Any) -> None:
    """Times, codes, impossible dates and template placeholders stay text; the rest has its YAML type."""
    parts = split(f"---\n{line}\n---\n")
    assert (parts.data, parts.problem) == ({"x": value}, None)


def test_keys_are_strings() -> None:
    """Keys that YAML reads as numbers, dates or nothing come out as text."""
    assert set(split("---\n2026: a\n2026-03-21: b\ntrue: c\n~: d\n---\n").data) == {
        "2026",
        "2026-03-21",
        "True",
        "",
    }


NOTE = """\ufeff---\r
# about this note\r
title: "Old"   # shown in lists\r
tags:\r
  - a\r
  - b\r
\r
# mine\r
odd_key:   [1,2]\r
tier: semantic\r
---\r
Body\rwith\nmixed ends\r
"""


def test_update_changes_only_the_lines_it_must() -> None:
    """Comments, spacing, quotes, other keys, line endings, BOM and body stay as they were, byte by byte."""
    changed = update(NOTE, {"title": "New: one", "tags": ["c"], "tier": None, "pinned": True})
    expected = NOTE.replace('"Old"   #', "'New: one'  #").replace("  - a\r\n  - b\r\n", "  - c\r\n")
    assert changed == expected.replace("tier: semantic", "pinned: true")


def test_update_that_changes_nothing_returns_the_same_text() -> None:
    """Setting a key to the value it has, or removing one that is not there, touches nothing."""
    assert update(NOTE, {"title": "Old", "tags": ["a", "b"], "missing": None}) == NOTE
    assert update("Text", {"missing": None}) == "Text"


def test_update_makes_a_block_where_there_is_none() -> None:
    """A new block uses the line ending of the file and stands after a BOM."""
    assert update("Body\r\n", {"a": 1}) == "---\r\na: 1\r\n---\r\nBody\r\n"
    assert update("\ufeffBody", {"a": 1}) == "\ufeff---\na: 1\n---\nBody"
    assert split(update("---\n\nA rule above", {"a": 1})).body == "---\n\nA rule above"


def test_update_can_take_the_last_key() -> None:
    """A block that has lost all its keys is empty, and can be filled again."""
    emptied = update("---\na: 1\n---\nBody", {"a": None})
    assert emptied == "---\n---\nBody"
    assert update(emptied, {"b": "x"}) == "---\nb: x\n---\nBody"


@pytest.mark.parametrize(
    "block",
    ["a: 1\na: 2", "{a: 1, b: 2}", "a: {{date}}", "a: &x 1\nb: *x", "? a\n: 1"],
    ids=["repeated key", "flow style", "template", "anchor in use", "explicit key"],
)
def test_update_refuses_what_it_could_not_keep(block: str) -> None:
    """Where a change of one key would lose or alter something else, nothing is written."""
    with pytest.raises(_errors.UsageError):
        update(f"---\n{block}\n---\nBody", {"a": 3})


def test_a_value_with_line_breaks_stays_on_one_line() -> None:
    """Line breaks of every kind are escaped, so that one key is one line in a diff."""
    changed = update("Body", {"a": "x\ny\r\x85\u2028"})
    assert changed == '---\na: "x\\ny\\r\\N\\L"\n---\nBody'


@pytest.mark.parametrize("key", ["", "a\nb", "x" * 101])
def test_update_refuses_keys_that_need_more_than_a_line(key: str) -> None:
    """An empty, long or many-line key is an error of the caller."""
    with pytest.raises(_errors.UsageError, match="key"):
        update("Body", {key: 1})


def test_update_refuses_values_yaml_cannot_hold() -> None:
    """A value that is not text, number, date, list or mapping is named in the error."""
    with pytest.raises(_errors.UsageError, match="object"):
        update("Body", {"a": object()})


_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_TRICKY = st.sampled_from(
    ["12:30", "yes", "007", "{{x}}", "---", "...", "# x", "a: b", "~", "1e3", "<<", "a\nb"]
)
_NUMBER = st.one_of(st.booleans(), st.integers(-(10**9), 10**9), st.floats(allow_nan=False))
_SCALAR = st.one_of(_TEXT, _TRICKY, _NUMBER, st.dates(), st.datetimes())
_VALUE = st.one_of(_SCALAR, st.lists(_SCALAR, max_size=3), st.dictionaries(_TEXT, _SCALAR, max_size=2))
_KEY = _TEXT.filter(lambda text: text != "" and text.isprintable())
_CHANGES = st.dictionaries(
    st.one_of(_KEY, st.sampled_from(["title", "tags", "no", "2026"])), _VALUE, max_size=4
)
_NEWLINE = st.sampled_from(["\n", "\r\n", "\r"])


@given(_CHANGES, _TEXT, _NEWLINE, st.booleans())
@settings(max_examples=150, deadline=None)
def test_what_is_written_is_read_back(changes: dict[str, Any], body: str, newline: str, block: bool) -> None:
    """After an update the changed keys have their values, the others theirs, and the body its bytes."""
    head = newline.join(["---", "# note", "title: 'Old'  # c", "tags: [a]", "other: |", "  x", "", "---", ""])
    text = (head if block else "") + "Body " + body
    changed = update(text, changes)
    parts = split(changed)
    before = split(text).data
    assert parts.data == {**before, **changes}
    assert parts.body.encode() == ("Body " + body).encode()
    assert update(changed, changes) == changed


@given(st.text(st.sampled_from(list("-.\n\r\t :a{}[]*&'\"#|>!%@`~?0,")), max_size=40))
@settings(max_examples=300)
def test_no_text_makes_split_fail(text: str) -> None:
    """Whatever stands in the block, the file is taken apart, and what is not front matter is body."""
    parts = split("---\n" + text)
    assert ("---\n" + text).endswith(parts.body)
    assert parts.problem is None or not parts.data


def test_yaml_is_loaded_only_when_needed() -> None:
    """A file without front matter does not load the YAML parser."""
    code = "import sys, memweave_core.text.frontmatter as f; f.split('Text'); print('yaml' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
