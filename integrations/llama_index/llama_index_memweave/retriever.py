"""The search of a memory as LlamaIndex's retriever."""

from __future__ import annotations

import logging
from typing import Any, Final

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from memweave_core import MemWeave, SearchResult, SearchResults
from memweave_core.blocking import wait

from .opened import Given, opened

logger = logging.getLogger(__name__)

WHOLE_CHUNK: Final = 100_000
"""Characters of a result: a chunk is never as long."""

SHOWN: Final = ("path", "heading", "date")
"""The metadata that a language model sees with a node."""


class MemWeaveRetriever(BaseRetriever):
    """Finds passages of the notes in a workspace: both legs, the gate, decay by age, and MMR as it is set.

    `similarity_top_k` is by default the setting ``query.max_results``. With `user_id` what is private to that
    user is searched too. `overrides` are those of `MemWeave.search`: ``min_score``, ``source_filter``,
    ``where``, ``as_of`` and others. The score of a node is that of the search, in [0, 1].
    """

    def __init__(
        self,
        memory: Given | None = None,
        *,
        similarity_top_k: int | None = None,
        user_id: str | None = None,
        overrides: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._opened = opened("." if memory is None else memory)
        self._overrides = {"snippet_max_chars": WHOLE_CHUNK, **(overrides or {})}
        if similarity_top_k is not None:
            self._overrides["max_results"] = similarity_top_k
        if user_id is not None:
            self._overrides["user_id"] = user_id

    @property
    def memweave(self) -> MemWeave:
        """The memory that is searched."""
        return self._opened.memory

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = await self.memweave.search(query_bundle.query_str, **self._overrides)
        _tell(found)
        return [NodeWithScore(node=node_of(result), score=result.score) for result in found]

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return wait(self._aretrieve(query_bundle))


def node_of(result: SearchResult) -> TextNode:
    """A search result as a node; its id is where it stands."""
    metadata = {
        "path": result.path,
        "heading": result.heading,
        "date": result.date.isoformat() if result.date else "",
        "start_line": result.start_line,
        "end_line": result.end_line,
        "source": result.source,
        "tier": result.tier,
        "tags": list(result.tags),
        "confident": result.confident,
    }
    hidden = [key for key, value in metadata.items() if key not in SHOWN or not value]
    return TextNode(
        id_=f"{result.path}:{result.start_line}-{result.end_line}",
        text=result.snippet,
        metadata=metadata,
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=hidden,
    )


def _tell(found: SearchResults) -> None:
    """Say what would otherwise go unseen, for a retriever returns nothing but nodes."""
    if found.degraded:
        logger.warning("The search went by words only: %s", found.degraded)
    for warning in found.warnings:
        logger.warning("%s", warning)
