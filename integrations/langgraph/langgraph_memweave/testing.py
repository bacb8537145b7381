"""What a LangGraph store should do, as a contract that anybody can run against theirs.

```python
@pytest.mark.parametrize("case", store_contract(), ids=str)
def test_store(case, tmp_path):
    case.check(lambda index: MyStore(tmp_path / "store", index=index))
```

Each case makes a store by a function of its `IndexConfig`, None for a store without an index, and raises
`AssertionError` with both values when it behaves otherwise. ``check(make, asynchronous=True)`` asks through
`abatch`. ``python -m langgraph_memweave.testing`` prints what the stores that are installed do.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TypeAlias

from langgraph.store.base import BaseStore, IndexConfig

from . import contract_cases
from .contract_asking import Asked, Embedding

MakeStore: TypeAlias = Callable[[IndexConfig | None], BaseStore]
"""Makes an empty store; a store that is a context manager is closed after its case."""


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that is true of a good store."""

    name: str
    sentence: str

    def __str__(self) -> str:
        return self.name

    def check(self, make: MakeStore, *, asynchronous: bool = False) -> None:
        """Run it against a new store. Raises `AssertionError`, or what the store raises."""
        embedding = Embedding()
        _, run, index = contract_cases.CASES[self.name]
        store = make({**index, "embed": embedding})
        if isinstance(store, AbstractContextManager):
            with store:
                run(Asked(store, embedding, asynchronous=asynchronous))
        else:
            run(Asked(store, embedding, asynchronous=asynchronous))


def store_contract() -> list[Case]:
    """All cases, for `pytest.mark.parametrize`."""
    return [Case(name, sentence) for name, (sentence, _, _) in contract_cases.CASES.items()]


def outcomes(stores: Mapping[str, MakeStore]) -> dict[str, dict[str, str]]:
    """{case: {store: "" where it holds, else what happened}}."""
    return {
        case.name: {name: _outcome(case, make) for name, make in stores.items()} for case in store_contract()
    }


def _outcome(case: Case, make: MakeStore) -> str:
    try:
        case.check(make)
    except Exception as error:
        return f"{type(error).__name__}: {error}".replace("\n", " ")
    return ""


def table(stores: Mapping[str, MakeStore]) -> str:
    """A Markdown table of what holds of which store."""
    names = list(stores)
    lines = [f"| what a store should do | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for case, found in outcomes(stores).items():
        marks = ("yes" if not found[name] else "no" for name in names)
        lines.append(f"| {contract_cases.CASES[case][0]} | {' | '.join(marks)} |")
    return "\n".join(lines)


def installed() -> dict[str, MakeStore]:
    """The stores of LangGraph that can be opened here, beside ours; each makes a new one in a new folder."""
    from langgraph.store.memory import InMemoryStore

    from .store import MemWeaveStore

    def folder() -> str:
        return tempfile.mkdtemp(prefix="memweave-store-")

    found: dict[str, MakeStore] = {
        "MemWeaveStore": lambda index: MemWeaveStore(folder(), index=index),
        "InMemoryStore": lambda index: InMemoryStore(index=index),
    }
    try:
        sqlite_store(None)
    except Exception:  # not installed, or a SQLite that cannot load extensions
        return found
    return {**found, "SqliteStore": sqlite_store}


def sqlite_store(index: IndexConfig | None) -> BaseStore:
    """LangGraph's own `SqliteStore` in memory. Raises whatever keeps it from being opened."""
    from langgraph.store.sqlite import SqliteStore

    try:
        from pysqlite3 import dbapi2 as sqlite
    except ImportError:
        import sqlite3 as sqlite
    connection = sqlite.connect(":memory:", check_same_thread=False, isolation_level=None)
    store: BaseStore = SqliteStore(connection, index=index)
    store.setup()  # type: ignore[attr-defined]  # of SqliteStore alone
    return store


if __name__ == "__main__":
    print(table(installed()))  # noqa: T201 - what the command is for
