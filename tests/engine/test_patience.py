"""Nothing a caller waits for waits for all of an embedder or of other indexing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from memweave_core import EmbeddingRateLimitError, EmbeddingUnavailableError, MemoryConfig, MemWeave
from memweave_core.testing import FakeEmbedder
from memweave_core.types import EmbedLimits

from .conftest import WriteNote


class Slow(FakeEmbedder):
    """Takes `delay` seconds a call for documents, none for questions."""

    def __init__(self, delay: float) -> None:
        super().__init__(limits=EmbedLimits(max_batch_items=8))
        self.delay = delay

    async def embed(self, texts: Sequence[str], *, kind: str = "document") -> object:  # type: ignore[override]
        if kind == "document":
            await asyncio.sleep(self.delay)
        return await super().embed(texts, kind=kind)  # type: ignore[arg-type]


def many(note: WriteNote, count: int) -> None:
    for number in range(count):
        note(f"memory/{number}.md", f"Matter {number} of the harbour.")


async def test_a_search_does_not_wait_for_all_vectors(config: MemoryConfig, note: WriteNote) -> None:
    """With a slow embedder and much to embed, searches answer from words while vectors follow."""
    many(note, 300)
    settings = MemoryConfig.from_dict({"workspace_dir": config.workspace_dir, "sync": {"embed_on_search": 8}})
    async with MemWeave(settings, embedder=Slow(0.3)) as memory:
        began = time.monotonic()
        first = await memory.search("matter 7 of the harbour")
        second = await memory.search("matter 8 of the harbour")
        assert first[0].path == "memory/7.md"
        assert second.pending > 200
        assert time.monotonic() - began < 6
        assert (await memory.search("matter 9", strategy="keyword"))[0].path == "memory/9.md"


async def test_vectors_follow_in_the_background(config: MemoryConfig, note: WriteNote) -> None:
    """What a search did not wait for is embedded afterwards without being asked."""
    many(note, 40)
    settings = MemoryConfig.from_dict({"workspace_dir": config.workspace_dir, "sync": {"embed_on_search": 0}})
    async with MemWeave(settings, embedder=FakeEmbedder()) as memory:
        await memory.search("harbour")
        limit = time.monotonic() + 20
        while (await memory.status()).pending:
            assert time.monotonic() < limit
            await asyncio.sleep(0.02)


class FailsLater(FakeEmbedder):
    """Answers three calls and then no more."""

    def __init__(self) -> None:
        super().__init__(limits=EmbedLimits(max_batch_items=8))
        self.answered = 0

    async def embed(self, texts: Sequence[str], *, kind: str = "document") -> object:  # type: ignore[override]
        self.answered += 1
        if self.answered > 3:
            raise EmbeddingRateLimitError("slow down", retry_after=10_000)
        return await super().embed(texts, kind=kind)  # type: ignore[arg-type]


async def test_what_was_paid_for_is_kept(config: MemoryConfig, note: WriteNote) -> None:
    """Vectors of the requests that were answered are stored when a later one fails."""
    many(note, 40)
    async with MemWeave(config, embedder=FailsLater()) as memory:
        result = await memory.index()
        assert (result.embeddings_computed, result.embeddings_pending) == (24, 16)
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        assert (await memory.index()).embeddings_computed == 16


async def test_a_write_does_not_wait_for_other_indexing(config: MemoryConfig, note: WriteNote) -> None:
    """A page written while everything is indexed anew is on disk at once and found afterwards."""
    many(note, 1_500)
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        running = asyncio.create_task(memory.index(force=True))
        await asyncio.sleep(0.05)
        began = time.monotonic()
        await memory.write("late.md", "The pelican landed.")
        assert time.monotonic() - began < 5
        await running
        assert (await memory.search("pelican"))[0].path == "memory/late.md"


class Resized(FakeEmbedder):
    """The same name, suddenly with vectors of another length."""

    @property
    def identity(self) -> str:
        return "resized"


async def test_a_vector_of_another_length_is_no_error(config: MemoryConfig, note: WriteNote) -> None:
    """A model that changed its dimensions under its name costs the vector leg, and says so."""
    note("memory/a.md", "The valve opens at 4 bar.")
    async with MemWeave(config, embedder=Resized(dimensions=32)) as memory:
        await memory.index()
    async with MemWeave(config, embedder=Resized(dimensions=48)) as memory:
        results = await memory.search("which valve opens?")
        assert results[0].path == "memory/a.md"
        assert "dimensions" in (results.degraded or "")


async def test_one_outage_is_not_paid_by_every_search(config: MemoryConfig, note: WriteNote) -> None:
    """While a provider is down, searches do not call it again and again."""
    note("memory/a.md", "The valve opens at 4 bar.")
    embedder = FakeEmbedder(failures=[EmbeddingUnavailableError("down")] * 50)
    async with MemWeave(config, embedder=embedder) as memory:
        for _ in range(6):
            await memory.search("valve")
    assert len(embedder.calls) <= 8


class CancelsItself(FakeEmbedder):
    """Raises what a cancelled task raises, though nobody cancelled."""

    async def embed(self, texts: Sequence[str], *, kind: str = "document") -> object:  # type: ignore[override]
        raise asyncio.CancelledError


async def test_an_embedder_cannot_cancel_its_host(config: MemoryConfig, note: WriteNote) -> None:
    """A cancellation that nobody asked for is an embedder's failure like any other."""
    note("memory/a.md", "The valve opens at 4 bar.")
    async with MemWeave(config, embedder=CancelsItself()) as memory:
        results = await memory.search("valve")
        assert (results[0].path, results.degraded is None) == ("memory/a.md", False)


async def test_a_cancelled_index_keeps_what_was_paid_for(config: MemoryConfig, note: WriteNote) -> None:
    """Cancelling an index run again and again still gets ahead, and embeds nothing twice."""
    many(note, 24)
    embedder = Slow(0.15)
    async with MemWeave(config, embedder=embedder) as memory:
        for _ in range(6):
            try:
                await asyncio.wait_for(memory.index(), 0.4)
            except TimeoutError:
                continue
        await memory.index()
    documents = [text for text in embedder.texts if "Matter" in text]
    assert len(set(documents)) == 24
    assert len(documents) <= 24 + 6 * 8


def test_a_resting_loop_does_not_hold_the_turn(config: MemoryConfig, note: WriteNote) -> None:
    """Work begun on a loop that nobody runs any more is taken over by the next."""
    many(note, 40)
    memory = MemWeave(config, embedder=Slow(0.3))
    resting = asyncio.new_event_loop()
    resting.run_until_complete(asyncio.wait_for(memory.search("harbour", strategy="vector"), 30))
    task = resting.create_task(memory.index())
    resting.run_until_complete(asyncio.sleep(0.1))
    assert asyncio.run(asyncio.wait_for(memory.index(), 40)).embeddings_pending == 0
    task.cancel()
    resting.run_until_complete(asyncio.wait([task]))
    resting.run_until_complete(memory.close())
    resting.close()
