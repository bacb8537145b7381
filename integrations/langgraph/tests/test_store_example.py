"""The example of the store runs offline as a program of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[3] / "examples" / "langgraph_store.py"


def test_the_example_shows_what_it_says(tmp_path: Path) -> None:
    """The graph recalls what a person made of its page, and a filter finds another one."""
    environ = {**os.environ, "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, str(EXAMPLE)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environ,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    page, recalled, filtered = done.stdout.splitlines()
    assert page == "page: memory/store/ana@example=2eorg/memories/m0.md"
    assert recalled == "recalled: I drink black coffee in the morning."
    assert filtered == "filtered: I work in a bakery. from chat"
