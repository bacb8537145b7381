"""What the cases of the contract for stores are written with: a store that is asked, and what is expected."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from langgraph.store.base import BaseStore, GetOp, IndexConfig, ListNamespacesOp, Op, PutOp, SearchOp

NS = ("users", "ana")
DIMS = 32


class Embedding:
    """A function of texts that sums a few numbers for each word, and remembers what it was given."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        self.texts += texts
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        row = [0.01] * DIMS
        for word in text.lower().split():
            row[zlib.crc32(word.encode()) % DIMS] += 1.0
        return row


class Asked:
    """A store, asked by `batch` or by `abatch`."""

    def __init__(self, store: BaseStore, embedding: Embedding, *, asynchronous: bool) -> None:
        self.store = store
        self.embedding = embedding
        self._asynchronous = asynchronous

    def batch(self, *ops: Op) -> list[Any]:
        if self._asynchronous:
            return asyncio.run(_awaited(self.store, ops))
        return self.store.batch(ops)

    def put(self, key: str, value: Any, *, namespace: Any = NS, **more: Any) -> None:
        self.batch(PutOp(namespace, key, value, **more))

    def get(self, key: str, namespace: tuple[str, ...] = NS) -> Any:
        return self.batch(GetOp(namespace, key))[0]

    def search(self, *prefix: str, **more: Any) -> list[Any]:
        found: list[Any] = self.batch(SearchOp(prefix or NS[:1], **more))[0]
        return found

    def keys(self, *prefix: str, **more: Any) -> list[str]:
        return [item.key for item in self.search(*prefix, **more)]

    def namespaces(self, **more: Any) -> list[tuple[str, ...]]:
        found: list[tuple[str, ...]] = self.batch(ListNamespacesOp(**more))[0]
        return found


async def _awaited(store: BaseStore, ops: Sequence[Op]) -> list[Any]:
    return await store.abatch(ops)


Run: TypeAlias = Callable[[Asked], None]
CASES: dict[str, tuple[str, Run, IndexConfig]] = {}
"""{name: (what is true of a good store in a sentence, the case, its index without the embedding)}."""


def case(run: Run, fields: list[str] | None = None) -> Run:
    sentence = " ".join((run.__doc__ or "").split())
    CASES[run.__name__] = (sentence, run, {"dims": DIMS, "fields": ["text"] if fields is None else fields})
    return run


def expect(found: object, wanted: object) -> None:
    """Raise `AssertionError` with both values when they differ."""
    if found != wanted:
        raise AssertionError(f"found {found!r}, wanted {wanted!r}")


def refused(call: Callable[[], object], *kinds: type[Exception]) -> Exception:
    """The error of `kinds` that a call raises; `AssertionError` when it raises none or another."""
    try:
        result = call()
    except kinds as error:
        return error
    except Exception as error:
        raise AssertionError(f"raised {error!r}, wanted {[kind.__name__ for kind in kinds]}") from error
    raise AssertionError(f"gave {result!r}, wanted {[kind.__name__ for kind in kinds]}")
