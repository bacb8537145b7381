"""Vector stores of LlamaIndex side by side: ours, `SimpleVectorStore` and Chroma, CPU per call, as JSON.

    python benchmarks/llama_index_store.py --sizes 1000 10000 50000 --stores memweave simple chroma

Each pair of store and size runs in a process of its own, and all are given the same nodes of forty words
with vectors of 384 numbers. CPU is that of the process, in milliseconds, threads included; wall time depends
on what else the machine does. A filter is another one at every call. What a store cannot do is null. Chroma
runs where ``llama-index-vector-stores-chroma`` is installed.
"""

from __future__ import annotations

import random
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores import SimpleVectorStore
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)
from side_by_side import side_by_side, since, timed

DIMS = 384
BATCH = 500
ROUNDS = 10
K = 5
_SYLLABLES = ("ba", "lin", "mot", "sel", "tur", "vek", "do", "ran", "pis", "gul", "fe", "han")
_WORDS = [f"{a}{b}{c}" for a in _SYLLABLES for b in _SYLLABLES for c in _SYLLABLES]
_CHANCE = random.Random(11)
_VECTORS = np.random.default_rng(7)


def nodes(count: int, first: int = 0) -> list[TextNode]:
    """Nodes of forty words, ten to a document, with three fields of metadata."""
    vectors = _VECTORS.standard_normal((count, DIMS)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return [
        TextNode(
            id_=f"n{number}",
            text=" ".join(_CHANCE.choices(_WORDS, k=40)),
            embedding=vector.tolist(),
            metadata={"user": f"u{number % 10}", "year": 2000 + number % 25, "kind": "abcdef"[number % 6]},
            relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=f"d{number // 10}")},
        )
        for number, vector in enumerate(vectors, first)
    ]


def opened(name: str, folder: Path) -> BasePydanticVectorStore:
    """A store over what lies in `folder`."""
    if name == "simple":
        path = folder / "simple.json"
        return SimpleVectorStore.from_persist_path(str(path)) if path.exists() else SimpleVectorStore()
    if name == "chroma":
        import chromadb
        from chromadb.config import Settings
        from llama_index.vector_stores.chroma import ChromaVectorStore

        client = chromadb.PersistentClient(path=str(folder), settings=Settings(anonymized_telemetry=False))
        made = client.get_or_create_collection("bench", metadata={"hnsw:space": "cosine"})
        return ChromaVectorStore(chroma_collection=made)
    from llama_index_memweave import MemWeaveVectorStore

    from memweave_core import MemoryConfig, MemWeave

    return MemWeaveVectorStore(MemWeave(MemoryConfig(workspace_dir=str(folder), progress=False)))


costs = partial(timed, rounds=ROUNDS)  # these slower stores bear no more calls


def where(*filters: tuple[str, Any, str]) -> MetadataFilters:
    """Filters that must all be met: (key, value, operator)."""
    return MetadataFilters(
        filters=[
            MetadataFilter(key=key, value=value, operator=FilterOperator(op)) for key, value, op in filters
        ]
    )


def asked(store: BasePydanticVectorStore, count: int) -> dict[str, Any]:
    """What single calls cost."""

    def query(mode: str = "default", **more: Any) -> object:
        vector = _VECTORS.standard_normal(DIMS).tolist()
        words = " ".join(_CHANCE.choices(_WORDS, k=4))
        given = VectorStoreQuery(
            query_embedding=vector,
            query_str=words,
            similarity_top_k=K,
            mode=VectorStoreQueryMode(mode),
            **more,
        )
        return store.query(given)

    slow = 2 if isinstance(store, SimpleVectorStore) else ROUNDS
    return {
        "query": costs(lambda n: query()),
        "filtered": costs(lambda n: query(filters=where(("user", f"u{n % 10}", "==")))),
        "filtered_range_and_list": costs(
            lambda n: query(filters=where(("year", 2001 + n, ">="), ("kind", ["a", "b"], "in")))
        ),
        "mmr": costs(lambda n: query("mmr"), rounds=slow),
        "text": costs(lambda n: query("text_search")),
        "hybrid": costs(lambda n: query("hybrid")),
        "add_one": costs(lambda n: store.add(nodes(1, count + n))),
        "get_twenty": costs(lambda n: store.get_nodes([f"n{20 * n + k}" for k in range(20)])),
        "delete_document": costs(lambda n: store.delete(f"d{n + 1}")),
    }


def measured(name: str, count: int) -> dict[str, Any]:
    """All measures of one store at one size."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        found: dict[str, Any] = {"store": name, "nodes": count}
        store = opened(name, folder)
        every = nodes(count)
        began, at = time.process_time(), time.perf_counter()
        for start in range(0, count, BATCH):
            store.add(every[start : start + BATCH])
        found["add_per_node"] = since(began, at, count)
        found |= asked(store, count)
        if name == "simple":
            began, at = time.process_time(), time.perf_counter()
            store.persist(str(folder / "simple.json"))
            found["persist"] = since(began, at)
        vector = _VECTORS.standard_normal(DIMS).tolist()
        began, at = time.process_time(), time.perf_counter()
        opened(name, folder).query(VectorStoreQuery(query_embedding=vector, similarity_top_k=K))
        found["reopen_and_query"] = since(began, at)
    return found


if __name__ == "__main__":
    side_by_side(__file__, __doc__, ["memweave", "simple", "chroma"], measured)
