"""An agent with the middleware remembers across threads and users, and writes each turn down once."""

from __future__ import annotations

import asyncio
import contextvars
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.tools import tool
from langchain_memweave import MemWeaveMiddleware, summariser
from langgraph.checkpoint.memory import InMemorySaver

from memweave_core import ConfigError, MemoryConfig, Message, UsageError, blocking
from memweave_core.testing import FakeEmbedder, ScriptedModel


@dataclass
class Who:
    """The context of a run."""

    user_id: Any


def run(thread: str = "t1", user: Any = "ana") -> Any:
    """The configuration of a run."""
    return {"configurable": {"thread_id": thread, "user_id": user}}


def say(agent: Any, text: str, config: Any, **more: Any) -> str:
    """What the agent answers."""
    return agent.invoke({"messages": [HumanMessage(text)]}, config, **more)["messages"][-1].text


def texts(memory: Any, session: str = "t1", user: str | None = "ana") -> list[str]:
    """What stands in a transcript."""
    return [message.text for message in memory.chat(session, user).messages()]


@tool
def weather(city: str) -> str:
    """The weather of a city."""
    return f"Rain in {city}."


@pytest.mark.parametrize("saver", [None, "memory"])
def test_remembers_across_threads(memory: Any, scripted: Any, calls: Any, saver: str | None) -> None:
    """What a user says in one thread is before the model in another one, and not for another user."""
    model = scripted(calls("remember", text="Lives in Lima"), "Noted.", "In Lima.", "No idea.")
    agent = create_agent(
        model, middleware=[MemWeaveMiddleware(memory)], checkpointer=InMemorySaver() if saver else None
    )
    say(agent, "I moved to Lima", run())
    say(agent, "Where do I live?", run("t2"))
    assert "Lives in Lima" in model.saw()
    say(agent, "Where do I live?", run("t3", "luis"))
    assert "Lives in Lima" not in model.saw()


async def test_works_with_await(memory: Any, scripted: Any, calls: Any) -> None:
    """The asynchronous hooks recall, tell tools whose run it is, and write down the same."""
    model = scripted(calls("remember", text="Lives in Lima"), "Noted.", "In Lima.")
    agent = create_agent(model, middleware=[MemWeaveMiddleware(memory)], checkpointer=InMemorySaver())
    await agent.ainvoke({"messages": "I moved to Lima"}, run())
    await agent.ainvoke({"messages": "Where do I live?"}, run("t2"))
    assert "Lives in Lima" in model.saw()
    stored = await memory.asynchronous.chat("t1", "ana").messages()
    assert [one.role for one in stored] == ["user", "assistant", "tool", "assistant"]


@pytest.mark.parametrize("context", [Who("ana"), {"user_id": "ana"}])
def test_user_of_the_context(memory: Any, scripted: Any, context: Any) -> None:
    """The context of a run says whose memory it is, before its configuration does."""
    agent = create_agent(scripted("Yes."), middleware=[MemWeaveMiddleware(memory)], context_schema=Who)
    say(agent, "Remember that I use tabs.", run(user="luis"), context=context)
    assert [fact.text for fact in memory.facts("ana")] == ["I use tabs"]


def test_any_user_id_will_do(memory: Any, scripted: Any) -> None:
    """Numbers and addresses name users too."""
    agent = create_agent(scripted("Yes.", "Yes."), middleware=[MemWeaveMiddleware(memory)])
    say(agent, "Remember that I use tabs.", run(user=7))
    say(agent, "Remember that I use spaces.", run(user="ana@example.com"))
    assert [fact.text for fact in memory.facts("7")] == ["I use tabs"]
    assert [fact.text for fact in memory.facts("ana@example.com")] == ["I use spaces"]


def test_two_users_in_one_thread(memory: Any, scripted: Any) -> None:
    """Who talks in a thread with others finds their own words in their own transcript and nothing else."""
    model = scripted(*"ABCD")
    agent = create_agent(model, middleware=[MemWeaveMiddleware(memory)], checkpointer=InMemorySaver())
    for user, text in (("ana", "one"), ("luis", "two"), ("ana", "three"), ("luis", "four")):
        say(agent, f"Remember that {user} said {text}.", run(user=user))
    assert texts(memory)[::2] == ["Remember that ana said one.", "Remember that ana said three."]
    assert texts(memory, user="luis")[1::2] == ["B", "D"]
    assert "- luis said two" in model.saw()
    assert "- ana said" not in model.saw()


def test_a_run_of_nobody_is_refused_unless_meant(memory: Any, scripted: Any) -> None:
    """Without a user the run says what to do; with user=None the conversation belongs to nobody."""
    agent = create_agent(scripted(), middleware=[MemWeaveMiddleware(memory)])
    with pytest.raises(UsageError, match="user_id"):
        agent.invoke({"messages": "hi"}, {"configurable": {"thread_id": "t"}})
    agent = create_agent(scripted("Hello."), middleware=[MemWeaveMiddleware(memory, user=None)])
    say(agent, "hi", {"configurable": {"thread_id": "t"}})
    assert texts(memory, "t", None) == ["hi", "Hello."]


@pytest.mark.parametrize("nobody", [None, ""])
def test_a_thread_stays_its_users_unless_it_is_said_to_be_nobodys(
    memory: Any, scripted: Any, nobody: Any
) -> None:
    """A thread that is gone on with, without a word of who it is, is its user's; an empty name is refused."""
    saver = InMemorySaver()
    agent = create_agent(
        scripted("Yes.", "Yes."), middleware=[MemWeaveMiddleware(memory)], checkpointer=saver
    )
    say(agent, "Remember that I use tabs.", run())
    say(agent, "And now?", {"configurable": {"thread_id": "t1"}})
    assert len(texts(memory)) == 4
    with pytest.raises(UsageError, match="user_id"):
        say(agent, "And now?", run(user=nobody))
    with pytest.raises(UsageError, match="user_id"):
        say(agent, "And now?", {"configurable": {"thread_id": "t1"}}, context={"user_id": nobody})


def test_two_tools_of_one_name_are_refused(memory: Any, scripted: Any) -> None:
    """An agent in which the tools of one memory would hide those of another does not start."""
    both = [MemWeaveMiddleware(memory, user=user) for user in ("ana", "team")]
    with pytest.raises(ConfigError, match="two tools called 'remember'"):
        say(create_agent(scripted("Yes."), middleware=both), "hi", run())


def test_tools_in_a_conversation_of_nobody(memory: Any, scripted: Any, calls: Any) -> None:
    """Where a function names nobody, the tools tell the model so and nothing is written."""
    model = scripted(calls("remember", text="Has a cat"), "Well.")
    agent = create_agent(model, middleware=[MemWeaveMiddleware(memory, user=lambda _: None)])
    say(agent, "I have a cat", {"configurable": {"thread_id": "t"}})
    assert "belongs to nobody" in model.saw()


def test_runs_without_a_thread_are_apart(memory: Any, scripted: Any) -> None:
    """A run without a thread is a conversation of its own."""
    agent = create_agent(scripted("A.", "B."), middleware=[MemWeaveMiddleware(memory, user="ana")])
    say(agent, "one", {})
    say(agent, "two", {})
    assert len(memory.sessions("ana")) == 2


def test_a_history_that_is_given_again_is_not_written_again(memory: Any, scripted: Any) -> None:
    """Who passes the whole history at each call, without ids, finds each message once."""
    agent = create_agent(scripted("A.", "B."), middleware=[MemWeaveMiddleware(memory)])
    agent.invoke({"messages": [("user", "one")]}, run())
    agent.invoke({"messages": [("user", "one"), ("assistant", "A."), ("user", "two")]}, run())
    assert texts(memory) == ["one", "A.", "two", "B."]


def test_a_failed_run_leaves_no_half_turn(memory: Any, scripted: Any, calls: Any) -> None:
    """A run that raises half-way writes nothing; the next one writes its own turn."""
    model = scripted(calls("weather", city="Lima"), OSError("no network"), "Hello.")
    agent = create_agent(
        model, [weather], middleware=[MemWeaveMiddleware(memory)], checkpointer=InMemorySaver()
    )
    with pytest.raises(OSError, match="no network"):
        say(agent, "Weather?", run())
    assert texts(memory) == []
    say(agent, "Hi", run())
    assert texts(memory) == ["Hi", "Hello."]


def test_a_turn_whose_write_failed_is_written_later(
    memory: Any, scripted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failed write ends the run loudly, and the next run of the thread writes both turns."""
    agent = create_agent(
        scripted("A.", "B."), middleware=[MemWeaveMiddleware(memory)], checkpointer=InMemorySaver()
    )
    record = memory.asynchronous.record

    async def failing(*_: Any) -> Any:
        raise OSError("disk full")

    monkeypatch.setattr(memory.asynchronous, "record", failing)
    with pytest.raises(OSError, match="disk full"):
        say(agent, "one", run())
    monkeypatch.setattr(memory.asynchronous, "record", record)
    say(agent, "two", run())
    assert texts(memory) == ["one", "A.", "two", "B."]


def test_what_was_recalled_is_never_stored(memory: Any, scripted: Any) -> None:
    """Facts are put before the model and into neither state nor transcript."""
    memory.remember("ana", "Keeps bees")
    agent = create_agent(scripted("Yes."), middleware=[MemWeaveMiddleware(memory)], system_prompt="Be brief.")
    result = agent.invoke({"messages": [SystemMessage("Odd."), HumanMessage("hi")]}, run())
    assert not any("Keeps bees" in message.text for message in result["messages"])
    assert texts(memory) == ["hi", "Yes."]


def test_a_summary_of_langchain_is_nobodys_words(memory: Any, scripted: Any) -> None:
    """The message that LangChain's summarising puts into the state is shown and never written down."""
    model, writer = scripted("A.", "B.", "C."), scripted("They said one.", "They said one and two.")
    shrink = SummarizationMiddleware(writer, trigger=("messages", 3), keep=("messages", 1))
    agent = create_agent(model, middleware=[shrink, MemWeaveMiddleware(memory)], checkpointer=InMemorySaver())
    for text in ("one", "two", "three"):
        say(agent, text, run())
    assert texts(memory) == ["one", "A.", "two", "B.", "three", "C."]
    assert "They said" in model.saw()


def test_our_model_writes_their_summary(config: MemoryConfig, scripted: Any) -> None:
    """LangChain's summarising can leave the text to the memory, which goes on with the summary before."""
    llm = ScriptedModel(["Ana said one.", "Ana said one and two."])
    with blocking.MemWeave(config, embedder=FakeEmbedder(), llm=llm) as memory:
        shrink = SummarizationMiddleware(
            scripted(), trigger=("messages", 3), keep=("messages", 1), summarizer=summariser(memory)
        )
        model = scripted("A.", "B.", "C.")
        agent = create_agent(model, middleware=[shrink], checkpointer=InMemorySaver())
        for text in ("one", "two", "three"):
            say(agent, text, run())
    assert "Ana said one and two." in model.saw()
    assert "Ana said one." in llm.prompts[1]


def test_two_memories_in_one_agent(memory: Any, scripted: Any) -> None:
    """A user's memory and a team's stand side by side under names of their own."""
    memory.remember("ana", "Keeps bees")
    memory.remember("team", "Deploys on Mondays")
    model = scripted("Yes.")
    both = [MemWeaveMiddleware(memory), MemWeaveMiddleware(memory, user="team", tools=(), capture=False)]
    say(create_agent(model, middleware=both), "hi", run())
    assert "Keeps bees" in model.saw()
    assert "Deploys on Mondays" in model.saw()
    assert memory.sessions("team") == ()


def test_old_turns_give_way_to_the_summary(memory: Any, scripted: Any) -> None:
    """The model is shown the last turns and the running summary; the state keeps all messages."""
    model = scripted(*"ABCD")
    agent = create_agent(
        model, middleware=[MemWeaveMiddleware(memory, window=4)], checkpointer=InMemorySaver()
    )
    for text in ("one", "two", "three"):
        say(agent, text, run())
    folder = Path(memory.config.workspace_dir) / "memory/users/ana/sessions"
    first = memory.chat("t1", "ana").messages()[1]
    (folder / "t1~summary.md").write_text(
        f"---\nsummarised_until: {first.id}\nsummarised_count: 2\n---\n\nOne was said.\n", encoding="utf-8"
    )
    result = agent.invoke({"messages": "four"}, run())
    assert [m.text for m in model.shown[-1][1:]] == ["three", "C", "four"]
    assert "One was said." in model.saw()
    assert len(result["messages"]) == 8


@pytest.mark.parametrize("asynchronous", [False, True], ids=["invoke", "ainvoke"])
async def test_a_sub_agent_recalls_and_writes_nothing_down(
    memory: Any, scripted: Any, calls: Any, asynchronous: bool
) -> None:
    """An agent in a tool of another knows the user, and what the two say to each other is nobody's words."""
    memory.remember("ana", "Lives in Lima")
    expert = scripted("Foggy.", "Foggy.")
    middleware = MemWeaveMiddleware(memory)
    below = create_agent(expert, middleware=[middleware])

    @tool
    async def climate(question: str) -> str:
        """Ask somebody who knows."""
        asked = {"messages": [HumanMessage(question)]}
        done = await below.ainvoke(asked) if asynchronous else below.invoke(asked)
        return str(done["messages"][-1].text)

    asking = calls("climate", question="I want to know how Lima is")
    agent = create_agent(scripted(asking, "Foggy, they say."), [climate], middleware=[middleware])
    await agent.ainvoke({"messages": "How is the weather at home?"}, run())
    assert "Lives in Lima" in expert.saw()
    assert texts(memory) == ["How is the weather at home?", "", "Foggy.", "Foggy, they say."]


async def test_inner_calls_are_not_part_of_the_run(config: MemoryConfig, scripted: Any) -> None:
    """What the memory asks its own model in the background does not see the run that caused it."""
    mark = contextvars.ContextVar("mark", default="")
    seen: list[str] = []

    async def writes(prompt: str) -> str:
        seen.append(mark.get())
        return '{"facts": []}'

    with blocking.MemWeave(config, embedder=FakeEmbedder(), llm=writes) as memory:
        agent = create_agent(scripted("Nice.", "Nice."), middleware=[MemWeaveMiddleware(memory)])
        mark.set("run")
        say(agent, "I repair clocks, mostly at night.", run())
        await agent.ainvoke({"messages": "I also repair old radios."}, run())
        await memory.asynchronous.run_jobs(30)
    assert seen
    assert set(seen) == {""}


def test_eight_threads_and_a_running_loop(memory: Any, scripted: Any) -> None:
    """One agent serves eight threads at once, inside a running loop too, and each finds its own words."""
    agent = create_agent(scripted(*["Yes."] * 9), middleware=[MemWeaveMiddleware(memory)])

    async def inside() -> None:
        await asyncio.gather(*(asyncio.to_thread(say, agent, f"I am {n}", run(f"t{n}")) for n in range(8)))
        say(agent, "I am 8", run("t8"))

    asyncio.run(inside())
    assert all(texts(memory, f"t{n}") == [f"I am {n}", "Yes."] for n in range(9))


def test_one_agent_in_two_loops(memory: Any, scripted: Any) -> None:
    """An agent is used in one loop and then in another."""
    agent = create_agent(scripted("A.", "B."), middleware=[MemWeaveMiddleware(memory)])
    for text in ("one", "two"):
        asyncio.run(agent.ainvoke({"messages": text}, run()))
    assert texts(memory) == ["one", "A.", "two", "B."]


def test_what_is_no_choice_is_refused(memory: Any) -> None:
    """An unknown policy, an unknown tool and what is no memory are refused when they are given."""
    with pytest.raises(ConfigError, match="window"):
        MemWeaveMiddleware(memory, window=-1)
    with pytest.raises(ConfigError, match="as_of"):
        MemWeaveMiddleware(memory, on_fork="never")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="recall"):
        MemWeaveMiddleware(memory, tools=("recal",))  # type: ignore[arg-type]
    assert [one.name for one in MemWeaveMiddleware(memory, tools="recall").tools] == ["recall"]
    with pytest.raises(UsageError, match="MemWeave"):
        MemWeaveMiddleware("memory/")  # type: ignore[arg-type]


def test_names_differ_by_user(memory: Any) -> None:
    """The name of a middleware holds the user it is made for, in letters that a graph takes."""
    names = [MemWeaveMiddleware(memory, user=user).name for user in ("ana", "a:b|c")]
    assert names == ["MemWeaveMiddleware[ana]", "MemWeaveMiddleware[a%3Ab%7Cc]"]


def test_other_frameworks_read_what_an_agent_said(memory: Any, scripted: Any, calls: Any) -> None:
    """The transcript holds roles, texts and tool calls in the neutral form."""
    agent = create_agent(
        scripted(calls("weather", city="Lima"), AIMessage("Wet.")), [weather],
        middleware=[MemWeaveMiddleware(memory)],
    )  # fmt: skip
    say(agent, "Weather?", run())
    stored: list[Message] = list(memory.chat("t1", "ana").messages())
    assert [one.role for one in stored] == ["user", "assistant", "tool", "assistant"]
    assert stored[1].tool_calls[0].arguments == {"city": "Lima"}
    assert stored[2].tool_call_id == stored[1].tool_calls[0].id
