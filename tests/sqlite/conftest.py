"""An index in a folder of its own, and running a script in another process."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memweave_core.adapters.sqlite import SqliteIndex

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "index.sqlite"


@pytest.fixture
def index(path: Path) -> Iterator[SqliteIndex]:
    index = SqliteIndex(path)
    yield index
    index.close()


@pytest.fixture
def start(path: Path) -> Iterator[Start]:
    """Start a script in another process; `path`, `SqliteIndex` and the test kit are defined in it."""
    running: list[subprocess.Popen[str]] = []
    opening = (
        "import sys; from pathlib import Path; path = Path(sys.argv[1])\n"
        "from memweave_core.adapters.sqlite import SqliteIndex\n"
        "from memweave_core.testing.index_pages import *\n"
    )

    def run(script: str, **environment: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", opening + textwrap.dedent(script), str(path)],
            stdout=subprocess.PIPE,
            stdin=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )
        running.append(process)
        return process

    yield run
    for process in running:
        process.kill()
        process.communicate()
