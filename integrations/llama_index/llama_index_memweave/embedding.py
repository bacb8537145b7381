"""The embedder of a memory as LlamaIndex's embedding model."""

from __future__ import annotations

from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding

from memweave_core.blocking import wait

from .opened import Given, OnMemory


class MemWeaveEmbedding(OnMemory, BaseEmbedding):
    """Vectors by the embedder of a memory: by default one that is bundled and needs no network.

    With it, nodes and notes are in the same vector space. All vectors have length one.
    """

    def __init__(self, memory: Given | None = None, **data: Any) -> None:
        super().__init__(memory, **data)
        if "model_name" not in data:
            self.model_name = self.memweave.config.embedding.model

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex stores it."""
        return "MemWeaveEmbedding"

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return (await self.memweave.embed([query], kind="query"))[0]

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return (await self.memweave.embed([text]))[0]

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return await self.memweave.embed(texts)

    def _get_query_embedding(self, query: str) -> list[float]:
        return wait(self._aget_query_embedding(query))

    def _get_text_embedding(self, text: str) -> list[float]:
        return wait(self._aget_text_embedding(text))

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return wait(self._aget_text_embeddings(texts))
