"""The retrieval test set in `benchmarks/own_set` is well formed: it checks the data, not the search."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

OWN_SET = Path(__file__).parents[2] / "benchmarks" / "own_set"
WORKSPACE = OWN_SET / "workspace"
KINDS = {
    "fact",
    "identifier",
    "temporal",
    "person",
    "decision",
    "paraphrase",
    "multi",
    "code",
    "spanish",
    "cross",
    "typo",
    "short",
    "none",
}


def questions() -> list[dict[str, Any]]:
    lines = (OWN_SET / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def pages() -> dict[str, str]:
    files = (WORKSPACE / "memory").rglob("*.md")
    return {file.relative_to(WORKSPACE).as_posix(): file.read_text(encoding="utf-8") for file in files}


def test_every_answer_stands_exactly_once_in_its_page() -> None:
    """Each answer's text occurs exactly once in the page it names, so its lines are known."""
    texts = pages()
    wrong = [
        (question["id"], answer)
        for question in questions()
        for answer in question["answers"]
        if texts.get(answer["path"], "").count(answer["text"]) != 1
    ]
    assert wrong == []


def test_no_answer_is_blank_or_longer_than_three_lines() -> None:
    """An answer is a piece of text of one to three lines without space around it."""
    texts = [answer["text"] for question in questions() for answer in question["answers"]]
    assert all(text and text == text.strip() and text.count("\n") < 3 for text in texts)


def test_ids_and_questions_are_unique() -> None:
    """No id and no question occurs twice."""
    rows = questions()
    assert len({row["id"] for row in rows}) == len(rows)
    assert len({row["question"] for row in rows}) == len(rows)


def test_only_unanswerable_questions_have_no_answers() -> None:
    """The kind `none` has no answers and every other kind has at least one."""
    assert [row["id"] for row in questions() if (row["kind"] == "none") != (row["answers"] == [])] == []


def test_a_multi_question_needs_two_pages() -> None:
    """A question of the kind `multi` has answers in at least two pages."""
    rows = [row for row in questions() if row["kind"] == "multi"]
    assert all(len({answer["path"] for answer in row["answers"]}) >= 2 for row in rows)


def test_the_set_is_large_enough() -> None:
    """There are at least 180 answerable and 36 unanswerable questions, and 10 of each kind."""
    kinds = Counter(row["kind"] for row in questions())
    assert set(kinds) == KINDS
    assert kinds.total() - kinds["none"] >= 180
    assert kinds["none"] >= 36
    assert min(kinds.values()) >= 10


def test_each_kind_is_halved_between_the_splits() -> None:
    """In each kind the dev and test splits differ by at most one question."""
    counts = Counter((row["kind"], row["split"]) for row in questions())
    assert {split for _, split in counts} == {"dev", "test"}
    assert all(abs(counts[kind, "dev"] - counts[kind, "test"]) <= 1 for kind in KINDS)


def test_temporal_questions_say_which_day_it_is() -> None:
    """Every temporal question, and no other kind, has the date on which it is asked."""
    assert [row["id"] for row in questions() if ("today" in row) != (row["kind"] == "temporal")] == []


def test_languages_are_known_and_spanish_rows_are_spanish() -> None:
    """Questions are in one of four languages, and those of the kind `spanish` in Spanish."""
    rows = questions()
    assert {row["language"] for row in rows} == {"en", "es", "de", "fr"}
    assert all(row["language"] == "es" for row in rows if row["kind"] == "spanish")


def test_the_workspace_has_long_short_and_dated_pages() -> None:
    """At least three pages exceed 1,500 words, some have one line, and twenty are daily logs."""
    texts = pages()
    assert 70 <= len(texts) <= 110
    assert sum(len(text.split()) > 1500 for text in texts.values()) >= 3
    assert sum(text.count("\n") == 1 for text in texts.values()) >= 4
    assert sum(path.startswith("memory/2026-") for path in texts) >= 20


def test_the_readme_counts_are_right() -> None:
    """The table in the README gives the number of questions of each kind."""
    readme = (OWN_SET / "README.md").read_text(encoding="utf-8")
    for kind, number in Counter(row["kind"] for row in questions()).items():
        assert f"| `{kind}` | {number} |" in readme
