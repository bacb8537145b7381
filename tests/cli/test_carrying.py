"""Export and import."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest

from memweave_core.cli.carrying import FORMATS
from memweave_core.exchange import formats

from .conftest import Program

LINE = '{"session": "old", "role": "user", "content": "Where?", "timestamp": "2025-04-01T10:00:00Z"}'


def test_a_memory_is_carried_to_another_user(program: Program, workspace: Path) -> None:
    """What `export` wrote, `import` brings in for another user, and a second import adds nothing."""
    program("record", "-s", "a", "--message", "Remember that I use tabs.", "--answer", "Yes.")
    assert program("export", "--output", "out.json").out == "out.json: 1 fact, 1 conversation\n"
    carried = ("import", "out.json", "--user", "ana", "--all-owners")
    assert program(*carried).out == "memweave: 1 conversation with 2 new messages, 1 new fact\n"
    again = program(*carried).out
    assert again.startswith(
        "memweave: 0 conversations with 0 new messages, 0 new facts; there already: 1 conv"
    )
    assert program("facts", "--user", "ana", "--json").json[0]["text"] == "I use tabs"


def test_an_export_is_one_json_document(program: Program) -> None:
    """Without --output the document goes to stdout."""
    program("remember", "Uses tabs")
    document = program("export").json
    assert (document["format"], document["user"]) == ("memweave-core", "default")
    assert [fact["text"] for fact in document["facts"]] == ["Uses tabs"]


def test_an_export_overwrites_nothing_by_accident(program: Program, workspace: Path) -> None:
    """A file that is there stays as it is without --force; a new one is readable by its owner only."""
    out = workspace / "out.json"
    out.write_text("mine", encoding="utf-8")
    refused = program("export", "-o", "out.json")
    assert refused.code == 1 and "--force" in refused.err and out.read_text(encoding="utf-8") == "mine"
    assert program("export", "-o", "out.json", "--force", "--json").json["facts"] == 0
    assert json.loads(out.read_text(encoding="utf-8"))["format"] == "memweave-core"
    assert sys.platform == "win32" or stat.S_IMODE(out.stat().st_mode) == 0o600
    assert [path.name for path in workspace.glob(".export-*")] == []


def test_an_export_into_no_folder_is_an_error(program: Program) -> None:
    """A folder that is not there is one line on stderr."""
    done = program("export", "-o", "missing/out.json")
    assert done.code == 1 and done.err.startswith("Error: There is no folder missing")


def test_transcripts_keep_their_dates(program: Program, workspace: Path) -> None:
    """Lines of another program come in with their dates; what cannot be read is named and counted."""
    (workspace / "old.jsonl").write_text(f'{LINE}\n{{"session": "old", "role": "boss"}}\n', encoding="utf-8")
    done = program("import", "old.jsonl", "--format", "transcript")
    assert "1 conversation with 1 new message" in done.out and "skipped: 1" in done.out
    assert "boss" in done.err
    assert program("show", "old", "--json").json["messages"][0]["at"].startswith("2025-04-01T10:00:00")


def test_an_import_from_stdin(program: Program) -> None:
    """`import -` takes in what comes in on stdin."""
    assert (
        program("import", "-", stdin=LINE).out
        == "transcript: 1 conversation with 1 new message, 0 new facts\n"
    )


def test_all_owners_of_a_file(program: Program, workspace: Path) -> None:
    """With --all-owners each user of a file of mem0 gets their own facts, and the report says how many."""
    owned = [{"id": name, "memory": f"{name} sails", "user_id": name} for name in ("ana", "ben")]
    done = program("import", "-", "--all-owners", stdin=json.dumps(owned))
    assert "2 new facts (ana: 1, ben: 1)" in done.out
    assert "ben sails" in program("facts", "--user", "ben").out
    assert program("facts").out == ""


def test_what_is_another_users_is_left_out(program: Program, workspace: Path) -> None:
    """Without --all-owners an export of another user adds nothing, and a note says why."""
    program("remember", "Uses tabs")
    program("export", "-o", "out.json")
    done = program("import", "out.json", "--user", "ana")
    assert "0 new facts" in done.out and "'default'" in done.err
    assert program("facts", "--user", "ana").out == ""


@pytest.mark.parametrize(
    ("name", "text"), [("missing.json", None), ("other.json", '{"a": 1}'), ("b.json", "\0")]
)
def test_a_file_that_is_no_export(program: Program, workspace: Path, name: str, text: str | None) -> None:
    """A missing file and one of no known format are errors that name it."""
    if text is not None:
        (workspace / name).write_text(text, encoding="utf-8")
    done = program("import", name)
    assert (done.code, done.out) == (1, "") and done.err.startswith("Error: ") and name in done.err


def test_formats_are_those_there_are() -> None:
    """The formats of the command line are those of the parsers."""
    assert ("auto", *formats.FORMATS) == FORMATS
