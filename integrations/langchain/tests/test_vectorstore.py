"""Documents are pages that a person may edit, found by meaning, narrowed by metadata, scored from 0 to 1."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_memweave import MemWeaveEmbeddings, MemWeaveVectorStore

from memweave_core import MemWeaveError, UsageError


class Axes(Embeddings):
    """Each known word is a direction of its own; "near" words lie between two."""

    words: ClassVar = {
        "a": [1.0, 0, 0],
        "a'": [0.99, 0.14, 0],
        "b": [0.7, 0.7, 0],
        "c": [0.5, 0, 0.87],
        "-a": [-1.0, 0, 0],
    }

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.words[text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.words[text]


@pytest.fixture
def store(memory: Any) -> MemWeaveVectorStore:
    """Three documents about tea."""
    made = MemWeaveVectorStore(memory, collection="tea")
    made.add_documents(
        [
            Document(id="green", page_content="Green tea grows in the hills", metadata={"year": 2020}),
            Document(id="black", page_content="Black tea is strong", metadata={"year": 2024, "a.b": "x"}),
            Document(id="white", page_content="White tea is mild"),
        ]
    )
    return made


def ids(documents: list[Document]) -> list[str | None]:
    """The ids of documents."""
    return [document.id for document in documents]


def test_a_document_is_a_page(store: Any, tmp_path: Path, memory: Any) -> None:
    """What a person changes in the page is what the store gives, and what a search finds."""
    page = tmp_path / "memory/documents/tea/green.md"
    page.write_text(page.read_text(encoding="utf-8").replace("hills", "valley"), encoding="utf-8")
    assert store.get_by_ids(["green"])[0].page_content == "Green tea grows in the valley"
    assert ids(store.similarity_search("valley", k=1)) == ["green"]
    assert "documents/tea/green.md" in memory.search("green tea valley")[0].path


def test_metadata_narrows_before_the_best(store: Any) -> None:
    """Comparisons, groups and keys with dots pick documents by their metadata."""
    for condition, expected in (
        ({"year": {"$gte": 2021}}, {"black"}),
        ({"$or": [{"year": 2020}, {"a.b": "x"}]}, {"green", "black"}),
        ({"year": {"$exists": False}}, {"white"}),
        ({"$not": {"year": 2020}}, {"black", "white"}),
    ):
        assert set(ids(store.similarity_search("tea", filter=condition))) == expected
    with pytest.raises(UsageError, match="where"):
        store.similarity_search("tea", where={"year": 2020})


@pytest.mark.parametrize(
    "factor,expected", [(1.0, ["a", "a'", "b"]), (0.0, ["a", "c", "b"]), (0.3, ["a", "c"])]
)
def test_marginal_relevance(memory: Any, factor: float, expected: list[str]) -> None:
    """With 1 only nearness counts, with 0 only difference, and a near copy is not taken again."""
    store = MemWeaveVectorStore(memory, embedding=Axes())
    store.add_texts(["a", "a'", "b", "c"], ids=["a", "a'", "b", "c"])
    found = store.max_marginal_relevance_search("a", k=len(expected), lambda_mult=factor)
    assert ids(found) == expected


def test_relevance_is_between_0_and_1(memory: Any) -> None:
    """The opposite of a question has relevance 0, the same 1, and the threshold itself is let through."""
    store = MemWeaveVectorStore(memory, embedding=Axes())
    store.add_texts(["a", "b", "-a"], ids=["a", "b", "-a"])
    scores = {one.id: score for one, score in store.similarity_search_with_relevance_scores("a")}
    assert scores["a"] == pytest.approx(1)
    assert scores["-a"] == 0
    strict = store.as_retriever(
        search_type="similarity_score_threshold", search_kwargs={"score_threshold": scores["b"]}
    )
    assert ids(strict.invoke("a")) == ["a", "b"]


def test_vectors_of_others_have_a_space_of_their_own(memory: Any) -> None:
    """Two collections with different embeddings are never compared with each other's vectors."""
    ours = MemWeaveVectorStore(memory, collection="ours")
    theirs = MemWeaveVectorStore(memory, collection="theirs", embedding=DeterministicFakeEmbedding(size=7))
    ours.add_texts(["green tea"], ids=["x"])
    theirs.add_texts(["green tea"], ids=["x"])
    assert ids(ours.similarity_search("green tea")) == ids(theirs.similarity_search("green tea")) == ["x"]
    assert isinstance(ours.embeddings, MemWeaveEmbeddings)
    assert len(theirs.embeddings.embed_query("tea")) == 7
    with pytest.raises(MemWeaveError, match=r"64|7"):
        theirs.similarity_search_by_vector([0.1] * 64)


def test_collections_are_apart(store: Any, memory: Any) -> None:
    """A collection neither finds nor deletes what is in another, whatever it is called."""
    other = MemWeaveVectorStore(memory, collection="tea/2 & more")
    other.add_texts(["Green tea"], ids=["green"])
    other.delete()
    assert other.similarity_search("tea") == []
    assert len(store.similarity_search("tea")) == 3


async def test_by_vector_with_and_without_await(store: Any) -> None:
    """A vector of the same embeddings finds the same as the question it is made of."""
    vector = store.embeddings.embed_query("strong black tea")
    assert ids(store.similarity_search_by_vector(vector, k=1)) == ["black"]
    assert ids(await store.asimilarity_search_by_vector(vector, k=1)) == ["black"]
    assert ids(await store.amax_marginal_relevance_search("strong black tea", k=1)) == ["black"]


async def test_made_of_texts(memory: Any) -> None:
    """Stores are made of texts and of documents, awaited or not."""
    made = MemWeaveVectorStore.from_texts(["Green tea"], memory=memory, ids=["g"], collection="a")
    assert ids(made.similarity_search("tea")) == ["g"]
    again = await MemWeaveVectorStore.afrom_texts(["Green tea"], None, memory=memory, collection="b")
    assert len(await again.asimilarity_search("tea")) == 1
    docs = [Document(page_content="Green tea", id="d")]
    more = MemWeaveVectorStore.from_documents(docs, MemWeaveEmbeddings(memory), memory=memory, collection="c")
    assert ids(more.similarity_search("tea")) == ["d"]


def test_what_does_not_fit_is_refused(memory: Any) -> None:
    """Lists of different lengths and metadata that is no JSON are refused, and nothing is written."""
    store = MemWeaveVectorStore(memory)
    with pytest.raises(UsageError, match="2 texts"):
        store.add_texts(["a", "b"], ids=["x"])
    with pytest.raises(UsageError, match="mapping"):
        store.similarity_search("x", filter=lambda document: True)  # type: ignore[arg-type]  # as elsewhere
    with pytest.raises(UsageError, match="metadata"):
        store.add_texts(["a", "b"], [{}, {"when": object()}])
    assert store.similarity_search("a") == []


def test_eight_threads_two_loops(store: Any) -> None:
    """Eight threads write and search at once, and an object moves from one loop to another."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: store.add_texts([f"Tea number {n}"], ids=[f"n{n}"]), range(16)))
        found = list(pool.map(lambda n: store.get_by_ids([f"n{n}"])[0].page_content, range(16)))
    assert found == [f"Tea number {n}" for n in range(16)]
    for _ in range(2):
        assert ids(asyncio.run(store.asimilarity_search("strong black", k=1))) == ["black"]
