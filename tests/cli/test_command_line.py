"""Exit codes, errors and settings, whatever the command."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Program


@pytest.mark.parametrize(
    "arguments",
    [
        ["serch", "x"],
        ["search"],
        ["search", "x", "--max-results", "0"],
        ["search", "x", "--min-score", "5"],
        ["search", "x", "--decay-half-life-days", "0"],
        ["search", "x", "--strategy", "magic"],
        ["search", "x", "--since", "soon"],
        ["index", "--forse"],
    ],
)
def test_a_wrong_command_line_exits_with_2(program: Program, arguments: list[str]) -> None:
    """A wrong command, option or value is explained on stderr and exits with 2."""
    done = program(*arguments)
    assert (done.code, done.out) == (2, "")
    assert "Usage:" in done.err


@pytest.mark.parametrize("command", ["index", "files", "stats", "doctor", "watch"])
def test_a_missing_workspace_says_what_to_do(program: Program, tmp_path: Path, command: str) -> None:
    """A folder that is not there is an error with the way out, and is not made."""
    missing = tmp_path / "missing"
    done = program(command, "-w", str(missing))
    assert done.code == 1
    assert done.err.startswith("Error: ") and "memweave-core init" in done.err
    assert not missing.exists()


def test_a_mistyped_setting_is_named(program: Program, workspace: Path) -> None:
    """A wrong name in memweave.toml is one line with the file and the nearest name."""
    (workspace / "memweave.toml").write_text("[query]\nmax_result = 3\n", encoding="utf-8")
    done = program("search", "x")
    assert done.code == 1
    assert "memweave.toml" in done.err and "query.max_results" in done.err
    assert "Traceback" not in done.err


def test_an_unknown_strategy_is_traced_to_its_file(program: Program, workspace: Path) -> None:
    """A strategy that is none is an error with the nearest name and the file that asks for it."""
    (workspace / "memweave.toml").write_text('[query]\nstrategy = "hybird"\n', encoding="utf-8")
    done = program("search", "x")
    assert done.code == 1
    assert "Did you mean 'hybrid'?" in done.err and "memweave.toml" in done.err


def test_a_mistyped_embedder_gets_the_nearest_name(program: Program) -> None:
    """A name near a built-in one is not taken for a model of a provider."""
    done = program("search", "x", "--embedding-model", "bundeld")
    assert done.code == 1
    assert "'bundeld'" in done.err and "Did you mean 'bundled'?" in done.err


def test_settings_rise_from_file_to_variable_to_option(
    program: Program, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of results comes from the file, a variable beats it, an option beats both."""
    question = ("search", "bookings certificate gate", "--json", "--min-score", "0")
    (workspace / "memweave.toml").write_text("[query]\nmax_results = 1\n", encoding="utf-8")
    assert len(program(*question).json) == 1
    monkeypatch.setenv("MEMWEAVE_QUERY__MAX_RESULTS", "2")
    assert len(program(*question).json) == 2
    assert len(program(*question, "-n", "3").json) == 3


def test_the_workspace_can_come_from_a_variable(
    program: Program, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MEMWEAVE_WORKSPACE names the workspace when no option does."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMWEAVE_WORKSPACE", str(workspace))
    assert program("search", "INC-0093", "--json").json[0]["path"] == "memory/2026-03-17.md"


def test_embedder_can_be_named(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """--embedding-model beats the settings and shows in `stats`."""
    monkeypatch.setenv("MEMWEAVE_EMBEDDING__MODEL", "bundled")
    assert program("stats", "--embedding-model", "none", "--json").json["search_mode"] == "keyword-only"


@pytest.mark.parametrize(
    "query", ["", "C++", "GB/s", "don't", '"', "NEAR(a b)", "a\x00b", "x " * 9000, "-- -x"]
)
def test_any_query_is_a_query(program: Program, query: str) -> None:
    """Whatever the query holds, the search succeeds."""
    assert program("search", "--", query).code == 0


def test_help_names_the_exit_codes(program: Program) -> None:
    """`--help` lists commands and exit codes, and `--version` the version."""
    text = program("--help").out
    assert "Exit codes:" in text and "search" in text
    assert program("--version").out.startswith("memweave-core ")
