"""Each example runs offline as a program of its own and shows what it says it shows."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Run = Callable[..., str]


@pytest.fixture
def run(run_example: Run) -> Run:
    """Runs an example; LlamaIndex looks at attributes of its components that pydantic has deprecated."""
    return lambda script: run_example(script, "-W", "error", "-W", "ignore::DeprecationWarning")


def test_notes_answer_a_query_engine(run: Run) -> None:
    """Each question is answered from the right note."""
    lines = run("llama_index_notes.py").splitlines()
    assert "memory/deploy.md" in lines[1]
    assert "memory/2026-03-02.md" in lines[3]


def test_the_agent_remembers(run: Run) -> None:
    """It knows nothing without a memory, and the same with a stored context and in another session."""
    lines = run("llama_index_agent.py").splitlines()
    assert "satay is good" in lines[0]
    assert all("allergic to peanuts" in line for line in lines[2:4])
    assert any(line.startswith("- I am allergic to peanuts {#") for line in lines)


def test_an_old_program_keeps_its_conversation(run: Run) -> None:
    """The second run of a program with a buffer is shown what was said in the first."""
    lines = run("llama_index_chat_buffer.py").splitlines()
    assert lines[0].startswith("I see 1 messages")
    assert lines[1] == "I see 3 messages; the first is: I am Ana, and I count owls."


def test_two_frameworks_share_a_conversation(run: Run) -> None:
    """LlamaIndex is shown the tool result that LangChain wrote, and the diff is what was said since."""
    out = run("llama_index_and_langchain.py")
    assert out.startswith("You asked about the weather: 18 degrees, mist.")
    added = [line[1:] for line in out.splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert "What did I ask?" in added
    assert not any(line.startswith("-") for line in out.split("@@", 1)[1].splitlines()[1:])
    assert out.rstrip().endswith("You asked about the weather: 18 degrees, mist.")
