"""Rerankers by name, as objects and as functions, and the check on what they answer."""

from __future__ import annotations

import asyncio
import math
import sys
import threading
from collections.abc import Iterator
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core import ConfigError, RerankConfig, RerankerError, RerankerMissingError
from memweave_core.adapters.rerankers.checked import CheckedReranker
from memweave_core.adapters.rerankers.fastembed import FastEmbedReranker
from memweave_core.adapters.rerankers.resolve import resolve
from memweave_core.ports import Reranker
from memweave_core.testing import FakeClock, FakeReranker, RerankCall, RerankerContract


class TestFakeReranker(RerankerContract):
    """The fake reranker keeps the contract of a reranker."""

    def make(self) -> Reranker:
        return FakeReranker()


class TestFastEmbed(RerankerContract):
    """All of the fastembed reranker but the model itself keeps the contract of a reranker."""

    @pytest.fixture(autouse=True)
    def _installed(self, fastembed: Any) -> None:
        pass

    def make(self) -> Reranker:
        return FastEmbedReranker("some/model")


async def _scores(reranker: Any, texts: list[str], **more: Any) -> list[float]:
    found = resolve(RerankConfig(**more), reranker)
    assert found is not None
    return await found.rerank("q", texts)


async def test_fastembed_loads_once_and_off_the_loop(fastembed: Any) -> None:
    """The model is loaded at the first call, once, and long lists come back whole and in order."""
    reranker = FastEmbedReranker("some/model")
    assert fastembed.loaded == []
    texts = [" ".join(["word"] * count) for count in range(1, 30)]
    assert await reranker.rerank("q", texts) == pytest.approx([-0.1 * count for count in range(1, 30)])
    assert (await reranker.rerank("q", []), fastembed.loaded) == ([], ["some/model"])


async def test_a_missing_package_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its package the reranker names the pip command, at the first call and not before."""
    monkeypatch.setitem(sys.modules, "fastembed", None)
    reranker = FastEmbedReranker("any")
    with pytest.raises(RerankerMissingError, match=r'pip install "memweave-core\[fastembed\]"'):
        await reranker.rerank("q", ["one"])


async def test_an_unknown_model_is_an_error_that_names_it(fastembed: Any) -> None:
    """What the library says of a model that it does not have is passed on."""
    with pytest.raises(RerankerError, match=r"fastembed:other failed: ValueError: Model other is not supp"):
        await _scores("fastembed:other", ["one"])


async def test_a_slow_download_leaves_the_thread_of_the_models_free(fastembed: Any) -> None:
    """While a model is loaded, questions can be embedded."""
    from memweave_core.model_threads import compute

    go_on, began = threading.Event(), threading.Event()

    def slow(self: Any, model_name: str) -> None:
        began.set()
        go_on.wait(30)

    fastembed.__init__ = slow
    loading = asyncio.create_task(FastEmbedReranker("some/model").rerank("q", ["one two"]))
    while not began.is_set():
        await asyncio.sleep(0.005)
    assert await asyncio.wait_for(compute(lambda: 7), 10) == 7
    go_on.set()
    assert len(await loading) == 1


@pytest.mark.parametrize(
    "name", ["fastembedd:x", "fastembed", "cohere:rerank", "", "fastembed:", "fastembed: "]
)
def test_other_names_are_refused(name: str) -> None:
    """A name that is no reranker is a configuration error, when the memory opens and not later."""
    with pytest.raises(ConfigError, match="reranker"):
        resolve(RerankConfig(model=name))


def test_names_and_objects_resolve_without_loading() -> None:
    """The argument goes before the setting, and neither means that there is no reranker."""
    assert resolve(RerankConfig()) is None
    config = RerankConfig(model="fastembed:a")
    named, given = resolve(config), resolve(config, "fastembed:b")
    assert named is not None and given is not None
    assert (named.identity, given.identity) == ("fastembed:a", "fastembed:b")
    assert resolve(config, named) is named


@pytest.mark.parametrize("wrong", [42, object(), FakeReranker, ["a"]])
def test_what_is_no_reranker_is_refused(wrong: object) -> None:
    """An object without the method, and a class in place of an object, are refused in words."""
    with pytest.raises(ConfigError, match="rerank"):
        resolve(RerankConfig(), wrong)


class Sync:
    """An object of another library, without an identity."""

    def rerank(self, query: str, texts: list[str]) -> Iterator[float]:
        assert threading.current_thread() is not threading.main_thread()
        return (float(len(text)) for text in texts)


class AsyncCall:
    """An object that is called and awaited."""

    async def __call__(self, query: str, texts: list[str]) -> list[int]:
        return [len(text) for text in texts]


def lengths(query: str, texts: list[str], factor: int = 1) -> Any:
    """A plain function, which must not run on the loop."""
    assert threading.current_thread() is not threading.main_thread()
    return np.array([factor * len(text) for text in texts], dtype=np.float32)


@pytest.mark.parametrize(
    ("obj", "identity"),
    [
        (Sync(), "Sync"),
        (AsyncCall(), "AsyncCall"),
        (AsyncCall().__call__, "AsyncCall.__call__"),
        (lengths, "lengths"),
        (partial(lengths, factor=1), "partial"),
        (lambda query, texts: AsyncCall()(query, texts), "<lambda>"),
    ],
)
async def test_functions_and_foreign_objects_are_taken(obj: Any, identity: str) -> None:
    """What is async is awaited, everything else runs in a thread, and each has a name."""
    found = resolve(RerankConfig(), obj)
    assert found is not None and found.identity.endswith(identity)
    assert await found.rerank("q", ["one", "seven"]) == [3.0, 5.0]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ([1.0], "1 numbers for 2 texts"),
        ([], "0 numbers"),
        (repeat(1.0), "more than 2"),
        ([1.0, math.nan], "not finite"),
        ([math.inf, 1], "not finite"),
        (["1", "2"], "text in place"),
        ("12", "a str"),
        ({1.0, 2.0}, "a set"),
        ({"one": 1.0, "two": 2.0}, "a dict"),
        (None, "failed: TypeError"),
        ([1.0, None], "failed: TypeError"),
        (7, "failed: TypeError"),
        ([1.0, 10**400], "failed: OverflowError"),
    ],
)
async def test_answers_that_are_no_ranking_are_refused(answer: Any, said: str) -> None:
    """Anything but one finite number per text is an error that names the reranker."""

    async def wrong(query: str, texts: list[str]) -> Any:
        return answer

    with pytest.raises(RerankerError, match=rf"wrong .*{said}"):
        await _scores(wrong, ["one", "two"])


async def test_errors_do_not_show_keys() -> None:
    """What a client says is shortened and without what looks like a key."""

    def failing(query: str, texts: list[str]) -> list[float]:
        raise PermissionError("api_key=abcdef1234567890 is not valid " + "x" * 1000)

    with pytest.raises(RerankerError) as caught:
        await _scores(failing, ["one"])
    assert "abcdef" not in str(caught.value) and len(str(caught.value)) < 500


async def test_a_function_that_hangs_is_given_up() -> None:
    """After the time-out the answer is an error, and the next call is tried."""
    go_on = threading.Event()

    def hanging(query: str, texts: list[str]) -> list[float]:
        go_on.wait(30)
        return [1.0] * len(texts)

    reranker = resolve(RerankConfig(timeout=0.05), hanging)
    assert isinstance(reranker, CheckedReranker)
    with pytest.raises(RerankerError, match=r"within 0\.05 seconds"):
        await reranker.rerank("q", ["one"])
    go_on.set()
    assert await _scores(hanging, ["one"], timeout=20) == [1.0]


async def test_one_that_was_too_slow_rests() -> None:
    """After a time-out it is not asked for a minute, so that not every search waits, and then again."""
    clock = FakeClock()

    class SlowOnce(FakeReranker):
        async def rerank(self, query: str, texts: Any) -> list[float]:
            if not self.calls:
                self.calls.append(RerankCall(query, tuple(texts)))
                await asyncio.sleep(60)
            return await super().rerank(query, texts)

    slow = SlowOnce()
    reranker = CheckedReranker(slow, 0.05, clock.monotonic)
    for said in ("within 0.05 seconds", "asked again in 60 seconds"):
        with pytest.raises(RerankerError, match=said):
            await reranker.rerank("q", ["one"])
    assert len(slow.calls) == 1
    clock.advance(60)
    assert await reranker.rerank("one", ["one"]) == [1.0]


async def test_a_time_out_of_its_own_is_not_ours() -> None:
    """A reranker that raises TimeoutError failed, and our setting is not blamed for it."""

    async def failing(query: str, texts: list[str]) -> list[float]:
        raise TimeoutError("the server is slow")

    with pytest.raises(RerankerError, match="failed: TimeoutError: the server is slow"):
        await _scores(failing, ["one"])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=8))
def test_finite_numbers_come_through_unchanged(numbers: list[float]) -> None:
    """A right answer of any scale is what the engine gets."""

    async def fixed(query: str, texts: list[str]) -> list[float]:
        return numbers

    assert asyncio.run(_scores(fixed, ["text"] * len(numbers))) == numbers


@pytest.mark.parametrize("wrong", [{"candidates": 0}, {"timeout": 0}, {"timeout": "x"}, {"model": 3}])
def test_settings_are_checked(wrong: Any) -> None:
    """A value that cannot be is refused with the name of the setting."""
    with pytest.raises(ConfigError, match=f"query.reranker.{next(iter(wrong))}"):
        RerankConfig(**wrong)
