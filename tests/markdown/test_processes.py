"""Several processes write at once, and any of them may be killed."""

import subprocess
import sys
from pathlib import Path

import pytest

from memweave_core.adapters.markdown.store import MarkdownFiles
from memweave_core.config import MemoryConfig

OPEN = """
import sys
from memweave_core._errors import ConflictError, StorageError
from memweave_core.adapters.markdown.store import MarkdownFiles
from memweave_core.config import MemoryConfig
store = MarkdownFiles(MemoryConfig(workspace_dir=sys.argv[1]))
"""

APPEND = """
for n in range(50):
    store.append("2026-03-21.md", f"process {sys.argv[2]} line {n} " + "ñ" * 300)
"""

COUNT = """
for n in range(25):
    while True:
        page = store.get("counter.md")
        try:
            store.write("counter.md", f"{int(page.text) + 1}\\n", expected_hash=page.content_hash)
            break
        except ConflictError:
            pass
"""

KILL = """
import os, signal, time
for n in range(25):
    child = os.fork()
    if not child:
        while True:
            for letter in "AB":
                store.write("MEMORY.md", letter * 200_000, overwrite=True)
    time.sleep(0.01 + n / 1000)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert store.get("MEMORY.md").text in ("A" * 200_000, "B" * 200_000)
store.write("MEMORY.md", "the lock is free\\n", overwrite=True)
"""

FULL = """
import resource
before = store.get("log.md").text
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
long = "x" * 9000
for write in (store.append, lambda path, text: store.write(path, text, overwrite=True)):
    try:
        write("log.md", long)
    except StorageError as error:
        assert "log.md" in str(error)
    else:
        raise AssertionError("it should not fit")
    assert store.get("log.md").text == before
"""


def run(workspace: Path, script: str, times: int = 1) -> None:
    """Run a script in some processes at once; each must end well."""
    processes = [
        subprocess.Popen([sys.executable, "-c", OPEN + script, str(workspace), str(n)]) for n in range(times)
    ]
    assert [process.wait(60) for process in processes] == [0] * times


@pytest.fixture
def store(workspace: Path) -> MarkdownFiles:
    """The same workspace in this process."""
    return MarkdownFiles(MemoryConfig(workspace_dir=str(workspace)))


def test_two_processes_append_a_hundred_whole_lines(workspace: Path, store: MarkdownFiles) -> None:
    """Fifty lines from each of two processes are a hundred lines, whole and in each one's order."""
    run(workspace, APPEND, times=2)
    lines = store.get("2026-03-21.md").text.splitlines()
    for process in ("0", "1"):
        own = [line for line in lines if line.startswith(f"process {process} ")]
        assert own == [f"process {process} line {n} " + "ñ" * 300 for n in range(50)]
    assert len(lines) == 100


def test_compare_and_swap_loses_no_count(workspace: Path, store: MarkdownFiles) -> None:
    """Two processes that each add one 25 times, repeating on conflict, count to fifty."""
    store.write("counter.md", "0\n")
    run(workspace, COUNT, times=2)
    assert store.get("counter.md").text == "50\n"


@pytest.mark.skipif(not hasattr(sys, "getdlopenflags"), reason="needs fork and SIGKILL")
def test_a_killed_writer_leaves_a_whole_page(workspace: Path, store: MarkdownFiles) -> None:
    """Killed 25 times in mid-write, the page is always an old or a new one, and its lock is free."""
    store.write("MEMORY.md", "A" * 200_000)
    run(workspace, KILL)
    assert store.get("MEMORY.md").text == "the lock is free\n"
    assert list(store.scan()[0]) == ["memory/MEMORY.md"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")
def test_a_full_disk_leaves_the_page_as_it_was(workspace: Path, store: MarkdownFiles) -> None:
    """When only a part fits, append and write raise and the page keeps its text."""
    store.write("log.md", "one\n" * 100)
    run(workspace, FULL)
    assert store.get("log.md").text == "one\n" * 100
