"""Which words of a question are a time, and which days they mean. Today is Wednesday, 25 March 2026."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core.text.timespans import time_spans

TODAY = dt.date(2026, 3, 25)
FIRST, LAST = "0001-01-01", "9999-12-31"


def days(query: str, today: dt.date = TODAY) -> list[tuple[str, str, str]]:
    """First day, last day and text of each span."""
    spans = time_spans(query, today)
    return [(str(span.start), str(span.end), query[span.text_start : span.text_end]) for span in spans]


@pytest.mark.parametrize(
    ("query", "day"),
    [
        ("what is in 2026-03-17?", "2026-03-17"),
        ("2026/03/17 notes", "2026-03-17"),
        ("open 2026-03-17.md", "2026-03-17"),
        ("meeting of 17/03/2026", "2026-03-17"),
        ("17.03.2026", "2026-03-17"),
        ("03/04/2026", "2026-04-03"),
        ("03/17/2026", "2026-03-17"),
        ("meeting on 17 March", "2026-03-17"),
        ("meeting on 17 march 2025", "2025-03-17"),
        ("the 17th of March", "2026-03-17"),
        ("March 17, 2026", "2026-03-17"),
        ("Mar 17th", "2026-03-17"),
        ("Tuesday, 17 March", "2026-03-17"),
        ("30 March", "2025-03-30"),
        ("29 February", "2024-02-29"),
        ("on Monday", "2026-03-23"),
        ("on Wednesday", "2026-03-25"),
        ("last Wednesday", "2026-03-18"),
        ("last Friday", "2026-03-20"),
        ("next Friday", "2026-03-27"),
        ("this Monday", "2026-03-23"),
        ("in Monday's meeting", "2026-03-23"),
        ("Monday of last week", "2026-03-16"),
        ("on the 17th?", "2026-03-17"),
        ("TODAY", "2026-03-25"),
        ("yesterday's meeting", "2026-03-24"),
        ("the day before yesterday", "2026-03-23"),
        ("last night", "2026-03-24"),
        ("tomorrow", "2026-03-26"),
        ("3 days ago", "2026-03-22"),
        ("twelve days ago", "2026-03-13"),
        ("¿qué hice ayer?", "2026-03-24"),
        ("¿qué dijimos anteayer?", "2026-03-23"),
        ("el 17 de marzo", "2026-03-17"),
        ("el 17 de marzo de 2025", "2025-03-17"),
        ("el martes 17 de marzo", "2026-03-17"),
        ("hace tres días", "2026-03-22"),
        ("hace tres dias", "2026-03-22"),
        ("el lunes pasado", "2026-03-23"),
        ("el próximo viernes", "2026-03-27"),
        ("¿qué hay mañana?", "2026-03-26"),
        ("was war gestern", "2026-03-24"),
        ("am 17. März 2026", "2026-03-17"),
        ("vor drei Tagen", "2026-03-22"),
        ("qu'est-ce que j'ai fait hier ?", "2026-03-24"),
        ("le 1er mars", "2026-03-01"),
        ("o que fiz ontem", "2026-03-24"),
        ("17 de março de 2026", "2026-03-17"),
        ("cosa ho fatto ieri", "2026-03-24"),
        ("il 17 marzo 2026", "2026-03-17"),
    ],
)
def test_a_day(query: str, day: str) -> None:
    """The expression means exactly this day."""
    assert [span[:2] for span in days(query)] == [(day, day)]


@pytest.mark.parametrize(
    ("query", "start", "end"),
    [
        ("2026-03", "2026-03-01", "2026-03-31"),
        ("March 2026", "2026-03-01", "2026-03-31"),
        ("in March", "2026-03-01", "2026-03-31"),
        ("in May", "2025-05-01", "2025-05-31"),
        ("next May", "2026-05-01", "2026-05-31"),
        ("last March", "2025-03-01", "2025-03-31"),
        ("in May last year", "2025-05-01", "2025-05-31"),
        ("since March", "2026-03-01", "2026-03-25"),
        ("before March", FIRST, "2026-02-28"),
        ("prior\nto  March", FIRST, "2026-02-28"),
        ("since March until yesterday", "2026-03-01", "2026-03-24"),
        ("until March", FIRST, "2026-03-31"),
        ("after March", "2026-04-01", LAST),
        ("since Monday", "2026-03-23", "2026-03-25"),
        ("between March and May", "2025-03-01", "2025-05-31"),
        ("from 3 March to 10 March", "2026-03-03", "2026-03-10"),
        ("17-19 March", "2026-03-17", "2026-03-19"),
        ("early May", "2025-05-01", "2025-05-10"),
        ("mid-May", "2025-05-11", "2025-05-20"),
        ("late May", "2025-05-21", "2025-05-31"),
        ("spring 2025", "2025-03-01", "2025-05-31"),
        ("winter of 2025", "2025-12-01", "2026-02-28"),
        ("last summer", "2025-06-01", "2025-08-31"),
        ("Q2 2026", "2026-04-01", "2026-06-30"),
        ("in Q1", "2026-01-01", "2026-03-31"),
        ("the first quarter of 2025", "2025-01-01", "2025-03-31"),
        ("last quarter", "2025-10-01", "2025-12-31"),
        ("in 2024", "2024-01-01", "2024-12-31"),
        ("during 2024", "2024-01-01", "2024-12-31"),
        ("the list of 2024?", "2024-01-01", "2024-12-31"),
        ("late 2024", "2024-09-01", "2024-12-31"),
        ("this week", "2026-03-23", "2026-03-29"),
        ("last week", "2026-03-16", "2026-03-22"),
        ("next week", "2026-03-30", "2026-04-05"),
        ("the week before last", "2026-03-09", "2026-03-15"),
        ("last weekend", "2026-03-21", "2026-03-22"),
        ("past month", "2026-02-01", "2026-02-28"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("last 3 days", "2026-03-22", "2026-03-25"),
        ("past two weeks", "2026-03-11", "2026-03-25"),
        ("two weeks ago", "2026-03-09", "2026-03-15"),
        ("two months ago", "2026-01-01", "2026-01-31"),
        ("a year ago", "2025-01-01", "2025-12-31"),
        ("en marzo", "2026-03-01", "2026-03-31"),
        ("desde marzo", "2026-03-01", "2026-03-25"),
        ("principios de mayo", "2025-05-01", "2025-05-10"),
        ("la semana pasada", "2026-03-16", "2026-03-22"),
        ("el mes pasado", "2026-02-01", "2026-02-28"),
        ("este año", "2026-01-01", "2026-12-31"),
        ("en verano de 2025", "2025-06-01", "2025-08-31"),
        ("los últimos 3 días", "2026-03-22", "2026-03-25"),
        ("letzte Woche", "2026-03-16", "2026-03-22"),
        ("letzten Monat", "2026-02-01", "2026-02-28"),
        ("la semaine dernière", "2026-03-16", "2026-03-22"),
        ("le mois dernier", "2026-02-01", "2026-02-28"),
        ("na semana passada", "2026-03-16", "2026-03-22"),
        ("no mês passado", "2026-02-01", "2026-02-28"),
        ("la settimana scorsa", "2026-03-16", "2026-03-22"),
        ("il mese scorso", "2026-02-01", "2026-02-28"),
    ],
)
def test_a_stretch_of_days(query: str, start: str, end: str) -> None:
    """The expression means the days from the first to the last of these."""
    assert [span[:2] for span in days(query)] == [(start, end)]


@pytest.mark.parametrize(
    "query",
    [
        "",
        "may I ask",
        "this may fail",
        "what may happen when the disk is full",
        "rule 2 may apply",
        "march in line",
        "who organises the march on the capital",
        "the second run",
        "one second",
        "sun java release",
        "who sat there",
        "error 2024",
        "2024",
        "in 2000 steps",
        "after 2048 tokens",
        "port 2024 is open",
        "2026-02-30",
        "30/02/2026",
        "30 February 2026",
        "version 17.03.2026.4",
        "1.2.3",
        "CVE-2026-0312",
        "192.168.1.10",
        "monday.com",
        "today.md",
        "every Monday",
        "on Mondays",
        "the last day of the project",
        "on the 2nd floor",
        "spring boot",
        "this spring bean",
        "the fall of Rome",
        "was steht hier",
        "por la mañana",
        "segunda parte",
        "the ex_yesterday_flag",
        "answer to Q2",
        "more than 3 days ago",
        "what did April say",
        "the mar y sol hotel",
        "3 hours ago",
        "un mars rover",
        "in the march",
        "May the force be with you",
        "last minute changes",
        "ratio 3/4",
        "el mar",
        "the next step",
    ],
)
def test_no_time(query: str) -> None:
    """The question asks for no time."""
    assert days(query) == []


def test_a_second_time_after_and_is_one_of_its_own() -> None:
    """Only "between" and "from" join what stands around "and"."""
    assert [span[2] for span in days("since March and yesterday")] == ["since March", "yesterday"]


def test_the_text_of_a_span_holds_its_preposition() -> None:
    """Offsets are those of the question as written, with accents composed or not."""
    assert days("reunión en marzo y hace tres di\u0301as: qué") == [
        ("2026-03-01", "2026-03-31", "en marzo"),
        ("2026-03-22", "2026-03-22", "hace tres di\u0301as"),
    ]


@pytest.mark.parametrize("today", [dt.date.min, dt.date.max])
@pytest.mark.parametrize(
    "query",
    [
        "last week",
        "next year",
        "999 years ago",
        "last 999 months",
        "before 2026-01-01",
        "next Friday",
        "in May",
    ],
)
def test_the_calendar_has_two_ends(today: dt.date, query: str) -> None:
    """Beyond the first and the last day of the calendar a span is cut off."""
    assert all(span.start <= span.end for span in time_spans(query, today))


PARTS = """
    last next this 3 two week weeks days ago in on since before between and to may March 17 17th , of 2026
    el de 0000-01-01 Monday year marzo hace días pasado Q2 spring late 9999-12-31 l' quest' \u0301 ß İ hier
    from antes
"""
WORDS = st.sampled_from(PARTS.split())
GAPS = st.sampled_from([" ", "  ", "\n", "-", ""])


@settings(max_examples=150)
@given(st.text(max_size=60) | st.lists(WORDS | GAPS, max_size=20).map(" ".join), st.dates())
def test_spans_are_ordered_and_inside_the_text(query: str, today: dt.date) -> None:
    """Any text gives spans in order, disjoint, within it, none of which ends before it starts."""
    position = 0
    for span in time_spans(query, today):
        assert position <= span.text_start < span.text_end <= len(query)
        assert span.start <= span.end
        position = span.text_end


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ("what happened on the second of May?", "2025-05-02", "2025-05-02"),
        ("on the twenty-first of June, 2024", "2024-06-21", "2024-06-21"),
        ("May the second", "2025-05-02", "2025-05-02"),
        ("on March third", "2026-03-03", "2026-03-03"),
        ("el dos de mayo", "2025-05-02", "2025-05-02"),
        ("el primero de marzo de 2024", "2024-03-01", "2024-03-01"),
        ("from the second to the fifth of May", "2025-05-02", "2025-05-05"),
        ("two days before yesterday", "2026-03-22", "2026-03-22"),
        ("dos días antes de ayer", "2026-03-22", "2026-03-22"),
        ("antes de ayer", "2026-03-23", "2026-03-23"),
        ("the day before Monday", "2026-03-22", "2026-03-22"),
        ("two days after 5 March", "2026-03-07", "2026-03-07"),
        ("a week before 20 March", "2026-03-09", "2026-03-15"),
        ("3 to 7 May", "2025-05-03", "2025-05-07"),
        ("May 3–7", "2025-05-03", "2025-05-07"),
        ("3-7 de mayo", "2025-05-03", "2025-05-07"),
        ("28 April to 3 May", "2025-04-28", "2025-05-03"),
        ("May 3 - May 7", "2025-05-03", "2025-05-07"),
        ("2026-03-03 to 2026-03-07", "2026-03-03", "2026-03-07"),
        ("3 de mayo al 7 de mayo", "2025-05-03", "2025-05-07"),
    ],
)
def test_days_in_words_ranges_and_offsets(query: str, first: str, last: str) -> None:
    """Days may be written in words, counted from another day, and joined to a range without "from"."""
    assert [(start, end) for start, end, _ in days(query)] == [(first, last)]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("who may second the motion?", []),
        ("the first May release", []),
        ("more than two days before 5 March", ["before 5 March"]),
        ("the days before 5 March", ["before 5 March"]),
        ("the second half of May", ["of May"]),
        ("pages 3 to 7 may help", []),
    ],
)
def test_what_only_looks_like_a_day_in_words(query: str, text: list[str]) -> None:
    """Ordinals of other things, and vague counts, name no day."""
    assert [span[2] for span in days(query)] == text
