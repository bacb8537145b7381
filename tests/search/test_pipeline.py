"""The pipeline as a whole, over an index of a few pages."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from memweave_core._errors import StrategyError
from memweave_core.config import HybridConfig, QueryConfig
from memweave_core.types import SearchResult, SearchResults

Ask = Callable[..., SearchResults]


def paths(results: SearchResults) -> list[str]:
    return [result.path for result in results]


@pytest.mark.parametrize("vector", [None, [0.0, 1.0]])
@pytest.mark.parametrize("strategy", ["hybrid", "keyword"])
@pytest.mark.parametrize("others", [0, 40])
def test_an_exact_identifier_comes_first(
    index: Any, ask: Ask, vector: list[float] | None, strategy: str, others: int
) -> None:
    """Under the defaults, with and without vectors, in a small and in a larger store."""
    index.add("memory/other.md", "Gate BENCH-100822 passed", vectors=[[0.2, 1]])
    index.add("memory/exact.md", "Gate BENCH-100821 failed", vectors=[[1, 0]])
    for number in range(others):
        index.add(f"memory/{number}.md", f"Bench day {number}", vectors=[[1, number]])
    results = ask("BENCH-100821", vector, strategy=strategy)
    assert results[0].path == "memory/exact.md"
    assert results[0].score >= 0.6


def test_an_answer_in_another_language_passes_the_gate(index: Any, ask: Ask) -> None:
    """No word in common: the vector leg alone carries it."""
    index.add("memory/tea.md", "Ana drinks green tea", vectors=[[1, 0]])
    index.add("memory/db.md", "The database moved", vectors=[[0, 1]])
    results = ask("¿Qué bebe por la mañana?", [1, 0])
    assert paths(results) == ["memory/tea.md"]
    assert results[0].text_score is None


def test_a_term_that_stands_everywhere_is_still_found(index: Any, ask: Ask) -> None:
    """In every page of a store, or in its only one."""
    index.add("memory/0.md", "the gate")
    assert len(ask("gate")) == 1
    for number in range(1, 10):
        index.add(f"memory/{number}.md", "the gate")
    assert len(ask("gate")) == 6


def test_keywords_need_no_vector(index: Any, ask: Ask) -> None:
    """The keyword strategy does not look at one that is there."""
    index.add("memory/a.md", "alpha", vectors=[[1, 0]])
    result = ask("alpha", [0, 1], strategy="keyword")
    assert result.mode == "keyword-only"
    assert result[0].vector_score is None and result[0].text_score == pytest.approx(1)


def test_the_mode_says_which_legs_answered(index: Any, ask: Ask) -> None:
    """Hybrid, vectors alone, and keywords when there is no vector."""
    index.add("memory/a.md", "alpha", vectors=[[1, 0]])
    assert ask("alpha", [1, 0]).mode == "hybrid"
    vector = ask("alpha", [1, 0], strategy="vector")
    assert vector.mode == "vector-only" and vector[0].text_score is None
    fallen_back = ask("alpha", strategy="vector")
    assert fallen_back.mode == "keyword-only" and len(fallen_back) == 1 and fallen_back.warnings


def test_a_chunk_without_vector_is_ranked_by_its_words(index: Any, ask: Ask) -> None:
    """A pending vector costs nothing."""
    index.add("memory/a.md", "alpha beta")
    index.add("memory/b.md", "gamma", vectors=[[1, 0]])
    result = ask("alpha beta", [0.1, 1])[0]
    assert (result.path, result.vector_score, result.score) == ("memory/a.md", None, pytest.approx(1))


@pytest.mark.parametrize("query", ["", "  ", "\x00", "\ud83d", '"', "*", "(", "NEAR("])
def test_a_query_without_words_finds_nothing_and_raises_nothing(index: Any, ask: Ask, query: str) -> None:
    """Any string is a valid query."""
    index.add("memory/a.md", "alpha")
    assert list(ask(query)) == []


def test_the_gate_counts_what_it_cuts(index: Any, ask: Ask) -> None:
    """`dropped` tells a caller that there was more."""
    index.add("memory/a.md", "alpha beta gamma delta")
    index.add("memory/b.md", "alpha")
    results = ask("alpha beta gamma delta")
    assert (len(results), results.dropped) == (1, 1)
    assert len(ask("alpha beta gamma delta", min_score=0)) == 2


def test_decay_comes_after_the_gate(index: Any, ask: Ask) -> None:
    """An old page that passed is shown below `min_score` rather than lost."""
    index.add("memory/2020-01-01.md", "alpha", date=dt.date(2020, 1, 1), evergreen=False)
    index.add("memory/new.md", "alpha note")
    results = ask("alpha", decay_half_life_days=30)
    assert paths(results) == ["memory/new.md", "memory/2020-01-01.md"]
    assert results[1].score < 0.01


def test_mmr_shows_something_else(index: Any, ask: Ask) -> None:
    """A copy gives way to another page that matches less."""
    index.add("memory/a.md", "alpha beta gamma one")
    index.add("memory/copy.md", "alpha beta gamma one")
    index.add("memory/b.md", "alpha beta other words entirely here")
    assert paths(ask("alpha beta gamma", max_results=2)) == ["memory/a.md", "memory/copy.md"]
    assert paths(ask("alpha beta gamma", max_results=2, mmr_lambda=0.5)) == ["memory/a.md", "memory/b.md"]


def test_private_pages_need_their_user(index: Any, ask: Ask) -> None:
    """A search without a user sees shared pages only, one with a user also that user's."""
    index.add("memory/users/ana/facts.md", "alpha", owner="ana")
    index.add("memory/a.md", "alpha")
    assert paths(ask("alpha")) == ["memory/a.md"]
    assert len(ask("alpha", user_id="ana")) == 2
    assert len(ask("alpha", user_id="an")) == 1


def test_explain_gives_the_numbers_of_each_stage(index: Any, ask: Ask) -> None:
    """Legs, weights, gate, decay and MMR; without it nothing is carried along."""
    index.add("memory/a.md", "alpha", vectors=[[1, 0]], date=dt.date(2026, 3, 2), evergreen=False)
    stages = ask("alpha", [1, 0], explain=True, decay_half_life_days=30, mmr_lambda=0.5)[0].stages
    assert list(stages) == ["vector", "text", "fusion", "gate", "decay", "mmr"]
    assert stages["vector"] == {"cosine": pytest.approx(1), "score": pytest.approx(1)}
    assert set(stages["text"]) == {"share", "file_share", "bm25", "score"}
    assert (stages["fusion"]["vector_weight"], stages["fusion"]["text_weight"]) == (0.3, 0.7)
    assert (stages["decay"]["age_days"], stages["decay"]["multiplier"]) == (30, 0.5)
    assert ask("alpha", [1, 0])[0].stages == {}


def test_a_neighbour_without_words_is_lifted_by_the_hit_beside_it(index: Any, ask: Ask) -> None:
    """The answer stands next to the question; the page beyond its last chunk is not made up."""
    index.add(
        "memory/talk.md", "What did Ana paint?", "A sunrise.", "Bye.", vectors=[[1, 0], [0.3, 1], [0, 1]]
    )
    results = ask("What did Ana paint", [1, 0], min_score=0.4)
    assert [result.start_line for result in results] == [1, 2]
    alone = QueryConfig(hybrid=HybridConfig(neighbour_weight=0), min_score=0.4)
    assert len(ask("What did Ana paint", [1, 0], config=alone)) == 1


class Fixed:
    """A strategy that answers what it was made with."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def search(self, *args: Any, **kwargs: Any) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_a_strategy_of_ones_own_ranks(index: Any, ask: Ask) -> None:
    """Its scores pass the gate like any other; ids that are gone are left out."""
    (a,), (b,) = index.add("memory/a.md", "alpha"), index.add("memory/b.md", "beta")
    strategies = {"mine": Fixed([(b, 0.9), (a, 0.5), (99 << 20, 1.0)])}
    results = ask("q", strategy="mine", strategies=strategies)
    assert [(result.path, result.score) for result in results] == [("memory/b.md", 0.9), ("memory/a.md", 0.5)]


def test_a_strategy_cannot_show_private_pages(index: Any, ask: Ask) -> None:
    """The scope of the search holds whatever a strategy answers."""
    (a,) = index.add("memory/users/ana/facts.md", "alpha", owner="ana")
    assert len(ask("q", strategy="mine", strategies={"mine": Fixed([(a, 1.0)])})) == 0


@pytest.mark.parametrize("answer", [RuntimeError("boom"), [(1, 2.0)], [(1, float("nan"))], [("x", 1)], None])
def test_a_strategy_that_breaks_its_contract_is_named(index: Any, ask: Ask, answer: Any) -> None:
    """After an exception, a score out of bounds or a wrong shape hybrid search answers, with a warning."""
    index.add("memory/a.md", "alpha", vectors=[[1, 0]])
    results = ask("alpha", [1, 0], strategy="mine", strategies={"mine": Fixed(answer)})
    assert list(results) == list(ask("alpha", [1, 0])) != []
    assert results.mode == "hybrid"
    assert "'mine' (Fixed)" in results.warnings[0] and "hybrid" in results.warnings[0]


def test_an_unknown_strategy_names_the_nearest(ask: Ask) -> None:
    """A typo is an error."""
    with pytest.raises(StrategyError, match="'keyword'"):
        ask("q", strategy="keywords")


class Process:
    """A processor made of a function."""

    def __init__(self, change: Callable[[Sequence[SearchResult]], Any]) -> None:
        self.change = change

    def process(self, results: Sequence[SearchResult], query: str, now: dt.date) -> Any:
        return self.change(results)


def test_a_processor_may_drop_reorder_and_rescore(index: Any, ask: Ask) -> None:
    """It sees every result that passed, before the cut to `max_results`."""
    for name in "abc":
        index.add(f"memory/{name}.md", "alpha")
    turn = Process(lambda results: [replace(one, score=0.1) for one in reversed(results)][:2])
    results = ask("alpha", processors=[turn], max_results=1)
    assert [(one.path, one.score) for one in results] == [("memory/c.md", 0.1)]


def _raise(results: Sequence[SearchResult]) -> Any:
    raise RuntimeError("boom")


@pytest.mark.parametrize(
    "change",
    [
        _raise,
        lambda results: None,
        lambda results: ["x"],
        lambda results: [replace(results[0], path="made/up.md")],
        lambda results: [replace(results[0], score=7.0)],
    ],
)
def test_a_bad_processor_is_named_and_loses_nothing(index: Any, ask: Ask, change: Any) -> None:
    """One that raises, invents or misscores is skipped with a warning."""
    index.add("memory/a.md", "alpha")
    results = ask("alpha", processors=[Process(change)])
    assert paths(results) == ["memory/a.md"]
    assert len(results.warnings) == 1 and "Process" in results.warnings[0]


def test_a_processor_sees_whole_texts(index: Any, ask: Ask) -> None:
    """Snippets are cut last."""
    index.add("memory/a.md", "alpha " * 300)
    seen: list[int] = []
    results = ask("alpha", processors=[Process(lambda r: [seen.append(len(r[0].snippet)), *r][1:])])
    assert seen == [1800] and len(results[0].snippet) <= 700


def test_a_page_in_another_language_is_not_expected_to_share_words(index: Any, ask: Ask) -> None:
    """A question in Spanish is answered from an English page by meaning alone, above the default gate."""
    index.add("en.md", "We chose a relational store for the orders.", vectors=[[0.7, 0.72]])
    index.add("es.md", "Elegimos la base para los pedidos.", vectors=[[0.2, 0.98]])
    index.language_of = {"en.md": "en", "es.md": "es"}
    results = ask("¿qué base elegimos para los pedidos?", [1, 0])
    assert [(result.path, result.text_score is None) for result in results] == [
        ("es.md", False),
        ("en.md", True),
    ]
