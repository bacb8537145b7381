"""The memory works in LlamaIndex's chat engines and agents, and lasts beyond them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import CondensePlusContextChatEngine, ContextChatEngine, SimpleChatEngine
from llama_index.core.chat_engine.types import BaseChatEngine
from llama_index.core.llms import MockFunctionCallingLLM
from llama_index.core.memory import Memory
from llama_index.core.workflow import Context
from llama_index_memweave import (
    MemWeaveAsyncChatStore,
    MemWeaveEmbedding,
    MemWeaveFactsBlock,
    MemWeaveMemory,
    MemWeaveRetriever,
)

from memweave_core import MemWeave, blocking

# LlamaIndex looks at every attribute of its components, those that pydantic has deprecated among them.
pytestmark = pytest.mark.filterwarnings("ignore:.*deprecated:pydantic.warnings.PydanticDeprecationWarning")

Made = Callable[..., tuple[MockFunctionCallingLLM, list[list[ChatMessage]]]]


def add(a: int = 1, b: int = 2) -> int:
    """Add two numbers."""
    return a + b


def seen(calls: list[list[ChatMessage]]) -> str:
    """All that the model was shown the last time."""
    return "\n".join(str(message.content) for message in calls[-1])


@pytest.fixture(params=["simple", "context", "condense"])
def engine(request: pytest.FixtureRequest, memory: MemWeave) -> Callable[[Any, Any], BaseChatEngine]:
    """Makes a chat engine of each kind."""
    blocking.MemWeave.of(memory).write("towns.md", "# Towns\n\nPeople live in Oslo, in Lima and elsewhere.\n")
    retriever = MemWeaveRetriever(memory, overrides={"min_score": 0.0})
    made = {
        "simple": lambda llm, buffer: SimpleChatEngine.from_defaults(llm=llm, memory=buffer),
        "context": lambda llm, buffer: ContextChatEngine.from_defaults(
            retriever=retriever, llm=llm, memory=buffer
        ),
        "condense": lambda llm, buffer: CondensePlusContextChatEngine.from_defaults(
            retriever=retriever, llm=llm, memory=buffer
        ),
    }
    return made[request.param]


def test_chat_engines_remember_across_sessions(
    engine: Callable[[Any, Any], BaseChatEngine], memory: MemWeave, model: Made
) -> None:
    """Every engine goes on with a conversation, and knows in the next one what it was told."""
    llm, calls = model("Noted.")
    first = MemWeaveMemory.from_defaults(memory=memory, user_id="ana", chat_store_key="one")
    engine(llm, first).chat("Remember that I live in Oslo.")
    asyncio.run(engine(llm, first).achat("And?"))
    assert [m.content for m in first.get_all()] == [
        "Remember that I live in Oslo.",
        "Noted.",
        "And?",
        "Noted.",
    ]
    second = MemWeaveMemory.from_defaults(memory=memory, user_id="ana", chat_store_key="two")
    for _ in engine(llm, second).stream_chat("Where do I live?").response_gen:
        pass
    assert "I live in Oslo" in seen(calls) or "Lives in Oslo" in seen(calls)


async def test_agents_write_tool_turns_down_whole(memory: MemWeave) -> None:
    """A turn with a tool call is four messages in the transcript."""
    made = MemWeaveMemory.from_defaults(memory=memory)
    agent = FunctionAgent(tools=[add], llm=MockFunctionCallingLLM(is_chat_model=True))
    await agent.run(user_msg="add", memory=made)
    roles = [message.role.value for message in await made.aget()]
    assert roles == ["user", "assistant", "tool", "assistant"]


@pytest.mark.parametrize("workflow", [False, True], ids=["FunctionAgent", "AgentWorkflow"])
@pytest.mark.parametrize("stored", [False, True], ids=["the same context", "a restored context"])
async def test_a_context_keeps_the_memory(
    memory: MemWeave, model: Made, workflow: bool, stored: bool
) -> None:
    """The memory of the first run is used by the second, on the same context or on a stored one."""
    llm, calls = model("one", "two")
    made: Any = FunctionAgent(tools=[], llm=llm)
    agent = AgentWorkflow(agents=[made]) if workflow else made
    context = Context(agent)
    buffer = MemWeaveMemory.from_defaults(memory=memory, user_id="ana", chat_store_key="s")
    await agent.run(user_msg="Remember that I live in Oslo.", memory=buffer, ctx=context)
    if stored:
        context = Context.from_dict(agent, context.to_dict())
    await agent.run(user_msg="Where do I live?", ctx=context)
    again = await context.store.get("memory")
    assert [m.content for m in await again.aget_all()] == [
        "Remember that I live in Oslo.",
        "one",
        "Where do I live?",
        "two",
    ]
    assert "Remember that I live in Oslo." in seen(calls)


def stock(memory: MemWeave, session: str) -> Memory:
    """LlamaIndex's own memory on our store, with our block."""
    return Memory.from_defaults(
        session_id=session,
        chat_store=MemWeaveAsyncChatStore(memory, user_id="ana"),
        memory_blocks=[MemWeaveFactsBlock(memory, user_id="ana")],
    )


async def test_a_stock_memory_learns_at_put(memory: MemWeave, model: Made) -> None:
    """With our store and block, what is said is known in another session before anything is flushed."""
    llm, calls = model("Noted.")
    await FunctionAgent(tools=[add], llm=llm).run(
        user_msg="Remember that I live in Oslo.", memory=stock(memory, "one")
    )
    assert len(await memory.facts("ana")) == 1
    await FunctionAgent(tools=[add], llm=llm).run(user_msg="Where do I live?", memory=stock(memory, "two"))
    assert "Oslo" in seen(calls)
    said = await memory.chat("one", "ana").messages()
    assert [message.text for message in said] == ["Remember that I live in Oslo.", "Noted."]


async def test_the_block_learns_below_another_store(memory: MemWeave) -> None:
    """Whatever holds the queue, the block records what it is shown once, and tells it elsewhere."""
    block = MemWeaveFactsBlock(memory, user_id="ana")
    said = [ChatMessage(role="user", content="Remember that I live in Oslo.")]
    for _ in range(2):
        await block.aget(said, session_id="one")
    assert [m.text for m in await memory.chat("one", "ana").messages()] == ["Remember that I live in Oslo."]
    asked = [ChatMessage(role="user", content="Where do I live?")]
    assert "Oslo" in await block.aget(asked, session_id="two")


async def test_the_block_changes_nothing_and_gives_way(memory: MemWeave) -> None:
    """Messages that are flushed to it stay as they were; what it says can be shortened by whole facts."""
    block = MemWeaveFactsBlock(memory, user_id="ana")
    given = [
        ChatMessage(role="user", content=f"Remember that my {thing} is blue.") for thing in ("car", "boat")
    ]
    await block.aput(given, from_short_term_memory=True, session_id="s")
    assert all(message.additional_kwargs == {} for message in given)
    text = await block.aget([ChatMessage(role="user", content="What is blue?")], session_id="s")
    assert text.count("blue") == 2
    shorter = await block.atruncate(text, 1)
    assert shorter is not None
    assert shorter.count("blue") == 1
    assert await block.atruncate(text, 10_000) is None


def test_notes_answer_questions(memory: MemWeave) -> None:
    """The retriever gives the passages of the search as nodes that say where they stand."""
    blocking.MemWeave.of(memory).write("stack.md", "# Stack\n\nWe deploy to Hetzner with Ansible.\n")
    retriever = MemWeaveRetriever(memory, similarity_top_k=1)
    (found,) = retriever.retrieve("Where do we deploy?")
    assert found.node.metadata["path"] == "memory/stack.md"
    assert "Hetzner" in found.node.get_content()
    assert 0 < (found.score or 0) <= 1
    (again,) = asyncio.run(retriever.aretrieve("Where do we deploy?"))
    assert again.node_id == found.node_id == "memory/stack.md:1-3"


def test_private_notes_are_found_for_their_user_only(memory: MemWeave) -> None:
    """A retriever sees what belongs to a user only when it was made for that user."""
    blocking.MemWeave.of(memory).write("users/ana/plan.md", "# Plan\n\nThe surprise party is on Friday.\n")
    assert MemWeaveRetriever(memory).retrieve("When is the surprise party?") == []
    assert len(MemWeaveRetriever(memory, user_id="ana").retrieve("When is the surprise party?")) == 1


def test_the_embedder_serves_an_index(memory: MemWeave) -> None:
    """An index of LlamaIndex finds by the embedder of the memory, awaited or not."""
    embed = MemWeaveEmbedding(memory)
    index = VectorStoreIndex.from_documents(
        [Document(text="Bread needs yeast and flour."), Document(text="The train leaves at noon.")],
        embed_model=embed,
    )
    (found,) = index.as_retriever(similarity_top_k=1).retrieve("How do I bake bread?")
    assert "yeast" in found.node.get_content()
    assert asyncio.run(embed.aget_text_embedding_batch(["a b"])) == embed.get_text_embedding_batch(["a b"])
    assert asyncio.run(embed.aget_query_embedding("bread")) == embed.get_query_embedding("bread")
    assert MemWeaveEmbedding.from_dict(embed.to_dict()).memweave is memory
