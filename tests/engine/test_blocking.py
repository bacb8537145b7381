"""The blocking memory works wherever a script, notebook, thread or forked worker calls it."""

from __future__ import annotations

import asyncio
import inspect
import os
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memweave_core import MemoryConfig
from memweave_core import MemWeave as AsyncMemWeave
from memweave_core.blocking import MemWeave
from memweave_core.testing import FakeEmbedder


@pytest.fixture
def config(tmp_path: Path) -> MemoryConfig:
    return MemoryConfig(workspace_dir=str(tmp_path))


def test_a_script_can_write_and_search(config: MemoryConfig) -> None:
    """Write, then search, with no loop in sight."""
    with MemWeave(config, embedder=FakeEmbedder()) as memory:
        memory.write("a.md", "The anchor weighs nine tons.")
        assert memory.search("anchor")[0].path == "memory/a.md"


async def test_it_works_inside_a_running_loop(config: MemoryConfig) -> None:
    """A notebook cell that already runs in a loop can call it."""
    with MemWeave(config, embedder=FakeEmbedder()) as memory:
        memory.write("a.md", "The anchor weighs nine tons.")
        assert memory.search("anchor")


def test_eight_threads_share_one_object(config: MemoryConfig) -> None:
    """Concurrent writes and searches from eight threads lose nothing."""
    with MemWeave(config, embedder=FakeEmbedder()) as memory:

        def work(number: int) -> int:
            memory.append("log.md", f"Entry number{number} is here.")
            return len(memory.search(f"number{number}", strategy="keyword"))

        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(work, range(24)))
        assert all(found)
        assert len(memory.get("log.md").text.splitlines()) == 24


def test_two_objects_on_one_workspace(config: MemoryConfig) -> None:
    """What one object writes another finds at once."""
    with MemWeave(config, embedder=FakeEmbedder()) as one, MemWeave(config, embedder=FakeEmbedder()) as two:
        one.write("a.md", "The anchor weighs nine tons.")
        assert two.search("anchor")[0].path == "memory/a.md"


def test_one_async_object_serves_two_loops(config: MemoryConfig) -> None:
    """An object used in one loop works in the next."""
    memory = AsyncMemWeave(config, embedder=FakeEmbedder())
    asyncio.run(memory.write("a.md", "The anchor weighs nine tons."))
    assert asyncio.run(memory.search("anchor"))
    asyncio.run(memory.close())


TWINS = sorted(name for name, _ in inspect.getmembers(AsyncMemWeave, callable) if not name.startswith("_"))


@pytest.mark.parametrize("name", ["__init__", *TWINS])
def test_every_method_has_its_twin(name: str) -> None:
    """Names, parameters, defaults and result types are those of the asynchronous memory."""
    assert inspect.signature(getattr(MemWeave, name)) == inspect.signature(getattr(AsyncMemWeave, name))
    assert name == "__init__" or getattr(MemWeave, name).__doc__.endswith(f"`memweave_core.MemWeave.{name}`.")


def test_nothing_public_is_on_one_side_only(config: MemoryConfig) -> None:
    """Methods and attributes of both are the same, but for what leads from one face to the other."""
    one, other = MemWeave(config, read_only=True), AsyncMemWeave(config, read_only=True)
    public = {name for name in dir(one) if name[0] != "_"} - {"asynchronous", "of"}
    assert public == {name for name in dir(other) if name[0] != "_"}
    assert (one.config, one.read_only) == (other.config, other.read_only)


def run_script(folder: Path, body: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    script = folder / "script.py"
    script.write_text(textwrap.dedent(body), encoding="utf-8")
    return subprocess.run(
        [sys.executable, str(script), str(folder)],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


OPENING = """
import os, sys
from memweave_core import MemoryConfig
from memweave_core.blocking import MemWeave
from memweave_core.testing import FakeEmbedder
memory = MemWeave(MemoryConfig(workspace_dir=sys.argv[1]), embedder=FakeEmbedder())
memory.write("a.md", "The anchor weighs nine tons.")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_it_works_after_a_fork(tmp_path: Path) -> None:
    """A forked child searches on its own threads and connections, and the parent goes on."""
    done = run_script(
        tmp_path,
        OPENING
        + """
if os.fork() == 0:
    found = memory.search("anchor")
    os._exit(0 if found and found[0].path == "memory/a.md" else 3)
_, status = os.wait()
assert os.waitstatus_to_exitcode(status) == 0, status
assert memory.search("anchor")
print("fine")
""",
    )
    assert done.stdout.strip() == "fine", done.stderr


@pytest.mark.parametrize("ending", ["", "raise SystemExit(0)", "memory.start_watching()"])
def test_python_exits_without_close(tmp_path: Path, ending: str) -> None:
    """A script that forgets to close ends at once, also with the watcher running."""
    began = time.monotonic()
    done = run_script(tmp_path, OPENING + ending)
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - began < 15


def test_an_exception_in_the_middle_still_exits(tmp_path: Path) -> None:
    """An error in the host program ends it, with its own traceback and no hang."""
    done = run_script(tmp_path, OPENING + "raise ValueError('host trouble')")
    assert done.returncode == 1
    assert "host trouble" in done.stderr
