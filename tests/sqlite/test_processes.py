"""Several threads and processes on one index, some of which are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memweave_core import StorageError
from memweave_core.adapters.sqlite import SqliteIndex, choose
from memweave_core.testing.index_pages import ANYONE, found, near, put, store, vector

from .conftest import Start

WRITE = """
    index = SqliteIndex(path)
    index.use_space("m")
    name = sys.argv[2] if len(sys.argv) > 2 else "x"
    print("ready", flush=True); sys.stdin.readline()
    for turn in range({turns}):
        put(index, f"memory/{{turn % 7}}-{name}.md", f"common {name}{{turn}}", f"common second {{turn}}")
        store(index, **{{f"common {name}{{turn}}": vector(1, turn)}})
        assert len(index.keyword("common", where=ANYONE, limit=9)) >= 2
    index.close()
"""


def go(process: subprocess.Popen[str]) -> None:
    """Let a started writer begin."""
    assert process.stdout is not None and process.stdin is not None
    assert process.stdout.readline() == "ready\n"
    process.stdin.write("\n")
    process.stdin.flush()


def test_processes_index_and_search_at_once(start: Start, path: Path) -> None:
    """Two processes write and search while a third opens, checks and counts; nothing fails or breaks."""
    writers = [start(WRITE.replace("{name}", name).format(turns=25)) for name in ("one", "two")]
    for writer in writers:
        go(writer)
    while any(writer.poll() is None for writer in writers):
        index = SqliteIndex(path)
        assert index.integrity() == []
        index.counts()
        index.close()
    assert [writer.returncode for writer in writers] == [0, 0]
    index = SqliteIndex(path)
    assert (index.counts().files, index.counts().chunks, index.integrity()) == (14, 28, [])
    index.close()


def test_a_killed_writer_leaves_a_sound_index(start: Start, path: Path) -> None:
    """Killed in mid-run, five times over, the index opens as it is, sound and searchable."""
    for turn in range(5):
        writer = start(WRITE.replace("{name}", f"k{turn}").format(turns=10_000))
        go(writer)
        time.sleep(0.05 + 0.06 * turn)
        writer.kill()
        writer.wait()
    index = SqliteIndex(path)
    assert (index.notes, index.integrity()) == ([], [])
    put(index, "memory/after.md", "afterwards")
    assert found(index, "afterwards") == ["memory/after.md"]
    index.close()


def test_a_reader_sees_old_or_new_chunks(index: SqliteIndex, path: Path) -> None:
    """While a page is put again and again, every search finds it exactly once."""
    put(index, "memory/a.md", "zebra 0")
    done = threading.Event()

    def write() -> None:
        writer = SqliteIndex(path)
        try:
            for turn in range(40):
                put(writer, "memory/a.md", f"zebra {turn}")
        finally:
            done.set()
            writer.close()

    with ThreadPoolExecutor(4) as pool:
        writing = pool.submit(write)

        def read() -> set[int]:
            sizes = set()
            while not done.is_set():
                sizes.add(len(index.keyword("zebra", where=ANYONE, limit=5)))
            return sizes

        readers = [pool.submit(read) for _ in range(3)]
        writing.result(timeout=60)
        assert set().union(*(reader.result(timeout=60) for reader in readers)) <= {1}


def test_threads_share_one_index(index: SqliteIndex) -> None:
    """Many threads put, store and search through one object; every page is there at the end."""
    index.use_space("m")

    def work(place: int) -> None:
        put(index, f"memory/{place}.md", f"common word{place}")
        store(index, **{f"common word{place}": vector(1, place)})
        assert found(index, f"word{place}", limit=1) == [f"memory/{place}.md"]
        assert len(index.nearest(vector(1, place), where=ANYONE, limit=1)) == 1

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(40)))
    assert (index.counts().files, index.counts().vectors, index.integrity()) == (40, 40, [])


def test_a_busy_index_is_waited_for(path: Path) -> None:
    """A lock of half a second delays a write; one beyond the limit raises an error that says what to do."""
    index = SqliteIndex(path, busy_seconds=0.8)
    other = choose().connect(str(path))
    other.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.3, lambda: other.execute("ROLLBACK"))
    timer.start()
    put(index, "memory/a.md", "alpha")
    timer.join()
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError, match=r"Another process has held the index .* more than 0\.8 s"):
        put(index, "memory/b.md", "beta")
    assert found(index, "alpha") == ["memory/a.md"]
    other.execute("ROLLBACK")
    other.close()
    put(index, "memory/b.md", "beta")
    index.close()


def test_a_failed_change_leaves_nothing(index: SqliteIndex, path: Path) -> None:
    """What is raised within a batch undoes it, and no lock stays behind."""
    with pytest.raises(RuntimeError), index.batch():
        put(index, "memory/a.md", "alpha")
        raise RuntimeError
    assert index.files() == []
    other = SqliteIndex(path, busy_seconds=0.2)
    put(other, "memory/b.md", "beta")
    other.close()
    assert found(index, "beta") == ["memory/b.md"]


def test_a_batch_is_one_change(index: SqliteIndex, path: Path) -> None:
    """Pages of a batch appear together at its end."""
    other = SqliteIndex(path)
    with index.batch():
        put(index, "memory/a.md", "alpha")
        put(index, "memory/b.md", "alpha")
        assert other.files() == []
    assert len(other.files()) == len(found(other, "alpha")) == 2
    other.close()


def test_closing_waits_and_is_final(index: SqliteIndex) -> None:
    """Close lets running searches end; later calls raise a clear error, a second close does nothing."""
    for place in range(50):
        put(index, f"memory/{place}.md", "zebra " * 50)
    errors: list[BaseException] = []

    def search() -> None:
        try:
            while True:
                index.keyword("zebra", where=ANYONE, limit=50)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    index.close()
    index.close()
    for thread in threads:
        thread.join(timeout=30)
    assert [type(error) for error in errors] == [StorageError] * 3
    assert all("has been closed" in str(error) for error in errors)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_goes_on(index: SqliteIndex) -> None:
    """A child reads and writes through connections of its own, and the parent's stay sound."""
    put(index, "memory/a.md", "alpha")
    found(index, "alpha")
    child = os.fork()
    if child == 0:
        try:
            put(index, "memory/b.md", "alpha")
            os._exit(0 if len(found(index, "alpha")) == 2 else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    put(index, "memory/c.md", "alpha")
    assert (len(found(index, "alpha")), index.integrity()) == (3, [])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_child_forked_amid_a_question_goes_on(path: Path) -> None:
    """What a thread that is not in the child had locked does not keep the child waiting."""
    index = SqliteIndex(path, engine="numpy")
    index.use_space("m")
    put(index, "memory/a.md", "alpha")
    store(index, alpha=vector(1, 0))
    with index._questions._vectors.numpy._lock, index._files._lock, index._known._lock:
        child = os.fork()
        if child == 0:
            try:
                signal.alarm(20)
                answers = (near(index, vector(1, 0)), [*index.known()], len(index.files()))
                os._exit(0 if answers == (["memory/a.md"], ["memory/a.md"], 1) else 1)
            finally:
                os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    index.close()
