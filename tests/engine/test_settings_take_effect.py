"""Each setting does something that can be seen from outside: a table with a row for every one of them."""

from __future__ import annotations

import asyncio
import datetime as dt
import io
import os
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import pytest

from memweave_core import ConfigError, MemWeave, Message, SearchResults
from memweave_core.adapters.sqlite.driver import choose
from memweave_core.config import assembled
from memweave_core.settings import known_settings
from memweave_core.testing import FakeClock, FakeEmbedder, FakeReranker, ScriptedModel
from memweave_core.types import EmbedKind

Settings: TypeAlias = Mapping[str, Any]
NO_SETTINGS: Settings = {}
DECAY = {"query.temporal_decay.enabled": True, "query.temporal_decay.half_life_days": 1}
ALONE = {"query.hybrid.neighbour_weight": 0, "query.hybrid.file_weight": 0, "query.min_score": 0}


class Slow(FakeEmbedder):
    """An embedder that takes its time, a text at a time."""

    async def embed(self, texts: Sequence[str], **options: Any) -> Any:
        await asyncio.sleep(0.3)
        return await super().embed(texts, **options)


class SlowWithDocuments(FakeEmbedder):
    """An embedder that answers questions at once and documents after two seconds."""

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind = "document") -> Any:
        await asyncio.sleep(2 if kind == "document" else 0)
        return await super().embed(texts, kind=kind)


class Bench:
    """One workspace that is opened with one setting after another."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.monkeypatch = monkeypatch
        self.embedder = FakeEmbedder()
        self.clock = FakeClock(dt.datetime(2026, 3, 21, 23, 30, tzinfo=dt.UTC))

    def note(self, path: str, text: str) -> Path:
        """A file as another program writes it."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return target

    def open(
        self,
        settings: Settings = NO_SETTINGS,
        *,
        embedder: object | None = None,
        reranker: Any = None,
        llm: Any = None,
    ) -> MemWeave:
        """A memory with settings by dotted name."""
        config = assembled({"workspace_dir": str(self.folder), **settings})
        embedder = embedder or self.embedder
        return MemWeave(config, embedder=embedder, reranker=reranker, llm=llm, clock=self.clock)

    def provider(self) -> list[dict[str, Any]]:
        """A stand-in for litellm, which speaks to the network; the list logs what it is asked."""
        asked: list[dict[str, Any]] = []
        litellm = ModuleType("litellm")

        async def acompletion(**options: Any) -> dict[str, Any]:
            asked.append(options)
            return {"choices": [{"message": {"content": "- A lantern."}}]}

        self.monkeypatch.setattr(litellm, "acompletion", acompletion, raising=False)
        self.monkeypatch.setitem(sys.modules, "litellm", litellm)
        return asked

    async def ask(self, question: str, settings: Settings = NO_SETTINGS, **more: Any) -> SearchResults:
        """What a memory with these settings finds."""
        async with self.open(settings, **more) as memory:
            return await memory.search(question)

    async def paths(self, question: str, settings: Settings = NO_SETTINGS) -> list[str]:
        return [result.path for result in await self.ask(question, settings)]

    async def score(self, question: str, settings: Settings = NO_SETTINGS) -> float:
        return (await self.ask(question, settings))[0].score


Row: TypeAlias = Callable[[Bench], Awaitable[None]]
ROWS: dict[str, Row] = {}


def shows(*names: str) -> Callable[[Row], Row]:
    """Enter a function into the table as what shows these settings."""

    def enter(row: Row) -> Row:
        ROWS.update(dict.fromkeys(names, row))
        return row

    return enter


# --- where things are ----------------------------------------------------------------------------------


@shows("memory_dir")
async def memory_dir(bench: Bench) -> None:
    bench.note("notes/a.md", "A lantern.")
    assert await bench.paths("lantern") == []
    assert await bench.paths("lantern", {"memory_dir": "notes"}) == ["notes/a.md"]


@shows("db_path")
async def db_path(bench: Bench) -> None:
    bench.note("memory/a.md", "A lantern.")
    for place in ("far/i.db", str(bench.folder / "absolute.db"), "memory/i.db"):
        assert await bench.paths("lantern", {"db_path": place}) == ["memory/a.md"]
        assert (bench.folder / place).is_file()
    assert not (bench.folder / ".memweave" / "index.sqlite").exists()
    async with bench.open({"db_path": "memory/i.db", "vector.engine": "numpy"}) as memory:
        await memory.search("lantern")
        assert (await memory.index()).problems == ()


@shows("extra_paths")
async def extra_paths(bench: Bench) -> None:
    bench.note("docs/a.md", "A lantern.")
    assert await bench.paths("lantern") == []
    assert await bench.paths("lantern", {"extra_paths": ["docs"]}) == ["docs/a.md"]


@shows("ignore")
async def ignore(bench: Bench) -> None:
    bench.note("memory/drafts/a.md", "A lantern.")
    assert await bench.paths("lantern") == ["memory/drafts/a.md"]
    assert await bench.paths("lantern", {"ignore": ["drafts/**"]}) == []


@shows("timezone")
async def timezone(bench: Bench) -> None:
    bench.note("memory/2026-03-21.md", "A lantern.")
    here = await bench.score("lantern", DECAY)
    there = await bench.score("lantern", {**DECAY, "timezone": "Asia/Tokyo"})  # where it is the 22nd
    assert there == pytest.approx(here / 2)


@shows("evergreen_patterns")
async def evergreen_patterns(bench: Bench) -> None:
    bench.note("memory/2026-03-19.md", "A lantern.")
    aged = await bench.score("lantern", DECAY)
    assert await bench.score("lantern", {**DECAY, "evergreen_patterns": ["2026-*.md"]}) == pytest.approx(
        4 * aged
    )


@shows("progress")
async def progress(bench: Bench) -> None:
    for number in range(5):
        bench.note(f"memory/{number}.md", f"Lantern {number}.")
    written = {}
    for wanted in (False, True):
        terminal = Terminal()
        bench.monkeypatch.setattr(sys, "stderr", terminal)
        settings = {"progress": wanted, "embedding.batch_size": 1, "db_path": f"{wanted}.db"}
        async with bench.open(settings, embedder=Slow()) as memory:
            await memory.index()
        written[wanted] = terminal.getvalue()
    assert written[False] == "" and "embedding" in written[True]


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


# --- embedding -----------------------------------------------------------------------------------------


@shows("embedding.model")
async def embedding_model(bench: Bench) -> None:
    modes = {}
    for model in ("none", "bundled"):
        memory = MemWeave(assembled({"workspace_dir": str(bench.folder), "embedding.model": model}))
        async with memory:
            modes[model] = (await memory.status()).search_mode
    assert modes == {"none": "keyword-only", "bundled": "hybrid"}


@shows("embedding.api_base", "embedding.api_key", "embedding.dimensions")
async def embedding_provider(bench: Bench) -> None:
    asked: list[dict[str, Any]] = []
    litellm = ModuleType("litellm")  # stands in for the package, which speaks to the network

    async def aembedding(**options: Any) -> dict[str, Any]:
        asked.append(options)
        return {"data": [{"index": n, "embedding": [1.0, 2.0, 3.0]} for n in range(len(options["input"]))]}

    bench.monkeypatch.setattr(litellm, "aembedding", aembedding, raising=False)
    bench.monkeypatch.setitem(sys.modules, "litellm", litellm)
    bench.note("memory/a.md", "A lantern.")
    sent = {"api_base": "http://here", "api_key": "secret", "dimensions": 3}
    config = {"embedding.model": "some-model", **{f"embedding.{name}": value for name, value in sent.items()}}
    async with MemWeave(assembled({"workspace_dir": str(bench.folder), **config})) as memory:
        assert (await memory.index()).embeddings_computed == 1
    assert {name: asked[0][name] for name in ("model", *sent)} == {"model": "some-model", **sent}


@shows("embedding.timeout")
async def embedding_timeout(bench: Bench) -> None:
    assert (await bench.ask("lantern", embedder=Slow())).degraded is None
    assert (await bench.ask("lantern", {"embedding.timeout": 0.05}, embedder=Slow())).degraded


@shows("embedding.batch_size", "embedding.batch_tokens")
async def embedding_batches(bench: Bench) -> None:
    for number in range(4):
        bench.note(f"memory/{number}.md", f"Lantern {number}. " * 20)
    sizes = []
    for settings in ({}, {"embedding.batch_size": 3}, {"embedding.batch_tokens": 100}):
        embedder = FakeEmbedder(identity=repr(settings))
        async with bench.open(settings, embedder=embedder) as memory:
            await memory.index()
        sizes.append(max(len(call.texts) for call in embedder.calls))
    assert sizes == [4, 3, 1]


# --- chunking ------------------------------------------------------------------------------------------


@shows("chunking.tokens", "chunking.overlap")
async def chunking(bench: Bench) -> None:
    bench.note("memory/a.md", "\n".join(f"Line {number} of a long description." for number in range(60)))
    counts = []
    for tokens, overlap in ((400, 80), (100, 0), (100, 50)):
        async with bench.open({"chunking.tokens": tokens, "chunking.overlap": overlap}) as memory:
            await memory.index()
            counts.append((await memory.status()).chunks)
    assert counts[0] < counts[1] < counts[2]


# --- query ---------------------------------------------------------------------------------------------


@shows("query.strategy")
async def strategy(bench: Bench) -> None:
    assert (await bench.ask("lantern")).mode == "hybrid"
    assert (await bench.ask("lantern", {"query.strategy": "keyword"})).mode == "keyword-only"


@shows("query.max_results", "query.min_score", "query.snippet_max_chars")
async def bounds_of_results(bench: Bench) -> None:
    for number in range(8):
        bench.note(f"memory/{number}.md", f"A lantern {'and more ' * number}" + "hangs by the door. " * 5)
    results = await bench.ask("lantern")
    assert len(results) == 6
    assert len(await bench.ask("lantern", {"query.max_results": 2})) == 2
    gated = await bench.ask("lantern", {"query.min_score": results[0].score})
    assert (len(gated), gated.dropped) == (1, 7)
    short = await bench.ask("lantern", {"query.snippet_max_chars": 30})
    assert max(len(result.snippet) for result in short) <= 30 < len(results[0].snippet)


@shows("query.hybrid.vector_weight", "query.hybrid.text_weight")
async def weights(bench: Bench) -> None:
    bench.note("memory/a.md", "A lantern hangs by the door of the boat house.")
    for vector, text in ((1.0, 0.0), (0.0, 1.0), (0.7, 0.3)):
        settings = {"query.hybrid.vector_weight": vector, "query.hybrid.text_weight": text, **ALONE}
        (result,) = await bench.ask("lantern by the candle", settings)
        assert result.vector_score and result.text_score and result.vector_score != result.text_score
        mean = vector * result.vector_score + text * result.text_score
        assert result.score == pytest.approx(mean)


@shows("query.hybrid.fusion")
async def fusion(bench: Bench) -> None:
    bench.note("memory/a.md", "A lantern hangs by the door of the boat house.")
    assert await bench.score("lantern by the candle", ALONE) < 0.99
    assert await bench.score(
        "lantern by the candle", {**ALONE, "query.hybrid.fusion": "rrf"}
    ) == pytest.approx(1)


@shows("query.hybrid.candidate_multiplier")
async def candidate_multiplier(bench: Bench) -> None:
    for number in range(30):
        bench.note(f"memory/{number}.md", f"Lantern number {number}.")
    offered = []
    for multiplier in (1, 2, 3, 8):
        counter = Counter()
        settings = {"query.hybrid.candidate_multiplier": multiplier, "query.strategy": "keyword", **ALONE}
        async with bench.open(settings) as memory:
            memory.register_postprocessor(counter)
            await memory.search("lantern")
        offered.append(counter.seen)
    assert offered == [6, 12, 18, 30]


class Counter:
    """A processor that counts what it is offered."""

    seen = 0

    def process(self, results: Sequence[Any], query: str, now: dt.date) -> Sequence[Any]:
        del query, now
        self.seen = len(results)
        return results


@shows("query.hybrid.neighbour_weight", "query.hybrid.file_weight")
async def help_from_the_page(bench: Bench) -> None:
    bench.note("memory/a.md", f"# One\n\nA lantern. {'Rope. ' * 8}\n\n# Two\n\nA candle. {'Rope. ' * 8}\n")
    bench.note("memory/b.md", "Nothing of that kind.")
    small = {**ALONE, "chunking.tokens": 24, "chunking.overlap": 0, "query.strategy": "keyword"}
    alone = await bench.score("lantern candle", small)
    assert await bench.score("lantern candle", {**small, "query.hybrid.file_weight": 0.5}) > alone
    assert await bench.score("lantern candle", {**small, "query.hybrid.neighbour_weight": 1}) > alone


@shows("query.mmr.enabled", "query.mmr.lambda_param")
async def mmr(bench: Bench) -> None:
    bench.note("memory/a.md", "The lantern is green and hangs by the door.")
    bench.note("memory/b.md", "The lantern is green and hangs by the door.")
    bench.note("memory/c.md", "Of a lantern the manual of the boat says next to nothing at all.")
    plain = await bench.paths("lantern green", ALONE)
    assert plain.index("memory/c.md") == 2
    diverse = await bench.paths(
        "lantern green", {**ALONE, "query.mmr.enabled": True, "query.mmr.lambda_param": 0.1}
    )
    assert diverse.index("memory/c.md") == 1
    relevant = {**ALONE, "query.mmr.enabled": True, "query.mmr.lambda_param": 1}
    assert await bench.paths("lantern green", relevant) == plain


@shows("query.temporal_decay.enabled", "query.temporal_decay.half_life_days")
async def temporal_decay(bench: Bench) -> None:
    bench.note("memory/2026-03-17.md", "A lantern.")
    young = await bench.score("lantern", {"query.temporal_decay.half_life_days": 4})
    assert await bench.score("lantern", {**DECAY, "query.temporal_decay.half_life_days": 4}) == pytest.approx(
        young / 2
    )
    assert await bench.score("lantern", {**DECAY, "query.temporal_decay.half_life_days": 2}) == pytest.approx(
        young / 4
    )


@shows("query.reranker.model")
async def reranker_model(bench: Bench) -> None:
    bench.monkeypatch.setitem(sys.modules, "fastembed", None)
    bench.note("memory/a.md", "A lantern.")
    assert (await bench.ask("lantern")).warnings == ()
    (warning,) = (await bench.ask("lantern", {"query.reranker.model": "fastembed:some/model"})).warnings
    assert "fastembed:some/model" in warning and 'pip install "memweave-core[fastembed]"' in warning


@shows("query.reranker.candidates", "query.reranker.timeout")
async def reranker_bounds(bench: Bench) -> None:
    for number in range(8):
        bench.note(f"memory/{number}.md", f"Lantern {number}.")
    read = []
    for settings in ({}, {"query.reranker.candidates": 2}):
        reranker = FakeReranker()
        await bench.ask("lantern", settings, reranker=reranker)
        read.append(len(reranker.calls[0].texts))
    assert read == [8, 2]

    async def slow(query: str, texts: Sequence[str]) -> list[float]:
        await asyncio.sleep(0.3)
        return [0.0] * len(texts)

    assert (await bench.ask("lantern", reranker=slow)).warnings == ()
    (warning,) = (await bench.ask("lantern", {"query.reranker.timeout": 0.05}, reranker=slow)).warnings
    assert "query.reranker.timeout" in warning


# --- cache, sync, vector -------------------------------------------------------------------------------


@shows("cache.enabled", "cache.max_entries")
async def cache(bench: Bench) -> None:
    computed: list[int] = []
    for settings in ({}, {"cache.max_entries": 1}, {"cache.enabled": False}):
        files = [bench.note(f"memory/{name}.md", f"Lantern {name}.") for name in "ab"]
        async with bench.open({"db_path": f"{len(computed)}.db", **settings}) as memory:
            await memory.index()
            for file in files:
                file.unlink()
            await memory.index()
            for name in "ab":
                bench.note(f"memory/{name}.md", f"Lantern {name}.")
            computed.append((await memory.index()).embeddings_computed)
    assert computed == [0, 1, 2]


@shows("sync.on_search")
async def on_search(bench: Bench) -> None:
    bench.note("memory/a.md", "A lantern.")
    assert await bench.paths("lantern", {"sync.on_search": False}) == []
    assert await bench.paths("lantern") == ["memory/a.md"]


@shows("sync.embed_on_search")
async def embed_on_search(bench: Bench) -> None:
    for number in range(3):
        bench.note(f"memory/{number}.md", f"Lantern {number}.")
    pending = {}
    for limit in (0, 128):
        settings = {"sync.embed_on_search": limit, "db_path": f"{limit}.db"}
        # Not the bench's embedder: what follows in the background would be done before the answer is.
        pending[limit] = (await bench.ask("lantern", settings, embedder=SlowWithDocuments())).pending
    assert pending == {0: 3, 128: 0}


@shows("sync.interval_minutes")
async def interval_minutes(bench: Bench) -> None:
    assert not await _indexed_unasked(bench, {}, seconds=0.5)
    assert await _indexed_unasked(bench, {"sync.interval_minutes": 0.002}, seconds=15)


@shows("sync.watch", "sync.watch_debounce_ms")
async def watch(bench: Bench) -> None:
    watching = {"sync.watch": True}
    assert not await _indexed_unasked(bench, {**watching, "sync.watch_debounce_ms": 60_000}, seconds=1)
    assert await _indexed_unasked(bench, {**watching, "sync.watch_debounce_ms": 20}, seconds=15)


async def _indexed_unasked(bench: Bench, settings: Settings, *, seconds: float) -> bool:
    """Whether a new file is indexed in that time although nobody asks a question."""
    place = f"{time.monotonic_ns()}.db"
    page = bench.note("memory/a.md", "A lantern.")
    page.unlink()
    async with bench.open({"db_path": place, **settings}) as memory:
        await asyncio.sleep(0.3)
        page.write_text("A lantern.", encoding="utf-8")
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if (await memory.status()).files:
                return True
            await asyncio.sleep(0.05)
    return False


@shows("sync.watch_polling")
async def watch_polling(bench: Bench) -> None:
    if sys.platform != "linux":
        pytest.skip("how a watcher learns of changes can be seen in /proc only")
    opened = []
    for polling in (False, True):
        before = _event_queues()
        async with bench.open({"sync.watch": True, "sync.watch_polling": polling}) as memory:
            await asyncio.sleep(0.5)
            assert (await memory.status()).watcher_active
            opened.append(_event_queues() - before)
    assert opened == [1, 0]


def _event_queues() -> int:
    """How many queues of file events the system keeps for this process."""
    count = 0
    for entry in Path("/proc/self/fd").iterdir():
        try:
            count += "inotify" in os.readlink(entry)  # noqa: PTH115 - no path
        except FileNotFoundError:
            continue  # closed meanwhile
    return count


@shows("vector.engine")
async def vector_engine(bench: Bench) -> None:
    async with bench.open({"vector.engine": "numpy"}) as memory:
        assert (await memory.status()).vector_engine == "numpy"
    asked = bench.open({"vector.engine": "sqlite-vec"})
    if choose().has_extension:
        async with asked as memory:
            assert (await memory.status()).vector_engine == "sqlite-vec"
    else:
        with pytest.raises(ConfigError, match="sqlite-vec"):
            await asked.open()


# --- conversations and facts ---------------------------------------------------------------------------


@shows("llm.model", "llm.api_base", "llm.api_key", "llm.timeout", "llm.temperature", "llm.max_tokens")
async def llm(bench: Bench) -> None:
    asked = bench.provider()
    sent = {"api_base": "http://here", "api_key": "secret", "timeout": 9, "temperature": 0.5, "max_tokens": 7}
    settings = {"llm.model": "some-model", **{f"llm.{name}": value for name, value in sent.items()}}
    async with bench.open() as memory:
        with pytest.raises(ConfigError, match=r"llm\.model"):
            await memory.flush("I bought a lantern.")
    async with bench.open(settings) as memory:
        assert await memory.flush("I bought a lantern.") == "- A lantern."
    assert {name: asked[0][name] for name in ("model", *sent)} == {"model": "some-model", **sent}


@shows("flush.model", "flush.temperature", "flush.max_tokens", "flush.instructions", "flush.enabled")
async def flush(bench: Bench) -> None:
    asked = bench.provider()
    own = {"model": "other", "temperature": 0.1, "max_tokens": 5}
    settings = {"llm.model": "some", **{f"flush.{name}": value for name, value in own.items()}}
    async with bench.open({**settings, "flush.instructions": "Note lanterns only."}) as memory:
        await memory.flush("I bought a lantern.")
    assert {name: asked[0][name] for name in own} == own
    assert asked[0]["messages"][0]["content"] == "Note lanterns only."
    async with bench.open({**settings, "flush.enabled": False}) as memory:
        with pytest.raises(ConfigError, match=r"flush\.enabled"):
            await memory.flush("I bought a lantern.")


@shows("conversation.window")
async def window(bench: Bench) -> None:
    async with bench.open() as memory:
        await memory.record("ana", "s", [Message("user", f"Lantern {number}.") for number in range(30)])
        assert len((await memory.context("ana", "s")).window.messages) == 20
    async with bench.open({"conversation.window": 3}) as memory:
        assert len((await memory.context("ana", "s")).window.messages) == 3


@shows("conversation.summary_after", "conversation.summary_words")
async def summary(bench: Bench) -> None:
    for after, words in ((100_000, 50), (50, 77)):
        model = ScriptedModel(["Lanterns."] * (after < 100))
        settings = {
            "conversation.summary_after": after,
            "conversation.summary_words": words,
            "conversation.window": 2,
        }
        async with bench.open(settings, llm=model) as memory:
            said = [Message("user", f"{after} lantern {number}. " * 9) for number in range(6)]
            await memory.record(None, f"s{after}", said)
            assert await memory.run_jobs()
            assert bool((await memory.chat(f"s{after}").summary()).text) == (after < 100)
        assert all(f"{words} words" in prompt for prompt in model.prompts)


@shows("facts.standing")
async def standing(bench: Bench) -> None:
    shown = {}
    for most in (0, 2):
        async with bench.open({"facts.standing": most, "facts.recall": 1}) as memory:
            for name in ("lantern", "bicycle", "kettle", "anchor"):
                await memory.remember("ana", f"Owns a {name}")
            shown[most] = len((await memory.context("ana", "s", "lantern")).facts)
    assert shown == {0: 1, 2: 3}


@shows("facts.recall", "facts.limit", "facts.duplicate")
async def facts(bench: Bench) -> None:
    texts = ["Likes red lanterns", "Likes lanterns, red ones", "Owns a bicycle", "Sings on Mondays"]
    async with bench.open({"facts.recall": 2}) as memory:
        for text in texts:
            await memory.remember("ana", text, importance=3)
        assert len((await memory.recall("ana", "lanterns")).facts) == 2
        known = len(await memory.facts("ana"))
    async with bench.open({"facts.limit": 1}) as memory:
        await memory.remember("ana", "Has a cat", importance=3)
        assert len(await memory.facts("ana")) < known
    merged = {}
    for threshold in (0.0, 1.0):
        async with bench.open({"facts.duplicate": threshold}) as memory:
            for text in ("I like red lanterns", "The user likes red lanterns"):
                merged[threshold] = (await memory.remember(f"u{threshold}", text)).outcome
    assert merged == {0.0: "merged", 1.0: "stored"}


@shows("facts.extract")
async def extract(bench: Bench) -> None:
    reply = '{"facts": [{"text": "User owns a lantern", "importance": 3, "quote": "I own a lantern"}]}'
    found = []
    for wanted in (True, False):
        model = ScriptedModel([reply] * wanted)
        async with bench.open({"facts.extract": wanted}, llm=model) as memory:
            await memory.record(f"u{wanted}", "s", [Message("user", "I own a lantern and a bicycle.")])
            assert await memory.run_jobs()
            found.append(len(await memory.facts(f"u{wanted}")))
    assert found == [1, 0]


@shows("jobs.background", "jobs.concurrency", "jobs.max_attempts")
async def jobs(bench: Bench) -> None:
    said = [Message("user", "I own a lantern and a bicycle.")]
    async with bench.open({"jobs.background": False}, llm=ScriptedModel([])) as memory:
        await memory.record("ana", "s", said)
        await asyncio.sleep(0.3)
        assert (await memory.status()).jobs.waiting == 2
    running = 0
    most: dict[int, int] = {}

    async def model(prompt: str) -> str:
        nonlocal running
        running += 1
        most[width] = max(most.get(width, 0), running)
        await asyncio.sleep(0.2)
        running -= 1
        return '{"facts": []}'

    for width in (1, 3):
        async with bench.open({"jobs.concurrency": width}, llm=model) as memory:
            for user in ("ben", "eve", "kim"):
                await memory.record(user, f"s{width}", said)
            assert await memory.run_jobs()
    assert most == {1: 1, 3: 3}
    async with bench.open({"jobs.max_attempts": 1}, llm=ScriptedModel([RuntimeError("gone")])) as memory:
        await memory.record("joe", "s", said)
        await memory.run_jobs()
        (parked,) = await memory.jobs(states=["parked"])
        assert "gone" in parked.error


@shows("jobs.lease")
async def lease(bench: Bench) -> None:
    begun = asyncio.Event()

    async def model(prompt: str) -> str:
        begun.set()
        await asyncio.Event().wait()
        return ""

    async with bench.open({"jobs.lease": 7}, llm=model) as memory:
        await memory.record("ana", "s", [Message("user", "I own a lantern and a bicycle.")])
        await asyncio.wait_for(begun.wait(), 10)
        running = await memory.jobs(states=["running"])
        assert {job.ready_at - bench.clock() for job in running} == {dt.timedelta(seconds=7)}


# --- the tests -----------------------------------------------------------------------------------------


def test_every_setting_has_a_row() -> None:
    """The table shows every setting there is, and none that is gone."""
    assert set(ROWS) == set(known_settings())


@pytest.mark.parametrize("row", dict.fromkeys(ROWS.values()), ids=lambda row: row.__name__)
async def test_a_setting_takes_effect(row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a row says of its settings is so."""
    await row(Bench(tmp_path, monkeypatch))
