"""What other programs did to the files a moment ago is what the next search sees."""

from __future__ import annotations

import os
from pathlib import Path

from memweave_core import MemoryConfig, MemWeave
from memweave_core.testing import FakeEmbedder

from .conftest import WriteNote


async def paths(memory: MemWeave, query: str) -> list[str]:
    return [result.path for result in await memory.search(query, strategy="keyword")]


async def test_a_new_file_is_found(memory: MemWeave, note: WriteNote) -> None:
    """A file that appears after opening is in the next search."""
    assert await paths(memory, "zeppelin") == []
    note("memory/new.md", "The zeppelin leaves at nine.")
    assert await paths(memory, "zeppelin") == ["memory/new.md"]


async def test_an_edit_with_an_older_mtime_is_found(memory: MemWeave, note: WriteNote) -> None:
    """An edit is noticed even when the file's time goes back, as after a checkout."""
    page = note("memory/page.md", "The colour is crimson.")
    assert await paths(memory, "crimson")
    page.write_text("The colour is magenta.", encoding="utf-8")
    os.utime(page, (1_000_000_000, 1_000_000_000))
    assert await paths(memory, "magenta") == ["memory/page.md"]
    assert await paths(memory, "crimson") == []


async def test_an_edit_of_equal_size_is_found(memory: MemWeave, note: WriteNote) -> None:
    """Replacing a file by one of the same size is noticed."""
    note("memory/page.md", "code AAAA1111")
    assert await paths(memory, "AAAA1111")
    note("memory/page.md", "code BBBB2222")
    assert await paths(memory, "BBBB2222") == ["memory/page.md"]


async def test_a_deleted_file_is_gone(memory: MemWeave, note: WriteNote) -> None:
    """A file that was deleted is in no result, and takes no place of another."""
    page = note("memory/old.md", "The kestrel nests in the tower.")
    note("memory/live.md", "A kestrel was seen today.")
    assert len(await paths(memory, "kestrel")) == 2
    page.unlink()
    results = await memory.search("kestrel", strategy="keyword", max_results=1)
    assert [result.path for result in results] == ["memory/live.md"]


async def test_a_rename_costs_no_embedding(tmp_path: Path, config: MemoryConfig, note: WriteNote) -> None:
    """Renaming, moving and touching files embeds nothing again."""
    embedder = FakeEmbedder()
    page = note("memory/before.md", "# Harbour\n\nThe ferry crosses the harbour twice a day.")
    async with MemWeave(config, embedder=embedder) as memory:
        first = await memory.index()
        page.rename(tmp_path / "memory" / "after.md")
        os.utime(tmp_path / "memory" / "after.md")
        second = await memory.index()
        assert (first.embeddings_computed, second.embeddings_computed) == (1, 0)
        assert await paths(memory, "ferry harbour") == ["memory/after.md"]


async def test_an_append_keeps_the_old_text_findable(memory: MemWeave) -> None:
    """After an append both the old and the new text are found."""
    await memory.write("log.md", "The first entry names osmium.")
    await memory.append("log.md", "The second entry names iridium.")
    assert await paths(memory, "osmium") == ["memory/log.md"]
    assert await paths(memory, "iridium") == ["memory/log.md"]


async def test_sync_on_search_off_leaves_changes_for_later(config: MemoryConfig, note: WriteNote) -> None:
    """With `sync.on_search` off only `index` takes changes in."""
    quiet = MemoryConfig.from_dict({"workspace_dir": config.workspace_dir, "sync": {"on_search": False}})
    async with MemWeave(quiet, embedder=FakeEmbedder()) as memory:
        note("memory/new.md", "The zeppelin leaves at nine.")
        assert await paths(memory, "zeppelin") == []
        await memory.index()
        assert await paths(memory, "zeppelin") == ["memory/new.md"]


async def test_a_file_from_outside_stays_until_removed(
    memory: MemWeave, tmp_path_factory: object, note: WriteNote
) -> None:
    """An added file outside the memory folder survives indexing and is forgotten, not deleted, by name."""
    outside = note("AGENTS.md", "Always run the quokka checks.")
    await memory.add(outside)
    await memory.index()
    results = await memory.search("quokka", strategy="keyword")
    assert [(result.path, result.source) for result in results] == [("AGENTS.md", "external")]
    assert await memory.remove(outside)
    assert outside.exists()
    assert await paths(memory, "quokka") == []


async def test_a_new_chunk_size_cuts_everything_again(config: MemoryConfig, note: WriteNote) -> None:
    """A changed chunking setting is noticed and re-indexes without being told."""
    note("memory/long.md", "\n\n".join(f"Paragraph {n} about topic {n}. " * 8 for n in range(12)))
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        before = (await memory.index()).chunks_created
    small = MemoryConfig.from_dict(
        {"workspace_dir": config.workspace_dir, "chunking": {"tokens": 60, "overlap": 0}}
    )
    async with MemWeave(small, embedder=FakeEmbedder()) as memory:
        assert (await memory.index()).chunks_created > before
