"""Documents as Markdown pages, found by meaning, as a vector store of LangChain."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, cast

import numpy as np
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore
from langchain_core.vectorstores.utils import maximal_marginal_relevance

from memweave_core import UsageError
from memweave_core.records import Get, Put, Record, RecordsConfig, Search

from .documents import Metadata, Scored, document, scored, where
from .embeddings import MemWeaveEmbeddings
from .faces import Memory, asynchronous, wait

ROOT: Final = "documents"


class MemWeaveVectorStore(VectorStore):
    """Documents as pages ``memory/documents/<collection>/<id>.md``: a person may read and edit them.

    `embedding` is any embeddings of LangChain, whose vectors stand in a space of their own; by default the
    embedder of the memory is used. Scores are cosines. A `filter` narrows by metadata before the best are
    taken: ``{"year": {"$gte": 2020}, "$or": [...]}`` with ``$eq $ne $gt $gte $lt $lte $in $nin $exists
    $contains $and $or $not``. Metadata is JSON. Raises `UsageError` for other values and for vectors of
    another size.

    Usable from any thread and event loop; it closes with the memory.
    """

    def __init__(
        self, memory: Memory, *, embedding: Embeddings | None = None, collection: str = "default"
    ) -> None:
        self._memory = asynchronous(memory)
        self._embedding = embedding
        self._place = (collection,)
        self._records = self._memory.records(ROOT, RecordsConfig(paths=("text",)), embedder=embedding)

    @property
    def embeddings(self) -> Embeddings:
        """What makes the vectors."""
        return self._embedding or MemWeaveEmbeddings(self._memory)

    # --- writing -----------------------------------------------------------------------------------------

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """Write texts, all in one batch; one whose id is there replaces it. Returns the ids in order."""
        return wait(self.aadd_texts(texts, metadatas, ids=ids, **kwargs))

    async def aadd_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """See `add_texts`."""
        _nothing_more(kwargs)
        given = list(texts)
        beside: Sequence[Metadata] = [{}] * len(given) if metadatas is None else metadatas
        named: Sequence[str | None] = [None] * len(given) if ids is None else ids
        if not len(given) == len(beside) == len(named):
            raise UsageError(
                f"{len(given)} texts need as many metadatas ({len(beside)}) and ids ({len(named)})."
            )
        keys = [str(uuid.uuid4()) if key is None else key for key in named]
        await self._records.batch(
            [
                Put(self._place, key, {"text": text, **({"metadata": dict(more)} if more else {})})
                for key, text, more in zip(keys, given, beside, strict=True)
            ]
        )
        return keys

    def delete(self, ids: list[str] | None = None, **kwargs: Any) -> bool:
        """Delete documents with their vectors; None for all of the collection. Missing ones are fine."""
        return wait(self.adelete(ids, **kwargs))

    async def adelete(self, ids: list[str] | None = None, **kwargs: Any) -> bool:
        """See `delete`."""
        _nothing_more(kwargs)
        if ids is None:
            await self._records.delete_where(self._place)
        else:
            await self._records.batch([Put(self._place, key, None) for key in ids])
        return True

    # --- reading -----------------------------------------------------------------------------------------

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """The documents with these ids, as their pages are now; those that are not there are left out."""
        return wait(self.aget_by_ids(ids))

    async def aget_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """See `get_by_ids`."""
        found = await self._records.batch([Get(self._place, key) for key in ids])
        return [document(record) for record in found if isinstance(record, Record)]

    def similarity_search_with_score(
        self, query: str, k: int = 4, *, filter: Metadata | None = None, **kwargs: Any
    ) -> Scored:
        """The `k` nearest documents with their cosines, best first."""
        return wait(self.asimilarity_search_with_score(query, k, filter=filter, **kwargs))

    async def asimilarity_search_with_score(
        self, query: str, k: int = 4, *, filter: Metadata | None = None, **kwargs: Any
    ) -> Scored:
        """See `similarity_search_with_score`."""
        _nothing_more(kwargs)
        return scored(await self._found(Search(self._place, where(filter), query, limit=k)))

    def similarity_search_by_vector(
        self, embedding: list[float], k: int = 4, *, filter: Metadata | None = None, **kwargs: Any
    ) -> list[Document]:
        """The `k` documents nearest to a vector of `embeddings`, best first."""
        return wait(self.asimilarity_search_by_vector(embedding, k, filter=filter, **kwargs))

    async def asimilarity_search_by_vector(
        self, embedding: list[float], k: int = 4, *, filter: Metadata | None = None, **kwargs: Any
    ) -> list[Document]:
        """See `similarity_search_by_vector`."""
        _nothing_more(kwargs)
        asked = Search(self._place, where(filter), vector=embedding, limit=k)
        return [document(record) for record in await self._found(asked)]

    def similarity_search(
        self, query: str, k: int = 4, *, filter: Metadata | None = None, **kwargs: Any
    ) -> list[Document]:
        """The `k` nearest documents, best first."""
        return [one for one, _ in self.similarity_search_with_score(query, k, filter=filter, **kwargs)]

    async def asimilarity_search(
        self, query: str, k: int = 4, *, filter: Metadata | None = None, **kwargs: Any
    ) -> list[Document]:
        """See `similarity_search`."""
        found = await self.asimilarity_search_with_score(query, k, filter=filter, **kwargs)
        return [one for one, _ in found]

    def max_marginal_relevance_search(self, query: str, *args: Any, **kwargs: Any) -> list[Document]:
        """`k` documents that are near and unlike one another, of the `fetch_k` nearest; see `…_by_vector`."""
        return wait(self.amax_marginal_relevance_search(query, *args, **kwargs))

    async def amax_marginal_relevance_search(self, query: str, *args: Any, **kwargs: Any) -> list[Document]:
        """See `max_marginal_relevance_search`."""
        vector = await self.embeddings.aembed_query(query)
        return await self.amax_marginal_relevance_search_by_vector(vector, *args, **kwargs)

    def max_marginal_relevance_search_by_vector(
        self, embedding: list[float], *args: Any, **kwargs: Any
    ) -> list[Document]:
        """`k` documents that are near and unlike one another, of the `fetch_k` nearest, in that order.

        `lambda_mult` is 1 for nearness alone, 0 for the greatest difference.
        """
        return wait(self.amax_marginal_relevance_search_by_vector(embedding, *args, **kwargs))

    async def amax_marginal_relevance_search_by_vector(
        self,
        embedding: list[float],
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        *,
        filter: Metadata | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        """See `max_marginal_relevance_search_by_vector`."""
        _nothing_more(kwargs)
        asked = Search(self._place, where(filter), vector=embedding, limit=max(k, fetch_k), vectors=True)
        near = [record for record in await self._found(asked) if record.vector is not None]
        vectors = [cast("Any", record.vector) for record in near]
        order = maximal_marginal_relevance(np.asarray(embedding, np.float32), vectors, lambda_mult, k)
        return [document(near[number]) for number in order]

    async def _found(self, asked: Search) -> list[Record]:
        return cast("list[Record]", (await self._records.batch([asked]))[0])

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        """A cosine as relevance: what is unrelated or opposite has 0."""
        return lambda cosine: max(0.0, min(1.0, cosine))

    # --- making ------------------------------------------------------------------------------------------

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings | None = None,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **kwargs: Any,
    ) -> MemWeaveVectorStore:
        """A store with these texts; needs ``memory=``, and takes ``collection=``."""
        made = cls(embedding=embedding, **kwargs)
        made.add_texts(texts, metadatas, ids=ids)
        return made

    @classmethod
    async def afrom_texts(
        cls,
        texts: list[str],
        embedding: Embeddings | None = None,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **kwargs: Any,
    ) -> MemWeaveVectorStore:
        """See `from_texts`."""
        made = cls(embedding=embedding, **kwargs)
        await made.aadd_texts(texts, metadatas, ids=ids)
        return made


def _nothing_more(given: Mapping[str, Any]) -> None:
    if given:
        raise UsageError(f"{', '.join(sorted(given))} means nothing here; metadata is narrowed by `filter`.")
