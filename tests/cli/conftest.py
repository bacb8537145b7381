"""A workspace of a few notes, and the program run in this process against it, by keywords only."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memweave_core.cli.app import run

NOTES = {
    "memory/decisions/database.md": "---\ntags: [storage]\n---\n# Data\n\nPostgreSQL keeps the bookings.\n",
    "memory/2026-03-17.md": "Incident INC-0093: the certificate had expired. 🔥\n",
    "memory/runbooks/gate.md": "Restart the gate bridge when BRIDGE-4107 is in its log.\n",
    "memory/users/ana/tea.md": "Ana takes tea without sugar.\n",
}


@dataclass(frozen=True)
class Done:
    """What one command line came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What was printed, as JSON."""
        return json.loads(self.out)


Program = Callable[..., Done]


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a workspace that was never indexed, with a cache folder of its own beside it."""
    folder = tmp_path / "workspace"
    for name, text in NOTES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MEMWEAVE_EMBEDDING__MODEL", "none")
    monkeypatch.setattr("memweave_core.location.user_cache_path", lambda _: tmp_path / "cache")
    return folder


@pytest.fixture
def program(workspace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Program:
    """Run the program with arguments and, if given, text on stdin."""

    def call(*args: str, stdin: str | bytes = "") -> Done:
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8"))
        code = run(list(args))
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return call
