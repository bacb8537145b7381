"""Commands for conversations."""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from .conftest import Program

PAIR = [{"role": "user", "content": "Where is the key?"}, {"role": "assistant", "content": "In the shed."}]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """An installed litellm without a network; its replies are taken from this list, the last one stays."""
    replies = ["- The key is in the shed."]

    async def acompletion(**_: Any) -> Any:
        text = replies[0] if len(replies) == 1 else replies.pop(0)
        return {"choices": [{"message": {"content": text}}]}

    module = types.ModuleType("litellm")
    module.__dict__.update(acompletion=acompletion)
    monkeypatch.setitem(sys.modules, "litellm", module)
    return replies


@pytest.mark.parametrize(
    "text",
    [json.dumps(PAIR), json.dumps({"messages": PAIR}), "\n".join(map(json.dumps, PAIR)) + "\n"],
    ids=["list", "object", "lines"],
)
def test_messages_are_json(program: Program, text: str) -> None:
    """`record` takes a list of messages, an object that holds one, or one message on each line."""
    assert program("record", "-s", "shed", stdin=text).out == "recorded 2 messages in shed: m1, m2\n"
    shown = program("show", "shed", "--json").json["messages"]
    assert [(one["role"], one["content"]) for one in shown] == [(m["role"], m["content"]) for m in PAIR]


def test_messages_come_from_a_file(program: Program, workspace: Path) -> None:
    """`record FILE` reads the file; "-" is stdin."""
    (workspace / "said.json").write_text(json.dumps(PAIR), encoding="utf-8")
    assert program("record", "said.json", "--session", "a").code == 0
    assert program("record", "-", "--session", "a", stdin=json.dumps(PAIR[0])).out.endswith(": m3\n")


def test_an_exchange_needs_no_json(program: Program) -> None:
    """--message and --answer record what was said, and what the user asked to remember is remembered."""
    done = program("record", "-s", "a", "--message", "Remember that I use tabs.", "--answer", "Yes.")
    assert done.out.splitlines()[0] == "recorded 2 messages in a: m1, m2"
    assert done.out.splitlines()[1].startswith("stored ") and "I use tabs" in done.out
    asked = program("record", "-s", "a", "--message", "Forget that I use tabs. Forget that I fly kites.")
    assert "forgotten " in asked.out and "kites" in asked.err


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        (["-s", "a"], "no JSON at all"),
        (["-s", "a"], '["text"]'),
        (["-s", "a"], "[]"),
        (["-s", "a"], "[" * 100_000),
        (["-s", "a", "--message", ""], ""),
        (["-s", "a", "x.json", "--message", "x"], ""),
        ([], json.dumps(PAIR)),
    ],
)
def test_what_is_no_message_is_a_wrong_command_line(
    program: Program, workspace: Path, arguments: list[str], stdin: str
) -> None:
    """Text, JSON of another shape, nothing, or two sources exit with 2 and record nothing."""
    done = program("record", *arguments, stdin=stdin)
    assert (done.code, done.out) == (2, "")
    assert not (workspace / "memory" / "users" / "default").exists()


def test_context_is_what_a_model_is_given(program: Program) -> None:
    """`context` prints facts, conversation and message under their roles, and writes nothing."""
    program("remember", "The shed is green")
    program("record", "-s", "shed", stdin=json.dumps(PAIR))
    out = program("context", "Which shed?", "-s", "shed").out
    order = ["[system]", "The shed is green", "Where is the key?", "In the shed.", "Which shed?"]
    assert sorted(order, key=out.index) == order
    made = program("context", "Which shed?", "-s", "shed", "--json").json
    assert out == "\n\n".join(f"[{m['role']}]\n{m['content']}" for m in made["messages"]) + "\n"
    assert len(program("show", "shed", "--json").json["messages"]) == 2


def test_context_says_what_it_left_out(program: Program) -> None:
    """What --max-tokens leaves no room for is said on stderr."""
    program("record", "-s", "a", stdin=json.dumps(5 * PAIR))
    done = program("context", "Well?", "-s", "a", "--max-tokens", "30")
    assert done.out.endswith("[user]\nWell?\n") and "neither shown" in done.err


def test_conversations_without_a_user(program: Program) -> None:
    """--nobody names conversations of no user, which no user sees; with --user it is a contradiction."""
    program("record", "-s", "open", "--nobody", "--message", "Hello")
    assert program("sessions", "--nobody", "--json").json[0]["session"] == "open"
    assert program("sessions").out == ""
    assert program("sessions", "--nobody", "--user", "ana").code == 2


def test_sessions_and_show(program: Program) -> None:
    """`sessions` lists conversations, `show` prints one with ids, or its last messages."""
    program("record", "-s", "shed", stdin=json.dumps(PAIR))
    assert program("sessions").out.startswith("shed  2")
    shown = program("show", "shed").out
    assert "[m1 user " in shown and "Where is the key?" in shown
    last = program("show", "shed", "--last", "1")
    assert "Where" not in last.out and "1 earlier message" in last.err


def test_a_message_cannot_steer_the_terminal(program: Program) -> None:
    """Escape sequences in messages, ids and calls of tools are not printed."""
    evil = "\x1b]0;title\x07\x9b2J"
    call = {"id": "c", "type": "function", "function": {"name": f"f{evil}", "arguments": evil}}
    said = [{"role": "user", "content": evil, "id": "m\x1b"}, {"role": "assistant", "tool_calls": [call]}]
    program("record", "-s", f"s{evil}", stdin=json.dumps(said))
    for command in (["show", f"s{evil}"], ["sessions"], ["context", evil, "-s", f"s{evil}"]):
        done = program(*command)
        assert not set("\x1b\x9b\x07") & set(done.out + done.err)


def test_an_unknown_conversation(program: Program) -> None:
    """A conversation that is not there exits with 1 and says how to list them."""
    for command in (["show", "none"], ["flush", "--session", "none"]):
        done = program(*command)
        assert (done.code, done.out) == (1, "") and "`memweave-core sessions`" in done.err
        assert done.err.startswith("Error: There is no conversation 'none'")


def test_messages_that_say_nothing(program: Program) -> None:
    """Messages without any content are an error that shows the first, and nothing is recorded."""
    done = program("record", "-s", "shed", stdin='[{"role": "user", "content": ""}]')
    assert (done.code, done.out) == (1, "") and "neither content nor tool calls: {'role': 'user'" in done.err
    assert program("sessions").out == ""


def test_a_user_without_a_name(program: Program) -> None:
    """An empty name of a user is a mistake in the command line that names the option."""
    for command in (["facts"], ["search", "tea"], ["sessions"]):
        done = program(*command, "--user", "")
        assert done.code == 2 and "--user" in done.err and "not empty" in done.err


def test_flush_writes_the_note_of_the_day(program: Program, workspace: Path, model: list[str]) -> None:
    """`flush` prints what a model kept of text or of a conversation, and it stands in the note of today."""
    assert (
        program("flush", "--model", "openai/some", stdin="We put the key into the shed.").out
        == f"{model[0]}\n"
    )
    program("record", "-s", "shed", stdin=json.dumps(PAIR))
    model[0] = "- The shed has a key."
    assert program("flush", "--session", "shed", "--model", "openai/some", "--json").json == {
        "added": model[0]
    }
    [shared] = [path for path in (workspace / "memory").glob("*.md") if "2026-03-17" not in path.name]
    assert shared.read_text(encoding="utf-8").splitlines()[-1] == "- The key is in the shed."
    own = workspace / "memory" / "users" / "default" / shared.name
    assert own.read_text(encoding="utf-8").splitlines()[-1] == model[0]


def test_flush_without_a_model_says_what_to_set(program: Program) -> None:
    """Without a language model `flush` is one line that names the settings."""
    done = program("flush", stdin="We put the key into the shed.")
    assert done.code == 1 and "llm.model" in done.err
    assert program("flush", "x.md", "--session", "a").code == 2


def test_what_follows_waits_or_is_waited_for(
    program: Program, model: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a model `record` leaves the learning to `jobs run`, and with --wait does it itself."""
    monkeypatch.setenv("MEMWEAVE_LLM__MODEL", "openai/some")
    fact = {"text": "User has a shed", "importance": 3, "quote": "I have a shed", "kind": "detail"}
    model[0] = json.dumps({"facts": [fact]})
    left = program("record", "-s", "a", "--message", "I have a shed.", "--answer", "Good.")
    assert "memweave-core jobs run" in left.err and program("facts").out == ""
    assert program("record", "-s", "a", "--message", "It is green.", "--wait").err == ""
    assert [fact["text"] for fact in program("facts", "--json").json] == ["User has a shed"]


def test_the_message_of_a_context_from_stdin(program: Program) -> None:
    """`context` takes its message from stdin when none is given; an empty one given is none."""
    assert "Where is it?" in program("context", "-s", "shed", stdin="Where is it?\n").out
    assert "Where is it?" in program("context", "-", "-s", "shed", stdin="Where is it?\n").out
    assert program("context", "", "-s", "shed", stdin="Where is it?").out == ""


def test_a_conversation_by_its_title(program: Program) -> None:
    """`sessions` shows titles; `show` finds a conversation by one, unless several have it."""
    said = [{"role": "user", "content": "Hi", "timestamp": "2025-04-01T10:00:00Z"}]
    for name, title in (("a", "Boats"), ("b", "Sheds"), ("c", "Sheds")):
        program("import", "-", stdin=json.dumps({"id": name, "title": title, "messages": said}))
    assert "a  2" in (listed := program("sessions").out) and "  Boats\n" in listed
    assert program("show", "boats", "--json").json["session"] == "a"
    assert "by its id: " in program("show", "Sheds").err
