"""A `FunctionAgent` that remembers: across sessions, and across a workflow context that was stored.

The model follows a script; put yours in its place.
Runs offline, in the folder of a clone: ``uv run python examples/llama_index_agent.py``
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms import MockFunctionCallingLLM
from llama_index.core.workflow import Context
from llama_index_memweave import MemWeaveMemory


def scripted(messages: Sequence[ChatMessage], **_: Any) -> ChatMessage:
    """Answers from what it is shown, as a model would; it knows nothing else."""
    shown = "\n".join(message.content or "" for message in messages[:-1])
    question = messages[-1].content or ""
    if "allergic" in question:
        answer = "I will remember that."
    elif "peanuts" in shown:
        answer = "No satay for you: you are allergic to peanuts."
    else:
        answer = "The satay is good today."
    return ChatMessage(role="assistant", content=answer)


async def main(workspace: Path) -> None:
    """Tell the agent something, and ask for it in three ways."""
    agent = FunctionAgent(
        tools=[], llm=MockFunctionCallingLLM(is_chat_model=True, response_generator=scripted)
    )

    def conversation(name: str) -> MemWeaveMemory:
        return MemWeaveMemory.from_defaults(memory=workspace, user_id="ana", chat_store_key=name)

    # On a new machine the bundled embedder unpacks itself once: a turn would not wait for that.
    await conversation("monday").memweave.embed(["ready"])
    print("no memory:      ", await agent.run(user_msg="What should I eat?"))

    context = Context(agent)
    told = "Remember that I am allergic to peanuts."
    print("monday:         ", await agent.run(user_msg=told, memory=conversation("monday"), ctx=context))

    stored = json.dumps(context.to_dict())
    context = Context.from_dict(agent, json.loads(stored))
    print("stored context: ", await agent.run(user_msg="What should I eat?", ctx=context))

    print("tuesday:        ", await agent.run(user_msg="What should I eat?", memory=conversation("tuesday")))

    print((workspace / "memory" / "users" / "ana" / "facts.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(Path(folder)))
