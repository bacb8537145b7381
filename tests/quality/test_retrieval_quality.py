"""Our own questions are answered as well as they were."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
FLOOR = json.loads((BENCHMARKS / "own_set" / "baseline.json").read_text(encoding="utf-8"))
POINT = 0.01


@pytest.fixture(scope="module")
def measured() -> dict[str, Any]:
    """Both summaries of the own set, by the benchmark itself."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import asyncio

        from question_sets import own_set
        from retrieval import measure, reports

        return reports("own", asyncio.run(measure(own_set(), {}, "")))
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.mark.parametrize("measure", ["recall@1", "recall@5", "recall@10", "ndcg@10"])
@pytest.mark.parametrize("questions", FLOOR)
def test_retrieval_is_as_good_as_it_was(measured: dict[str, Any], questions: str, measure: str) -> None:
    """No measure of our own questions is more than a point below the recorded one."""
    assert measured[questions][measure] >= FLOOR[questions][measure] - POINT


def test_what_nothing_answers_is_said_to_be_unsure(measured: dict[str, Any]) -> None:
    """Of the questions that no page answers, no more are answered with confidence than were."""
    plain = measured["own, plain"]
    assert plain["confident"] <= FLOOR["own, plain"]["confident"] + POINT


def test_identifiers_are_always_found(measured: dict[str, Any]) -> None:
    """Every question for an exact identifier has its answer among the first five results."""
    assert measured["own, plain"]["by_kind"]["identifier"]["recall@5"] == 1


def test_the_set_is_large_enough() -> None:
    """The recorded figures are of at least 150 plain questions and 30 that nothing answers."""
    assert FLOOR["own, plain"]["questions"] >= 150
    assert FLOOR["own, plain"]["unanswerable"] >= 30
