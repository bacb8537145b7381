"""The notes of a workspace as nodes, beside those that LlamaIndex has put there."""

from __future__ import annotations

from typing import Final

from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import VectorStoreQueryMode

from memweave_core import MemWeave, SearchResult
from memweave_core.records import matches

from .conditions import METADATA, SOURCE
from .node_queries import BY_WORDS, Asked
from .node_spaces import ROOT
from .retriever import WHOLE_CHUNK, node_of

_STRATEGIES: Final = dict.fromkeys(BY_WORDS, "keyword") | {VectorStoreQueryMode.HYBRID: "hybrid"}
_DEPTH: Final = 4


async def notes_for(memory: MemWeave, asked: Asked) -> list[tuple[BaseNode, float]]:
    """The passages of notes that answer a query, with scores as those of nodes; none without words."""
    if not asked.words.strip() or asked.keys is not None:
        return []
    found = await memory.search(
        asked.words,
        strategy=_STRATEGIES.get(asked.mode, "vector"),
        max_results=_DEPTH * asked.limit,
        min_score=0.0,
        snippet_max_chars=WHOLE_CHUNK,
    )
    made: list[tuple[BaseNode, float]] = []
    for result in found:
        if result.source == ROOT:
            continue  # the pages of nodes
        node = node_of(result)
        if matches(asked.where, {METADATA: node.metadata, SOURCE: result.path}):
            made.append((node, _score(result, asked)))
    return made


def _score(result: SearchResult, asked: Asked) -> float:
    cosine, words = result.vector_score or 0.0, result.text_score or 0.0
    if asked.mode in BY_WORDS:
        return words
    if asked.mode == VectorStoreQueryMode.HYBRID:
        return asked.alpha * max(cosine, 0.0) + (1 - asked.alpha) * words
    return cosine
