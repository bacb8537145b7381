"""A thread is taken back, and so is what is known.

The checkpoints are in a SQLite file, as LangGraph keeps them; the memory is in Markdown. The model is a
stand-in that says what it was shown of the memory.
Runs offline, in the folder of a clone: ``uv run python examples/langchain_time_travel.py``
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_memweave import MemWeaveMiddleware
from langgraph.checkpoint.sqlite import SqliteSaver

from memweave_core import MemoryConfig
from memweave_core.blocking import MemWeave

RUN: Any = {"configurable": {"thread_id": "t1", "user_id": "ana"}}


class Model(BaseChatModel):
    """Stands for a chat model; answers with the facts that it was given."""

    @property
    def _llm_type(self) -> str:
        return "stand-in"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        facts = [line for line in messages[0].text.splitlines() if line.startswith("- ")]
        known = "; ".join(fact[2:].split(" (")[0] for fact in facts) or "nothing"
        return ChatResult(generations=[ChatGeneration(message=AIMessage(f"I know: {known}"))])


def say(agent: Any, text: str) -> None:
    """One turn."""
    print(f"{text}\n  {agent.invoke({'messages': text}, RUN)['messages'][-1].text}")


def main(workspace: str) -> None:
    """Ana moves to Quito; then the thread is taken back to where she had not said so."""
    database = str(Path(workspace, "checkpoints.sqlite"))
    with (
        MemWeave(MemoryConfig(workspace_dir=workspace)) as memory,
        SqliteSaver.from_conn_string(database) as saver,
    ):
        # On a new machine the bundled embedder unpacks itself once: a turn would not wait for that.
        memory.embed(["ready"])
        memory_of_agent = MemWeaveMiddleware(memory, tools=(), on_fork="as_of")
        agent = create_agent(Model(), middleware=[memory_of_agent], checkpointer=saver)
        say(agent, "Remember that I live in Lima.")
        say(agent, "Remember that I live in Quito now.")
        say(agent, "Where do I live?")

        print("Back to before Quito, and on from there:")
        past = next(
            state
            for state in agent.get_state_history(RUN)
            if state.next == ("model",) and state.values["messages"][-1].text.endswith("Quito now.")
        )
        instead = HumanMessage("Remember that I have a cat.", id=past.values["messages"][-1].id)
        fork = agent.update_state(past.config, {"messages": [instead]})
        print(f"{instead.text}\n  {agent.invoke(None, fork)['messages'][-1].text}")
        say(agent, "Where do I live?")

        print("The transcript keeps both branches:")
        for message in memory.chat("t1", "ana").messages():
            if message.role == "user":
                print(f"  {message.text}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(folder)
