"""`MemWeaveVectorStore`: nodes of LlamaIndex as Markdown pages, found by meaning, words and metadata."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, TypeVar, cast

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryResult,
)

from memweave_core.blocking import wait
from memweave_core.records import All, BlockingRecords, Filter, Op, Put, Record, Result, Search

from .conditions import condition_of
from .node_queries import Asked, Scored, answering, asked_of
from .node_spaces import check, model_name, records_of
from .nodes import node_of, value_of
from .notes import notes_for
from .opened import Given, OnMemory

T = TypeVar("T")
Steps = Generator[tuple[BlockingRecords, list[Op]], list[Result], T]
"""What is to be asked of records, one batch after the other; the end is the answer."""

ALL = 2**40


class MemWeaveVectorStore(OnMemory, BasePydanticVectorStore):
    """Keeps each node as a page below ``memory/nodes/<collection>/``, its text as text.

    Vectors are those that the nodes bring. `embed_model` is the model that makes them: with it vectors are
    made again when a page was edited or the index deleted. With `include_notes` queries are answered from
    the notes of the workspace as well; for that use `MemWeaveEmbedding`.
    """

    stores_text: bool = True
    collection: str = Field(default="default", description="The folder of the nodes, below memory/nodes.")
    include_notes: bool = Field(default=False, description="Whether notes are found as well.")
    _embed_model: BaseEmbedding | None = PrivateAttr(default=None)

    def __init__(
        self, memory: Given | None = None, *, embed_model: BaseEmbedding | None = None, **data: Any
    ) -> None:
        super().__init__(memory, **data)
        self._embed_model = embed_model

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex stores it."""
        return "MemWeaveVectorStore"

    @property
    def client(self) -> Any:
        """The memory."""
        return self.memweave

    # --- writing ---------------------------------------------------------------------------------------

    def add(self, nodes: Sequence[BaseNode], **_: Any) -> list[str]:
        """Keep nodes, each in the place of one with its id. Raises `ValueError` for one without embedding."""
        return self._drive(self._add(nodes))

    async def async_add(self, nodes: Sequence[BaseNode], **_: Any) -> list[str]:
        """See `add`."""
        return await self._adrive(self._add(nodes))

    def _add(self, nodes: Sequence[BaseNode]) -> Steps[list[str]]:
        name = model_name(self._embed_model)
        by_size: dict[int, list[Op]] = {}
        for node in nodes:
            vector = node.get_embedding()
            value = value_of(node, name, len(vector))
            by_size.setdefault(len(vector), []).append(
                Put(self._namespace, node.node_id, value, vectors=[vector])
            )
        for size, puts in by_size.items():
            yield self._records(size), puts
        return [node.node_id for node in nodes]

    def delete(self, ref_doc_id: str, **_: Any) -> None:
        """Delete all nodes of a document; none there is fine."""
        self._drive(self._delete(condition_of(None, [ref_doc_id])))

    async def adelete(self, ref_doc_id: str, **_: Any) -> None:
        """See `delete`."""
        await self._adrive(self._delete(condition_of(None, [ref_doc_id])))

    def delete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **_: Any
    ) -> None:
        """Delete the nodes that have one of the ids and meet the filters; without either nothing."""
        if node_ids or filters is not None:
            self._drive(self._delete(condition_of(filters), node_ids))

    async def adelete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **_: Any
    ) -> None:
        """See `delete_nodes`."""
        if node_ids or filters is not None:
            await self._adrive(self._delete(condition_of(filters), node_ids))

    def clear(self) -> None:
        """Delete all nodes of the collection."""
        self._drive(self._delete(All(())))

    async def aclear(self) -> None:
        """See `clear`."""
        await self._adrive(self._delete(All(())))

    def _delete(self, where: Filter, node_ids: Sequence[str] | None = None) -> Steps[None]:
        found = yield from self._found(where, node_ids)
        if found:
            yield self._records(None), [Put(record.namespace, record.key, None) for record in found]

    # --- asking ----------------------------------------------------------------------------------------

    def get_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None
    ) -> list[BaseNode]:
        """The nodes that have one of the ids and meet the filters; all when neither is given."""
        return self._drive(self._get_nodes(node_ids, filters))

    async def aget_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None
    ) -> list[BaseNode]:
        """See `get_nodes`."""
        return await self._adrive(self._get_nodes(node_ids, filters))

    def _get_nodes(
        self, node_ids: Sequence[str] | None, filters: MetadataFilters | None
    ) -> Steps[list[BaseNode]]:
        found = yield from self._found(condition_of(filters), node_ids)
        return [node_of(record.key, record.value) for record in found]

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """The best nodes for a query, best first, with a score for each, the higher the better.

        DEFAULT and MMR score by cosine, in [-1, 1]; TEXT_SEARCH and SPARSE by the share of the words, in
        [0, 1]; HYBRID by `alpha` (0.5) of the one and the rest of the other. ``mmr_threshold``,
        ``mmr_prefetch_factor`` (4) and ``mmr_prefetch_k`` may come as arguments. Empty `node_ids` restrict
        nothing, empty `doc_ids` everything. Raises `ValueError` for other modes, and for a query vector of
        another model than the nodes'.
        """
        asked = asked_of(query, self._namespace, kwargs)
        found = self._drive(self._query(asked))
        return _result(found, wait(notes_for(self.memweave, asked)) if self.include_notes else [], asked)

    async def aquery(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """See `query`."""
        asked = asked_of(query, self._namespace, kwargs)
        found = await self._adrive(self._query(asked))
        return _result(found, await notes_for(self.memweave, asked) if self.include_notes else [], asked)

    def _query(self, asked: Asked) -> Steps[list[Scored]]:
        size = None if asked.vector is None else len(asked.vector)
        records = self._records(size)
        steps = answering(asked)
        ops = next(steps)
        while True:
            results = yield records, ops
            try:
                ops = steps.send(results)
            except StopIteration as done:
                found = cast("list[Scored]", done.value)
                break
        if not found and size is not None:
            (others,) = yield records, [Search(self._namespace, limit=1)]
            for record in cast("list[Record]", others):
                check(record, self._embed_model, size)
        return found

    def _found(self, where: Filter, node_ids: Sequence[str] | None) -> Steps[list[Record]]:
        op = Search(self._namespace, where, keys=node_ids or None, limit=ALL)
        (found,) = yield self._records(None), [op]
        return cast("list[Record]", found)

    # --- inside ----------------------------------------------------------------------------------------

    @property
    def _namespace(self) -> tuple[str, ...]:
        return (self.collection,)

    def _records(self, size: int | None) -> BlockingRecords:
        return records_of(self._opened, self._embed_model, size)

    def _drive(self, steps: Steps[T]) -> T:
        results: list[Result] | None = None
        while True:
            try:
                records, ops = next(steps) if results is None else steps.send(results)
            except StopIteration as done:
                return cast("T", done.value)
            results = records.batch(ops)

    async def _adrive(self, steps: Steps[T]) -> T:
        results: list[Result] | None = None
        while True:
            try:
                records, ops = next(steps) if results is None else steps.send(results)
            except StopIteration as done:
                return cast("T", done.value)
            results = await records.asynchronous.batch(ops)


def _result(
    found: Sequence[Scored], notes: Sequence[tuple[BaseNode, float]], asked: Asked
) -> VectorStoreQueryResult:
    every = [(node_of(record.key, record.value), score) for record, score in found]
    if notes:
        every = sorted([*every, *notes], key=lambda pair: -pair[1])[: asked.limit]
    return VectorStoreQueryResult(
        nodes=[node for node, _ in every],
        similarities=[score for _, score in every],
        ids=[node.node_id for node, _ in every],
    )
