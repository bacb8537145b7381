"""Jobs that are done are kept for a while and then deleted."""

from __future__ import annotations

from memweave_core import MemoryConfig, MemWeave
from memweave_core.testing import FakeClock, FakeEmbedder


async def test_jobs_that_are_long_done_are_deleted(config: MemoryConfig, clock: FakeClock) -> None:
    """A job that was done more than seven days ago is gone when the process works on jobs again."""
    async with MemWeave(
        config, embedder=FakeEmbedder(), clock=clock, llm=lambda _: '{"facts": []}'
    ) as memory:
        await memory.record("ana", "shed", {"role": "user", "content": "I painted the shed in blue."})
        assert await memory.run_jobs()
        before = await memory.jobs(states=["done"])
        clock.advance(days=3)
        assert await memory.run_jobs() and await memory.jobs(states=["done"]) == before != []
        clock.advance(days=5)
        assert await memory.run_jobs() and await memory.jobs(states=["done"]) == []
