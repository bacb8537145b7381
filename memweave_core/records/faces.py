"""The two faces of the records of a memory: for code with an event loop, and for code without."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from .._errors import ReadOnlyError
from .embedding import fill
from .opening import Opener, Parts
from .operations import Operations, drive
from .plan import Plan
from .record import Namespace, Op, Put, Record, Result, Where

T = TypeVar("T")


class Waiting(Protocol):
    """Runs a coroutine on a loop of its own and waits for it."""

    def __call__(self, work: Coroutine[Any, Any, T], /) -> T: ...


class Records(Operations):
    """The records below one folder of a memory, for code with an event loop.

    Usable from several tasks, threads and event loops, by several processes at once, and after a fork. The
    same for code without a loop is what `memweave_core.blocking.MemWeave.records` gives.
    """

    def __init__(self, opener: Opener, *, read_only: bool = False) -> None:
        self._opener = opener
        self._read_only = read_only
        self.config = opener.config

    @property
    def root(self) -> str:
        """The folder below the memory folder."""
        return self._opener.root

    async def batch(self, ops: Sequence[Op]) -> list[Result]:
        """See `Operations.batch`. Raises `ReadOnlyError` for a `Put` to a memory opened to be read."""
        ops = list(ops)
        if any(isinstance(op, Put) for op in ops):
            self._check_writable()
        return await super().batch(ops)

    async def delete_where(self, prefix: Sequence[str] = (), where: Where | None = None) -> int:
        """See `Operations.delete_where`. Raises `ReadOnlyError`."""
        self._check_writable()
        return await super().delete_where(prefix, where)

    async def sweep(self) -> int:
        """See `Operations.sweep`. Raises `ReadOnlyError`."""
        self._check_writable()
        return await super().sweep()

    def _check_writable(self) -> None:
        if self._read_only:
            raise ReadOnlyError("This memory was opened with read_only=True; open it without to write.")

    async def close(self) -> None:
        """Close the database. A later call opens it again."""
        await self._opener.pool().run(self._opener.close)

    async def _open(self) -> Parts:
        return await self._opener.parts()

    async def _run(self, call: Callable[[], T]) -> T:
        return await self._opener.pool().run(call)

    async def _fill(self, parts: Parts, plan: Plan, *, strict: bool = False) -> None:
        if parts.embedder is not None:
            await fill(plan, parts.embedder, self.config, strict=strict)


class _Inline(Records):
    """Does everything in the calling thread, except what an asynchronous embedder does: for that it waits."""

    def __init__(self, records: Records, wait: Waiting) -> None:
        super().__init__(records._opener, read_only=records._read_only)
        self._wait = wait

    async def _open(self) -> Parts:
        return self._opener.opened() or self._wait(self._opener.parts())

    async def _run(self, call: Callable[[], T]) -> T:
        return call()

    async def _fill(self, parts: Parts, plan: Plan, *, strict: bool = False) -> None:
        if parts.now is None or not parts.now.filled(plan, self.config):
            self._wait(super()._fill(parts, plan, strict=strict))


class BlockingRecords:
    """See `Records`: the same methods, arguments, results and errors, without ``await``.

    The work is done in the calling thread; only asynchronous embedders run on the shared loop. So it works
    inside a running loop too, which it blocks.
    """

    def __init__(self, records: Records, wait: Waiting) -> None:
        self._records = records
        self._inline = _Inline(records, wait)
        self.config = records.config

    @property
    def asynchronous(self) -> Records:
        """The same records for code with an event loop."""
        return self._records

    @property
    def root(self) -> str:
        """The folder below the memory folder."""
        return self._records.root

    def batch(self, ops: Sequence[Op]) -> list[Result]:
        """The results of operations, in order; see `Records.batch`."""
        return drive(self._inline.batch(ops))

    def get(self, namespace: Sequence[str], key: str, *, refresh: bool = False) -> Record | None:
        """A record as its page is now; see `Records.get`."""
        return drive(self._inline.get(namespace, key, refresh=refresh))

    def put(self, namespace: Sequence[str], key: str, value: Mapping[str, Any], **more: Any) -> None:
        """Write a record; see `Records.put`."""
        drive(self._inline.put(namespace, key, value, **more))

    def delete(self, namespace: Sequence[str], key: str) -> None:
        """Delete a record; see `Records.delete`."""
        drive(self._inline.delete(namespace, key))

    def search(self, prefix: Sequence[str] = (), **more: Any) -> list[Record]:
        """Records below a namespace; see `Records.search`."""
        return drive(self._inline.search(prefix, **more))

    def namespaces(self, **more: Any) -> list[Namespace]:
        """The namespaces that hold records; see `Records.namespaces`."""
        return drive(self._inline.namespaces(**more))

    def count(self, prefix: Sequence[str] = (), where: Where | None = None) -> int:
        """How many records there are; see `Records.count`."""
        return drive(self._inline.count(prefix, where))

    def delete_where(self, prefix: Sequence[str] = (), where: Where | None = None) -> int:
        """Delete records by a condition; see `Records.delete_where`."""
        return drive(self._inline.delete_where(prefix, where))

    def sweep(self) -> int:
        """Delete what has outlived its time; see `Records.sweep`."""
        return drive(self._inline.sweep())

    def refresh(self) -> int:
        """Look at every page now, and make missing vectors; see `Records.refresh`."""
        return drive(self._inline.refresh())

    def close(self) -> None:
        """Close the database; a later call opens it again."""
        self._records._opener.close()
