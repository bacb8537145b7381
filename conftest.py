"""What holds for every test."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Property tests are not timed: how fast something is, is measured in `benchmarks`.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

_LONGEST = {f"test_{name}.py" for name in ("killed_workers", "crashes", "finding", "docs", "examples")}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first: a process that begins one last keeps the other waiting."""
    items.sort(key=lambda item: item.path.name not in _LONGEST)


@pytest.fixture(autouse=True, scope="session")
def cache_of_programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The user's cache folder, also of programs that tests start: the embedder is unpacked there once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def cache_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache folder, apart for each test; the embedder's own weights are cached elsewhere."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setattr("memweave_core.location.user_cache_path", lambda _: folder)
    monkeypatch.setattr("memweave_core.history.user_cache_path", lambda _: folder)
    return folder


@pytest.fixture
def run_example(tmp_path: Path) -> Callable[..., str]:
    """Runs a program of `examples` in a folder of its own; what it prints.

    It must succeed and say nothing on stderr. Further arguments are options of Python.
    """

    def run(script: str, *options: str) -> str:
        done = subprocess.run(
            [sys.executable, *options, str(Path(__file__).parent / "examples" / script)],
            capture_output=True, text=True, encoding="utf-8", cwd=tmp_path, timeout=100,
            env={**os.environ, "PYTHONUTF8": "1"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return done.stdout

    return run
