"""A memory in a folder of its own with a deterministic embedder, and models that say what is scripted."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

from memweave_core import MemoryConfig, blocking
from memweave_core.testing import FakeClock, FakeEmbedder


class ScriptedChat(BaseChatModel):
    """Gives scripted replies in order and notes what it was shown; an exception in the script is raised."""

    replies: list[Any]
    shown: list[list[BaseMessage]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> ScriptedChat:  # type: ignore[override]
        """The same model: the script knows which tools there are."""
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self.shown.append(list(messages))
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        message = AIMessage(reply) if isinstance(reply, str) else reply
        return ChatResult(generations=[ChatGeneration(message=message)])

    def saw(self, number: int = -1) -> str:
        """All that it was shown in one call, as text."""
        return "\n".join(message.text for message in self.shown[number])


@pytest.fixture
def scripted() -> Callable[..., ScriptedChat]:
    """Makes a model that gives these replies: texts, messages, exceptions."""
    return lambda *replies: ScriptedChat(replies=list(replies))


@pytest.fixture
def calls() -> Callable[..., AIMessage]:
    """Makes a reply that calls a tool."""
    numbers = itertools.count(1)

    def made(tool: str, **arguments: Any) -> AIMessage:
        call = {"name": tool, "args": arguments, "id": f"call-{next(numbers)}", "type": "tool_call"}
        return AIMessage("", tool_calls=[call])

    return made


@pytest.fixture(autouse=True)
def apart(cache_folder: Path) -> Path:
    """Each test has a cache folder of its own."""
    return cache_folder


@pytest.fixture
def config(tmp_path: Path) -> MemoryConfig:
    """The settings of the memory."""
    return MemoryConfig(workspace_dir=str(tmp_path))


@pytest.fixture
def memory(config: MemoryConfig) -> Iterator[blocking.MemWeave]:
    """An open memory."""
    with blocking.MemWeave(config, embedder=FakeEmbedder(), clock=FakeClock()) as opened:
        yield opened


@pytest.fixture
def transcript(tmp_path: Path) -> Any:
    """The text of the transcript of a session."""

    def read(session: str, user: str = "ana") -> str:
        folder = tmp_path / "memory" / "users" / user / "sessions"
        return (folder / f"{session}.md").read_text(encoding="utf-8")

    return read
