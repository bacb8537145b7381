"""Each example runs offline as a program of its own and shows what it says it shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


Run = Callable[..., str]


@pytest.fixture
def run(run_example: Run) -> Run:
    """Runs an example for which a warning is an error."""
    return lambda script: run_example(script, "-W", "error")


def test_quickstart_finds_file_and_line(run: Run) -> None:
    """The quick start answers both questions from the right file."""
    out = run("quickstart.py")
    assert "memory/preferences.md:" in out
    assert "memory/stack.md:" in out


def test_agents_read_each_others_notes_by_label(run: Run) -> None:
    """The writer finds the right finding of the researcher and nothing of its own."""
    out = run("agents.py")
    assert out.index("researcher_agent/frost.md") < out.index("researcher_agent/water.md")
    assert "draft.md" not in out


def test_custom_ranking_takes_effect(run: Run) -> None:
    """A strategy of one's own ranks the top-level page first, a processor puts the rules on top."""
    lines = run("custom_ranking.py").splitlines()
    assert lines[1].startswith("top-level-first ['memory/invoices.md'")
    assert lines[2].startswith("rules on top ['memory/rules/money.md'")


def tables(out: str) -> list[list[str]]:
    """The pages of each table the book club prints, in order."""
    blocks = out.split("page\n")[1:]
    return [[word for word in block.split() if word.startswith("memory/")] for block in blocks]


def test_decay_decides_which_vote_answers(run: Run) -> None:
    """Without decay an old vote wins; with decay tonight comes first and the evergreen page stays near."""
    plain, aged = tables(run("book_club/book_club.py"))
    assert plain[0] in ("memory/2025-01-18.md", "memory/2025-09-13.md")
    assert aged[0] == "memory/2026-04-11.md"
    assert "memory/club_info.md" in aged[:3]


@pytest.mark.parametrize("folder", ["workspace", "book_club"])
def test_examples_hold_no_derived_files(folder: str) -> None:
    """The notes of an example are Markdown and nothing else."""
    suffixes = {path.suffix for path in (EXAMPLES / folder / "memory").rglob("*") if path.is_file()}
    assert suffixes == {".md"}


def test_langchain_chain_answers_from_notes(run: Run) -> None:
    """The chain answers each question from the right note, with its line."""
    lines = run("langchain_retriever.py").splitlines()
    assert lines[1].endswith("(memory/stack.md:1)")
    assert lines[3].endswith("(memory/people.md:1)")


def test_langchain_history_is_a_file(run: Run) -> None:
    """Both turns are read back, from one transcript in the folder of its user."""
    lines = run("langchain_history.py").splitlines()
    assert [line.partition(":")[0] for line in lines[:4]] == ["human", "ai", "human", "ai"]
    assert lines[4:] == ["memory/users/ana/sessions/ana@example.com%2F1.md"]


def test_langchain_documents_are_pages(run: Run) -> None:
    """The store finds, filters, and gives what a person wrote into a page."""
    lines = run("langchain_vector_store.py").splitlines()
    assert {line.split()[-1] for line in lines if line.startswith("since")} == {"izmir", "brest"}
    assert lines[-1] == "edited  Izmir has a small tide."


def test_langchain_tools_work_by_themselves(run: Run) -> None:
    """A move supersedes, recall gives ids, and what is forgotten is not known any more."""
    lines = run("langchain_tools.py").splitlines()
    assert lines[1].startswith("Superseded: Lives in Bilbao now")
    assert lines[-1] == "Nothing is known."


def test_langchain_agent_remembers_across_threads_and_users(run: Run) -> None:
    """Ana's agent knows her boat in another thread after a restart, and Luis's does not."""
    out = run("langchain_agent.py")
    assert "Your boat is called Sirena." in out
    assert out.index("luis@example.com") < out.index("You never told me.")
    assert "from=session:monday#" in out


def test_langchain_thread_is_taken_back(run: Run) -> None:
    """After the fork the agent knows what it knew then and what it was told since."""
    out = run("langchain_time_travel.py")
    before, after = out.split("Back to before Quito")
    assert "I know: I live in Quito now" in before
    assert "I know: I live in Lima; I have a cat" in after
    assert "Remember that I live in Quito now." in after
