"""Each turn is written down for whoever it is of, once, whatever happens to the run and to the state."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware, SummarizationMiddleware, before_model
from langchain_core.messages import HumanMessage, RemoveMessage, SystemMessage
from langchain_core.tools import tool
from langchain_memweave import MemWeaveMiddleware
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from memweave_core import StorageError, UsageError

NUTS = "Remember that I am allergic to nuts."


def run(thread: str = "t", user: str = "ana") -> Any:
    """The configuration of a run."""
    return {"configurable": {"thread_id": thread, "user_id": user}}


def texts(memory: Any, user: str, session: str = "t") -> list[str]:
    """What stands in a transcript."""
    return [message.text for message in memory.chat(session, user).messages()]


def facts(memory: Any, user: str) -> list[str]:
    """What is known of somebody."""
    return [fact.text for fact in memory.facts(user)]


@pytest.fixture
def agent_of(memory: Any, scripted: Any) -> Any:
    """Makes an agent with memory that gives these replies."""

    def made(*replies: Any, before: Any = (), tools: Any = (), saved: bool = True, **more: Any) -> Any:
        own = MemWeaveMiddleware(memory, tools=(), **more)
        saver = InMemorySaver() if saved else None
        return create_agent(scripted(*replies), list(tools), middleware=[*before, own], checkpointer=saver)

    return made


@tool
def look(q: str) -> str:
    """Look something up."""
    return "found"


def say(agent: Any, text: str, config: Any) -> Any:
    """Let a user say something."""
    return agent.invoke({"messages": [HumanMessage(text)]}, config)


def test_words_of_a_failed_run_are_not_the_next_users(memory: Any, agent_of: Any) -> None:
    """What one user said in a run that failed is not taken for another's who speaks next."""
    agent = agent_of(RuntimeError("down"), "Hi, Bob.", "Hi, Ana.")
    with pytest.raises(RuntimeError):
        say(agent, NUTS, run())
    say(agent, "Bob here", run(user="bob"))
    assert texts(memory, "bob") == ["Bob here", "Hi, Bob."] and facts(memory, "bob") == []


def test_a_turn_whose_write_failed_is_written_for_its_user(
    memory: Any, agent_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When another user speaks before it could be written down, it is still the first one's."""
    agent = agent_of("Noted.", "Hi, Bob.")
    core = memory.asynchronous
    with monkeypatch.context() as patch:

        async def fails(*given: Any) -> Any:
            raise StorageError("The disk is full.")

        patch.setattr(core, "record", fails)
        with pytest.raises(StorageError):
            say(agent, NUTS, run())
    say(agent, "Bob here", run(user="bob"))
    assert texts(memory, "ana") == [NUTS, "Noted."] and facts(memory, "ana") == ["I am allergic to nuts"]
    assert texts(memory, "bob") == ["Bob here", "Hi, Bob."]


def test_a_message_taken_out_hands_nobody_over(memory: Any, agent_of: Any) -> None:
    """When the last answer to one user is removed from the state, their words stay theirs."""
    agent = agent_of("Noted.", "Hi, Bob.")
    done = say(agent, NUTS, run())
    agent.update_state(run(), {"messages": [RemoveMessage(done["messages"][-1].id)]})
    say(agent, "Bob here", run(user="bob"))
    assert texts(memory, "bob") == ["Bob here", "Hi, Bob."]


def test_who_approves_takes_nothing_over(memory: Any, agent_of: Any, calls: Any) -> None:
    """A run that somebody else lets go on is of whoever began it."""
    asks = HumanInTheLoopMiddleware(interrupt_on={"look": True})
    agent = agent_of(calls("look", q="x"), "Found.", before=[asks], tools=[look])
    say(agent, NUTS, run())
    agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), run(user="boss"))
    assert texts(memory, "boss") == [] and facts(memory, "boss") == []
    assert texts(memory, "ana")[0] == NUTS and facts(memory, "ana") == ["I am allergic to nuts"]


def test_a_turn_that_is_summarised_on_the_way_is_written_down(
    memory: Any, agent_of: Any, scripted: Any, calls: Any
) -> None:
    """When a long run is summarised before its end, what the user said is written down all the same."""
    shorter = SummarizationMiddleware(scripted(*["SUM"] * 9), trigger=("messages", 8), keep=("messages", 3))
    steps = [calls("look", q="x") for _ in range(6)]
    agent = agent_of(*steps, "Done.", "Yes.", before=[shorter], tools=[look])
    say(agent, "Remember that I like figs.", run())
    stored = memory.chat("t", "ana").messages()
    assert (stored[0].text, stored[-1].text) == ("Remember that I like figs.", "Done.")
    assert "SUM" not in str(stored) and facts(memory, "ana") == ["I like figs"]
    say(agent, "Do I?", run())
    assert texts(memory, "ana")[-2:] == ["Do I?", "Yes."]


@pytest.mark.parametrize("saved", [False, True])
def test_runs_at_the_same_time_are_no_branches(
    memory: Any, agent_of: Any, scripted: Any, saved: bool
) -> None:
    """What several runs of one thread learn at once is known afterwards."""
    gate = threading.Barrier(5, timeout=60)

    @before_model
    def together(state: Any, runtime: Any) -> None:
        """Let no run end before all have begun."""
        gate.wait()

    agent = agent_of(*["Noted."] * 5, before=[together], saved=saved)
    words = [f"Remember that my {name} is new." for name in ("house", "car", "boat", "piano", "garden")]
    agent.batch([{"messages": [HumanMessage(one)]} for one in words], [{**run(), "max_concurrency": 5}] * 5)
    model = scripted("Much.")
    own = MemWeaveMiddleware(memory, tools=())
    asked = create_agent(model, middleware=[own], checkpointer=agent.checkpointer)
    say(asked, "What is new?", run())
    assert [one for one in words if one.split()[3] not in model.saw()] == []


def test_threads_that_share_a_conversation_are_no_branches(memory: Any, scripted: Any) -> None:
    """What was said in one thread of a conversation is known in its others, old and new."""
    model = scripted(*["Noted."] * 5)
    own = MemWeaveMiddleware(memory, tools=(), session="project")
    agent = create_agent(model, middleware=[own], checkpointer=InMemorySaver())
    say(agent, "hello", run("one"))
    say(agent, "Remember that my dog is Rex.", run("two"))
    say(agent, "Remember that I like figs.", run("one"))
    for thread in ("one", "three"):
        say(agent, "What do you know?", run(thread))
        assert "dog is Rex" in model.saw()


def test_a_conversation_that_is_left_is_found_again(memory: Any, scripted: Any) -> None:
    """A thread that turns to another conversation and back knows what was said in both."""
    model = scripted(*["Noted."] * 4)
    own = MemWeaveMiddleware(memory, tools=())
    agent = create_agent(model, middleware=[own], checkpointer=InMemorySaver(), context_schema=dict)
    for session, text in (("home", NUTS), ("work", "hello"), ("home", "and?"), ("work", "and?")):
        agent.invoke({"messages": [HumanMessage(text)]}, run(), context={"session_id": session})
        assert "allergic" in model.saw()
    assert texts(memory, "ana", "work") == ["hello", "Noted.", "and?", "Noted."]


def test_bytes_stop_nothing(memory: Any, agent_of: Any) -> None:
    """A message with raw bytes in it is written down, and so is what follows."""
    agent = agent_of("A cat.", "Noted.")
    picture: Any = {"image": {"format": "png", "source": {"bytes": b"\x89PNG\xff"}}}
    agent.invoke({"messages": [HumanMessage([{"type": "text", "text": "See"}, picture])]}, run())
    say(agent, NUTS, run())
    assert texts(memory, "ana") == ["See", "A cat.", NUTS, "Noted."]


def test_a_tool_played_again_with_the_same_result_is_one(memory: Any, agent_of: Any, calls: Any) -> None:
    """A replay of the tools writes no second result beside the first."""
    agent = agent_of(calls("look", q="x"), "Found.", "Found it.", tools=[look])
    say(agent, "Look.", run())
    past = next(one for one in agent.get_state_history(run()) if one.next == ("tools",))
    agent.invoke(None, past.config)
    assert [one.role for one in memory.chat("t", "ana").messages()].count("tool") == 1


def test_a_thread_of_two_users_must_say_who_speaks(memory: Any, agent_of: Any) -> None:
    """Where several have spoken, a run without a name is refused."""
    agent = agent_of("Hi.", "Hi.", "Hi.")
    for user in ("ana", "bob"):
        say(agent, "hi", run(user=user))
    with pytest.raises(UsageError, match="user_id"):
        say(agent, "hi", {"configurable": {"thread_id": "t"}})


@pytest.mark.parametrize("capture", [True, False])
def test_a_run_without_words_is_of_whoever_runs_it(memory: Any, scripted: Any, capture: bool) -> None:
    """Somebody who only gives an order is not taken for who spoke before, even in a run that failed."""
    memory.remember("ana", "Ana is pregnant.")
    model = scripted("Hi.", RuntimeError("down"), "Welcome.")
    own = MemWeaveMiddleware(memory, tools=(), capture=capture)
    agent = create_agent(model, middleware=[own], checkpointer=InMemorySaver())
    say(agent, "hello", run())
    with pytest.raises(RuntimeError):
        say(agent, "hello?", run())
    agent.invoke({"messages": [SystemMessage("Greet the user.")]}, run(user="bob"))
    assert "pregnant" not in model.saw()


def test_what_was_not_to_be_kept_is_not_kept_later(memory: Any, agent_of: Any) -> None:
    """Turns of a time without capture stay unwritten, and leave nothing behind in the state."""
    silent = agent_of(*["n"] * 4, capture=False)
    for text in (NUTS, "two", "three"):
        say(silent, text, run())
    [values] = silent.get_state(run()).values.get("memweave", {"": {"open": []}}).values()
    assert values["open"] == []
    loud = agent_of("Yes.")
    loud.checkpointer = silent.checkpointer
    say(loud, "four", run())
    assert texts(memory, "ana") == ["four", "Yes."] and facts(memory, "ana") == []


def test_an_answer_made_anew_stays_in_its_turn(memory: Any, agent_of: Any) -> None:
    """Regenerating the last answer of one user writes nothing of another's down."""
    agent = agent_of("Hi, Ana.", "Hi, Bob.", "Hello, Bob.")
    say(agent, NUTS, run())
    done = say(agent, "Bob here", run(user="bob"))
    gone = {"messages": [RemoveMessage(done["messages"][-1].id)]}
    agent.update_state(run(), gone, as_node="__start__")
    agent.invoke(None, run(user="bob"))
    assert NUTS not in texts(memory, "bob") and facts(memory, "bob") == []
    assert texts(memory, "bob")[-1] == "Hello, Bob."


def test_words_that_are_trimmed_on_the_way_are_written_down(memory: Any, agent_of: Any, calls: Any) -> None:
    """When another middleware cuts the state during a run, what the user said is written all the same."""

    @before_model
    def cut(state: Any, runtime: Any) -> Any:
        """Leave the last three messages."""
        return {"messages": [RemoveMessage(one.id) for one in state["messages"][:-3]]}

    steps = [calls("look", q="x") for _ in range(4)]
    agent = agent_of(*steps, "Done.", before=[cut], tools=[look])
    say(agent, "Remember that I like figs.", run())
    stored = texts(memory, "ana")
    assert (stored[0], stored[-1]) == ("Remember that I like figs.", "Done.")
