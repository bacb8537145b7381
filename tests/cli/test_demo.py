"""The demo of a memory between conversations."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Program

LAYOUT = "my weekly note has three parts: measured, next, stuck"


def test_the_ritual_is_introduced_once(program: Program) -> None:
    """The first conversation gets nothing from the memory, the later ones name and layout of the note."""
    turns = program("chat-demo", "--json").json["turns"]
    assert [turn["session"] for turn in turns] == ["week-1", "week-1", "week-2", "week-3"]
    assert [LAYOUT in turn["injected"] for turn in turns] == [False, False, True, True]
    assert "I do not know" in turns[0]["answer"]
    assert turns[2]["answer"].splitlines() == [
        "Weekly note of Ines", "- measured: 9 levels read", "- next: a new cable", "- stuck: nothing",
    ]  # fmt: skip


def test_another_model_remembers_too(program: Program) -> None:
    """The model of the last conversation is another one, and it is given the same."""
    *_, before, last = program("chat-demo", "--json").json["turns"]
    assert before["model"] != last["model"] and before["injected"] == last["injected"]
    assert last["answer"].startswith("Ines, ") and "MEASURED 11 levels read." in last["answer"]


def test_it_is_the_same_every_time(program: Program) -> None:
    """Two runs print the same, with the file of facts, and keep nothing."""
    first = program("chat-demo")
    assert (first.code, first.err) == (0, "") and first.out == program("chat-demo").out
    assert f"  | - {LAYOUT} {{#" in first.out and "memory/users/chat-demo/facts.md is now:" in first.out
    assert "User is called Ines" in first.out and "2026-03-19" in first.out


def test_it_leaves_other_workspaces_alone(
    program: Program, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without --workspace nothing is written here; with it the files stay, under a user of its own."""
    before = sorted(workspace.rglob("*"))
    monkeypatch.setenv("MEMWEAVE_WORKSPACE", str(workspace))
    program("chat-demo")
    assert sorted(workspace.rglob("*")) == before
    program("chat-demo", "--workspace", ".")
    assert LAYOUT in (workspace / "memory" / "users" / "chat-demo" / "facts.md").read_text(encoding="utf-8")
    assert len(list((workspace / "memory" / "users" / "chat-demo" / "sessions").glob("*.md"))) == 3
