"""Code that says `ChatMemoryBuffer` keeps its conversations once one line of it is changed.

The model follows a script; put yours in its place.
Runs offline, in the folder of a clone: ``uv run python examples/llama_index_chat_buffer.py``
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockFunctionCallingLLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index_memweave import MemWeaveChatStore


def scripted(messages: Sequence[ChatMessage], **_: Any) -> ChatMessage:
    """Says how many messages it is shown, and what the first of them was."""
    first = messages[0].content
    return ChatMessage(role="assistant", content=f"I see {len(messages)} messages; the first is: {first}")


def program(workspace: Path, question: str) -> str:
    """A program as it was, but for its chat store: it was ``SimpleChatStore()``."""
    store = MemWeaveChatStore(workspace)
    memory = ChatMemoryBuffer.from_defaults(chat_store=store, chat_store_key="ana", token_limit=3000)
    llm = MockFunctionCallingLLM(is_chat_model=True, response_generator=scripted)
    engine = SimpleChatEngine.from_defaults(llm=llm, memory=memory)
    return str(engine.chat(question))


def main(workspace: Path) -> None:
    """Run the program twice; the second time it is shown what was said the first time."""
    print(program(workspace, "I am Ana, and I count owls."))
    print(program(workspace, "Who am I?"))
    print()
    print((workspace / "memory" / "sessions" / "ana.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(Path(folder))
