"""Whatever an embedder does, the engine sees vectors, None, or an error of ours, and few calls are wasted."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from memweave_core import _errors as errors
from memweave_core.adapters.embedders.resilience import ResilientEmbedder
from memweave_core.testing import FakeClock, FakeEmbedder
from memweave_core.text.tokens import estimate_tokens
from memweave_core.types import Calibration, EmbedKind, EmbedLimits

TEXTS = [f"note number {i} about topic {i % 5}" for i in range(30)]


class Picky(FakeEmbedder):
    """Refuses batches of more than `items` texts or `tokens` tokens, as providers do."""

    def __init__(self, items: int = 1000, tokens: int = 10**9, message: str = "maximum batch size") -> None:
        super().__init__()
        self.items, self.tokens, self.message = items, tokens, message
        self.refused = 0

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind = "document") -> Any:
        if len(texts) > self.items or sum(map(estimate_tokens, texts)) > self.tokens:
            self.refused += 1
            error = ValueError(self.message)
            error.status_code = 400  # type: ignore[attr-defined]  # as HTTP clients do
            raise error
        return await super().embed(texts, kind=kind)


class Answering(FakeEmbedder):
    """Returns what it is told to, whatever was asked."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answer = answer

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind = "document") -> Any:
        self.calls.append(None)  # type: ignore[arg-type]  # only counted
        return self.answer


def wrapped(embedder: FakeEmbedder, limits: EmbedLimits | None = None) -> tuple[ResilientEmbedder, FakeClock]:
    """The embedder under the wrapper, with a clock that sleeping moves."""
    clock = FakeClock()
    return ResilientEmbedder(embedder, limits, clock=clock.monotonic, sleep=clock.sleep), clock


async def expected(texts: Sequence[str]) -> np.ndarray[Any, Any]:
    """The vectors a healthy embedder gives."""
    return await FakeEmbedder().embed(texts)


async def test_batches_are_bounded_and_order_is_kept() -> None:
    """Requests hold at most so many texts, and vectors come in the order of the texts."""
    fake = FakeEmbedder(limits=EmbedLimits(max_batch_items=7))
    vectors = await wrapped(fake)[0].documents(TEXTS)
    assert [len(call.texts) for call in fake.calls] == [7, 7, 7, 7, 2]
    np.testing.assert_allclose(np.array(vectors), await expected(TEXTS), atol=1e-6)


async def test_blank_texts_are_never_sent() -> None:
    """Blank texts have no vector and cost no call."""
    fake = FakeEmbedder()
    embedder, _ = wrapped(fake)
    assert await embedder.documents(["", " \n"]) == [None, None]
    assert await embedder.query("\t") is None
    assert fake.calls == []
    vectors = await embedder.documents(["", "a word", ""])
    assert [v is None for v in vectors] == [True, False, True]


@pytest.mark.parametrize("limit", [{"items": 10}, {"tokens": 60}, {"items": 1}])
async def test_unknown_batch_limits_are_found(limit: dict[str, int]) -> None:
    """A provider that refuses large batches still gets every text, in order."""
    picky = Picky(**limit)
    vectors = await wrapped(picky)[0].documents(TEXTS)
    np.testing.assert_allclose(np.array(vectors), await expected(TEXTS), atol=1e-6)


async def test_a_batch_limit_is_learned() -> None:
    """Once halving showed how many texts a request may hold, no larger one is sent."""
    picky = Picky(items=10)
    embedder, _ = wrapped(picky, EmbedLimits(max_batch_items=32))
    await embedder.documents(TEXTS)
    before = picky.refused
    await embedder.documents(TEXTS)
    assert picky.refused == before


async def test_one_long_text_does_not_sink_its_neighbours() -> None:
    """Only the text that is too long is cut, which is noted, and the batch size stays."""
    picky = Picky(tokens=400, message="maximum context length is 400 tokens")
    embedder, _ = wrapped(picky)
    long = "数据库" * 400
    vectors = await embedder.documents(["short one", long, "another short one"])
    assert all(vector is not None for vector in vectors)
    assert any("cut" in note and "数据库" in note for note in embedder.notes)
    np.testing.assert_allclose(vectors[2], (await expected(["another short one"]))[0], atol=1e-6)


async def test_a_text_that_is_refused_at_any_length_has_no_vector() -> None:
    """Cutting ends, and the note says that the text has no vector."""
    picky = Picky(tokens=0, message="input is too long")
    embedder, _ = wrapped(picky)
    assert await embedder.documents(["word " * 100]) == [None]
    assert picky.refused <= 8
    assert "no vector" in embedder.notes[-1]


async def test_a_bad_request_about_something_else_is_not_halved() -> None:
    """A refused parameter costs one call, not one for every text."""
    picky = Picky(items=0, message="unknown model")
    with pytest.raises(errors.EmbeddingError, match="unknown model"):
        await wrapped(picky)[0].documents(TEXTS)
    assert picky.refused == 1


async def test_texts_over_the_limit_are_cut_before_they_are_sent() -> None:
    """A known limit per text is kept without a refused call."""
    fake = FakeEmbedder(limits=EmbedLimits(max_text_tokens=50))
    embedder, _ = wrapped(fake)
    await embedder.documents(["word " * 500])
    await embedder.query("word " * 500)
    assert all(estimate_tokens(text) <= 50 for text in fake.texts)
    assert len(embedder.notes) == 1


async def test_a_minute_of_rate_limits_is_waited_out() -> None:
    """Five refusals for speed are waited out, with growing pauses, and the work is finished."""
    fake = FakeEmbedder(failures=[errors.EmbeddingRateLimitError("slow")] * 5)
    embedder, clock = wrapped(fake)
    assert len(await embedder.documents(TEXTS)) == 30
    assert clock.slept == [1, 2, 4, 8, 16]


async def test_the_wait_asked_for_is_kept() -> None:
    """`Retry-After` decides how long to wait."""
    fake = FakeEmbedder(failures=[errors.EmbeddingRateLimitError("slow", retry_after=47)])
    embedder, clock = wrapped(fake)
    await embedder.documents(["one"])
    assert clock.slept == [47]


async def test_waiting_is_bounded_and_progress_is_kept() -> None:
    """A wait that is too long raises, calls stop for that time, and finished batches were handed over."""
    slow = errors.EmbeddingRateLimitError("slow", retry_after=500)
    fake = FakeEmbedder(failures=[None, slow], limits=EmbedLimits(max_batch_items=10))
    embedder, clock = wrapped(fake)
    kept: dict[int, int] = {}
    with pytest.raises(errors.EmbeddingRateLimitError):
        await embedder.documents(TEXTS, on_batch=lambda start, vectors: kept.update({start: len(vectors)}))
    assert (kept, clock.slept) == ({0: 10}, [])
    assert embedder.health().retry_in == 500


async def test_a_short_outage_is_retried() -> None:
    """Two failures of the server cost two pauses and nothing else."""
    fake = FakeEmbedder(failures=[TimeoutError("gone"), ConnectionError("refused")])
    embedder, clock = wrapped(fake)
    assert (await embedder.documents(["one"]))[0] is not None
    assert len(clock.slept) == 2
    assert embedder.health().state == "ok"


async def test_an_outage_costs_few_calls() -> None:
    """With the provider down, thirty texts cost three calls, and the next search none."""
    fake = FakeEmbedder()
    fake.down = ConnectionError("refused")
    embedder, clock = wrapped(fake)
    with pytest.raises(errors.EmbeddingUnavailableError):
        await embedder.documents(TEXTS)
    with pytest.raises(errors.EmbeddingUnavailableError, match="paused"):
        await embedder.query("a question")
    assert len(fake.calls) == 3
    fake.down = None
    clock.advance(31)
    assert await embedder.query("a question") is not None


async def test_a_refused_key_is_not_tried_again() -> None:
    """One refused key is one call; health says why, and one is let through after ten minutes."""
    fake = FakeEmbedder(failures=[errors.EmbeddingAuthError("bad key")])
    embedder, clock = wrapped(fake)
    with pytest.raises(errors.EmbeddingAuthError):
        await embedder.documents(TEXTS)
    with pytest.raises(errors.EmbeddingUnavailableError, match="bad key"):
        await embedder.documents(TEXTS)
    assert len(fake.calls) == 1
    assert embedder.health().state == "open"
    clock.advance(601)
    assert await embedder.query("again") is not None


async def test_a_question_is_asked_once_without_waiting() -> None:
    """A search never sleeps for its embedder."""
    fake = FakeEmbedder(failures=[errors.EmbeddingRateLimitError("slow", retry_after=1)])
    embedder, clock = wrapped(fake)
    with pytest.raises(errors.EmbeddingRateLimitError):
        await embedder.query("a question")
    assert (len(fake.calls), clock.slept) == (1, [])


async def test_a_silent_provider_times_out() -> None:
    """A request that never ends raises within the time-out and says so."""

    class Silent(FakeEmbedder):
        async def embed(self, texts: Sequence[str], *, kind: EmbedKind = "document") -> Any:
            await asyncio.sleep(60)

    embedder = ResilientEmbedder(Silent(), timeout=0.02)
    with pytest.raises(
        errors.EmbeddingUnavailableError, match=r"fake:words:64 did not answer within 0\.02 s"
    ):
        await embedder.query("a question")


@pytest.mark.parametrize(
    "answer", [[], None, [[1.0] * 3], [[1.0] * 64], [[float("nan")] * 64] * 2, "text", [[], []]]
)
async def test_wrong_answers_are_failures(answer: Any) -> None:
    """Too few, too short, empty or endless vectors raise a shape error and count as trouble."""
    embedder, _ = wrapped(Answering(answer))
    with pytest.raises(errors.EmbeddingShapeError):
        await embedder.documents(["one", "two"])
    assert embedder.health().state == "failing"


async def test_a_changed_length_is_refused() -> None:
    """Vectors of another length than the first are not mixed in."""

    class Growing(Answering):
        @property
        def dimensions(self) -> Any:
            return None

    growing = Growing([[1.0, 2.0]])
    embedder, _ = wrapped(growing)
    await embedder.documents(["one"])
    assert embedder.dimensions == 2
    growing.answer = [[1.0, 2.0, 3.0]]
    with pytest.raises(errors.EmbeddingShapeError, match="length 3; expected 2"):
        await embedder.documents(["one"])


@pytest.mark.parametrize("error", [ValueError("odd"), KeyError("x"), AssertionError(), RuntimeError("loop")])
async def test_foreign_exceptions_do_not_get_through(error: Exception) -> None:
    """Anything an embedder raises arrives as an embedding error that names it."""
    embedder, _ = wrapped(FakeEmbedder(failures=[error]))
    with pytest.raises(errors.EmbeddingError, match="fake:words:64"):
        await embedder.query("a question")


async def test_cancelling_is_not_a_failure() -> None:
    """A cancelled call stays cancelled and leaves the provider's record clean."""

    class Slow(FakeEmbedder):
        async def embed(self, texts: Sequence[str], *, kind: EmbedKind = "document") -> Any:
            await asyncio.sleep(60)

    embedder = ResilientEmbedder(Slow())
    task = asyncio.ensure_future(embedder.documents(["one"]))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert embedder.health().state == "ok"


def test_health_identity_and_scale_cost_no_call() -> None:
    """What status shows is known without asking the provider."""
    fake = FakeEmbedder(calibration=Calibration(0.1, 0.6, 0.9))
    embedder, _ = wrapped(fake)
    assert (embedder.identity, embedder.dimensions) == ("fake:words:64", 64)
    assert (embedder.calibration.low, embedder.health().state) == (0.1, "ok")
    assert fake.calls == []


def test_several_threads_and_loops_share_one_embedder() -> None:
    """The wrapper holds nothing that belongs to one event loop."""
    embedder = ResilientEmbedder(FakeEmbedder())
    found: list[int] = []

    def run() -> None:
        found.append(len(asyncio.run(embedder.documents(TEXTS))))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [30] * 4
