"""Searching the memory as it stood at a date or revision."""

from __future__ import annotations

import datetime as dt
import subprocess
from pathlib import Path

import pytest

from memweave_core import ConfigError, MemoryConfig, MemWeave
from memweave_core.testing import FakeEmbedder

from .conftest import WriteNote


def commit(folder: Path, when: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    date = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when, "PATH": "/usr/bin:/bin", "HOME": str(folder)}
    subprocess.run(["git", "-C", str(folder), "add", "memory"], check=True, env=date)
    subprocess.run(["git", "-C", str(folder), *identity, "commit", "-qm", when], check=True, env=date)
    head = subprocess.run(["git", "-C", str(folder), "rev-parse", "HEAD"], check=True, capture_output=True)
    return head.stdout.decode().strip()


@pytest.fixture
def first_revision(tmp_path: Path, note: WriteNote) -> str:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    note("memory/db.md", "The database is PostgreSQL.")
    first = commit(tmp_path, "2026-01-10T12:00:00+00:00")
    note("memory/db.md", "The database is CockroachDB.")
    commit(tmp_path, "2026-03-10T12:00:00+00:00")
    return first


@pytest.mark.usefixtures("first_revision")
async def test_a_date_shows_the_memory_of_that_day(config: MemoryConfig) -> None:
    """`as_of` a date answers from the last commit up to that day."""
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        then = await memory.search("which database", as_of=dt.date(2026, 2, 1))
        now = await memory.search("which database")
    assert "PostgreSQL" in then[0].snippet
    assert "CockroachDB" in now[0].snippet


async def test_a_revision_works_too(config: MemoryConfig, first_revision: str) -> None:
    """`as_of` a revision answers from that commit, with paths as they are today."""
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        results = await memory.search("which database", as_of=first_revision[:10])
    assert (results[0].path, results[0].start_line) == ("memory/db.md", 1)
    assert "PostgreSQL" in results[0].snippet


@pytest.mark.usefixtures("first_revision")
@pytest.mark.parametrize("as_of", ["no-such-branch", "--output=x", "2020-01-01"])
async def test_what_history_lacks_is_a_clear_error(config: MemoryConfig, as_of: str) -> None:
    """An unknown revision, an option in disguise and a date before the first commit are refused."""
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        with pytest.raises(ConfigError, match="history"):
            await memory.search("database", as_of=as_of)


async def test_without_git_the_error_says_so(config: MemoryConfig, note: WriteNote) -> None:
    """A workspace in no repository has no past to search."""
    note("memory/db.md", "The database is PostgreSQL.")
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        with pytest.raises(ConfigError, match="git history"):
            await memory.search("database", as_of="2026-01-01")


@pytest.mark.usefixtures("first_revision")
async def test_the_day_ends_in_the_timezone_of_the_memory(config: MemoryConfig) -> None:
    """A commit made late on a day in UTC belongs to the next day further east."""
    east = MemoryConfig.from_dict({"workspace_dir": config.workspace_dir, "timezone": "Pacific/Kiritimati"})
    async with MemWeave(east, embedder=FakeEmbedder()) as memory:
        # 12:00 UTC on 10 March is 02:00 on 11 March there: on the 10th the old text still stood.
        assert "PostgreSQL" in (await memory.search("database", as_of="2026-03-10"))[0].snippet
        assert "CockroachDB" in (await memory.search("database", as_of="2026-03-11"))[0].snippet


@pytest.mark.usefixtures("first_revision")
async def test_the_past_embeds_only_what_the_present_lacks(config: MemoryConfig) -> None:
    """Text that is still in the memory is not embedded again for a search of its past."""
    embedder = FakeEmbedder()
    async with MemWeave(config, embedder=embedder) as memory:
        await memory.index()
        before = len(embedder.texts)
        await memory.search("database", as_of="HEAD")
        assert [text for text in embedder.texts[before:] if text != "database"] == []
