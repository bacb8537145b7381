"""The operations on the records of one root, written once, for code with an event loop and without."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar, cast

from .._errors import UsageError
from .opening import Parts
from .plan import Plan, RecordsConfig
from .record import Get, Namespace, Namespaces, Op, Put, Record, Result, Search, Where

T = TypeVar("T")

_LATE_AT_ONCE = 500
_TRIES = 3


class Operations(ABC):
    """What can be asked of records, over two ways to wait: for a thread, and for an embedder."""

    config: RecordsConfig

    @abstractmethod
    async def _open(self) -> Parts:
        """What does the work, and what makes vectors."""

    @abstractmethod
    async def _run(self, call: Callable[[], T]) -> T:
        """The result of a call that blocks."""

    @abstractmethod
    async def _fill(self, parts: Parts, plan: Plan, *, strict: bool = False) -> None:
        """Give a plan the vectors that it lacks; see `embedding.fill`."""

    async def batch(self, ops: Sequence[Op]) -> list[Result]:
        """The results of operations, in order; None for a `Put`.

        Every read sees the state before the batch; of several changes of one record the last is made. Nothing
        is done when one operation is wrong (`UsageError`). When the embedder fails, what is written has its
        vectors made at a later search, and the log says so; a search by a query raises `EmbeddingError`.
        """
        parts = await self._open()
        ops = list(ops)
        for number in range(_TRIES):
            results = await self._tried(parts, ops, last=number == _TRIES - 1)
            if results is not None:
                return results
        return []

    async def _tried(self, parts: Parts, ops: Sequence[Op], *, last: bool) -> list[Result] | None:
        keeper = parts.keeper

        def begin() -> tuple[Plan, list[Result] | None]:
            plan = keeper.prepare(ops)
            wait = plan.waits and parts.embedder is not None
            return plan, None if wait else keeper.carry_out(plan, last=last)

        plan, results = await self._run(begin)
        if not plan.waits or parts.embedder is None:
            return results
        await self._fill(parts, plan)
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
        keeper = (await self._open()).keeper
        return await self._run(lambda: keeper.count(Search(tuple(prefix), where)))

    async def delete_where(self, prefix: Sequence[str] = (), where: Where | None = None) -> int:
        """Delete the records below a namespace that meet a condition; how many there were."""
        keeper = (await self._open()).keeper
        return await self._run(lambda: keeper.remove_where(Search(tuple(prefix), where, limit=2**40)))

    async def sweep(self) -> int:
        """Delete the records that have outlived their time; how many there were."""
        keeper = (await self._open()).keeper
        return await self._run(keeper.sweep)

    async def refresh(self) -> int:
        """Look at every page now, and make the vectors that are missing; how many records still lack theirs.

        Raises `EmbeddingError` when the embedder fails.
        """
        parts = await self._open()
        keeper = parts.keeper
        await self._run(keeper.refresh)
        while parts.embedder is not None:
            late = await self._run(lambda: keeper.late(_LATE_AT_ONCE))
            if not late:
                break
            await self._make_late(parts, late)
        return await self._run(keeper.count_late)

    async def _make_late(self, parts: Parts, late: dict[int, dict[bytes, str]]) -> None:
        keeper = parts.keeper
        plan = Plan((), {}, late=late)
        wanted = {one: text for texts in late.values() for one, text in texts.items()}
        plan.missing = await self._run(lambda: keeper.missing(wanted, plan))
        await self._fill(parts, plan, strict=True)
        await self._run(lambda: keeper.cover(plan))


def drive(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never waits."""
    try:
        work.send(None)
    except StopIteration as done:
        return cast("T", done.value)
    work.close()
    raise UsageError("A call that should have been answered at once would have had to wait.")
