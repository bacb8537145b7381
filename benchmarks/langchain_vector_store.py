"""LangChain vector stores side by side: `MemWeaveVectorStore` and `InMemoryVectorStore`, as JSON.

    uv run python benchmarks/langchain_vector_store.py --sizes 1000 10000

Texts, embedder and ways of measuring are those of `langgraph_store.py`; each store runs in its own process.
The stores take a filter each in its own form: ours a mapping of conditions, the other a function.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore
from langgraph_store import BATCH, embed, texts
from side_by_side import side_by_side, since, timed


class Cheap(Embeddings):
    """The embedder of the benchmark as LangChain has them."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return embed(texts)

    def embed_query(self, text: str) -> list[float]:
        return embed([text])[0]


def opened(name: str, folder: Path) -> VectorStore:
    """An open store over what lies in `folder`."""
    if name == "memory":
        return InMemoryVectorStore(Cheap())
    from langchain_memweave import MemWeaveVectorStore

    from memweave_core import MemoryConfig
    from memweave_core.blocking import MemWeave

    return MemWeaveVectorStore(MemWeave(MemoryConfig(workspace_dir=str(folder))), embedding=Cheap())


def measured(name: str, count: int) -> dict[str, Any]:
    """All measures of one store at one size."""
    with tempfile.TemporaryDirectory() as temporary:
        store = opened(name, Path(temporary))
        found: dict[str, Any] = {"store": name, "documents": count, **asked(name, store, count)}
        if name != "memory":
            at, began = time.perf_counter(), time.process_time()
            opened(name, Path(temporary)).similarity_search("note 5 alra", k=10)
            found["reopen_and_search"] = since(began, at)
    return found


def asked(name: str, store: VectorStore, count: int) -> dict[str, Any]:
    """Fill the store, then what single calls cost."""
    at, began = time.perf_counter(), time.process_time()
    documents = [
        Document(text, id=f"k{number}", metadata={"importance": number % 5})
        for number, text in enumerate(texts(count))
    ]
    for start in range(0, count, BATCH):
        store.add_documents(documents[start : start + BATCH])
    filled = since(began, at, count)
    wanted: Any = {"importance": {"$gte": 3}}
    if name == "memory":
        wanted = lambda document: document.metadata.get("importance", 0) >= 3  # noqa: E731 - the form it takes
    return {
        "add_per_document": filled,
        "add": timed(lambda n: store.add_documents([Document(f"note p{n} alra", id=f"p{n}")])),
        "get": timed(lambda n: store.get_by_ids([f"k{n}"])),
        "search": timed(lambda n: store.similarity_search(f"note {n} belin", k=10)),
        "search_filtered": timed(lambda n: store.similarity_search(f"note {n} belin", k=10, filter=wanted)),
        "mmr": timed(lambda n: store.max_marginal_relevance_search(f"note {n} belin", k=10, fetch_k=50)),
        "delete": timed(lambda n: store.delete([f"p{n}"])),
    }


if __name__ == "__main__":
    side_by_side(__file__, __doc__, ["memweave", "memory"], measured)
