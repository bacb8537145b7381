"""The stand-ins that we ship behave as they say."""

from __future__ import annotations

import datetime as dt

import pytest

from memweave_core.ports import Embedder
from memweave_core.testing import EmbedderContract, FakeClock, FakeEmbedder, ScriptedModel


class TestFakeEmbedder(EmbedderContract):
    """The fake embedder keeps the contract of an embedder."""

    def make(self) -> Embedder:
        return FakeEmbedder()


async def test_shared_words_bring_texts_together() -> None:
    """Texts with words in common are nearer than texts without."""
    vectors = await FakeEmbedder(256).embed(["red apple pie", "Apple pie recipe", "quarterly tax report"])
    assert vectors[0] @ vectors[1] > 0.4 > abs(vectors[0] @ vectors[2])


async def test_failures_are_raised_in_order_and_calls_are_logged() -> None:
    """Scripted failures come one per call; `down` lasts until it is lifted."""
    fake = FakeEmbedder(failures=[None, ValueError("second")])
    await fake.embed(["a"])
    with pytest.raises(ValueError, match="second"):
        await fake.embed(["b"], kind="query")
    fake.down = OSError("gone")
    with pytest.raises(OSError, match="gone"):
        await fake.embed(["c"])
    assert (fake.texts, fake.calls[1].kind) == (["a", "b", "c"], "query")


async def test_the_clock_moves_only_when_told() -> None:
    """Sleeping and advancing move both faces of the clock together."""
    clock = FakeClock(dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
    await clock.sleep(30)
    clock.advance(days=1)
    assert clock() == dt.datetime(2026, 1, 2, 0, 0, 30, tzinfo=dt.UTC)
    assert (clock.monotonic(), clock.slept) == (86_430, [30])


async def test_the_model_replies_as_scripted() -> None:
    """Replies and failures come in order, prompts are kept, and one question too many is an error."""
    model = ScriptedModel(["first", ValueError("second")])
    assert await model("one") == "first"
    with pytest.raises(ValueError, match="second"):
        await model("two")
    with pytest.raises(AssertionError, match="more often"):
        await model("three")
    assert model.prompts == ["one", "two", "three"]
