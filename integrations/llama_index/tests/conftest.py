"""What the tests of the adapter share: a memory in a folder, and language models with scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms import MockFunctionCallingLLM

from memweave_core import MemoryConfig, MemWeave, blocking

Seen = list[list[ChatMessage]]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemWeave]:
    """A memory in an empty folder."""
    made = MemWeave(MemoryConfig(workspace_dir=str(tmp_path), progress=False))
    yield made
    blocking.MemWeave.of(made).close()


@pytest.fixture
def model() -> Callable[..., tuple[MockFunctionCallingLLM, Seen]]:
    """Makes a model that gives its replies in turn, the last for ever, and what it was shown each time."""

    def made(*replies: str) -> tuple[MockFunctionCallingLLM, Seen]:
        seen: Seen = []

        def answer(messages: Sequence[ChatMessage], **_: object) -> ChatMessage:
            seen.append(list(messages))
            text = replies[min(len(seen), len(replies)) - 1]
            return ChatMessage(role="assistant", content=text)

        return MockFunctionCallingLLM(is_chat_model=True, response_generator=answer), seen

    return made
