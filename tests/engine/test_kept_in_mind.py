"""What the memory knows besides its notes: added files, unreadable files, removed pages."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memweave_core import MemoryConfig, MemWeave, NotFoundError
from memweave_core.testing import FakeEmbedder

from .conftest import WriteNote


async def paths(memory: MemWeave, query: str) -> list[str]:
    return [result.path for result in await memory.search(query, strategy="keyword")]


async def test_added_files_survive_the_index(config: MemoryConfig, note: WriteNote) -> None:
    """A file added by name is indexed again after the index was deleted."""
    outside = note("AGENTS.md", "Always run the quokka checks.")
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        await memory.add(outside)
    for file in (config.workspace / ".memweave").glob("index.sqlite*"):
        file.unlink()
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        assert await paths(memory, "quokka") == ["AGENTS.md"]


async def test_an_added_file_may_be_away_for_a_while(config: MemoryConfig, note: WriteNote) -> None:
    """A file that is absent for a moment is named, not found, and comes back by itself."""
    outside = note("AGENTS.md", "Always run the quokka checks.")
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        await memory.add(outside)
        away = outside.rename(outside.with_name("AWAY.md"))
        results = await memory.search("quokka")
        assert (list(results), "AGENTS.md" in results.warnings[0]) == ([], True)
        away.rename(outside)
        assert await paths(memory, "quokka") == ["AGENTS.md"]


async def test_a_removed_page_leaves_a_copy(config: MemoryConfig, memory: MemWeave) -> None:
    """Removing a page takes it out of folder and index and keeps its bytes in the trash."""
    await memory.write("plan.md", "The plan is simple.")
    assert await memory.remove("plan.md")
    assert await paths(memory, "plan") == []
    copies = list((config.workspace / ".memweave" / "trash").iterdir())
    assert [copy.read_text(encoding="utf-8").strip() for copy in copies] == ["The plan is simple."]
    assert not await memory.remove("plan.md")


async def test_a_page_that_turns_unreadable_is_not_quoted(memory: MemWeave, note: WriteNote) -> None:
    """A page overwritten with binary data gives no old text, is named once and is not read for ever."""
    page = note("memory/a.md", "The lantern is green.")
    assert await paths(memory, "lantern") == ["memory/a.md"]
    page.write_bytes(b"\x00\x01\x02\xff" * 100)
    results = await memory.search("lantern")
    assert (list(results), any("a.md" in warning for warning in results.warnings)) == ([], True)
    assert not (await memory.status()).dirty
    page.write_text("The lantern is blue.", encoding="utf-8")
    assert await paths(memory, "lantern") == ["memory/a.md"]


async def test_an_interrupted_change_of_model_resumes(config: MemoryConfig, note: WriteNote) -> None:
    """After a change of embedder, only what the new one has not embedded yet is embedded."""
    for number in range(20):
        note(f"memory/{number}.md", f"Matter {number} of the harbour.")
    async with MemWeave(config, embedder=FakeEmbedder(dimensions=32)) as memory:
        await memory.index()
    async with MemWeave(config, embedder=FakeEmbedder(dimensions=48)) as memory:
        runtime = await memory._ready()
        assert (await runtime.backfill.run(limit=8)).computed == 8
    async with MemWeave(config, embedder=FakeEmbedder(dimensions=48)) as memory:
        assert (await memory.index()).embeddings_computed == 12


def test_the_list_of_added_files_is_plain_text(tmp_path: Path) -> None:
    """One path a line, in the order added, without doubles, and edits by hand count."""
    from memweave_core.externals import ExternalPaths

    listed = ExternalPaths(tmp_path)
    assert listed.all() == ()
    for key in ("AGENTS.md", "/elsewhere/b.md", "AGENTS.md"):
        listed.add(key)
    assert (tmp_path / "external.txt").read_text(encoding="utf-8") == "AGENTS.md\n/elsewhere/b.md\n"
    listed.discard("AGENTS.md")
    (tmp_path / "external.txt").write_text("c.md\n\n", encoding="utf-8")
    assert listed.all() == ("c.md",)


async def test_a_refusal_of_the_system_is_not_for_ever(
    memory: MemWeave, note: WriteNote, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that could not be opened once is read at the next look."""
    note("memory/a.md", "The lantern is green.")
    assert await paths(memory, "lantern") == ["memory/a.md"]
    note("memory/a.md", "The lantern is of blue glass.")
    real, refused = os.open, []

    def open_once(path: object, *arguments: int) -> int:
        if str(path).endswith("a.md") and not refused:
            refused.append(path)
            raise OSError(24, "Too many open files")
        return real(path, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", open_once)
    await memory.search("glass")
    assert (bool(refused), await paths(memory, "glass")) == (True, ["memory/a.md"])


async def test_lines_by_hand_cannot_break_the_list_of_added_files(
    config: MemoryConfig, memory: MemWeave, note: WriteNote
) -> None:
    """Rubbish in the list of added files is named and costs nothing else."""
    note("memory/a.md", "The lantern is green.")
    (config.workspace / ".memweave" / "external.txt").write_bytes(
        b"a\x00b.md\n\xff\xfe.md\n/etc/hostname\n../x.md\n"
    )
    results = await memory.search("lantern")
    assert results[0].path == "memory/a.md"
    assert any("external" in w or "added" in w for w in results.warnings)


async def test_the_path_that_added_a_file_also_forgets_it(
    config: MemoryConfig,
    memory: MemWeave,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """A file outside is added, read, explained and removed by one relative path, also when it is gone."""
    outside = tmp_path_factory.mktemp("outside") / "handbook.md"
    outside.write_text("Run the quokka checks.", encoding="utf-8")
    monkeypatch.chdir(config.workspace)
    path = os.path.relpath(outside, config.workspace)
    await memory.add(path)
    assert (await memory.get(path)).text == "Run the quokka checks."
    assert (await memory.why("quokka", path)).verdict == "returned"
    outside.unlink()
    assert await memory.remove(path)
    with pytest.raises(NotFoundError, match=r"handbook\.md"):
        await memory.remove(path)
    assert (await memory.search("quokka")).warnings == ()
