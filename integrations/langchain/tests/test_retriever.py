"""Chains search a memory through the retriever, and other parts of LangChain use its embedder and tools."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain_core.runnables import ConfigurableField
from langchain_core.tools import create_retriever_tool
from langchain_memweave import MemWeaveEmbeddings, MemWeaveRetriever, MemWeaveVectorStore, memory_tools
from pydantic import ValidationError

from memweave_core import ConfigError, MemoryConfig, UsageError, blocking
from memweave_core.testing import FakeEmbedder


@pytest.fixture
def retriever(memory: Any) -> MemWeaveRetriever:
    """A retriever over three pages, one of them Ana's."""
    memory.write("green.md", "# Tea\n\nGreen tea grows in the hills.")
    memory.write("black.md", "---\ntags: [strong]\n---\n# Tea\n\nBlack tea is strong.")
    memory.write("users/ana/tea.md", "Ana drinks white tea.")
    return MemWeaveRetriever(memory=memory, k=2)


def paths(documents: Any) -> list[str]:
    """Where documents come from."""
    return [document.metadata["path"] for document in documents]


def test_the_score_is_in_the_metadata(retriever: Any) -> None:
    """A document tells its score between 0 and 1, its page and its lines."""
    [best, *_] = retriever.invoke("green tea in the hills")
    assert best.metadata["path"] == "memory/green.md"
    assert 0 < best.metadata["score"] <= 1
    assert best.id == f"memory/green.md:{best.metadata['start_line']}-{best.metadata['end_line']}"


def test_how_many_and_how_good(retriever: Any, memory: Any) -> None:
    """`k` and `min_score` count in the constructor, in a call, and as configurable fields."""
    assert len(retriever.invoke("tea", k=1)) == 1
    assert retriever.invoke("tea", min_score=1.0) == []
    assert MemWeaveRetriever(memory=memory, min_score=1.0).invoke("tea") == []
    fields: Any = retriever.configurable_fields(k=ConfigurableField(id="k"))
    assert len(fields.invoke("tea", {"configurable": {"k": 1}})) == 1
    assert len(MemWeaveRetriever(memory=memory, search_kwargs={"k": 1}).invoke("tea")) == 1
    assert len(retriever.invoke("tea", search_kwargs={"k": 1})) == 1


def test_what_it_does_not_know_is_refused(memory: Any) -> None:
    """A field with another name is an error, not a filter that narrows nothing."""
    with pytest.raises(ValidationError, match="filter"):
        MemWeaveRetriever(memory=memory, filter={"tags": "strong"})  # type: ignore[call-arg]


def test_private_pages_need_their_user(retriever: Any, memory: Any) -> None:
    """Without a user nobody's private pages are found."""
    own = MemWeaveRetriever(memory=memory, user_id="ana")
    assert "memory/users/ana/tea.md" in paths(own.invoke("white tea"))
    assert "memory/users/ana/tea.md" not in paths(retriever.invoke("white tea", k=9))


def test_every_override_of_search_can_be_given(retriever: Any, memory: Any) -> None:
    """Filters and strategies reach the search, and a wrong name is refused with the nearest right one."""
    strong = MemWeaveRetriever(memory=memory, search_kwargs={"where": {"tags": ["strong"]}})
    assert paths(strong.invoke("tea")) == ["memory/black.md"]
    with pytest.raises(ConfigError, match="strategy"):
        retriever.invoke("tea", strateg="keyword")
    with pytest.raises(UsageError, match="MemWeave"):
        MemWeaveRetriever(memory="memory/")


async def test_everywhere_at_once(retriever: Any) -> None:
    """It answers in a running loop, from eight threads, and awaited."""
    with ThreadPoolExecutor(8) as pool:
        found = [retriever.invoke("green tea"), *pool.map(retriever.invoke, ["green tea"] * 8)]
    found += await asyncio.gather(*(retriever.ainvoke("green tea") for _ in range(4)))
    assert all(paths(one)[0] == "memory/green.md" for one in found)


def test_is_a_tool_in_one_line(retriever: Any) -> None:
    """LangChain makes a tool of it."""
    made = create_retriever_tool(retriever, "pages", "Search the pages.")
    assert "Green tea grows" in made.invoke({"query": "green tea"})


async def test_our_embedder_is_theirs(memory: Any) -> None:
    """The embedder gives unit vectors to LangChain, the same with and without await."""
    embeddings = MemWeaveEmbeddings(memory)
    [first, blank] = embeddings.embed_documents(["green tea", ""])
    assert sum(x * x for x in first) == pytest.approx(1, abs=1e-4)
    assert blank == [0.0] * len(first)
    assert await embeddings.aembed_query("green tea") == embeddings.embed_query("green tea") == first
    assert await embeddings.aembed_documents([]) == []


async def test_tools_by_themselves(memory: Any) -> None:
    """The tools keep, find and delete a fact for the user they were made for, without any graph."""
    remember, recall, forget = memory_tools(memory, user="ana")
    remember.invoke({"text": "Drinks green tea"})
    line = await recall.ainvoke({"query": "tea"})
    assert "Drinks green tea" in line
    await forget.ainvoke({"fact_id": line.split("]")[0]})
    assert recall.invoke({"query": "tea"}) == "Nothing is known."
    assert "no fact" in forget.invoke({"fact_id": "f000000"})


def test_tools_of_whoever_runs_them(memory: Any) -> None:
    """Without a user of their own they are about the user of the run, and refuse a run of nobody."""
    remember, *_ = memory_tools(memory, only=["remember"])
    remember.invoke({"text": "Drinks tea"}, {"configurable": {"user_id": 7}})
    assert [fact.text for fact in memory.facts("7")] == ["Drinks tea"]
    with pytest.raises(UsageError, match="user_id"):
        remember.invoke({"text": "Drinks tea"})


def test_python_ends_without_close(config: MemoryConfig) -> None:
    """A program that used every face and closed nothing ends at once."""
    code = f"""
from memweave_core import MemoryConfig, MemWeave
from memweave_core.testing import FakeEmbedder
from langchain_memweave import *
memory = MemWeave(MemoryConfig(workspace_dir={config.workspace_dir!r}), embedder=FakeEmbedder())
MemWeaveChatMessageHistory("s", memory).add_user_message("hi")
memory_tools(memory, user="ana")[0].invoke({{"text": "Drinks tea"}})
print(len(MemWeaveRetriever(memory=memory, user_id="ana").invoke("tea")))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_no_thread_outlives_the_memory(config: MemoryConfig) -> None:
    """When a memory is closed, the threads that its faces had it start are gone."""
    with blocking.MemWeave(config, embedder=FakeEmbedder()) as memory:
        MemWeaveEmbeddings(memory).embed_query("tea")
        before = set(threading.enumerate())
    with blocking.MemWeave(config, embedder=FakeEmbedder()) as memory:
        memory_tools(memory, user="ana")[0].invoke({"text": "Drinks tea"})
        MemWeaveVectorStore(memory).add_texts(["tea"])
        MemWeaveRetriever(memory=memory).invoke("tea")
    for thread in set(threading.enumerate()) - before:
        thread.join(5)
    assert set(threading.enumerate()) <= before


def test_without_an_embedder_it_says_so(config: MemoryConfig) -> None:
    """A memory that has no embedder gives no vectors and names what to do."""
    with (
        blocking.MemWeave(config, embedder="none") as memory,
        pytest.raises(ConfigError, match="embedder"),
    ):
        MemWeaveEmbeddings(memory).embed_query("tea")
