"""LangChain writes, LlamaIndex reads and goes on, and ``git diff`` shows what was said.

The model follows a script; put yours in its place.
Runs offline, in the folder of a clone: ``uv run python examples/llama_index_and_langchain.py``
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_memweave import MemWeaveChatMessageHistory
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockFunctionCallingLLM
from llama_index_memweave import MemWeaveMemory

from memweave_core import MemoryConfig
from memweave_core.blocking import MemWeave


def git(workspace: Path, *arguments: str) -> str:
    """What git says."""
    name = ("-c", "user.name=ana", "-c", "user.email=ana@example.org", "-c", "core.autocrlf=false")
    done = subprocess.run(
        ["git", *name, *arguments], cwd=workspace, check=True, capture_output=True, text=True
    )
    return done.stdout


def scripted(messages: Sequence[ChatMessage], **_: Any) -> ChatMessage:
    """Repeats what the tool had said."""
    found = next(message.content for message in messages if message.role == "tool")
    return ChatMessage(role="assistant", content=f"You asked about the weather: {found}.")


def main(workspace: Path) -> None:
    """One conversation, two frameworks, one file."""
    git(workspace, "init", "--quiet")
    with MemWeave(MemoryConfig(workspace_dir=str(workspace))) as memory:
        history = MemWeaveChatMessageHistory("trip", memory)
        call = {"name": "weather", "args": {"city": "Lima"}, "id": "call_1", "type": "tool_call"}
        history.add_messages(
            [
                HumanMessage("What is the weather in Lima?"),
                AIMessage("", tool_calls=[call]),
                ToolMessage("18 degrees, mist", tool_call_id="call_1", name="weather"),
                AIMessage("It is 18 degrees, with mist."),
            ]
        )
        git(workspace, "add", "memory")
        git(workspace, "commit", "--quiet", "--message", "Written through LangChain")

        llm = MockFunctionCallingLLM(is_chat_model=True, response_generator=scripted)
        engine = SimpleChatEngine.from_defaults(
            llm=llm, memory=MemWeaveMemory.from_defaults(memory=memory, chat_store_key="trip")
        )
        print(engine.chat("What did I ask?"))
        print()
        print(git(workspace, "diff", "--unified=0", "memory"))
        print(MemWeaveChatMessageHistory("trip", memory).messages[-1].pretty_repr())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(Path(folder))
