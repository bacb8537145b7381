"""A folder that one only asked to read is left as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from memweave_core import MemoryConfig, MemWeave, NotFoundError, ReadOnlyError
from memweave_core.testing import FakeEmbedder

from .conftest import WriteNote


def everything(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


async def test_reading_creates_nothing(tmp_path: Path, config: MemoryConfig, note: WriteNote) -> None:
    """Search, files, status, why and doctor leave no file behind in the workspace."""
    note("memory/a.md", "The lantern is green.")
    before = everything(tmp_path)
    async with MemWeave(config, embedder=FakeEmbedder(), read_only=True) as memory:
        assert (await memory.search("lantern"))[0].path == "memory/a.md"
        await memory.files()
        await memory.status()
        await memory.why("lantern", "memory/a.md")
        await memory.doctor()
    assert everything(tmp_path) == before


async def test_the_cached_index_serves_the_next_reader(config: MemoryConfig, note: WriteNote) -> None:
    """A second reader of the same folder embeds nothing again."""
    note("memory/a.md", "The lantern is green.")
    embedder = FakeEmbedder()
    for _ in range(2):
        async with MemWeave(config, embedder=embedder, read_only=True) as memory:
            result = await memory.index()
    assert result.embeddings_computed == 0
    assert result.embeddings_pending == 0


async def test_writes_are_refused(config: MemoryConfig, note: WriteNote) -> None:
    """Every write verb raises `ReadOnlyError`."""
    note("memory/a.md", "The lantern is green.")
    async with MemWeave(config, embedder=FakeEmbedder(), read_only=True) as memory:
        for attempt in (
            memory.write("b.md", "x"),
            memory.append("a.md", "x"),
            memory.remove("a.md"),
            memory.add("memory/a.md"),
        ):
            with pytest.raises(ReadOnlyError):
                await attempt


async def test_a_missing_workspace_is_named(tmp_path: Path) -> None:
    """Reading a folder that is not there raises `NotFoundError` and does not create it."""
    missing = tmp_path / "nowhere"
    with pytest.raises(NotFoundError, match="nowhere"):
        await MemWeave(MemoryConfig(workspace_dir=str(missing)), read_only=True).search("x")
    assert not missing.exists()


async def test_an_existing_index_is_used(config: MemoryConfig, note: WriteNote, cache_folder: Path) -> None:
    """Where the workspace has an index of its own, a reader uses it and keeps none elsewhere."""
    note("memory/a.md", "The lantern is green.")
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        await memory.index()
    async with MemWeave(config, embedder=FakeEmbedder(), read_only=True) as memory:
        assert (await memory.search("lantern"))[0].path == "memory/a.md"
    assert everything(cache_folder) == []


async def test_without_any_cache_folder_nothing_is_left(
    config: MemoryConfig,
    note: WriteNote,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A reader that can write nowhere works from a temporary index and takes it away."""
    blocked = tmp_path_factory.mktemp("home") / "a-file"
    blocked.write_text("in the way", encoding="utf-8")
    temporary = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr("memweave_core.location.user_cache_path", lambda _: blocked)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    note("memory/a.md", "The lantern is green.")
    async with MemWeave(config, embedder=FakeEmbedder(), read_only=True) as memory:
        assert (await memory.search("lantern"))[0].path == "memory/a.md"
        assert [file.path for file in await memory.files()] == ["memory/a.md"]
    assert everything(temporary) == []
