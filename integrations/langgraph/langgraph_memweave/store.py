"""LangGraph's long-term store over Markdown pages."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from inspect import iscoroutinefunction
from types import TracebackType
from typing import Any, Final, Literal, Self, cast

from langchain_core.embeddings import Embeddings
from langgraph.store.base import BaseStore, IndexConfig, Op, Result, TTLConfig, ensure_embeddings
from langgraph.store.base.embed import EmbeddingsFunc

import memweave_core
from memweave_core import ConfigError, blocking, load_config
from memweave_core.records import RecordsConfig

from .translation import to_records, to_store

_INDEX: Final = frozenset({*IndexConfig.__annotations__, "text_fields"})
"""`text_fields` is the name by which `SqliteStore` reads `fields`: who tries both stores gives both."""
_TTL: Final = frozenset(TTLConfig.__annotations__)


class MemWeaveStore(BaseStore):
    """Items of LangGraph as pages ``memory/store/<label>/…/<key>.md``: a person may read and edit them.

    One object for code with and without an event loop, in any loop and thread, and made anywhere. `memory`
    is a `MemWeave`, blocking or not, or the folder of a workspace, by default the current one: that is opened
    with the settings of its ``memweave.toml`` and of the environment, and is closed with the store.

    `index` is LangGraph's own: ``{"dims": …, "embed": …, "fields": […]}``, where `embed` is an embeddings
    object, a function of texts, an async one, or "provider:model". Without it the memory's own embedder is
    used, on the main text of a value ("text" or "content", else all of it); with ``index=False`` a query does
    not rank. `fields` without `embed` are given to the memory's own embedder.

    Scores are cosines. Items without an indexed text are not found by a query. A filter narrows before the
    best are taken, and knows ``$in $nin $exists $contains $and $or $not`` besides LangGraph's operators; a
    field that is missing meets none but ``{"$exists": False}``. Times to live are in minutes; what has
    outlived its time is deleted by `sweep_ttl`, which runs by itself every `sweep_interval_minutes` that the
    store is in use. Values are JSON; secrets that announce themselves, such as keys of providers, are masked
    in the texts of values unless ``mask_secrets=False``. Raises `ValueError` for a negative limit and an
    unknown operator, `TypeError` (with the path) for what is no JSON.
    """

    __slots__ = ("_asynchronous", "_blocking", "_due", "_lock", "_memory", "_owned", "ttl_config")

    supports_ttl = True

    def __init__(
        self,
        memory: memweave_core.MemWeave | blocking.MemWeave | str | os.PathLike[str] | None = None,
        *,
        index: IndexConfig | Literal[False] | None = None,
        ttl: TTLConfig | None = None,
        root: str = "store",
        mask_secrets: bool = True,
    ) -> None:
        self._owned = memory is None or isinstance(memory, str | os.PathLike)
        if isinstance(memory, memweave_core.MemWeave | blocking.MemWeave):
            self._memory = blocking.MemWeave.of(memory)
        else:
            workspace = "." if memory is None else os.fspath(memory)
            self._memory = blocking.MemWeave(load_config(workspace, environ=os.environ, overrides={}))
        _check(index, ttl)
        self.ttl_config = ttl
        config = _records_config(index or None, dict(ttl or {}), mask_secrets)
        embedder = "none" if index is False else _model(index)
        self._blocking = self._memory.records(root, config, embedder=embedder)
        self._asynchronous = self._blocking.asynchronous
        self._lock = threading.Lock()
        self._due = time.monotonic() + (self._interval or 0.0)

    # --- operations ------------------------------------------------------------------------------------

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Results in the order of the operations: reads see the state before, the last put of a key wins."""
        ops = list(ops)
        if self._is_due():
            self._blocking.sweep()
        return _results(ops, self._blocking.batch(to_records(ops)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """`batch` without blocking the event loop."""
        ops = list(ops)
        if self._is_due():
            await self._asynchronous.sweep()
        return _results(ops, await self._asynchronous.batch(to_records(ops)))

    def sweep_ttl(self) -> int:
        """Delete items that have outlived their time; how many there were."""
        return self._blocking.sweep()

    async def asweep_ttl(self) -> int:
        """`sweep_ttl` without blocking the event loop."""
        return await self._asynchronous.sweep()

    def refresh(self) -> int:
        """Take in edits of any page now, and make missing vectors; how many items still lack theirs."""
        return self._blocking.refresh()

    async def arefresh(self) -> int:
        """`refresh` without blocking the event loop."""
        return await self._asynchronous.refresh()

    # --- life ------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the store, and the memory if the store opened it. It opens again when it is used again."""
        self._blocking.close()
        if self._owned:
            self._memory.close()

    async def aclose(self) -> None:
        """`close` without blocking the event loop."""
        await self._asynchronous.close()
        if self._owned:
            await self._memory.asynchronous.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    # --- inside ----------------------------------------------------------------------------------------

    @property
    def _interval(self) -> float | None:
        """Seconds between two sweeps, None for none."""
        minutes = (self.ttl_config or {}).get("sweep_interval_minutes")
        return None if minutes is None else 60.0 * minutes

    def _is_due(self) -> bool:
        interval = self._interval
        if interval is None or time.monotonic() < self._due:
            return False
        with self._lock:
            due = time.monotonic() >= self._due
            self._due = time.monotonic() + interval if due else self._due
            return due


def _results(ops: list[Op], results: list[Any]) -> list[Result]:
    return [to_store(op, result) for op, result in zip(ops, results, strict=True)]


def _check(index: object, ttl: object) -> None:
    """Refuse settings that would be passed over in silence."""
    for name, given, known in (("index", index, _INDEX), ("ttl", ttl, _TTL)):
        if given is None or (given is False and name == "index"):
            continue
        if not isinstance(given, Mapping):
            raise ConfigError(f"{name} is a dictionary, not {given!r}.")
        for key in given.keys() - known:
            raise ConfigError(f"{name} has no setting {key!r}; there are {', '.join(sorted(known))}.")


def _records_config(index: IndexConfig | None, ttl: dict[str, Any], mask_secrets: bool) -> RecordsConfig:
    index = index or IndexConfig()
    default = ("$",) if "embed" in index else ("",)
    fields = index.get("fields")
    return RecordsConfig(
        paths=tuple(fields) if fields else default,
        identity=_identity(index.get("embed"), index.get("dims")),
        dims=index.get("dims"),
        omit_expired=bool(ttl.get("omit_expired", False)),
        mask_secrets=mask_secrets,
    )


def _model(index: IndexConfig | None) -> object | None:
    embed = (index or {}).get("embed")
    if embed is None:
        return None
    if isinstance(embed, Embeddings | str) or _is_async(embed):
        return ensure_embeddings(embed)
    return _Function(cast("EmbeddingsFunc", embed))


class _Function(Embeddings):
    """Embeddings by a function that awaits nothing."""

    def __init__(self, embed: EmbeddingsFunc) -> None:
        self._embed = embed

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self._embed(texts)

    def embed_query(self, text: str) -> list[float]:
        return self._embed([text])[0]


def _is_async(embed: Callable[..., Any]) -> bool:
    called = vars(type(embed)).get("__call__")
    return iscoroutinefunction(embed) or iscoroutinefunction(called)


def _identity(embed: object | Callable[..., Any] | str | None, dims: int | None) -> str | None:
    """A name for the vectors of what cannot name itself; None for an embeddings object, which can."""
    length = f"/{dims}" if dims else ""  # what gives vectors of another length is another model
    if isinstance(embed, str):
        return f"langchain:{embed}{length}"
    if embed is None or hasattr(embed, "embed_documents"):
        return None
    named = embed if hasattr(embed, "__qualname__") else type(embed)
    return f"function:{named.__module__}.{getattr(named, '__qualname__', 'embed')}{length}"
