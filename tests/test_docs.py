"""The pages cannot rot: their code runs, their commands run, and every option and setting is in them."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from memweave_core.cli.app import app, run
from memweave_core.cli.scaffold import settings_template
from memweave_core.config import MemoryConfig
from memweave_core.settings import known_settings, load_config

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)

RUNNER = """
import json, os, sys, tempfile
codes = json.load(sys.stdin)
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for number, code in enumerate(2 * codes):
        exec(compile(code, f"block {number % len(codes)}", "exec"), {"__name__": "__main__"})
    os.chdir(os.path.dirname(folder))
"""


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of one language on a page."""
    return [code for name, code in FENCE.findall(page.read_text(encoding="utf-8")) if name == language]


def having(language: str) -> list[object]:
    """The pages that have blocks of a language, as test parameters."""
    return [pytest.param(page, id=page.name) for page in PAGES if blocks(page, language)]


@pytest.mark.parametrize("page", having("python"))
def test_python_on_the_page_runs(page: Path) -> None:
    """The Python blocks of a page run twice in one folder, and what they assert holds both times."""
    done = subprocess.run(
        [sys.executable, "-c", RUNNER], input=json.dumps(blocks(page, "python")), capture_output=True,
        text=True, encoding="utf-8", env={**os.environ, "PYTHONUTF8": "1"}, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", having("console"))
def test_commands_on_the_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command line succeeds in a copy of the example workspace."""
    shutil.copytree(ROOT / "examples" / "workspace", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("memweave_core.location.user_cache_path", lambda _: tmp_path / ".cache")
    for line in "".join(blocks(page, "console")).splitlines():
        prompt, program, *arguments = shlex.split(line)
        assert (prompt, program) == ("$", "memweave-core"), line
        assert run(arguments) == 0, line


@pytest.mark.parametrize("page", having("toml"))
def test_settings_on_the_page_are_settings(page: Path, tmp_path: Path) -> None:
    """Every TOML block is a settings file that is accepted."""
    for block in blocks(page, "toml"):
        (tmp_path / "memweave.toml").write_text(block, encoding="utf-8")
        load_config(tmp_path, environ={}, overrides={})


def section(command: str) -> str:
    """The part of the terminal page that describes a command."""
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    parts = re.split(r"^### ", text, flags=re.MULTILINE)[1:]
    found = [part for part in parts if command in re.split(r"[,\s]+", part.splitlines()[0])]
    assert len(found) == 1, f"{command} has {len(found)} sections"
    return found[0]


@pytest.mark.parametrize("name", sorted(app.commands))
def test_every_command_and_option_is_documented(name: str) -> None:
    """The terminal page names every command and, with it, every option that is its own."""
    text = section(name)
    everywhere = {"--workspace", "-w", "--json", "--embedding-model", "--help", "-h"}
    shared = "takes the options of `search`" in text
    for parameter in app.commands[name].params:
        options = parameter.opts if isinstance(parameter, click.Option) else []
        for option in set(options) - everywhere:
            assert f"`{option}`" in (section("search") if shared else text), option


def test_options_of_every_command_are_documented() -> None:
    """The terminal page names the options that commands share, and every exit code."""
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for word in (
        "`--workspace`",
        "`-w`",
        "`--json`",
        "`--version`",
        "`--help`",
        "| 0 |",
        "| 1 |",
        "| 2 |",
        "| 130 |",
    ):
        assert word in text, word


def default_of(name: str) -> object:
    """The default of a setting, by dotted name."""
    value: object = MemoryConfig()
    for step in name.split("."):
        value = getattr(value, step)
    return value


def test_every_setting_is_documented_with_its_default() -> None:
    """The settings page has one row for each setting, and the default in it is the real one."""
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([\w.]+)` \| (.*?) \|", text, re.MULTILINE))
    defaults = {name: default_of(name) for name in known_settings()}
    assert rows == {
        name: "unset" if value is None else f"`{json.dumps(value)}`" for name, value in defaults.items()
    }


def test_template_of_init_holds_every_setting_with_its_default(tmp_path: Path) -> None:
    """The file that `init` writes gives the defaults, as it is and with its comment marks taken off."""
    template = settings_template()
    unset = {name.rpartition(".")[2] for name in known_settings() if default_of(name) is None}
    lines = re.findall(r"^# (\[[\w.]+\]|\w+ = .*)$", template, re.MULTILINE)
    chosen = [line for line in lines if line.split(" = ")[0] not in unset]
    assert len(lines) == len(known_settings()) + sum(line.startswith("[") for line in lines)
    for text in (template, "\n".join(chosen)):
        (tmp_path / "memweave.toml").write_text(text, encoding="utf-8")
        assert load_config(tmp_path, environ={}, overrides={}) == MemoryConfig(workspace_dir=str(tmp_path))


def test_links_lead_somewhere() -> None:
    """Every relative link between pages leads to a file that is there."""
    pages = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *ROOT.glob("integrations/*/README.md")]
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"


def test_readme_sets_up_with_two_commands() -> None:
    """The README's set-up is one block of exactly two commands, the ones the check script runs."""
    fences = re.findall(
        r"^```\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    commands = [block.splitlines() for block in fences if "uv" in block]
    assert len(commands) == 1
    first, second = commands[0]
    assert first.startswith("pip install uv && uv run --no-dev memweave-core search ")
    assert second == "uv run pytest"
