"""An agent that remembers across threads and users.

Ana and Luis talk to the same agent. What Ana says in one thread is known in her next one, also after a
restart, and never in one of Luis. The model is a stand-in that knows nothing but what it is given: it keeps
what it is told about a boat, and finds the boat in what it is shown.
Runs offline, in the folder of a clone: ``uv run python examples/langchain_agent.py``
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_memweave import MemWeaveMiddleware
from langgraph.checkpoint.memory import InMemorySaver

from memweave_core import MemoryConfig
from memweave_core.blocking import MemWeave

BOAT = re.compile(r"boat is called (\w+)")


class Model(BaseChatModel):
    """Stands for a chat model that calls tools."""

    @property
    def _llm_type(self) -> str:
        return "stand-in"

    def bind_tools(self, _: Sequence[Any], **__: Any) -> Model:
        """It knows the one tool it uses."""
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages))])

    def _answer(self, messages: list[BaseMessage]) -> AIMessage:
        last = messages[-1]
        told = BOAT.search(last.text) if isinstance(last, HumanMessage) else None
        if told:
            call = {"name": "remember", "args": {"text": f"Their boat is called {told[1]}"}, "id": told[1]}
            return AIMessage("", tool_calls=[call])
        if not isinstance(last, HumanMessage):
            return AIMessage("I will keep that in mind.")
        known = [found for message in messages for found in BOAT.findall(message.text)]
        return AIMessage(f"Your boat is called {known[-1]}." if known else "You never told me.")


@dataclass
class Who:
    """Who talks to the agent."""

    user_id: str


def talk(workspace: str, lines: Sequence[tuple[str, str, str]]) -> None:
    """One life of the process: opens the memory, lets users talk in threads, closes it."""
    with MemWeave(MemoryConfig(workspace_dir=workspace)) as memory:
        agent = create_agent(
            Model(),
            middleware=[MemWeaveMiddleware(memory)],
            context_schema=Who,
            checkpointer=InMemorySaver(),
        )
        for user, thread, text in lines:
            config = {"configurable": {"thread_id": thread}}
            result = agent.invoke({"messages": text}, config, context=Who(user))
            print(f"{user} in {thread}: {text}\n  {result['messages'][-1].text}")


def main(workspace: str) -> None:
    """Monday, a restart, and Tuesday."""
    talk(workspace, [("ana@example.com", "monday", "My boat is called Sirena.")])
    talk(
        workspace,
        [
            ("ana@example.com", "tuesday", "What is my boat called?"),
            ("luis@example.com", "tuesday-2", "What is my boat called?"),
        ],
    )
    facts = Path(workspace, "memory", "users", "ana@example.com", "facts.md")
    print(facts.read_text(encoding="utf-8"))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(folder)
