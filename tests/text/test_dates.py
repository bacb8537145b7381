"""Which names and values are dates."""

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core.text.dates import date_of_path, parse_date

DAY = dt.date(2026, 3, 21)


@pytest.mark.parametrize(
    "path",
    [
        "memory/2026-03-21.md",
        "memory/a/b/c/2026-03-21.md",
        "2026-03-21-standup.md",
        "2026-03-21-1430.md",
        "2026-03-21T1430.md",
        "2026-03-21 (conflict).md",
        "2026-03-21 Trip to Rome.md",
        "2026_03_21.md",
        "2026-3-21.md",
        "20260321.md",
        "memory/2026/03/21.md",
        "memory/2026/3/21 (conflict).md",
        "memory/2026-03/21.md",
        "2026-03-21.MD",
        "2026-03-21.markdown",
        "2026-03-21",
    ],
)
def test_a_date_at_the_start_of_the_name_dates_the_file(path: str) -> None:
    """A calendar date at the start of the file name counts at any depth and in every usual spelling."""
    assert date_of_path(path) == DAY


@pytest.mark.parametrize(
    "path",
    [
        "2026-02-30.md",
        "2026-13-01.md",
        "2026-00-10.md",
        "0000-01-01.md",
        "2023 Trip.md",
        "trip-2026-03-21.md",
        "2026-03-21/notes.md",
        "2026-03_21.md",
        "2026-03-211.md",
        "20260321-notes.md",
        "20269921.md",
        "99990101.md",
        "12345678.md",
        "2026/02/30.md",
        "2026/03/21st.md",
        "x2026/03/21.md",
        "２０２６-03-21.md",
        "MEMORY.md",
        "",
    ],
)
def test_other_names_are_undated(path: str) -> None:
    """Impossible dates, dates elsewhere than at the start of the name, and mere numbers date nothing."""
    assert date_of_path(path) is None


@given(st.dates(), st.sampled_from(["", "-standup", " notes", "_x"]))
@settings(max_examples=50)
def test_every_day_can_name_a_file(day: dt.date, slug: str) -> None:
    """The ISO form of any day is read back from a name that starts with it."""
    assert date_of_path(f"memory/a/{day.isoformat()}{slug}.md") == day


@given(st.text(max_size=30))
@settings(max_examples=100)
def test_any_text_is_a_date_or_none(text: str) -> None:
    """No path and no value makes an exception."""
    assert date_of_path(text) is None or isinstance(date_of_path(text), dt.date)
    assert parse_date(text) is None or isinstance(parse_date(text), dt.date)


@pytest.mark.parametrize(
    "value",
    [
        DAY,
        dt.datetime(2026, 3, 21, 23, 59, tzinfo=dt.UTC),
        "2026-03-21",
        " 2026-03-21 ",
        "2026-03-21T10:00:00Z",
        "2026-03-21 10:00",
        "2026-03-21 10:00:00 +02:00",
        "2026/3/21",
        "[[2026-03-21]]",
        20260321,
    ],
)
def test_front_matter_values_that_are_dates(value: object) -> None:
    """Dates, datetimes, ISO text with or without a time, and a link to a daily note are dates."""
    assert parse_date(value) == DAY


@pytest.mark.parametrize(
    "value",
    [None, True, 2026, 3.5, "", "{{date}}", "2026-02-30", "2026", "soon", "2026-03-21 is the day", [DAY]],
)
def test_front_matter_values_that_are_not(value: object) -> None:
    """A template, an impossible date or anything else is None."""
    assert parse_date(value) is None
