"""The operations on the records of one root, written once, for code with an event loop and without."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from .._errors import EmbeddingError, EmbeddingShapeError, UsageError
from .keeper import Keeper
from .plan import Plan, RecordsConfig
from .record import Get, Namespace, Namespaces, Op, Put, Record, Result, Search, Where

if TYPE_CHECKING:
    from ..adapters.embedders.resilience import ResilientEmbedder
    from ..types import FloatArray

T = TypeVar("T")
logger = logging.getLogger(__name__)

_LATE_AT_ONCE = 500
_TRIES = 3


class Operations(ABC):
    """What can be asked of records, over two ways to wait: for a thread, and for an embedder."""

    config: RecordsConfig

    @abstractmethod
    async def _open(self) -> tuple[Keeper, ResilientEmbedder | None]:
        """What does the work, and what makes vectors."""

    @abstractmethod
    async def _run(self, call: Callable[[], T]) -> T:
        """The result of a call that blocks."""

    @abstractmethod
    async def _embed(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of a call to an embedder."""

    async def batch(self, ops: Sequence[Op]) -> list[Result]:
        """The results of operations, in order; None for a `Put`.

        Every read sees the state before the batch; of several changes of one record the last is made. Nothing
        is done when one operation is wrong (`UsageError`). When the embedder fails, what is written has its
        vectors made at a later search, and the log says so; a search by a query raises `EmbeddingError`.
        """
        keeper, embedder = await self._open()
        ops = list(ops)
        for number in range(_TRIES):
            results = await self._tried(keeper, embedder, ops, last=number == _TRIES - 1)
            if results is not None:
                return results
        return []

    async def _tried(
        self, keeper: Keeper, embedder: ResilientEmbedder | None, ops: Sequence[Op], *, last: bool
    ) -> list[Result] | None:
        def begin() -> tuple[Plan, list[Result] | None]:
            plan = keeper.prepare(ops)
            wait = plan.waits and embedder is not None
            return plan, None if wait else keeper.carry_out(plan, last=last)

        plan, results = await self._run(begin)
        if not plan.waits or embedder is None:
            return results
        await self._embed(lambda: _fill(plan, embedder, self.config))
        return await self._run(lambda: keeper.carry_out(plan, last=last))

    async def get(self, namespace: Sequence[str], key: str, *, refresh: bool = False) -> Record | None:
        """A record as its page is now, None when there is none; see `Get`."""
        return cast("Record | None", (await self.batch([Get(tuple(namespace), key, refresh)]))[0])

    async def put(self, namespace: Sequence[str], key: str, value: Mapping[str, Any], **more: Any) -> None:
        """Write a record; `more` are the other fields of `Put`."""
        await self.batch([Put(tuple(namespace), key, value, **more)])

    async def delete(self, namespace: Sequence[str], key: str) -> None:
        """Delete a record with all that was derived from it; none there is fine."""
        await self.batch([Put(tuple(namespace), key, None)])

    async def search(self, prefix: Sequence[str] = (), **more: Any) -> list[Record]:
        """Records below a namespace; `more` are the other fields of `Search`."""
        return cast("list[Record]", (await self.batch([Search(tuple(prefix), **more)]))[0])

    async def namespaces(self, **more: Any) -> list[Namespace]:
        """The namespaces that hold records; `more` are the fields of `Namespaces`."""
        return cast("list[Namespace]", (await self.batch([Namespaces(**more)]))[0])

    async def count(self, prefix: Sequence[str] = (), where: Where | None = None) -> int:
        """How many records there are below a namespace that meet a condition."""
        keeper, _ = await self._open()
        return await self._run(lambda: keeper.count(Search(tuple(prefix), where)))

    async def delete_where(self, prefix: Sequence[str] = (), where: Where | None = None) -> int:
        """Delete the records below a namespace that meet a condition; how many there were."""
        found = await self.search(prefix, where=where, limit=2**40)
        await self.batch([Put(record.namespace, record.key, None) for record in found])
        return len(found)

    async def sweep(self) -> int:
        """Delete the records that have outlived their time; how many there were."""
        keeper, _ = await self._open()
        return await self._run(keeper.sweep)

    async def refresh(self) -> int:
        """Look at every page now, and make the vectors that are missing; how many records still lack theirs.

        Raises `EmbeddingError` when the embedder fails.
        """
        keeper, embedder = await self._open()
        await self._run(keeper.refresh)
        while embedder is not None:
            late = await self._run(lambda: keeper.late(_LATE_AT_ONCE))
            if not late:
                break
            await self._make_late(keeper, embedder, late)
        return await self._run(keeper.count_late)

    async def _make_late(
        self, keeper: Keeper, embedder: ResilientEmbedder, late: dict[int, dict[bytes, str]]
    ) -> None:
        plan = Plan((), {}, late=late)
        wanted = {one: text for texts in late.values() for one, text in texts.items()}
        plan.missing = await self._run(lambda: keeper.missing(wanted, plan))
        await self._embed(lambda: _fill(plan, embedder, self.config, strict=True))
        await self._run(lambda: keeper.cover(plan))


async def _fill(
    plan: Plan, embedder: ResilientEmbedder, config: RecordsConfig, *, strict: bool = False
) -> None:
    """Ask the embedder for what a plan lacks; each distinct text once."""
    hashes, texts = list(plan.missing), list(plan.missing.values())

    def keep(start: int, vectors: list[FloatArray | None]) -> None:
        plan.vectors.update(zip(hashes[start : start + len(vectors)], vectors, strict=True))

    try:
        if texts:
            await embedder.documents(texts, keep)
    except EmbeddingError as error:
        if strict or plan.queries:
            raise
        logger.warning("Records are written without vectors, which a later search makes: %s", error)
    for query in plan.queries:
        plan.asked[query] = await embedder.query(query)
    for vector in (*plan.vectors.values(), *plan.asked.values()):
        if config.dims is not None and vector is not None and len(vector) != config.dims:
            raise EmbeddingShapeError(
                f"{embedder.identity} gave vectors of {len(vector)} numbers where the records want "
                f"{config.dims}: correct dims, or choose another model."
            )


def drive(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never waits."""
    try:
        work.send(None)
    except StopIteration as done:
        return cast("T", done.value)
    work.close()
    raise UsageError("A call that should have been answered at once would have had to wait.")
