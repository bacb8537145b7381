"""Search in a memory as a retriever of LangChain."""

from __future__ import annotations

import logging
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever, LangSmithRetrieverParams
from pydantic import ConfigDict, Field

from memweave_core import MemWeave, SearchResult

from .faces import asynchronous, wait

logger = logging.getLogger(__name__)


class MemWeaveRetriever(BaseRetriever):
    """Finds passages of the Markdown pages of a memory, and what is private to `user_id` if that is given.

    `k` passages at most, none with a score below `min_score` ([0, 1], inclusive; by default the setting
    `query.min_score`). `search_kwargs` are further overrides of `MemWeave.search`, such as ``where``,
    ``strategy`` or ``mmr_lambda``. All three, and any override, can be given to `invoke` too.

    A document has the passage as its content, and in its metadata the `score` ([0, 1], higher is better),
    `path`, `start_line`, `end_line`, `source`, `heading`, `tier`, `tags`, `date` (ISO, or None) and
    `confident`; its id is ``path:start-end``.
    """

    model_config = ConfigDict(extra="forbid")

    memory: Any = Field(exclude=True)
    k: int = Field(default=5, ge=1)
    user_id: str | None = None
    min_score: float | None = None
    search_kwargs: dict[str, Any] = Field(default_factory=dict)

    def model_post_init(self, context: Any, /) -> None:
        """Refuse at once what is no memory."""
        super().model_post_init(context)
        asynchronous(self.memory)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **overrides: Any
    ) -> list[Document]:
        del run_manager
        return wait(self._found(query, overrides))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **overrides: Any
    ) -> list[Document]:
        del run_manager
        return await self._found(query, overrides)

    async def _found(self, query: str, overrides: dict[str, Any]) -> list[Document]:
        memory: MemWeave = asynchronous(self.memory)
        own = {"user_id": self.user_id, "min_score": self.min_score}
        asked = {"max_results": self.k, **self.search_kwargs}
        overrides |= overrides.pop("search_kwargs", {})
        asked |= {name: value for name, value in own.items() if value is not None} | overrides
        if "k" in asked:  # as LangChain's vector stores have it
            asked["max_results"] = asked.pop("k")
        found = await memory.search(query, **asked)
        for warning in (found.degraded, *found.warnings):
            if warning:
                logger.warning("%s", warning)
        return [_document(result) for result in found]

    def _get_ls_params(self, **kwargs: Any) -> LangSmithRetrieverParams:
        named = super()._get_ls_params(**kwargs)
        return {**named, "ls_vector_store_provider": "memweave"}


def _document(result: SearchResult) -> Document:
    return Document(
        id=f"{result.path}:{result.start_line}-{result.end_line}",
        page_content=result.snippet,
        metadata={
            "score": result.score,
            "path": result.path,
            "start_line": result.start_line,
            "end_line": result.end_line,
            "source": result.source,
            "heading": result.heading,
            "tier": result.tier,
            "tags": list(result.tags),
            "date": result.date.isoformat() if result.date else None,
            "confident": result.confident,
        },
    )
