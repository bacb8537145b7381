"""The embedder and the summaries of a memory, for other parts of LangChain."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.embeddings import Embeddings
from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableLambda

from .faces import Memory, apart, asynchronous, wait
from .messages import all_to_memweave, is_summary


class MemWeaveEmbeddings(Embeddings):
    """The embedder of a memory as LangChain's embeddings: unit vectors, without network by default."""

    def __init__(self, memory: Memory) -> None:
        self._memory = asynchronous(memory)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector for each text; zeros for a text without words. Raises `EmbeddingError`."""
        return wait(self._memory.embed(texts))

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question. Raises `EmbeddingError`."""
        return wait(self.aembed_query(text))

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """See `embed_documents`."""
        return await self._memory.embed(texts)

    async def aembed_query(self, text: str) -> list[float]:
        """See `embed_query`."""
        return (await self._memory.embed([text], kind="query"))[0]


def summariser(memory: Memory) -> Runnable[Sequence[BaseMessage], str]:
    """From messages to their summary, by the language model of the memory.

    For ``SummarizationMiddleware(model, summarizer=summariser(memory))``, whose earlier summary is gone on
    with. Raises `ConfigError` when the memory has no model, `ModelError` when that fails.
    """
    core = asynchronous(memory)

    async def summarise(messages: Sequence[BaseMessage]) -> str:
        previous = "\n\n".join(message.text for message in messages if is_summary(message))
        said = all_to_memweave(message for message in messages if not is_summary(message))
        return await core.summarise(said, previous=previous) if said else previous

    async def awaited(messages: Sequence[BaseMessage]) -> str:
        return await apart(summarise(messages))

    def waited(messages: Sequence[BaseMessage]) -> str:
        return wait(summarise(messages))

    return RunnableLambda(waited, afunc=awaited, name="memweave_summary")
