"""Each example runs offline as a program of its own and shows what it says it shows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(script: str, tmp_path: Path) -> str:
    """What an example prints; it must succeed and say nothing on stderr."""
    environ = {**os.environ, "PYTHONUTF8": "1", "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / script)],
        capture_output=True, text=True, encoding="utf-8", cwd=tmp_path, env=environ, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_quickstart_finds_file_and_line(tmp_path: Path) -> None:
    """The quick start answers both questions from the right file."""
    out = run("quickstart.py", tmp_path)
    assert "memory/preferences.md:" in out
    assert "memory/stack.md:" in out


def test_agents_read_each_others_notes_by_label(tmp_path: Path) -> None:
    """The writer finds the right finding of the researcher and nothing of its own."""
    out = run("agents.py", tmp_path)
    assert out.index("researcher_agent/frost.md") < out.index("researcher_agent/water.md")
    assert "draft.md" not in out


def test_custom_ranking_takes_effect(tmp_path: Path) -> None:
    """A strategy of one's own ranks the top-level page first, a processor puts the rules on top."""
    lines = run("custom_ranking.py", tmp_path).splitlines()
    assert lines[1].startswith("top-level-first ['memory/invoices.md'")
    assert lines[2].startswith("rules on top ['memory/rules/money.md'")


def tables(out: str) -> list[list[str]]:
    """The pages of each table the book club prints, in order."""
    blocks = out.split("page\n")[1:]
    return [[word for word in block.split() if word.startswith("memory/")] for block in blocks]


def test_decay_decides_which_vote_answers(tmp_path: Path) -> None:
    """Without decay an old vote wins; with decay tonight comes first and the evergreen page stays near."""
    plain, aged = tables(run("book_club/book_club.py", tmp_path))
    assert plain[0] in ("memory/2025-01-18.md", "memory/2025-09-13.md")
    assert aged[0] == "memory/2026-04-11.md"
    assert "memory/club_info.md" in aged[:3]


@pytest.mark.parametrize("folder", ["workspace", "book_club"])
def test_examples_hold_no_derived_files(folder: str) -> None:
    """The notes of an example are Markdown and nothing else."""
    suffixes = {path.suffix for path in (EXAMPLES / folder / "memory").rglob("*") if path.is_file()}
    assert suffixes == {".md"}
