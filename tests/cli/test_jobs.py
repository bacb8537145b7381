"""The command for work in the background."""

from __future__ import annotations

import os
import re
import sys
import types
from pathlib import Path
from typing import Any

import click
import pytest

from memweave_core.blocking import MemWeave
from memweave_core.cli.jobs import jobs
from memweave_core.settings import load_config

from .conftest import Program


@pytest.fixture
def parked(program: Program, monkeypatch: pytest.MonkeyPatch) -> int:
    """A job that failed for good, because the key of the model was refused."""

    class AuthenticationError(Exception):
        status_code = 401

    async def acompletion(**_: Any) -> Any:
        raise AuthenticationError("wrong \x1b[31mkey")

    module = types.ModuleType("litellm")
    module.__dict__.update(acompletion=acompletion, AuthenticationError=AuthenticationError)
    monkeypatch.setitem(sys.modules, "litellm", module)
    monkeypatch.setenv("MEMWEAVE_LLM__MODEL", "openai/some")
    program("record", "-s", "shed", "--message", "I have a shed.", "--answer", "Good.", "--wait")
    [job] = program("jobs", "--state", "parked", "--json").json
    return int(job["id"])


def test_without_jobs(program: Program) -> None:
    """Where nothing waits, the list says so and a run is done at once."""
    assert "no job is waiting or running or parked" in program("jobs").err
    assert program("jobs", "run").out == "0 done, 0 left, 0 parked\n"
    assert program("jobs", "list", "--json").json == []


def test_a_parked_job_is_listed_with_its_reason(program: Program, parked: int) -> None:
    """`jobs` shows id, kind, state, conversation and error, without control characters, and what to do."""
    done = program("jobs", "--state", "parked")
    assert re.match(rf"{parked}  \w+  parked  1  .*default/shed: .*key", done.out), done.out
    assert "\x1b" not in done.out
    assert "jobs retry" in done.err


def test_a_job_is_tried_again(program: Program, parked: int) -> None:
    """`retry` lets it run again; one that is not parked is an error that says how to list."""
    assert program("jobs", "retry", str(parked)).out == "1 job will run again\n"
    again = program("jobs", "retry", str(parked))
    assert again.code == 1 and "--state parked" in again.err


def test_a_run_without_a_model_leaves_jobs(
    program: Program, parked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that cannot do all of it exits with 1 and says what is missing."""
    program("jobs", "retry", str(parked))
    monkeypatch.delenv("MEMWEAVE_LLM__MODEL")
    done = program("jobs", "run", "--timeout", "5")
    assert done.code == 1 and " 1 left" in done.out and "llm.model" in done.err


def test_a_job_is_taken_away(program: Program, parked: int) -> None:
    """`remove` deletes jobs; one that is not there is a note and exit code 1."""
    assert program("jobs", "remove", str(parked)).out == "1 job removed\n"
    assert program("jobs", "remove", str(parked)).code == 1
    assert program("jobs", "--state", "parked").out == ""


def test_jobs_of_a_folder_that_cannot_be_written(program: Program, parked: int, workspace: Path) -> None:
    """`jobs` and `stats` show what there is, and what would change it is an error."""
    folder = workspace / ".memweave"
    folder.chmod(0o555)
    try:
        if os.access(folder, os.W_OK):
            pytest.skip("this user may write anywhere")
        assert parked in [job["id"] for job in program("jobs", "--json").json]
        assert program("stats").code == 0
        assert program("jobs", "remove", str(parked)).code == 1
    finally:
        folder.chmod(0o755)


@pytest.mark.parametrize(
    "arguments", [["retry"], ["remove"], ["run", "3"], ["run", "--state", "done"], ["stop"], ["retry", "x"]]
)
def test_a_wrong_command_line(program: Program, arguments: list[str]) -> None:
    """An action without its ids, with ids it does not take, or unknown exits with 2."""
    assert program("jobs", *arguments).code == 2


def test_every_action_is_documented() -> None:
    """The terminal page names each action of `jobs`."""
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    [action] = [one for one in jobs.params if one.name == "action"]
    assert isinstance(action.type, click.Choice)
    assert all(f"`jobs {name}" in page for name in action.type.choices)


def test_stats_and_doctor_tell_of_a_parked_job(program: Program, parked: int) -> None:
    """A parked job shows in the statistics, and doctor says how to go on."""
    assert parked
    assert re.search(r"^jobs: .*1 parked", program("stats").out, re.MULTILINE)
    assert "memweave-core jobs retry" in program("doctor").out


def test_what_is_done_is_counted(program: Program, workspace: Path) -> None:
    """The list leaves out what is done and counts it; --state done lists it."""
    with MemWeave(
        load_config(workspace, environ=os.environ, overrides={}), llm=lambda _: '{"facts": []}'
    ) as memory:
        memory.record("default", "shed", {"role": "user", "content": "I painted the shed in blue."})
        assert memory.run_jobs()
    done = program("jobs", "--state", "done", "--json").json
    listed = program("jobs")
    assert done and listed.out == ""
    assert f"note: {len(done)} job" in listed.err and "--state done" in listed.err
