"""Embedding objects of other libraries work as they are."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from memweave_core._errors import ConfigError
from memweave_core.adapters.embedders.duck import identity_of, wrap
from memweave_core.testing import FakeEmbedder


class LangChainLike:
    """Sync methods, as LangChain's embeddings have them."""

    def __init__(self, model: str = "m", **settings: Any) -> None:
        self.model = model
        self.threads: set[int] = set()
        vars(self).update(settings)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.threads.add(threading.get_ident())
        return [[float(len(text)), 1.0] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        self.threads.add(threading.get_ident())
        return [float(len(text)), 2.0]


class WithRealAsync(LangChainLike):
    """Async methods that wait for something."""

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        await asyncio.sleep(0)
        return [[7.0, 7.0] for _ in texts]

    async def aembed_query(self, text: str) -> list[float]:
        await asyncio.sleep(0)
        return [8.0, 8.0]


class WithFalseAsync(LangChainLike):
    """Async methods that only call the sync ones, and would hold up the loop."""

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        return self.embed_documents(texts)

    async def aembed_query(self, text: str) -> list[float]:
        return self.embed_query(text)


class LlamaLike:
    """The methods of LlamaIndex's embeddings, the async ones over hooks that do not wait."""

    model_name = "llama"

    def get_text_embedding_batch(self, texts: list[str]) -> list[list[float]]:
        return [[float(len(text)), 1.0] for text in texts]

    def get_query_embedding(self, query: str) -> list[float]:
        return [float(len(query)), 2.0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self.get_query_embedding(query)

    async def aget_query_embedding(self, query: str) -> list[float]:
        raise AssertionError("not taken: its hook does not wait")


class Provider:
    """Async `embed_batch` and `embed_query`, and nothing else."""

    model = "p"

    async def embed_batch(self, texts: list[str]) -> list[list[float]]:
        return [[1.0, float(len(text))] for text in texts]

    async def embed_query(self, text: str) -> list[float]:
        return [2.0, float(len(text))]


async def both(obj: object) -> tuple[Any, Any]:
    """Vectors of a document and of a question, three and two letters long."""
    embedder = wrap(obj)
    return (await embedder.embed(["abc"]))[0], (await embedder.embed(["ab"], kind="query"))[0]


def test_our_own_protocol_is_taken_as_it_is() -> None:
    """An embedder needs no wrapping."""
    fake = FakeEmbedder()
    assert wrap(fake) is fake


@pytest.mark.parametrize(
    ("obj", "document", "question"),
    [
        (LangChainLike(), [3.0, 1.0], [2.0, 2.0]),
        (WithRealAsync(), [7.0, 7.0], [8.0, 8.0]),
        (WithFalseAsync(), [3.0, 1.0], [2.0, 2.0]),
        (LlamaLike(), [3.0, 1.0], [2.0, 2.0]),
        (Provider(), [1.0, 3.0], [2.0, 2.0]),
    ],
)
async def test_each_family_of_methods_is_understood(
    obj: object, document: list[float], question: list[float]
) -> None:
    """Documents and questions go to the methods meant for them; real async ones are preferred."""
    assert await both(obj) == (document, question)


@pytest.mark.parametrize("cls", [LangChainLike, WithFalseAsync])
async def test_sync_work_is_done_in_a_thread(cls: type[LangChainLike]) -> None:
    """What would block the event loop does not run on it."""
    obj = cls()
    await both(obj)
    assert threading.get_ident() not in obj.threads


async def test_langchain_objects_work() -> None:
    """A real LangChain embeddings object is taken."""
    fakes = pytest.importorskip("langchain_core.embeddings")
    embedder = wrap(fakes.DeterministicFakeEmbedding(size=16))
    assert [len(vector) for vector in await embedder.embed(["a", "b"])] == [16, 16]
    assert embedder.identity.endswith("DeterministicFakeEmbedding:default:16")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (LangChainLike("a"), LangChainLike("b")),
        (LangChainLike("a"), WithRealAsync("a")),
        (LangChainLike("a"), LangChainLike("a", dimensions=256)),
        (LangChainLike("a"), LangChainLike("a", query_instruction="query: ")),
        (LangChainLike("a", normalize=True), LangChainLike("a", normalize=False)),
        (LangChainLike("", embeddings=LangChainLike("a")), LangChainLike("", embeddings=LangChainLike("b"))),
    ],
)
def test_what_changes_vectors_changes_the_identity(one: object, other: object) -> None:
    """Class, model, length, prefixes and a wrapped model each make another vector space."""
    assert identity_of(one) != identity_of(other)


def test_what_does_not_change_vectors_does_not_change_the_identity() -> None:
    """Another address, key or number of retries is the same vector space."""
    plain = identity_of(LangChainLike("a"))
    assert identity_of(LangChainLike("a", base_url="http://x", api_key="k", max_retries=9)) == plain


def test_an_identity_can_be_given() -> None:
    """A name of one's own replaces the one that was guessed."""
    assert wrap(LangChainLike(), identity="mine").identity == "mine"
    assert wrap(FakeEmbedder(), identity="mine").identity == "mine"


def test_properties_that_fail_are_passed_over() -> None:
    """An object whose attributes raise still gets a name."""

    class Fragile(LangChainLike):
        @property
        def model_name(self) -> str:
            raise RuntimeError("not connected")

    assert "Fragile" in identity_of(Fragile(""))


@pytest.mark.parametrize("obj", [object(), 3, FakeEmbedder, lambda texts: texts])
def test_anything_else_is_refused(obj: object) -> None:
    """A class, a function or a number is a configuration error that says what is needed."""
    with pytest.raises(ConfigError, match="embed"):
        wrap(obj)


async def test_a_given_identity_keeps_questions_and_documents_apart() -> None:
    """Renaming an embedder does not lose the kind of a request."""
    fake = FakeEmbedder()
    renamed = wrap(fake, identity="mine")
    await renamed.embed(["a"], kind="query")
    await renamed.embed(["b"])
    kinds: Sequence[str] = [call.kind for call in fake.calls]
    assert list(kinds) == ["query", "document"]
