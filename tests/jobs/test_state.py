"""The state database keeps what is not derived: it loses no commit and deletes no file."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memweave_core import StorageError
from memweave_core.adapters.sqlite.jobs import SqliteJobQueue
from memweave_core.adapters.sqlite.state import StateDatabase
from memweave_core.adapters.sqlite.state_schema import MIGRATIONS

NOON = datetime(2026, 3, 21, 12, 0, tzinfo=UTC)
NOTES = "CREATE TABLE note (text TEXT NOT NULL)"


def enqueue(database: StateDatabase, group: str = "g") -> int:
    """One more job."""
    return SqliteJobQueue(database).enqueue("k", {}, group=group, now=NOON)


def waiting(database: StateDatabase) -> int:
    """How many jobs wait."""
    return SqliteJobQueue(database).counts(now=NOON).waiting


def test_a_cause_and_its_job_are_stored_together(path: Path) -> None:
    """A row of another table and the job it causes are both there or neither is."""
    database = StateDatabase(path, migrations=(*MIGRATIONS, NOTES))
    for fails in (False, True):
        try:
            with database.transaction() as connection:
                connection.execute("INSERT INTO note VALUES ('x')")
                enqueue(database)
                assert not (fails and 1 / 0)
        except ZeroDivisionError:
            assert fails
    with database.read() as connection:
        assert (connection.execute("SELECT count(*) FROM note").fetchone()[0], waiting(database)) == (1, 1)
    database.close()


def test_errors_within_a_transaction_are_not_changed(database: StateDatabase) -> None:
    """What a caller's own code raises within a transaction comes out as it is."""
    with pytest.raises(FileNotFoundError), database.transaction():
        Path("missing").read_text()


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    """A place where no file can lie is a `StorageError` that names it."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError, match="file"):
        StateDatabase(tmp_path / "file" / "state.sqlite")


def test_a_commit_is_flushed_to_disk(database: StateDatabase) -> None:
    """Every commit reaches the disk before the call returns, which ``synchronous=FULL`` (2) asks for."""
    with database.read() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone()[0] == 2


def test_an_older_file_is_brought_up_to_date(path: Path) -> None:
    """A new migration runs once and keeps what is there."""
    old = StateDatabase(path)
    enqueue(old)
    old.close()
    for _ in range(2):
        new = StateDatabase(path, migrations=(*MIGRATIONS, NOTES))
        with new.transaction() as connection:
            connection.execute("INSERT INTO note VALUES ('x')")
        assert (waiting(new), new.notes) == (1, [])
        new.close()


def test_a_migration_that_fails_changes_nothing(path: Path) -> None:
    """A file whose migration fails stays at the step before it and can be used by who knows only that."""
    StateDatabase(path).close()
    with pytest.raises(StorageError):
        StateDatabase(path, migrations=(*MIGRATIONS, NOTES + "; CREATE TABLE note (x)"))
    old = StateDatabase(path)
    assert (enqueue(old), old.notes) == (1, [])
    old.close()


def test_a_newer_file_is_refused(path: Path) -> None:
    """A file of a newer version is neither used nor touched."""
    StateDatabase(path, migrations=(*MIGRATIONS, NOTES)).close()
    before = path.read_bytes()
    with pytest.raises(StorageError, match="newer version"):
        StateDatabase(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"not a database at all" * 300, b"SQLite format 3\0" + b"\xff" * 9000])
def test_a_damaged_file_is_set_aside(path: Path, content: bytes) -> None:
    """What cannot be read is renamed, each time under a new name and never deleted, and a note says so."""
    for number in (1, 2):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        database = StateDatabase(path)
        aside = path.with_name(f"state.sqlite.damaged-{number}")
        assert (aside.read_bytes(), enqueue(database), aside.name in database.notes[0]) == (content, 1, True)
        database.close()


def test_a_damaged_page_is_found_at_opening(path: Path) -> None:
    """A file whose header is whole but whose tables are not is set aside too."""
    database = StateDatabase(path)
    for number in range(300):
        enqueue(database, f"group {number}")
    database.close()
    with path.open("r+b") as file:
        file.seek(4096 * 3)
        file.write(b"\xa5" * 4096 * 5)
    database = StateDatabase(path)
    assert (waiting(database), len(database.notes)) == (0, 1)
    assert path.with_name("state.sqlite.damaged-1").exists()
    database.close()


def test_another_programs_database_is_kept(path: Path) -> None:
    """A SQLite file that is not ours is set aside as foreign."""
    import sqlite3

    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.executescript("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (7);")
    connection.close()
    database = StateDatabase(path)
    assert (enqueue(database), "foreign-1" in database.notes[0]) == (1, True)
    connection = sqlite3.connect(path.with_name("state.sqlite.foreign-1"))
    assert connection.execute("SELECT x FROM theirs").fetchall() == [(7,)]
    connection.close()
    database.close()


def _delete(path: Path) -> None:
    for file in path.parent.glob("state.sqlite*"):
        file.unlink()


def _replace(path: Path) -> None:
    path.replace(path.with_name("old"))
    path.write_bytes(b"")


def _empty(path: Path) -> None:
    os.truncate(path, 0)


def _spoil(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"\0" * path.stat().st_size)


@pytest.mark.parametrize("harm", [_delete, _replace, _empty, _spoil])
def test_harm_done_while_open_is_overcome(path: Path, harm: Callable[[Path], None]) -> None:
    """A file deleted, replaced, emptied or overwritten costs at most one failed call, no job in silence."""
    database, other = StateDatabase(path), StateDatabase(path)
    enqueue(database)
    other.close()
    harm(path)
    stored = 3
    try:
        enqueue(database)
    except StorageError:
        stored = 2
    enqueue(database)
    second = StateDatabase(path)
    assert waiting(second) == waiting(database) >= 1
    assert waiting(database) == stored or database.notes
    second.close()
    database.close()


def test_processes_make_one_database(path: Path) -> None:
    """Processes that open a missing database at once all store into the same one."""
    script = (
        "import sys; from pathlib import Path; from datetime import datetime, UTC\n"
        "from memweave_core.adapters.sqlite.jobs import SqliteJobQueue\n"
        "from memweave_core.adapters.sqlite.state import StateDatabase\n"
        "sys.stdin.readline(); queue = SqliteJobQueue(StateDatabase(Path(sys.argv[1])))\n"
        "for _ in range(10): queue.enqueue('k', {}, group='g', now=datetime.now(UTC))\n"
    )
    command = [sys.executable, "-c", script, str(path)]
    running = [subprocess.Popen(command, stdin=subprocess.PIPE, text=True) for _ in range(4)]
    for process in running:
        process.communicate("\n", timeout=60)
    database = StateDatabase(path)
    assert ([process.returncode for process in running], waiting(database)) == ([0] * 4, 40)
    database.close()


def test_a_held_database_is_an_error_that_says_so(path: Path, database: StateDatabase) -> None:
    """Who waits too long for another is told which file is held, and can go on afterwards."""
    impatient = StateDatabase(path, busy_seconds=0.05)
    with database.transaction(), pytest.raises(StorageError, match="Another process has held"):
        enqueue(impatient)
    assert enqueue(impatient) == 1
    impatient.close()


def test_threads_take_turns(database: StateDatabase) -> None:
    """Threads that store at once wait for each other and lose nothing."""
    threads = [threading.Thread(target=lambda: [enqueue(database) for _ in range(10)]) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert waiting(database) == 60


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_opens_it_for_itself(database: StateDatabase) -> None:
    """A child of fork and its parent both store jobs, also while the other closes the database."""
    enqueue(database)
    context = multiprocessing.get_context("fork")
    stored, closed = context.Event(), context.Event()

    def work() -> None:
        enqueue(database, "child")
        stored.set()
        closed.wait()
        enqueue(database, "child")
        os._exit(0)  # as a kill would: without a last close that puts everything right

    child = context.Process(target=work)
    child.start()
    stored.wait()
    enqueue(database)
    database.close()
    closed.set()
    child.join(30)
    after = StateDatabase(database.path)
    assert (child.exitcode, waiting(after)) == (0, 4)
    after.close()


def test_a_closed_database_says_so(path: Path) -> None:
    """After `close`, which may be repeated, every use is an error."""
    database = StateDatabase(path)
    database.close()
    database.close()
    with pytest.raises(StorageError, match="closed"):
        enqueue(database)


@pytest.mark.parametrize("library", ["pysqlite3", "stdlib", "degraded"])
def test_a_library_that_can_lose_commits_gets_no_wal(path: Path, library: str) -> None:
    """A new file is in WAL mode unless the SQLite library has the bug by which that loses commits."""
    script = (
        "import sys; from pathlib import Path\n"
        "from memweave_core.adapters.sqlite.state import StateDatabase\n"
        "database = StateDatabase(Path(sys.argv[1]))\n"
        "with database.read() as connection: mode = connection.execute('PRAGMA journal_mode').fetchone()[0]\n"
        "assert mode == ('delete' if database.driver.wal_reset_bug else 'wal')\n"
    )
    subprocess.run(
        [sys.executable, "-c", script, str(path)], check=True, env={**os.environ, "MEMWEAVE_SQLITE": library}
    )
