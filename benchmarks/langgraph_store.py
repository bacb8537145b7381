"""LangGraph stores side by side: `MemWeaveStore`, `InMemoryStore` and `SqliteStore`, CPU per call, as JSON.

    python benchmarks/langgraph_store.py --sizes 1000 10000 50000 --stores memweave sqlite memory

Each pair of store and size runs in a process of its own. All are given the same texts and the same cheap
embedder of 384 numbers. CPU is that of the process, in milliseconds, threads included; wall time depends on
what else the machine does. `SqliteStore` runs where its connection can load sqlite-vec; it is told the fields
to embed by the name that it reads.
"""

from __future__ import annotations

import random
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from langgraph.store.base import BaseStore, PutOp
from langgraph.store.memory import InMemoryStore
from side_by_side import side_by_side, since, timed

DIMS = 384
BATCH = 500
_TABLE = np.random.default_rng(7).standard_normal((4_096, DIMS)).astype(np.float32)
_WORDS = [
    f"{a}{b}" for a in ("al", "be", "co", "du", "en", "fa") for b in ("ra", "lin", "mot", "sel", "tur", "vek")
]


def embed(texts: list[str]) -> list[list[float]]:
    """Sums of one random vector for each word."""
    rows = ([zlib.crc32(word.encode()) % len(_TABLE) for word in text.split()] for text in texts)
    sums = (_TABLE[row].sum(axis=0) for row in rows)
    found: list[list[float]] = [(one / np.linalg.norm(one)).tolist() for one in sums]
    return found


def texts(count: int) -> Iterator[str]:
    """Sentences of twelve words, each with a number of its own."""
    chance = random.Random(11)
    for number in range(count):
        yield f"note {number} " + " ".join(chance.choices(_WORDS, k=12))


@contextmanager
def opened(name: str, folder: Path) -> Iterator[BaseStore]:
    """An open store over what lies in `folder`."""
    index: Any = {"dims": DIMS, "embed": embed, "fields": ["text"], "text_fields": ["text"]}
    if name == "memory":
        yield InMemoryStore(index=index)
    elif name == "memweave":
        from langgraph_memweave import MemWeaveStore

        with MemWeaveStore(folder, index=index) as store:
            yield store
    else:
        from langgraph.store.sqlite import SqliteStore

        connection = sqlite_connection(str(folder / "store.sqlite"))
        store = SqliteStore(connection, index=index)
        store.setup()
        yield store
        connection.close()


def sqlite_connection(path: str) -> Any:
    """A connection that can load sqlite-vec: of the standard library, or else of pysqlite3."""
    import sqlite3

    module: Any = sqlite3
    if not hasattr(sqlite3.Connection, "enable_load_extension"):
        from pysqlite3 import dbapi2 as module
    return module.connect(path, check_same_thread=False, isolation_level=None)


def filled(store: BaseStore, count: int) -> dict[str, float]:
    """Put all items in batches; CPU and wall time of one of them in ms."""
    began, at = time.process_time(), time.perf_counter()
    ops: list[PutOp] = []
    for number, text in enumerate(texts(count)):
        value = {"text": text, "importance": number % 5, "kind": "even" if number % 2 else "odd"}
        ops.append(PutOp(("users", f"u{number % 10}"), f"k{number}", value))
        if len(ops) == BATCH:
            store.batch(ops)
            ops = []
    store.batch(ops)
    return since(began, at, count)


def measured(name: str, count: int) -> dict[str, Any]:
    """All measures of one store at one size."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        found: dict[str, Any] = {"store": name, "items": count}
        with opened(name, folder) as store:
            found["batch_put_per_item"] = filled(store, count)
            found |= asked(store, count)
        if name != "memory":
            at, began = time.perf_counter(), time.process_time()
            with opened(name, folder) as store:
                store.get(("users", "u1"), "k1")
                found["reopen_and_get"] = since(began, at)
                store.search(("users",), query="note 5 alra", limit=10)
                found["reopen_and_search"] = since(began, at)
    return found


def asked(store: BaseStore, count: int) -> dict[str, Any]:
    """What single calls cost."""
    users = ("users",)

    def query(number: int) -> str:
        return f"note {number} {_WORDS[number % len(_WORDS)]} {_WORDS[(3 * number) % len(_WORDS)]}"

    text = {"text": "one more note about alra", "importance": 3, "kind": "odd"}
    return {
        "put": timed(
            lambda n: store.put(("users", "new"), f"p{n}", {**text, "number": n, "text": f"note p{n}"})
        ),
        "update": timed(lambda n: store.put(("users", "u1"), "k1", {**text, "text": f"changed {n}"})),
        "get": timed(lambda n: store.get(("users", f"u{n % 10}"), f"k{n}"), 200),
        "search": timed(lambda n: store.search(users, query=query(n), limit=10)),
        "search_below": timed(lambda n: store.search(("users", "u3"), query=query(n), limit=10)),
        "search_filtered": timed(
            lambda n: store.search(users, query=query(n), filter={"importance": {"$gte": 3}}, limit=10)
        ),
        "filter_only": timed(
            lambda n: store.search(users, filter={"kind": "odd", "importance": n % 5}, limit=10)
        ),
        "list": timed(lambda n: store.search(users, limit=10, offset=n)),
        "delete": timed(lambda n: store.delete(("users", "new"), f"p{n}")),
    }


if __name__ == "__main__":
    side_by_side(__file__, __doc__, ["memweave", "sqlite", "memory"], measured)
