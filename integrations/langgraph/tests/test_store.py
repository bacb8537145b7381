"""The store does what LangGraph's own stores should do, over pages that a person may edit."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_store
from langgraph.graph import START, StateGraph
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph_memweave import MemWeaveStore, label_of, name_of_label
from langgraph_memweave.testing import Case, installed, outcomes, store_contract, table

import memweave_core
from memweave_core import MemoryConfig, blocking
from memweave_core.testing import FakeEmbedder

NS = ("ana", "facts")


def lengths(texts: list[str]) -> list[list[float]]:
    """Vectors that are near for texts of like length."""
    return [[float(len(text)), 1.0, float(text.count("e"))] for text in texts]


async def later(texts: list[str]) -> list[list[float]]:
    """`lengths`, awaited."""
    await asyncio.sleep(0)
    return lengths(texts)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemWeaveStore]:
    """A store over a memory with an embedder that knows shared words."""
    config = MemoryConfig(workspace_dir=str(tmp_path), progress=False)
    with blocking.MemWeave(config, embedder=FakeEmbedder()) as memory:
        yield MemWeaveStore(memory)


def test_a_folder_is_opened_with_its_settings(tmp_path: Path) -> None:
    """A store on a folder keeps its items where the settings file there puts the memory."""
    (tmp_path / "memweave.toml").write_text('memory_dir = "notes"\n')
    with MemWeaveStore(tmp_path, index=False) as store:
        store.put(NS, "drink", {"text": "green tea"})
    assert (tmp_path / "notes" / "store" / "ana" / "facts" / "drink.md").is_file()


@pytest.mark.parametrize("asynchronous", [False, True], ids=["batch", "abatch"])
@pytest.mark.parametrize("case", store_contract(), ids=str)
def test_contract(case: Case, asynchronous: bool, tmp_path: Path) -> None:
    """Every case of the published contract holds, with and without an event loop."""
    case.check(lambda index: MemWeaveStore(tmp_path, index=index), asynchronous=asynchronous)


def test_the_table_says_what_others_do() -> None:
    """The kit runs against LangGraph's own store and shows where it differs."""
    stores = {name: make for name, make in installed().items() if name != "SqliteStore"}
    found = outcomes({"InMemoryStore": stores["InMemoryStore"]})
    assert not found["reads_see_the_state_before_a_batch"]["InMemoryStore"]
    assert "ValueError" in found["same_text_in_a_batch"]["InMemoryStore"]
    assert " no |" in table({"InMemoryStore": stores["InMemoryStore"]})


def test_pages_are_read_and_edited_by_people(store: MemWeaveStore, tmp_path: Path) -> None:
    """An item is a page, and an edit of it is what the next search gives."""
    store.put(NS, "drink", {"text": "drinks green tea", "importance": 4})
    page = tmp_path / "memory" / "store" / "ana" / "facts" / "drink.md"
    page.write_text(page.read_text().replace("green tea", "strong coffee"))
    found = store.search(("ana",), query="strong coffee", filter={"importance": {"$gte": 3}}, limit=5)
    assert [item.value for item in found] == [{"text": "drinks strong coffee", "importance": 4}]


@pytest.mark.parametrize(
    "embed", [lengths, later, DeterministicFakeEmbedding(size=3)], ids=["f", "async f", "object"]
)
def test_any_embedding_of_langgraph_serves(embed: Any, tmp_path: Path) -> None:
    """Functions, async functions and embedding objects rank items, asked with and without a loop."""

    async def asked(store: MemWeaveStore) -> list[Any]:
        await store.aput(NS, "b", {"text": "a longer text than that"})
        return await store.asearch(NS, query="a longer text than that")

    with MemWeaveStore(tmp_path, index={"dims": 3, "embed": embed, "fields": ["text"]}) as store:
        store.put(NS, "a", {"text": "tea"})
        assert store.search(NS, query="tea")[0].key == "a"
        assert asyncio.run(asked(store))[0].score == pytest.approx(1.0)


def test_a_name_of_a_model_is_resolved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text as `embed` goes through LangGraph's own `ensure_embeddings`."""
    made = DeterministicFakeEmbedding(size=3)
    monkeypatch.setattr("langgraph_memweave.store.ensure_embeddings", lambda name: {"mine:model": made}[name])
    with MemWeaveStore(tmp_path, index={"dims": 3, "embed": "mine:model"}) as store:
        store.put(NS, "a", {"text": "tea"})
        assert len(store.search(NS, query="x")) == 1


def test_a_wrong_length_is_said_and_loses_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Vectors of another length than `dims` are not kept, the item is, and a query says both lengths."""
    with MemWeaveStore(tmp_path, index={"dims": 4, "embed": lengths}) as store:
        store.put(NS, "a", {"text": "tea"})
        assert "3 numbers where the records want 4" in caplog.text
        with pytest.raises(memweave_core.EmbeddingShapeError, match="3 numbers where the records want 4"):
            store.search(NS, query="tea")
    with MemWeaveStore(tmp_path, index={"dims": 3, "embed": lengths}) as store:
        assert [found.key for found in store.search(NS, query="tea")] == ["a"]


def test_a_page_says_which_run_it_comes_from(tmp_path: Path) -> None:
    """What a node puts tells thread and node in its front matter; played again it is not written again."""

    class State(TypedDict):
        said: str

    def remember(state: State) -> State:
        get_store().put(NS, "last", {"text": state["said"]})
        return state

    with MemWeaveStore(tmp_path, index=False) as store:
        graph = StateGraph(State).add_node("remember", remember).add_edge(START, "remember")
        built = graph.compile(store=store, checkpointer=InMemorySaver())
        run: Any = {"configurable": {"thread_id": "t1"}}
        built.invoke({"said": "Hello."}, run)
        page = tmp_path / "memory/store/ana/facts/last.md"
        text = page.read_text()
        assert 'provenance: {"thread": "t1", "node": "remember"}' in text
        past = next(one for one in built.get_state_history(run) if one.next == ("remember",))
        built.invoke(None, past.config)
        assert page.read_text() == text


def test_one_wrong_answer_of_an_embedder_passes(tmp_path: Path) -> None:
    """When the vectors are of the right length again, everything is found again."""
    length = [2]

    def embed(texts: list[str]) -> list[list[float]]:
        return [[1.0] * length[0] for _ in texts]

    with MemWeaveStore(tmp_path, index={"dims": 2, "embed": embed}) as store:
        store.put(NS, "a", {"text": "tea"})
        length[0] = 4
        store.put(NS, "b", {"text": "coffee"})
        with pytest.raises(memweave_core.EmbeddingShapeError):
            store.search(NS, query="drink")
        length[0] = 2
        assert sorted(found.key for found in store.search(NS, query="drink")) == ["a", "b"]


def test_settings_that_mean_nothing_are_refused(tmp_path: Path) -> None:
    """A misspelt setting, and what is no setting, are errors that name what there is."""
    wrong: Any
    for wrong in ({"dim": 8}, True, 5):
        with pytest.raises(memweave_core.ConfigError, match="index"):
            MemWeaveStore(tmp_path, index=wrong)
    with pytest.raises(memweave_core.ConfigError, match="default_ttl"):
        MemWeaveStore(tmp_path, ttl={"defualt_ttl": 1})  # type: ignore[typeddict-unknown-key]
    with MemWeaveStore(tmp_path, index=False) as store:
        with pytest.raises(ValueError, match="time to live"):
            store.put(NS, "a", {"text": "x"}, ttl="5")  # type: ignore[arg-type]
        for wrong in ("text", True):
            with pytest.raises(ValueError, match="list of paths"):
                store.put(NS, "a", {"text": "x"}, index=wrong)


def test_listing_keeps_the_rules_of_labels_in_a_batch(tmp_path: Path) -> None:
    """A batch that lists below a label that cannot be is refused whole."""
    with MemWeaveStore(tmp_path, index=False) as store:
        for path in (("a.b",), ("a", "")):
            asked = ListNamespacesOp((MatchCondition("suffix", path),))
            with pytest.raises(InvalidNamespaceError):
                store.batch([PutOp(("v",), "k", {}), asked])
        assert store.list_namespaces() == []


def test_without_an_index_a_query_does_not_rank(tmp_path: Path) -> None:
    """With index=False a search with a query gives the items that changed last."""
    with MemWeaveStore(tmp_path, index=False) as store:
        store.put(NS, "a", {"text": "tea"})
        assert [(item.key, item.score) for item in store.search(NS, query="tea")] == [("a", None)]


def test_times_to_live(tmp_path: Path) -> None:
    """TTLs are in minutes: reading begins them anew if it should, sweeping deletes, omit_expired hides."""
    now = [memweave_core_now()]
    config = MemoryConfig(workspace_dir=str(tmp_path), progress=False)
    memory = blocking.MemWeave(config, embedder="none", clock=lambda: now[0])
    store = MemWeaveStore(memory, ttl={"default_ttl": 10, "refresh_on_read": True})
    hiding = MemWeaveStore(memory, ttl={"omit_expired": True, "refresh_on_read": False})
    for key, ttl in (("default", {}), ("own", {"ttl": 30}), ("never", {"ttl": None})):
        store.put(NS, key, {"n": 1}, **ttl)
    now[0] += minutes(9)
    assert store.get(NS, "default") is not None
    now[0] += minutes(9)
    assert [item.key for item in hiding.search(NS)] == ["default", "never", "own"]
    assert hiding.get(NS, "default") is not None
    now[0] += minutes(2)
    assert hiding.get(NS, "default") is None
    assert store.get(NS, "default", refresh_ttl=False) is not None
    assert store.sweep_ttl() == 1
    assert {item.key for item in store.search(NS)} == {"never", "own"}
    memory.close()


def test_sweeps_run_by_themselves(tmp_path: Path) -> None:
    """When the interval has passed, the next call sweeps first."""
    now = [memweave_core_now()]
    config = MemoryConfig(workspace_dir=str(tmp_path), progress=False)
    with blocking.MemWeave(config, embedder="none", clock=lambda: now[0]) as memory:
        store = MemWeaveStore(memory, ttl={"sweep_interval_minutes": 0})
        store.put(NS, "a", {"n": 1}, ttl=1)
        now[0] += minutes(2)
        assert store.list_namespaces() == []


def memweave_core_now() -> Any:
    """The moment at which a scripted clock begins."""
    import datetime as dt

    return dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def minutes(number: int) -> Any:
    """A span of so many minutes."""
    import datetime as dt

    return dt.timedelta(minutes=number)


async def test_sync_calls_inside_a_running_loop(store: MemWeaveStore) -> None:
    """Inside a running loop the same object serves sync and async calls."""
    store.put(NS, "a", {"text": "green tea"})
    await store.aput(NS, "b", {"text": "black tea"})
    assert {item.key for item in store.search(NS, query="tea")} == {"a", "b"}
    assert await store.aget(NS, "a") == store.get(NS, "a")


def test_eight_threads_share_a_store(store: MemWeaveStore) -> None:
    """Threads with and without loops put and search at once, and nothing is lost."""

    def work(number: int) -> int:
        for turn in range(6):
            if number % 2:
                store.put(NS, f"k{number}-{turn}", {"text": f"tea {number} {turn}"})
            else:
                asyncio.run(store.aput(NS, f"k{number}-{turn}", {"text": f"tea {number} {turn}"}))
            store.search(NS, query="tea", limit=3)
        return number

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(work, range(8))) == list(range(8))
    assert len(store.search(NS, query="tea", limit=100)) == 48


def test_processes_share_a_folder(tmp_path: Path) -> None:
    """What two processes write at once each of them finds, and Python exits with the store left open."""
    code = (
        "import sys; from langgraph_memweave import MemWeaveStore\n"
        "store = MemWeaveStore(sys.argv[1], index=False)\n"
        "for n in range(15): store.put(('p', sys.argv[2]), f'k{n}', {'n': n})\n"
        "print(len(store.search(('p', sys.argv[2]), limit=99)))"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    running = [subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True) for name in "xy"]
    assert [process.communicate(timeout=60)[0].strip() for process in running] == ["15", "15"]
    with MemWeaveStore(tmp_path, index=False) as store:
        assert len(store.search(("p",), limit=99)) == 30


def test_one_batch_of_everything(store: MemWeaveStore) -> None:
    """A batch may mix all operations, and puts of many keys are one call."""
    store.batch([PutOp(NS, f"k{n}", {"text": f"tea {n}"}) for n in range(300)])
    got, found = store.batch([GetOp(NS, "k7"), SearchOp(NS, limit=500)])
    assert got is not None and isinstance(found, list)
    assert len(found) == 300


def test_an_async_memory_is_taken_too(tmp_path: Path) -> None:
    """A store over an asynchronous memory shares it, and leaves it open."""

    async def asked() -> list[Any]:
        config = MemoryConfig(workspace_dir=str(tmp_path), progress=False)
        async with memweave_core.MemWeave(config, embedder=FakeEmbedder()) as memory:
            async with MemWeaveStore(memory) as store:
                await store.aput(NS, "a", {"text": "gunpowder tea"})
            return list(await memory.search("gunpowder"))

    assert asyncio.run(asked())[0].path == "memory/store/ana/facts/a.md"


def test_labels_of_any_text() -> None:
    """An e-mail address becomes a label that LangGraph admits, and comes back."""
    for name in ("ana@example.org", "50%", "a.b=2ec", "ünï.x"):
        assert "." not in label_of(name)
        assert name_of_label(label_of(name)) == name
    with pytest.raises(ValueError, match="text"):
        label_of(7)  # type: ignore[arg-type]  # what is to be refused


class State(TypedDict):
    """What the graph keeps."""

    said: str


def test_a_graph_uses_it(store: MemWeaveStore) -> None:
    """A compiled graph writes to and reads from the store, invoked and awaited."""

    def node(state: State) -> dict[str, str]:
        get_store().put(NS, state["said"], {"text": state["said"]})
        return {}

    graph = StateGraph(State).add_node("node", node).add_edge(START, "node").compile(store=store)
    graph.invoke({"said": "tea"})
    asyncio.run(graph.ainvoke({"said": "coffee"}))
    assert {item.key for item in store.search(NS)} == {"tea", "coffee"}


def test_langmem_tools_work_unchanged(store: MemWeaveStore) -> None:
    """The tools of langmem create, find, change and delete memories in the store."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from langmem import create_manage_memory_tool, create_search_memory_tool

        manage = create_manage_memory_tool(("memories", "{user}"), store=store)
        search = create_search_memory_tool(("memories", "{user}"), store=store)
        config: Any = {"configurable": {"user": "ana"}}
        said = manage.invoke({"content": "Ana likes green tea.", "action": "create"}, config)
        key = said.split()[-1]
        assert "green tea" in search.invoke({"query": "green tea"}, config)
        manage.invoke({"content": "Ana likes coffee.", "action": "update", "id": key}, config)
        found = asyncio.run(search.ainvoke({"query": "coffee"}, config))
        assert "coffee" in found and "green" not in found
        manage.invoke({"action": "delete", "id": key}, config)
        assert store.search(("memories", "ana")) == []


def test_no_thread_is_left_that_holds_python_up(store: MemWeaveStore) -> None:
    """Every thread that the store starts is a daemon."""
    store.put(NS, "a", {"text": "tea"})
    asyncio.run(store.aput(NS, "b", {"text": "tea"}))
    ours = [thread for thread in threading.enumerate() if thread.name.startswith("memweave")]
    assert ours and all(thread.daemon for thread in ours)
