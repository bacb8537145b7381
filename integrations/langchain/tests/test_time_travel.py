"""A thread that is taken back to an earlier checkpoint writes nothing twice and knows what it knew then."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langchain_memweave import MemWeaveMiddleware
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver

RUN: Any = {"configurable": {"thread_id": "t1", "user_id": "ana"}}
OTHER: Any = {"configurable": {"thread_id": "t2", "user_id": "ana"}}


def say(agent: Any, text: str, config: Any = RUN) -> str:
    """What the agent answers."""
    return agent.invoke({"messages": [HumanMessage(text)]}, config)["messages"][-1].text


def before(agent: Any, node: str, said: str) -> Any:
    """The checkpoint before the first time that `node` ran when the user had said `said` last."""
    found = [
        state
        for state in agent.get_state_history(RUN)
        if state.next == (node,)
        and [m.text for m in state.values["messages"] if isinstance(m, HumanMessage)][-1:] == [said]
    ]
    return found[-1]


def known(memory: Any) -> list[str]:
    """The facts in the file."""
    return [fact.text for fact in memory.facts("ana")]


def said(memory: Any) -> list[str]:
    """The texts of the transcript."""
    return [message.text for message in memory.chat("t1", "ana").messages()]


@pytest.fixture
def agent_of(memory: Any) -> Any:
    """Makes an agent with a checkpointer over a model."""

    def made(model: Any, on_fork: Any = "as_of", **more: Any) -> Any:
        middleware = MemWeaveMiddleware(memory, on_fork=on_fork)
        return create_agent(model, middleware=[middleware], checkpointer=InMemorySaver(), **more)

    return made


def test_a_replayed_tool_writes_nothing_twice(
    memory: Any, scripted: Any, calls: Any, agent_of: Any, tmp_path: Path
) -> None:
    """Playing the tool call again, and the capture after it, leaves the files of facts as they are."""
    agent = agent_of(scripted(calls("remember", text="Lives in Lima"), "Noted.", "Noted again."))
    say(agent, "I moved to Lima")
    facts = (tmp_path / "memory/users/ana/facts.md").read_bytes()
    agent.invoke(None, before(agent, "tools", "I moved to Lima").config)
    assert (tmp_path / "memory/users/ana/facts.md").read_bytes() == facts
    assert said(memory).count("I moved to Lima") == 1
    assert said(memory)[-1] == "Noted again."


def test_what_was_forgotten_stays_forgotten_when_its_tool_is_played_again(
    memory: Any, scripted: Any, calls: Any, agent_of: Any
) -> None:
    """Only a new call brings a fact back after it was forgotten."""
    script = (calls("remember", text="Lives in Lima"), "Noted.", "Noted again.")
    agent = agent_of(scripted(*script, calls("remember", text="Lives in Lima"), "Noted."))
    say(agent, "I moved to Lima")
    memory.forget("ana", memory.facts("ana")[0].id)
    agent.invoke(None, before(agent, "tools", "I moved to Lima").config)
    assert known(memory) == []
    say(agent, "I moved to Lima after all")
    assert known(memory) == ["Lives in Lima"]


def test_a_replayed_capture_writes_nothing(
    memory: Any, scripted: Any, agent_of: Any, transcript: Any
) -> None:
    """Playing only the last step again leaves the transcript byte for byte as it is."""
    agent = agent_of(scripted("Noted."))
    say(agent, "Remember that I use tabs.")
    text = transcript("t1")
    agent.invoke(None, before(agent, "MemWeaveMiddleware.after_agent", "Remember that I use tabs.").config)
    assert transcript("t1") == text
    assert len(memory.facts("ana")) == 1


def fork(agent: Any, old: str, new: str) -> Any:
    """Say something else in the place of what was said, and let the agent go on from there."""
    past = before(agent, "model", old)
    message = past.values["messages"][-1]
    config = agent.update_state(past.config, {"messages": [HumanMessage(new, id=message.id)]})
    return agent.invoke(None, config)


MOVES = ("Remember that I live in Lima.", "Remember that I live in Quito now.")


def test_on_a_fork_what_holds_there_is_forgotten(memory: Any, scripted: Any, agent_of: Any) -> None:
    """ "Forget that …" means the facts of its branch: those that hold there, and no others."""
    model = scripted(*["Noted."] * 5)
    agent = agent_of(model)
    say(agent, MOVES[0])
    first = agent.get_state(RUN).config
    say(agent, MOVES[1])
    agent.invoke({"messages": [HumanMessage("Forget that I live in Quito now.")]}, first)
    assert known(memory) == ["I live in Quito now"]
    agent.invoke({"messages": [HumanMessage("Forget that I live in Lima.")]}, first)
    agent.invoke({"messages": [HumanMessage("Where do I live?")]}, first)
    assert "- I live in" not in model.saw()
    assert "I live in Lima" not in [version.fact.text for version in memory.fact_history("ana")]


def test_a_fork_knows_what_was_known_then(memory: Any, scripted: Any, agent_of: Any) -> None:
    """On a fork the facts of the left branch are not known, and what they superseded counts again."""
    model = scripted("Noted.", "Noted.", "A cat.", "Lima.")
    agent = agent_of(model)
    for move in MOVES:
        say(agent, move)
    assert known(memory) == ["I live in Quito now"]
    fork(agent, MOVES[1], "Remember that I have a cat.")
    assert "live in Quito" not in model.saw(-1).replace(MOVES[1], "")
    say(agent, "Where do I live?")
    assert "- I live in Lima" in model.saw()
    assert "- I have a cat" in model.saw()
    assert "Quito" not in model.saw()


async def test_a_fork_with_await(memory: Any, scripted: Any, agent_of: Any) -> None:
    """The asynchronous agent replays and forks in the same way."""
    model = scripted(*["Noted."] * 3)
    agent = agent_of(model)
    for move in MOVES:
        await agent.ainvoke({"messages": move}, RUN)
    states = [state async for state in agent.aget_state_history(RUN)]
    past = next(s for s in states if s.next == ("model",) and s.values["messages"][-1].text == MOVES[1])
    other = HumanMessage("Where do I live?", id=past.values["messages"][-1].id)
    await agent.ainvoke(None, await agent.aupdate_state(past.config, {"messages": [other]}))
    assert "- I live in Lima" in model.saw()
    assert "Quito" not in model.saw()


def test_a_fork_at_the_first_message(memory: Any, scripted: Any, agent_of: Any) -> None:
    """The first message itself can be said otherwise: both wordings are written down, each on its branch."""
    model = scripted("Noted.", "Noted.", "Quito.")
    agent = agent_of(model)
    say(agent, MOVES[0])
    fork(agent, MOVES[0], "Remember that I live in Quito.")
    assert said(memory) == [MOVES[0], "Noted.", "Remember that I live in Quito.", "Noted."]
    say(agent, "Where do I live?")
    assert "- I live in Quito" in model.saw()
    assert "Lima" not in model.saw()


def test_facts_of_other_threads_stay_known(memory: Any, scripted: Any, agent_of: Any) -> None:
    """A fork leaves only the branches of its own thread."""
    model = scripted(*["Noted."] * 4)
    agent = agent_of(model)
    say(agent, MOVES[0])
    say(agent, "Remember that I keep bees.", OTHER)
    fork(agent, MOVES[0], "Hello again")
    assert "- I keep bees" in model.saw()
    assert "- I live in Lima" not in model.saw()
    say(agent, "What do you know?", OTHER)
    assert "- I live in Lima" in model.saw()


def test_what_is_said_on_both_branches_is_known_on_both(memory: Any, scripted: Any, agent_of: Any) -> None:
    """A fact that comes up again on the fork is known there."""
    model = scripted(*["Noted."] * 3)
    agent = agent_of(model)
    say(agent, "Remember that I have a cat.")
    fork(agent, "Remember that I have a cat.", "Please remember that I have a cat.")
    say(agent, "What do you know?")
    assert "- I have a cat" in model.saw()


def test_the_same_tool_call_on_a_fork_is_known_there(
    memory: Any, scripted: Any, calls: Any, agent_of: Any
) -> None:
    """What the model keeps again on the fork is known there, within the turn and after it."""
    model = scripted(
        calls("remember", text="Has a cat"), "Noted.", calls("remember", text="Has a cat"), "Noted.", "Yes."
    )
    agent = agent_of(model)
    say(agent, "I have a cat")
    agent.invoke(None, before(agent, "model", "I have a cat").config)
    assert "- Has a cat" in model.saw()
    say(agent, "Well?")
    assert "- Has a cat" in model.saw()


def test_a_left_branch_can_be_gone_back_to(memory: Any, scripted: Any, agent_of: Any) -> None:
    """Going back to the first branch brings back what was known on it."""
    model = scripted(*["Noted."] * 4)
    agent = agent_of(model)
    for move in MOVES:
        say(agent, move)
    end = agent.get_state(RUN).config
    fork(agent, MOVES[1], "Remember that I have a cat.")
    agent.invoke({"messages": "Where do I live?"}, end)
    assert "- I live in Quito now" in model.saw()
    assert "have a cat" not in model.saw()


def test_the_tool_recall_follows_the_branch(memory: Any, scripted: Any, calls: Any, agent_of: Any) -> None:
    """The tool finds what is known on the branch, as the block before the model does."""
    model = scripted("Noted.", "Noted.", calls("recall", query="home"), "Lima.")
    agent = agent_of(model)
    for move in MOVES:
        say(agent, move)
    fork(agent, MOVES[1], "Where is my home?")
    assert "I live in Lima" in model.shown[-1][-1].text
    assert "Quito" not in model.shown[-1][-1].text


def test_shared_knows_everything(memory: Any, scripted: Any, agent_of: Any) -> None:
    """With the policy "shared" a fork knows what the left branch found out."""
    model = scripted(*["Noted."] * 3)
    agent = agent_of(model, "shared")
    for move in MOVES:
        say(agent, move)
    fork(agent, MOVES[1], "Where do I live?")
    assert "- I live in Quito now" in model.saw()


def test_branch_moves_the_left_facts_to_the_history(memory: Any, scripted: Any, agent_of: Any) -> None:
    """With the policy "branch" the file holds what holds now, and the left branch stands in its history."""
    model = scripted(*["Noted."] * 3)
    agent = agent_of(model, "branch")
    for move in MOVES:
        say(agent, move)
    fork(agent, MOVES[1], "Where do I live?")
    assert known(memory) == ["I live in Lima"]
    assert [version.fact.text for version in memory.fact_history("ana")] == ["I live in Quito now"]


def test_a_summary_that_tells_of_a_left_branch_is_not_shown(
    memory: Any, scripted: Any, agent_of: Any, tmp_path: Path
) -> None:
    """A summary of messages that were left does not reach the fork."""
    model = scripted(*["Noted."] * 3)
    agent = agent_of(model)
    for move in MOVES:
        say(agent, move)
    last = memory.chat("t1", "ana").messages()[-1].id
    (tmp_path / "memory/users/ana/sessions/t1~summary.md").write_text(
        f"---\nsummarised_until: {last}\nsummarised_count: 4\n---\n\nMoved to Quito.\n", encoding="utf-8"
    )
    fork(agent, MOVES[1], "Where do I live?")
    assert "Moved to Quito" not in model.saw()


def test_what_others_write_into_the_conversation_is_on_every_branch(
    memory: Any, scripted: Any, agent_of: Any
) -> None:
    """Messages that came by another door belong to no branch, and what they taught stays known."""
    model = scripted(*["Noted."] * 3)
    agent = agent_of(model)
    say(agent, "hi")
    memory.record("ana", "t1", {"role": "user", "content": "Remember that I keep bees."})
    say(agent, "Remember that I have a cat.")
    fork(agent, "Remember that I have a cat.", "And now?")
    assert "- I keep bees" in model.saw()
    assert "- I have a cat" not in model.saw()


def test_a_thread_whose_checkpoints_are_gone_goes_on(memory: Any, scripted: Any, agent_of: Any) -> None:
    """A new checkpointer over an old transcript leaves nothing: the thread goes on where it ended."""
    say(agent_of(scripted("Noted.")), MOVES[0])
    model = scripted("Lima.")
    say(agent_of(model), "Where do I live?")
    assert "- I live in Lima" in model.saw()


def test_survives_a_restart_with_a_database(memory: Any, scripted: Any, tmp_path: Path) -> None:
    """Thread, place in the transcript and branches are there again when the process was started anew."""
    model = scripted(*["Noted."] * 4)

    def reopened() -> Any:
        connection = sqlite3.connect(tmp_path / "checkpoints.sqlite", check_same_thread=False)
        agent = create_agent(
            model, middleware=[MemWeaveMiddleware(memory)], checkpointer=SqliteSaver(connection)
        )
        return connection, agent

    connection, agent = reopened()
    for move in MOVES:
        say(agent, move)
    connection.close()
    connection, agent = reopened()
    fork(agent, MOVES[1], "Where do I live?")
    assert "- I live in Lima" in model.saw()
    say(agent, "And now?")
    connection.close()
    assert said(memory)[-2:] == ["And now?", "Noted."]


def test_place_in_the_memory_is_private(scripted: Any, agent_of: Any) -> None:
    """What the middleware keeps in the state comes out of no run."""
    result = agent_of(scripted("Hello.")).invoke({"messages": "hi"}, RUN)
    assert set(result) == {"messages"}


def test_facts_name_the_message_they_come_from(memory: Any, scripted: Any, calls: Any, agent_of: Any) -> None:
    """A fact that a tool kept names the thread and the message that called the tool."""
    say(agent_of(scripted(calls("remember", text="Has a cat"), "Noted.")), "I have a cat")
    calling = next(message for message in memory.chat("t1", "ana").messages() if message.tool_calls)
    assert [fact.source for fact in memory.facts("ana")] == [f"t1#{calling.id}"]
