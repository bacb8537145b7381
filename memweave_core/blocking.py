"""The same `MemWeave` for scripts, notebooks and threads: every method waits for its answer.

All objects of a process share one event loop on one daemon thread. It works inside a running loop, from any
number of threads, and after a fork, and never keeps Python from exiting.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from . import engine
from .config import MemoryConfig
from .ports import Clock, PostProcessor, Progress, SearchStrategy
from .remembering.waiting_verbs import WaitingVerbs
from .status_types import Finding, StoreStatus
from .types import FileInfo, IndexResult, PageText, SearchResults, Why

if TYPE_CHECKING:
    from .records import BlockingRecords as Records
    from .records import RecordsConfig

T = TypeVar("T")


class _LoopThread:
    """One event loop on one daemon thread of this process."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="memweave-loop", daemon=True)
        self.thread.start()

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the loop and wait; an interrupt of the waiting thread cancels it."""
        if threading.current_thread() is self.thread:
            work.close()
            raise RuntimeError("A blocking call inside the memory's own loop would wait for itself.")
        future: Future[T] = asyncio.run_coroutine_threadsafe(work, self.loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise


_shared: _LoopThread | None = None
_starting = threading.Lock()


def _forget_after_fork() -> None:
    """A child process has neither the thread nor a usable state of the lock."""
    global _shared, _starting
    _shared, _starting = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)


def _loop_thread() -> _LoopThread:
    global _shared
    with _starting:
        if _shared is None or not _shared.thread.is_alive():
            _shared = _LoopThread()
        return _shared


def wait(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end on the loop that all blocking objects share; also inside a running loop."""
    return _loop_thread().call(work)


class MemWeave(WaitingVerbs):
    """See `memweave_core.MemWeave`: the same arguments, methods, results and errors, without ``await``."""

    _memory: engine.MemWeave

    def __init__(
        self,
        config: MemoryConfig | None = None,
        *,
        embedder: object | str | None = None,
        reranker: object | str | None = None,
        llm: object | str | None = None,
        clock: Clock | None = None,
        read_only: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self._memory = engine.MemWeave(
            config,
            embedder=embedder,
            reranker=reranker,
            llm=llm,
            clock=clock,
            read_only=read_only,
            progress=progress,
        )
        self.config = self._memory.config
        self.read_only = read_only

    @classmethod
    def of(cls, memory: engine.MemWeave | MemWeave) -> MemWeave:
        """The blocking face of a memory; both faces can be used side by side."""
        if isinstance(memory, MemWeave):
            return memory
        made = cls.__new__(cls)
        made._memory, made.config, made.read_only = memory, memory.config, memory.read_only
        return made

    @property
    def asynchronous(self) -> engine.MemWeave:
        """The same memory for code with an event loop; both faces can be used side by side."""
        return self._memory

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return wait(work)

    def open(self) -> None:
        """Open the memory now rather than at the first call; see `memweave_core.MemWeave.open`."""
        self._wait(self._memory.open())

    def close(self) -> None:
        """Stop what runs in the background and close the index; see `memweave_core.MemWeave.close`."""
        self._wait(self._memory.close())

    def __enter__(self) -> MemWeave:
        self.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def records(
        self, root: str, config: RecordsConfig | None = None, *, embedder: object | str | None = None
    ) -> Records:
        """The records below a folder of the memory; see `memweave_core.MemWeave.records`."""
        from .records import BlockingRecords

        return BlockingRecords(self._memory.records(root, config, embedder=embedder), wait)

    def write(
        self, path: str, text: str, *, overwrite: bool = False, expected_hash: str | None = None
    ) -> str:
        """Write a page and index it; returns its path; see `memweave_core.MemWeave.write`."""
        return self._wait(self._memory.write(path, text, overwrite=overwrite, expected_hash=expected_hash))

    def append(self, path: str, text: str) -> str:
        """Add text at the end of a page; returns its path; see `memweave_core.MemWeave.append`."""
        return self._wait(self._memory.append(path, text))

    def remove(self, path: str | os.PathLike[str]) -> bool:
        """Delete a page, or forget an external file; see `memweave_core.MemWeave.remove`."""
        return self._wait(self._memory.remove(path))

    def get(self, path: str) -> PageText:
        """The text of a page as it is on disk; see `memweave_core.MemWeave.get`."""
        return self._wait(self._memory.get(path))

    def index(self, *, force: bool = False) -> IndexResult:
        """Bring the index up to date with every file; see `memweave_core.MemWeave.index`."""
        return self._wait(self._memory.index(force=force))

    def add(self, path: str | os.PathLike[str], *, force: bool = False) -> IndexResult:
        """Index one Markdown file at once; see `memweave_core.MemWeave.add`."""
        return self._wait(self._memory.add(path, force=force))

    def search(self, query: str, *, as_of: str | dt.date | None = None, **overrides: Any) -> SearchResults:
        """The best chunks for a question, best first; see `memweave_core.MemWeave.search`."""
        return self._wait(self._memory.search(query, as_of=as_of, **overrides))

    def why(self, query: str, path: str, *, as_of: str | dt.date | None = None, **overrides: Any) -> Why:
        """Why a page is or is not among the results of a query; see `memweave_core.MemWeave.why`."""
        return self._wait(self._memory.why(query, path, as_of=as_of, **overrides))

    def register_strategy(self, name: str, strategy: SearchStrategy) -> None:
        """Make a ranking of your own available by name; see `memweave_core.MemWeave.register_strategy`."""
        self._memory.register_strategy(name, strategy)

    def register_postprocessor(self, processor: PostProcessor) -> None:
        """Add a last stage of your own; see `memweave_core.MemWeave.register_postprocessor`."""
        self._memory.register_postprocessor(processor)

    def files(self, *, source: str | None = None) -> list[FileInfo]:
        """Every indexed page in path order; see `memweave_core.MemWeave.files`."""
        return self._wait(self._memory.files(source=source))

    def status(self) -> StoreStatus:
        """A picture of the store; see `memweave_core.MemWeave.status`."""
        return self._wait(self._memory.status())

    def doctor(self, *, repair: bool = False) -> list[Finding]:
        """Check everything from the driver to the counts; see `memweave_core.MemWeave.doctor`."""
        return self._wait(self._memory.doctor(repair=repair))

    def start_watching(self) -> None:
        """Index changed files as they come; see `memweave_core.MemWeave.start_watching`."""
        self._wait(self._memory.start_watching())

    def stop_watching(self) -> None:
        """Stop the watcher; see `memweave_core.MemWeave.stop_watching`."""
        self._wait(self._memory.stop_watching())
