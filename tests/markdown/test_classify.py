"""What path and front matter say of a page."""

import datetime as dt
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core.adapters.markdown.classify import page_meta
from memweave_core.adapters.markdown.layout import Layout
from memweave_core.config import MemoryConfig
from memweave_core.text.names import encode_segment, stored_name
from memweave_core.types import PageMeta


def meta(key: str, data: dict[str, Any] | None = None, body: str = "", **config: Any) -> PageMeta:
    """The meta data of a page in a workspace with the given settings."""
    layout = Layout(MemoryConfig(workspace_dir="/w", **config))
    return page_meta(key, data or {}, body, layout)[0]


@pytest.mark.parametrize(
    ("key", "date"),
    [
        ("memory/2026-01-01-slug.md", dt.date(2026, 1, 1)),
        ("memory/2026-01-01-1430.md", dt.date(2026, 1, 1)),
        ("memory/a/b/2026-01-01.md", dt.date(2026, 1, 1)),
        ("memory/2026_01_01.md", dt.date(2026, 1, 1)),
        ("memory/2026/01/01.md", dt.date(2026, 1, 1)),
        ("memory/2026-01-01 (conflict).md", dt.date(2026, 1, 1)),
        ("memory/2026-13-01.md", None),
        ("memory/2026-02-30.md", None),
        ("memory/2023 Trip.md", None),
        ("memory/MEMORY.md", None),
    ],
)
def test_the_path_dates_a_page(key: str, date: dt.date | None) -> None:
    """A valid date at the start of a name dates a page at any depth; an undated page is evergreen."""
    found = meta(key)
    assert (found.date, found.evergreen) == (date, date is None)
    assert found.tier == ("episodic" if date else "semantic")


def test_front_matter_dates_before_the_path() -> None:
    """`date:` wins over the name and makes a page age, but does not make it an episode."""
    assert meta("memory/2026-01-01.md", {"date": dt.date(2025, 5, 5)}).date == dt.date(2025, 5, 5)
    decision = meta("memory/use-postgres.md", {"date": "2025-05-05"})
    assert (decision.evergreen, decision.tier) == (False, "semantic")


@pytest.mark.parametrize(
    ("key", "data", "evergreen"),
    [
        ("memory/reference/2026-01-01-law.md", {}, True),
        ("memory/2026-01-01.md", {"evergreen": True}, True),
        ("memory/reference/2026-01-01-law.md", {"evergreen": False}, False),
        ("memory/topic.md", {"evergreen": False}, True),
        ("memory/a/2026-01-01.keep.md", {}, True),
        ("memory/2026-01-01.md", {"evergreen": "maybe"}, False),
    ],
)
def test_evergreen_is_undated_or_said(key: str, data: dict[str, Any], evergreen: bool) -> None:
    """A dated page is evergreen by its own word, else by a pattern; an undated one cannot age."""
    assert meta(key, data, evergreen_patterns=("reference/", "*.keep.md")).evergreen is evergreen


@pytest.mark.parametrize(
    ("key", "tier"),
    [
        ("memory/sessions/x.md", "episodic"),
        ("memory/users/ana/sessions/x.md", "episodic"),
        ("memory/working/plan.md", "working"),
        ("memory/bot/runbooks/restart.md", "procedural"),
        ("memory/rules/2026-01-01-style.md", "procedural"),
        ("memory/users/ana/facts.md", "semantic"),
    ],
)
def test_folders_give_the_tier(key: str, tier: str) -> None:
    """A folder that names a tier decides, at any depth and before a date."""
    assert meta(key).tier == tier


def test_front_matter_gives_the_tier_first() -> None:
    """`tier:` wins over the path; a word that is no tier is told and not used."""
    assert meta("memory/sessions/x.md", {"tier": "Procedural"}).tier == "procedural"
    found, warnings = page_meta("memory/x.md", {"tier": "core"}, "", Layout(MemoryConfig()))
    assert found.tier == "semantic" and "core" in warnings[0]


@pytest.mark.parametrize(
    ("key", "source"),
    [
        ("memory/a.md", "memory"),
        ("memory/bot/x/a.md", "bot"),
        ("memory/%52esearch %41gent/a.md", "Research Agent"),
        ("docs/a.md", "external"),
        ("memory-old/a.md", "external"),
        ("/far/memory/a.md", "external"),
    ],
)
def test_the_first_folder_is_the_source_label(key: str, source: str) -> None:
    """Directly in the memory folder it is "memory", elsewhere "external"."""
    assert meta(key, extra_paths=("docs",)).source == source


def test_a_whole_vault_is_labelled_by_its_folders() -> None:
    """With the workspace as memory the first folder of the workspace is the label."""
    assert meta("a.md", memory_dir=".").source == "memory"
    assert meta("projects/x/a.md", memory_dir=".").source == "projects"
    assert meta("/far/a.md", memory_dir=".").source == "external"


def test_only_files_that_no_scan_covers_are_external() -> None:
    """A file below an extra path is scanned; one that was added from elsewhere is not."""
    assert not meta("docs/a.md", extra_paths=("docs",)).external
    assert meta("README.md").external and meta("/far/a.md").external


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=300))
def test_the_folder_of_a_user_owns_what_is_in_it(user: str) -> None:
    """Every user id comes back from the folder that was made of it."""
    assert meta(f"memory/users/{encode_segment(user)}/facts.md").owner == stored_name(user)


@pytest.mark.parametrize(
    ("key", "owner"),
    [
        ("memory/users/ana/sessions/x.md", "ana"),
        ("memory/Users/ana/x.md", "ana"),
        ("memory/users/x.md", None),
        ("memory/bot/users/ana/x.md", None),
        ("docs/users/ana/x.md", None),
    ],
)
def test_only_the_users_folder_is_private(key: str, owner: str | None) -> None:
    """Privacy begins below ``users/<id>/`` of the memory folder, however "users" is spelled."""
    assert meta(key).owner == owner


@pytest.mark.parametrize(
    ("data", "body", "title"),
    [
        ({"title": "From above"}, "# Heading", "From above"),
        ({}, "text\n\n# A heading ##\n", "A heading"),
        ({}, "```\n# a comment\n```\n## two\n# One\r\n", "One"),
        ({}, "~~~~\n```\n# no\n~~~~\nTitle\r\n=====\r\n", "Title"),
        ({"title": 2024}, "", "2024"),
        ({}, "#nospace\n    # code\n", "my-note"),
    ],
)
def test_a_page_has_a_title(data: dict[str, Any], body: str, title: str) -> None:
    """Front matter, else the first heading of level 1 outside code, else the name of the file."""
    assert meta("memory/my-note.md", data, body).title == title


def test_lists_and_strings_are_read_alike() -> None:
    """Tags come from lists or text without "#", aliases and links without brackets."""
    assert meta("memory/a.md", {"tags": ["#one", "two/three", "#one"]}).tags == ("one", "two/three")
    assert meta("memory/a.md", {"tags": "#one, two three"}).tags == ("one", "two three")
    assert meta("memory/a.md", {"tags": "#one #two"}).tags == ("one", "two")
    assert meta("memory/a.md", {"aliases": "Smith, John"}).aliases == ("Smith, John",)
    assert meta("memory/a.md", {"superseded_by": [["New page"]]}).superseded_by == "New page"
    assert meta("memory/a.md", {"superseded_by": "[[New page|that]]"}).superseded_by == "New page"


def test_flags_and_dates_are_checked() -> None:
    """A value of the wrong kind is told in a sentence and not used; a template's placeholder is let be."""
    data = {"pinned": "perhaps", "expires_at": "soon", "date": "{{date}}"}
    found, warnings = page_meta("memory/a.md", data, "", Layout(MemoryConfig()))
    assert (found.pinned, found.expires_at, found.date) == (False, None, None)
    assert len(warnings) == 2
    good = meta("memory/a.md", {"pinned": "yes", "expires_at": "2026-03-01"})
    assert good.pinned and good.expires_at == dt.date(2026, 3, 1)


def test_other_keys_are_kept_as_json() -> None:
    """Keys without a meaning of their own become plain values."""
    odd = {"when": dt.datetime(2026, 1, 1, 9, 30), "n": float("nan"), "deep": {1: [dt.date(2026, 1, 2)]}}
    found = meta("memory/a.md", {**odd, "title": "T", "salience": 0.5})
    assert json.loads(json.dumps(found.metadata, allow_nan=False)) == {
        "when": "2026-01-01T09:30:00",
        "n": "nan",
        "deep": {"1": ["2026-01-02"]},
        "salience": 0.5,
    }


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text() | st.dates(), st.lists, max_leaves=5
)
KEYS = st.sampled_from(
    ["title", "date", "tier", "pinned", "tags", "aliases", "superseded_by", "expires_at", "x"]
)


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(KEYS, VALUES), st.text(st.sampled_from("#` =\nab~"), max_size=40))
def test_any_front_matter_gives_a_page(data: dict[str, Any], body: str) -> None:
    """No value of any key is an error."""
    found = meta("memory/a.md", data, body)
    assert found.title and json.dumps(found.metadata, allow_nan=False)
