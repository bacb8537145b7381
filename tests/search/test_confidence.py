"""When a result is more than a guess."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest

from memweave_core.types import SearchResults

Ask = Callable[..., SearchResults]
LAST_WEEK = dt.date(2026, 3, 25)
LONG_AGO = dt.date(2026, 1, 7)
QUERY = "INC-0093 ferry rope winch capstan last week"


def test_nothing_is_no_confident_answer(index: Any, ask: Ask) -> None:
    """An empty result is of low confidence."""
    index.add("memory/a.md", "alpha")
    results = ask("zebra")
    assert not results and results.low_confidence


def test_each_result_says_whether_it_is_a_guess(index: Any, ask: Ask) -> None:
    """What holds all the words is confident, what holds few of them is not."""
    index.add("memory/a.md", "gate bridge code")
    index.add("memory/b.md", "gate")
    results = ask("gate bridge code", min_score=0)
    assert [result.confident for result in results] == [True, False]
    assert not results.low_confidence


@pytest.mark.parametrize(
    ("date", "evergreen", "text", "confident"),
    [
        (LAST_WEEK, False, "INC-0093: ferry, rope, winch, capstan", True),
        (LONG_AGO, False, "INC-0093: ferry, rope, winch, capstan", False),
        (None, False, "INC-0093: ferry, rope, winch, capstan", True),
        (LONG_AGO, True, "INC-0093: ferry, rope, winch, capstan", True),
        (dt.date(2026, 3, 31), False, "on 25 March INC-0093: ferry, rope, winch, capstan", True),
        (LONG_AGO, False, "in 2026 INC-0093: ferry, rope, winch, capstan", False),
    ],
)
def test_a_page_of_other_days_is_a_guess(
    index: Any, ask: Ask, date: dt.date | None, evergreen: bool, text: str, confident: bool
) -> None:
    """Who asks for last week is not answered by a page of another day that does not speak of last week."""
    index.add("memory/a.md", text, date=date, evergreen=evergreen)
    results = ask(QUERY, min_score=0)
    assert results[0].confident == confident
    assert results.low_confidence != confident
