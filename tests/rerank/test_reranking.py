"""A reranker orders the best of what a search found, and does nothing else."""

from __future__ import annotations

import asyncio
import datetime as dt
import math
import sqlite3
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core import ConfigError, MemoryConfig, SearchResult
from memweave_core.blocking import MemWeave as BlockingMemWeave
from memweave_core.search.hits import Hit, Scored
from memweave_core.search.pipeline import Ranking
from memweave_core.testing import FakeEmbedder, FakeReranker
from memweave_core.types import Chunk, ChunkRow, PageMeta

from .conftest import Open

LONG_FIRST, SHORT_FIRST = 1, -1


def by_length(sign: int) -> Callable[[str, Sequence[str]], list[float]]:
    """A reranker that looks at nothing but the length of a text."""
    return lambda query, texts: [100.0 * sign * len(text) for text in texts]


def paths(results: Any) -> list[str]:
    return [Path(result.path).stem for result in results]


async def test_results_come_in_the_order_of_the_reranker(open_memory: Open) -> None:
    """The order is the reranker's, the score of each result stays, and its own number stands beside it."""
    async with open_memory(by_length(SHORT_FIRST)) as memory:
        plain = await memory.search("lantern", rerank=False)
        results = await memory.search("lantern")
    assert paths(results) == ["c", "b", "a"] != paths(plain)
    assert {one.path: one.score for one in results} == {one.path: one.score for one in plain}
    numbers = [one.rerank_score for one in results if one.rerank_score is not None]
    assert len(numbers) == 3 and numbers == sorted(numbers, reverse=True)
    assert {one.rerank_score for one in plain} == {None}


async def test_those_beyond_the_candidates_keep_their_order(open_memory: Open) -> None:
    """The reranker reads only so many of the best; the rest follows as it was, without its number."""
    reranker = FakeReranker()
    async with open_memory(reranker, query__reranker__candidates=2) as memory:
        before = await memory.search("who repaired the lantern", min_score=0, rerank=False)
        results = await memory.search("who repaired the lantern", min_score=0)
    assert [len(call.texts) for call in reranker.calls] == [2]
    assert paths(results)[2:] == paths(before)[2:]
    assert [one.rerank_score is None for one in results[:3]] == [False, False, True]


async def test_more_is_read_than_shown(open_memory: Open) -> None:
    """The best of the reranker is found even where the search alone would have left it out."""
    async with open_memory(by_length(LONG_FIRST)) as memory:
        (alone,) = await memory.search("who repaired the lantern", max_results=1, rerank=False)
        (best,) = await memory.search("who repaired the lantern", max_results=1)
    assert (paths([alone]), paths([best])) == (["c"], ["a"])


async def test_the_gate_stays_as_it_is(open_memory: Open) -> None:
    """The reranker is not shown what the gate cuts, and high numbers bring nothing back."""
    reranker = FakeReranker()
    async with open_memory(reranker) as memory:
        plain = await memory.search("lantern", min_score=0.5, rerank=False)
        results = await memory.search("lantern", min_score=0.5)
    assert results.dropped == plain.dropped > 0
    assert sorted(paths(results)) == sorted(paths(plain))
    assert not any("Nothing of that kind" in text for text in reranker.calls[0].texts)


@pytest.mark.parametrize(
    "answer",
    [RuntimeError("boom"), TimeoutError(), [1.0], [math.nan] * 3, ["x"] * 3, None, {1, 2, 3}],
    ids=str,
)
async def test_a_reranker_that_fails_costs_only_its_order(open_memory: Open, answer: Any) -> None:
    """Whatever goes wrong, the results come as they would without it, with a warning that names it."""

    async def failing(query: str, texts: Sequence[str]) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    async with open_memory(failing) as memory:
        results = await memory.search("lantern")
        assert results.items == (await memory.search("lantern", rerank=False)).items
    (warning,) = results.warnings
    assert warning.startswith("Not reranked: ") and "failing" in warning and results.degraded is None


async def test_a_slow_reranker_is_not_waited_for(open_memory: Open) -> None:
    """After the time-out the results come in the order before."""
    cancelled = asyncio.Event()

    async def slow(query: str, texts: Sequence[str]) -> list[float]:
        try:
            await asyncio.sleep(60)
        finally:
            cancelled.set()
        return []

    async with open_memory(slow, query__reranker__timeout=0.05) as memory:
        results = await memory.search("lantern")
    assert len(results) == 3 and cancelled.is_set()
    assert "did not answer within 0.05 seconds" in results.warnings[0]


async def test_after_trouble_the_next_search_is_reranked(open_memory: Open) -> None:
    """A failure is not remembered."""
    reranker = FakeReranker()
    async with open_memory(reranker) as memory:
        reranker.down = OSError("gone")
        assert (await memory.search("lantern")).warnings
        reranker.down = None
        results = await memory.search("lantern")
    assert results.warnings == () and results[0].rerank_score == 1.0


async def test_no_transaction_is_held_meanwhile(open_memory: Open, tmp_path: Path) -> None:
    """While the reranker works, a write and another search complete and no reader holds up a checkpoint."""
    seen: list[Any] = []

    async def curious(query: str, texts: Sequence[str]) -> list[float]:
        await memory.write("new.md", "A new lantern.")
        seen.append(paths(await memory.search("lantern", rerank=False)))
        with sqlite3.connect(tmp_path / ".memweave" / "index.sqlite", timeout=0) as database:
            seen.append(database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])
        database.close()
        return [1.0] * len(texts)

    async with open_memory(curious) as memory:
        results = await memory.search("lantern")
    assert "new" in seen[0] and seen[1] == 0
    assert results.warnings == () and "new" not in paths(results)


async def test_a_blocking_function_does_not_hold_up_the_loop(open_memory: Open) -> None:
    """While a plain function computes, the loop runs on."""
    asked, go_on = threading.Event(), threading.Event()

    def waiting(query: str, texts: Sequence[str]) -> list[float]:
        asked.set()
        assert go_on.wait(30)
        return [1.0] * len(texts)

    async with open_memory(waiting) as memory:
        search = asyncio.create_task(memory.search("lantern"))
        while not asked.is_set():
            await asyncio.sleep(0.005)
        go_on.set()
        assert (await search).warnings == ()


def test_one_memory_serves_two_loops(open_memory: Open) -> None:
    """The same memory reranks in one event loop after another."""
    memory = open_memory(FakeReranker())
    for _ in range(2):
        assert asyncio.run(memory.search("repaired lantern"))[0].rerank_score == 1.0
    asyncio.run(memory.close())


@pytest.mark.parametrize("reranker", [FakeReranker(), by_length(SHORT_FIRST)])
def test_the_blocking_twin_reranks(config: MemoryConfig, reranker: Any) -> None:
    """Without a loop of the caller's own it works alike, for objects and for functions."""
    with BlockingMemWeave(config, embedder=FakeEmbedder(), reranker=reranker) as memory:
        assert paths(memory.search("repaired lantern"))[0] == "c"
        assert memory.search("lantern", rerank=False)[0].rerank_score is None


async def test_private_pages_are_not_shown_to_it(open_memory: Open) -> None:
    """A reranker reads the private pages of the user who asks, and of nobody else."""
    reranker = FakeReranker()
    async with open_memory(reranker) as memory:
        for user in (None, "bob", "ana"):
            await memory.search("private lantern of Ana", user_id=user, min_score=0)
    private = [any("private lantern" in text for text in call.texts) for call in reranker.calls]
    assert private == [False, False, True]


async def test_a_search_can_ask_for_it_only_where_there_is_one(open_memory: Open) -> None:
    """`rerank=True` without a reranker, and what is no truth value, are errors that help."""
    async with open_memory() as memory:
        assert len(await memory.search("lantern", rerank=False)) == 3
        with pytest.raises(ConfigError, match=r"query\.reranker\.model, or pass `reranker`"):
            await memory.search("lantern", rerank=True)
        with pytest.raises(ConfigError, match="rerank must be true or false, not 'yes'"):
            await memory.why("lantern", "memory/a.md", rerank="yes")
    async with open_memory(FakeReranker()) as memory:
        assert (await memory.search("lantern", rerank=True))[0].rerank_score == 1.0


async def test_nothing_found_asks_nobody(open_memory: Open) -> None:
    """Without candidates the reranker is not called."""
    reranker = FakeReranker()
    async with open_memory(reranker) as memory:
        assert not await memory.search("") and not await memory.search("submarine", min_score=1)
    assert reranker.calls == []


async def test_each_stage_is_explained(open_memory: Open) -> None:
    """`explain` and `why` show the number of the reranker and where the hit stood before."""
    async with open_memory(by_length(SHORT_FIRST)) as memory:
        before = paths(await memory.search("lantern", rerank=False))
        best = (await memory.search("lantern", explain=True))[0]
        why = await memory.why("lantern", best.path)
    place = before.index(paths([best])[0]) + 1
    assert best.stages["rerank"] == {"score": best.rerank_score, "rank_before": place}
    assert list(best.stages)[-2:] == ["gate", "rerank"]
    assert (why.rank, why.result) == (1, best)
    assert f"number {place} before the reranker" in why.detail


async def test_why_tells_what_the_reranker_outranked(open_memory: Open) -> None:
    """A page that only the reranker moved down is outranked, with both its places."""
    async with open_memory(by_length(LONG_FIRST)) as memory:
        why = await memory.why("who repaired the lantern", "memory/c.md", max_results=1)
        plain = await memory.why("who repaired the lantern", "memory/c.md", max_results=1, rerank=False)
        below = await memory.why("who repaired the lantern", "memory/d.md", min_score=0.9)
    assert (why.verdict, why.rank, plain.verdict, below.verdict) == (
        "outranked", 3, "returned", "below the gate",
    )  # fmt: skip
    assert "number 1 before the reranker" in why.detail and "reranker" not in plain.detail


async def test_why_says_that_the_reranker_failed(open_memory: Open) -> None:
    """The warning of the search stands in the answer of `why` too."""
    reranker = FakeReranker()
    reranker.down = OSError("gone")
    async with open_memory(reranker) as memory:
        why = await memory.why("lantern", "memory/a.md")
    assert why.verdict == "returned" and "Not reranked: fake:shared-words failed: OSError: gone" in why.detail


async def test_diversity_starts_from_its_order(open_memory: Open, tmp_path: Path) -> None:
    """With λ = 1 MMR leaves the order of the reranker, and below it a copy moves back."""
    (tmp_path / "memory" / "c2.md").write_text("Who repaired the lantern? Ana did, in March!")
    async with open_memory(by_length(SHORT_FIRST)) as memory:
        order = paths(await memory.search("lantern"))
        relevant = paths(await memory.search("lantern", mmr_lambda=1))
        diverse = paths(await memory.search("lantern", mmr_lambda=0.3))
        why = await memory.why("lantern", "memory/c2.md", mmr_lambda=0.3, max_results=2)
    assert relevant == order and set(order[:2]) == {"c", "c2"}
    assert set(diverse[:2]) != {"c", "c2"}
    assert why.verdict in ("returned", "dropped by MMR")


async def test_decay_comes_before_and_processors_after_it(open_memory: Open, tmp_path: Path) -> None:
    """The best after decay are read, and a processor is given results in the order of the reranker."""
    (tmp_path / "memory" / "2020-01-01.md").write_text("The lantern of an old day, lantern.")
    given: list[str] = []

    class Looks:
        def process(self, results: Sequence[SearchResult], query: str, now: dt.date) -> list[SearchResult]:
            given[:] = paths(results)
            return list(results)[::-1]

    async with open_memory(by_length(SHORT_FIRST), query__reranker__candidates=3) as memory:
        memory.register_postprocessor(Looks())
        results = await memory.search("lantern", decay_half_life_days=1)
    assert given == ["c", "b", "a", "2020-01-01"]
    assert paths(results) == given[::-1]


async def test_a_strategy_of_ones_own_is_reranked(open_memory: Open) -> None:
    """The reranker does not mind how the candidates were found."""

    class Everything:
        def search(self, reader: Any, query: str, query_vector: Any, *, where: Any, limit: int) -> Any:
            ids = [id_ for file in reader.files(where=where) for id_ in reader.chunk_ids(file.meta.path)]
            return [(id_, 0.9) for id_ in ids][:limit]

    async with open_memory(by_length(LONG_FIRST)) as memory:
        memory.register_strategy("everything", Everything())
        results = await memory.search("boat", strategy="everything")
    assert paths(results) == ["a", "b", "c", "d"]


async def test_the_past_is_reranked_by_the_same_object(open_memory: Open, tmp_path: Path) -> None:
    """A search of an earlier revision uses the reranker of the memory."""
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for command in (["init", "-q"], ["add", "memory"], [*who, "commit", "-qm", "one"]):
        subprocess.run(["git", "-C", str(tmp_path), *command], check=True)
    reranker = FakeReranker()
    async with open_memory(reranker) as memory:
        results = await memory.search("repaired lantern", as_of="HEAD")
    assert (results[0].rerank_score, len(reranker.calls)) == (1.0, 1)


async def test_an_unknown_name_stops_the_memory_from_opening(open_memory: Open) -> None:
    """A reranker that does not exist is an error at once."""
    with pytest.raises(ConfigError, match="Did you mean 'fastembed'"):
        async with open_memory(query__reranker__model="fastembd:x"):
            pass


async def test_a_model_of_fastembed_is_named_in_the_settings(open_memory: Open, fastembed: Any) -> None:
    """With the package there, a name in the settings is all it takes, and the model is loaded once."""
    async with open_memory(query__reranker__model="fastembed:some/model") as memory:
        results = await memory.search("lantern repaired")
        await memory.search("lantern repaired")
    assert results[0].rerank_score == pytest.approx(8 * 0.5 - 0.8)
    assert fastembed.loaded == ["some/model"]


def ranking(scores: Sequence[float]) -> Ranking:
    """A ranking of chunks 1, 2, 3, … with these scores, the last of them without its text."""
    scored = [Scored(number, score, stages={}) for number, score in enumerate(scores, start=1)]
    hits = [
        Hit(
            one, ChunkRow(one.chunk_id, 1, Chunk(0, 1, 1, f"text {one.chunk_id}"), PageMeta("a.md", "memory"))
        )
        for one in scored[:-1]
    ]
    return Ranking("hybrid", "hybrid", [], scored, hits)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(-3, 3), max_size=6), st.integers(1, 8))
def test_reranking_loses_and_invents_nothing(numbers: list[int], count: int) -> None:
    """The best are sorted by number, equal ones as they were; everything else stays in its place."""
    before = ranking([1 - place / 10 for place in range(count)])
    numbers = numbers[: len(before.hits)]
    after = before.reranked([float(number) for number in numbers])
    order = sorted(range(len(numbers)), key=lambda place: -numbers[place])
    ids = [place + 1 for place in order] + list(range(len(numbers) + 1, count + 1))
    assert [one.chunk_id for one in after.ranked] == ids
    assert [hit.row.id for hit in after.hits] == ids[:-1]
    assert [hit.rerank for hit in after.hits[: len(numbers)]] == sorted(numbers, reverse=True)
    assert {one.chunk_id: one.score for one in after.ranked} == {
        one.chunk_id: one.score for one in before.ranked
    }
