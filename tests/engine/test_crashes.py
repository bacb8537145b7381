"""Killed, damaged, shared and replaced: the index answers correctly again by itself."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from memweave_core import MemoryConfig, MemWeave
from memweave_core.testing import FakeEmbedder

from .conftest import WriteNote

INDEX = """
import asyncio, sys
from memweave_core import MemoryConfig, MemWeave
from memweave_core.testing import FakeEmbedder

async def main():
    async with MemWeave(MemoryConfig(workspace_dir=sys.argv[1]), embedder=FakeEmbedder()) as memory:
        print("open", flush=True)
        for _ in range(int(sys.argv[2])):
            await memory.index(force=True)
            await memory.search("topic 7 remark")

asyncio.run(main())
print("done", flush=True)
"""


def start(folder: Path, rounds: int) -> subprocess.Popen[str]:
    script = folder / "index_forever.py"
    script.write_text(textwrap.dedent(INDEX), encoding="utf-8")
    return subprocess.Popen(
        [sys.executable, str(script), str(folder), str(rounds)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def notes(note: WriteNote) -> int:
    for number in range(120):
        body = "\n\n".join(f"## Part {part}\n\nTopic {number} remark {part} here." for part in range(4))
        note(f"memory/n{number}.md", f"# Note {number}\n\n{body}\n")
    return 120


@pytest.mark.timeout(300)
async def test_twenty_kills_leave_a_sound_index(tmp_path: Path, config: MemoryConfig, notes: int) -> None:
    """After kill -9 at twenty random moments of indexing, every table agrees and every page is found."""
    chance = random.Random(5)
    for _ in range(20):
        process = start(tmp_path, 1000)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(chance.uniform(0, 0.35))
        process.send_signal(signal.SIGKILL)
        process.communicate()
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        await memory.index()
        assert [finding for finding in await memory.doctor() if finding.level == "error"] == []
        status = await memory.status()
        assert (status.files, status.pending) == (notes, 0)
        for number in (0, 57, 119):
            assert (await memory.search(f"Note {number}"))[0].path == f"memory/n{number}.md"


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("notes")
async def test_two_processes_index_and_search_at_once(tmp_path: Path, config: MemoryConfig) -> None:
    """Three processes that index and search the same folder all succeed and leave a sound index."""
    processes = [start(tmp_path, 2) for _ in range(3)]
    for process in processes:
        out, error = process.communicate(timeout=200)
        assert out.split() == ["open", "done"], error
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        assert [finding for finding in await memory.doctor() if finding.level == "error"] == []
        assert (await memory.status()).chunks == sum(file.chunks for file in await memory.files())


async def test_a_damaged_index_is_set_aside_and_rebuilt(config: MemoryConfig, note: WriteNote) -> None:
    """A database that is not one is kept aside, the index is rebuilt from Markdown, and one line says so."""
    note("memory/a.md", "The lantern is green.")
    database = config.workspace / ".memweave" / "index.sqlite"
    database.parent.mkdir()
    database.write_bytes(b"this is no database at all" * 400)
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        results = await memory.search("lantern")
        assert results[0].path == "memory/a.md"
        assert any("aside" in warning for warning in results.warnings)


async def test_a_deleted_index_is_rebuilt_under_a_live_process(config: MemoryConfig, note: WriteNote) -> None:
    """Deleting the derived folder while the memory is open costs a rebuild, not an error."""
    note("memory/a.md", "The lantern is green.")
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        assert await memory.search("lantern")
        for file in (config.workspace / ".memweave").glob("index.sqlite*"):
            file.unlink()
        assert (await memory.search("lantern"))[0].path == "memory/a.md"


async def test_use_after_close_reopens(config: MemoryConfig, note: WriteNote) -> None:
    """A closed memory can be used again."""
    note("memory/a.md", "The lantern is green.")
    memory = MemWeave(config, embedder=FakeEmbedder())
    assert await memory.search("lantern")
    await memory.close()
    assert await memory.search("lantern")
    await memory.close()


async def test_a_cancelled_index_leaves_no_lock(config: MemoryConfig, notes: int) -> None:
    """Cancelling an index run leaves the memory usable and complete after the next one."""
    import asyncio

    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        for delay in (0.0, 0.01, 0.05, 0.2):
            task = asyncio.create_task(memory.index(force=True))
            await asyncio.sleep(delay)
            task.cancel()
            await asyncio.wait([task])
        await memory.index()
        assert (await memory.status()).files == notes


async def test_damage_met_in_use_is_mended(config: MemoryConfig, notes: int) -> None:
    """Pages of the database overwritten under an open memory cost a rebuild, and the answer is right."""
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        await memory.index()
    database = config.workspace / ".memweave" / "index.sqlite"
    data = bytearray(database.read_bytes())
    for page in range(2, len(data) // 16_384):
        data[page * 16_384 : page * 16_384 + 200] = b"\xee" * 200
    database.write_bytes(data)
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        results = await memory.search("Note 57")
        assert results[0].path == "memory/n57.md"
        assert (await memory.index()).embeddings_pending == 0
        assert (await memory.status()).files == notes
