"""Commands for what is known of a user."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Program

TEA = "Drinks tea without sugar"


def remembered(program: Program, text: str = TEA, *more: str) -> str:
    """The id of a fact that was remembered just now."""
    fact_id = program("remember", text, "--json", *more).json["fact"]["id"]
    assert isinstance(fact_id, str) and fact_id
    return fact_id


def test_a_fact_is_remembered_listed_and_recalled(program: Program) -> None:
    """`remember` says what became of a fact, and `facts` and `recall` show it with its id."""
    said = program("remember", TEA, "--importance", "4").out
    [fact] = program("facts", "--json").json
    assert said.startswith(f"stored {fact['id']}  {TEA}\n")
    assert program("facts").out.startswith(f"{fact['id']}  4  {TEA}  (explicit, ")
    assert program("recall", "tea").out == program("facts").out


def test_a_fact_comes_from_stdin(program: Program) -> None:
    """Without an argument the fact is what comes in on stdin; nothing at all is a wrong command line."""
    program("remember", stdin=f"{TEA}\n")
    assert [fact["text"] for fact in program("facts", "--json").json] == [TEA]
    assert program("remember", stdin=" \n").code == 2


def test_a_restated_fact_is_merged(program: Program) -> None:
    """A fact that says the same again adds nothing, and the program says so."""
    remembered(program)
    assert program("remember", TEA).out.startswith("merged ")
    assert len(program("facts", "--json").json) == 1


def test_each_user_has_facts_of_their_own(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """--user, else MEMWEAVE_USER, else "default", says whose facts are meant."""
    remembered(program, TEA, "--user", "ana")
    assert "'default'" in program("facts").err
    assert TEA in program("facts", "--user", "ana").out
    monkeypatch.setenv("MEMWEAVE_USER", "ana")
    assert TEA in program("facts").out
    assert program("facts", "--user", "default").out == ""


def test_recall_says_how_many_are_left_out(program: Program) -> None:
    """With --max-results the nearest facts are shown and the others counted."""
    for text in (TEA, "Works at the tide station", "Has two cats"):
        remembered(program, text)
    done = program("recall", "how many cats?", "--max-results", "1")
    assert "cats" in done.out and TEA not in done.out
    assert "2 facts further away" in done.err


def test_a_fact_is_shown_with_all_about_it(program: Program) -> None:
    """`facts ID` shows one fact in full; the beginning of the id is enough."""
    fact_id = remembered(program)
    lines = program("facts", fact_id[:5]).out.splitlines()
    assert {f"id: {fact_id}", f"text: {TEA}", "origin: explicit", "holds: now"} <= set(lines)


def test_edit_changes_a_fact_and_keeps_its_history(program: Program) -> None:
    """`edit` changes words and importance; --history shows what it said before."""
    fact_id = remembered(program)
    edited = program("edit", fact_id, "--text", "Drinks mint tea", "--importance", "2").out
    assert edited.startswith(f"{fact_id}  2  Drinks mint tea")
    now, before = program("facts", fact_id, "--history", "--json").json
    assert (now["current"], before["fact"]["text"]) == (True, TEA)
    assert TEA in program("facts", "--history").out


def test_edit_of_nothing_is_a_wrong_command_line(program: Program) -> None:
    """`edit` without a change, or with an importance out of range, exits with 2."""
    fact_id = remembered(program)
    assert program("edit", fact_id).code == 2
    assert program("edit", fact_id, "--importance", "6").code == 2


@pytest.mark.parametrize("command", [["facts"], ["edit", "--importance", "2"], ["forget", "--yes"]])
def test_an_unknown_id_says_how_to_list(program: Program, command: list[str]) -> None:
    """An id that no fact has is one line that names the command that lists them."""
    done = program(*command, "f00d")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("Error: ") and "`memweave-core facts`" in done.err


def test_forget_takes_a_fact_away_and_can_be_undone(program: Program) -> None:
    """`forget` names the copy it keeps, and --restore brings the fact back from it."""
    fact_id = remembered(program)
    gone = program("forget", fact_id, "--yes", "--json").json
    assert program("facts", "--json").json == []
    assert program("forget", "--restore", gone["kept_in"]).out.startswith(f"restored {fact_id}  ")
    assert program("facts", "--json").json[0]["text"] == TEA


def test_forget_says_what_else_holds_it(program: Program) -> None:
    """`forget` lists the messages it withholds, and notes say where the words still stand."""
    program("record", "--session", "s1", "--message", f"I like it so: {TEA}.", "--answer", "Noted.")
    done = program("forget", remembered(program), "-y")
    assert "withheld from summaries and learning: s1#m1" in done.out
    assert "s1#m1" in done.err and "--restore" in done.err


def test_purge_leaves_no_copy_and_no_message(program: Program, workspace: Path) -> None:
    """With --purge the messages that say it are deleted, and no file holds the words any more."""
    program("record", "--session", "s1", "--message", f"I like it so: {TEA}.", "--answer", "Noted.")
    done = program("forget", remembered(program), "--purge", "--yes")
    assert "deleted messages: s1#m1" in done.out and "--restore" not in done.err
    files = [path for path in workspace.rglob("*") if path.is_file()]
    assert [path for path in files if TEA.encode() in path.read_bytes()] == []


def test_forget_takes_an_id_or_a_copy(program: Program) -> None:
    """Neither an ID nor --restore, both, or a purge of a copy is a wrong command line."""
    for arguments in ([], ["f1", "--restore", "x"], ["--restore", "x", "--purge"]):
        assert program("forget", *arguments).code == 2
    done = program("forget", "--restore", "none")
    assert (done.code, "'none'" in done.err) == (1, True)


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")
def test_forget_asks_on_a_terminal(program: Program, workspace: Path, tmp_path: Path) -> None:
    """On a terminal `forget` shows the fact and asks; "n" keeps it and exits with 1."""
    import pty

    fact_id = remembered(program)
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "memweave_core.cli", "forget", fact_id], stdin=theirs, stderr=subprocess.PIPE,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
    )  # fmt: skip
    os.write(ours, b"n\n")
    _, asked = child.communicate(timeout=60)
    os.close(ours)
    os.close(theirs)
    assert (child.returncode, TEA in asked.decode()) == (1, True)
    assert program("facts", fact_id).code == 0


def test_a_fact_cannot_steer_the_terminal(program: Program, workspace: Path) -> None:
    """Control characters that somebody wrote into the file are not printed."""
    page = workspace / "memory" / "users" / "default" / "facts.md"
    page.parent.mkdir(parents=True)
    page.write_text("- Likes \x1b[31mred\x9b0m\x07 boats\n", encoding="utf-8")
    [fact] = program("facts", "--json").json
    for command in (["facts"], ["recall", "boats"], ["facts", fact["id"]], ["context", "-s", "s", "boats"]):
        out = program(*command).out
        assert "boats" in out and not set("\x1b\x9b\x07") & set(out)


def test_commands_that_read_create_nothing(program: Program, workspace: Path) -> None:
    """Looking at facts, conversations and jobs leaves a workspace as it is."""
    before = sorted(workspace.rglob("*"))
    for command in ("facts", "facts --history", "recall x", "context x -s s", "sessions", "export", "jobs"):
        assert program(*command.split()).code == 0
    assert program("show", "s").code == 1
    assert sorted(workspace.rglob("*")) == before


def test_json_steers_no_terminal(program: Program) -> None:
    """Control characters of the upper half are escapes in JSON, and come back from it."""
    remembered(program, "Likes the\x9b31mred one")
    shown = program("facts", "--json")
    assert "\x9b" not in shown.out and shown.json[0]["text"] == "Likes the\x9b31mred one"


def test_the_same_words_again(program: Program) -> None:
    """What was before is shown only when its words were others."""
    remembered(program)
    assert "before:" not in program("remember", TEA).out


def test_lines_that_are_no_facts_are_named(program: Program, workspace: Path) -> None:
    """`facts` notes lines of the file that are not taken as they stand."""
    page = workspace / "memory/users/default/facts.md"
    page.parent.mkdir(parents=True)
    page.write_text("# Facts\n\nSings\n\n- Rows {#f1 importance=high}\n  at night\n", encoding="utf-8")
    done = program("facts")
    assert "Rows" in done.out and "Sings" not in done.out
    notes = done.err.splitlines()
    assert len(notes) == 2 and "Line 3 begins with no bullet" in done.err and "importance=high" in done.err
