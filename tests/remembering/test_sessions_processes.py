"""Several processes and threads write one conversation, and any of them may be killed."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memweave_core.adapters.markdown.store import MarkdownFiles
from memweave_core.config import MemoryConfig
from memweave_core.messages import Message
from memweave_core.remembering.sessions import SessionFiles
from memweave_core.testing.fakes import FakeClock

OPEN = """
import sys
from memweave_core.adapters.markdown.store import MarkdownFiles
from memweave_core.config import MemoryConfig
from memweave_core.messages import Message
from memweave_core.remembering.sessions import SessionFiles
from memweave_core.testing.fakes import FakeClock
files = SessionFiles(MarkdownFiles(MemoryConfig(workspace_dir=sys.argv[1])), FakeClock())
"""

APPEND = """
for n in range(40):
    files.append("ana", "s", [Message("user", f"{sys.argv[2]} {n} " + "ñ" * 300), Message("assistant", "ok")])
"""

SAME = """
for n in range(40):
    files.append("ana", "s", [Message("user", f"text {n}", f"x{n}")])
"""

UNTIL_KILLED = """
n = 0
while True:
    n += 1
    (stored,) = files.append("ana", "s", [Message("user", f"{sys.argv[2]}-{n} " + "ñ" * 100_000)])
    print(stored.id, f"{sys.argv[2]}-{n}", flush=True)
"""


@pytest.fixture
def files(tmp_path: Path) -> SessionFiles:
    """The workspace in this process."""
    return SessionFiles(MarkdownFiles(MemoryConfig(workspace_dir=str(tmp_path))), FakeClock())


def start(folder: Path, script: str, name: str) -> subprocess.Popen[str]:
    """A process that runs a script over the workspace."""
    command = [sys.executable, "-c", OPEN + script, str(folder), name]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def ended(*processes: subprocess.Popen[str]) -> list[int]:
    """What each process ended with."""
    for process in processes:
        process.communicate(timeout=60)
    return [process.returncode for process in processes]


def test_two_processes_give_every_message_once(files: SessionFiles, tmp_path: Path) -> None:
    """Eighty messages from each of two processes and this one are there, in order, with ids of their own."""
    processes = [start(tmp_path, APPEND, name) for name in "AB"]
    for n in range(40):
        files.append("ana", "s", [Message("user", f"C {n} "), Message("assistant", "ok")])
        files.messages("ana", "s")
    assert ended(*processes) == [0, 0]
    messages = files.messages("ana", "s")
    assert [message.id for message in messages] == [f"m{k}" for k in range(1, 241)]
    for name in "ABC":
        said = [message.text.split()[:2] for message in messages if message.text.startswith(name)]
        assert said == [[name, str(n)] for n in range(40)]


def test_two_processes_with_the_same_ids_record_them_once(files: SessionFiles, tmp_path: Path) -> None:
    """Messages that both processes record under the same ids stand there once."""
    assert ended(*(start(tmp_path, SAME, name) for name in "AB")) == [0, 0]
    read = files.transcript("ana", "s")
    assert sorted(message.id for message in read.messages) == sorted(f"x{n}" for n in range(40))
    assert read.problems == ()


def test_threads_give_every_message_once(files: SessionFiles) -> None:
    """Messages from four threads over one object are all there with ids of their own."""
    with ThreadPoolExecutor(4) as pool:
        stored = list(pool.map(lambda n: files.append("ana", "s", [Message("user", f"text {n}")]), range(40)))
    assert {one.id: one for (one,) in stored} == {one.id: one for one in files.messages("ana", "s")}


def test_a_writer_can_be_waited_for(files: SessionFiles) -> None:
    """`wait_for_writer` comes back when the append under way is on the disk."""
    seen: list[int] = []
    begun = threading.Event()

    def slow(new: tuple[Message, ...]) -> None:
        begun.set()
        time.sleep(0.1)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: files.append("ana", "s", [Message("user", "one")], before_write=slow))
        assert begun.wait(10)
        files.wait_for_writer("ana", "s")
        seen.append(len(files.messages("ana", "s")))
    assert seen == [1]


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_killed_writers_lose_nothing_they_confirmed(files: SessionFiles, tmp_path: Path) -> None:
    """Two writers killed in mid-write again and again: what they confirmed is there once, under its id."""
    confirmed: list[list[str]] = []
    for round_ in range(4):
        pair = [start(tmp_path, UNTIL_KILLED, f"{name}{round_}") for name in "AB"]
        assert pair[0].stdout
        confirmed.append(pair[0].stdout.readline().split())
        time.sleep(0.02 * round_)
        for process in pair:
            process.kill()
        outputs = [process.communicate()[0] for process in pair]
        confirmed += [line.split() for output in outputs for line in output.splitlines() if " " in line]
        files.append("ana", "s", [Message("user", f"round {round_}")])
    read = files.transcript("ana", "s")
    there = {message.id: message.text.split()[0] for message in read.messages}
    assert read.problems == () and len(there) == len(read.messages) == len(set(there.values())) + 3
    assert all(there[name] == text for name, text in confirmed)
