"""The reranker from the command line, over the settings of the workspace."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from memweave_core import MemoryConfig
from memweave_core.cli.app import run


@pytest.fixture
def workspace(config: MemoryConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace whose settings name a reranker, as the current folder."""
    (tmp_path / "memweave.toml").write_text('[query.reranker]\nmodel = "fastembed:some/model"\n')
    monkeypatch.setenv("MEMWEAVE_EMBEDDING__MODEL", "none")
    monkeypatch.setattr("memweave_core.location.user_cache_path", lambda _: tmp_path / "cache")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("workspace", "fastembed")
def test_search_reranks_unless_told_not_to(capsys: pytest.CaptureFixture[str]) -> None:
    """With a reranker in the settings a search uses it; --no-rerank does without for once."""
    found: dict[str, list[dict[str, Any]]] = {}
    for option in ([], ["--rerank"], ["--no-rerank"]):
        assert run(["search", "the lantern", "--json", *option]) == 0
        found["".join(option)] = json.loads(capsys.readouterr().out)
    assert found[""] == found["--rerank"]
    numbers = [result["rerank_score"] for result in found[""]]
    assert numbers == sorted(numbers, reverse=True)
    assert {result["rerank_score"] for result in found["--no-rerank"]} == {None}


@pytest.mark.usefixtures("workspace", "fastembed")
def test_explain_and_why_show_the_stage(capsys: pytest.CaptureFixture[str]) -> None:
    """The number of the reranker and the place before it are printed."""
    assert run(["search", "the lantern", "--explain"]) == 0
    assert "rerank(score=" in capsys.readouterr().out
    assert run(["why", "the lantern", "memory/a.md"]) == 0
    shown = capsys.readouterr().out
    assert "before the reranker" in shown and "rank_before=" in shown


@pytest.mark.usefixtures("workspace")
def test_a_reranker_that_is_not_installed_is_a_note(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results come all the same, and a note on stderr says what to install."""
    monkeypatch.setitem(sys.modules, "fastembed", None)
    assert run(["search", "lantern"]) == 0
    done = capsys.readouterr()
    assert "memory/a.md" in done.out and "memweave-core[fastembed]" in done.err


def test_to_ask_for_one_that_is_not_there_is_an_error(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """--rerank without a reranker in the settings says how to name one."""
    (workspace / "memweave.toml").unlink()
    assert run(["search", "lantern", "--rerank"]) == 1
    assert "query.reranker.model" in capsys.readouterr().err
