"""Whatever a person or another program does to pages, the other records work and no word is lost."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memweave_core import EmbeddingInputError, MemoryConfig, NameRefusedError
from memweave_core.blocking import MemWeave
from memweave_core.records import BlockingRecords, Put, RecordsConfig
from memweave_core.testing import FakeEmbedder

NS = ("a",)


@pytest.fixture
def memory(tmp_path: Path, cache_folder: Path) -> Iterator[MemWeave]:
    """A memory in a folder of its own."""
    del cache_folder
    config = MemoryConfig(workspace_dir=str(tmp_path), progress=False)
    with MemWeave(config, embedder=FakeEmbedder()) as memory:
        yield memory


@pytest.fixture
def records(memory: MemWeave) -> BlockingRecords:
    """Records without vectors."""
    return memory.records("store", embedder="none")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the pages of `NS` lie."""
    return tmp_path / "memory" / "store" / "a"


def trash(tmp_path: Path) -> str:
    """All that is kept in the trash."""
    found = sorted((tmp_path / ".memweave" / "trash").glob("*"))
    return "".join(one.read_bytes().decode("utf-8", "replace") for one in found)


HEADS = [
    "provenance: {when: 2024-01-01}",
    "provenance: !!set {a}",
    "ttl_minutes: .inf",
    "ttl_minutes: 1e300",
    "ttl_minutes: 200000000000000",
    "created: 0001-01-01T00:00:00+14:00",
    "updated: 9999-12-31T23:59:59-14:00",
    "mine: [yes",
]


@pytest.mark.parametrize("head", HEADS)
def test_no_page_stops_the_others(records: BlockingRecords, folder: Path, head: str) -> None:
    """A page with odd front matter stands in nobody's way, and stays as it is."""
    records.put(NS, "good", {"text": "good"})
    odd = folder / "odd.md"
    odd.write_text(f"---\n{head}\n---\nx\n")
    records.refresh()
    assert "good" in [found.key for found in records.search(NS)]
    records.get(NS, "odd")
    assert odd.read_text() == f"---\n{head}\n---\nx\n"


def test_neither_does_endless_json_nor_a_time_beyond_all(records: BlockingRecords, folder: Path) -> None:
    """JSON nested without end is no record; a time of change that no database holds is as good as any."""
    records.put(NS, "good", {"text": "good"})
    (folder / "deep.md").write_text(f"~~~json record\n{'[' * 100_000}\n~~~\n")
    (folder / "late.md").write_text("late")
    os.utime(folder / "late.md", (9_223_372_037,) * 2)
    records.refresh()
    assert sorted(found.key for found in records.search(NS)) == ["good", "late"]


@pytest.mark.parametrize("ttl", [4.5e9, 4.9e9])
def test_a_life_beyond_the_calendar_has_no_end(records: BlockingRecords, ttl: float) -> None:
    """A time to live that ends after the year 9999 is kept."""
    records.put(NS, "a", {"text": "x"}, ttl_minutes=ttl)
    assert [found.key for found in records.search(NS, refresh=True)] == ["a"]
    assert records.get(NS, "a", refresh=True) is not None


BROKEN = [
    "---\nmine: [yes\n---\nmy words\n",
    "my words\n\n~~~json record\n{,}\n~~~\n",
    "x\n~~~json record\n{}\n~~~\nmy words\n",
    "---\ntitle: my words\ntitle: twice\n---\nb\n",
    "---\n{title: my words}\n---\nb\n",
]


@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
@pytest.mark.parametrize("text", BROKEN)
def test_what_cannot_be_kept_in_its_place_is_kept_in_the_trash(
    records: BlockingRecords, folder: Path, tmp_path: Path, text: str, known: bool
) -> None:
    """A put over a page that cannot be read, or not be rewritten, keeps a copy of what stood there."""
    folder.mkdir(parents=True)
    if known:
        records.put(NS, "k", {"text": "x", "n": 1})
    (folder / "k.md").write_text(text)
    records.put(NS, "k", {"text": "x", "n": 1})
    found = records.get(NS, "k")
    assert found is not None and found.value == {"text": "x", "n": 1}
    assert "my words" in (folder / "k.md").read_text() + trash(tmp_path)
    assert "n" in (folder / "k.md").read_text().partition("~~~json")[2]


def test_bytes_that_are_no_text_are_kept(records: BlockingRecords, folder: Path, tmp_path: Path) -> None:
    """A put over a file that is no text at all keeps a copy."""
    folder.mkdir(parents=True)
    (folder / "k.md").write_bytes(b"precious \x00\x81\xff\xfe")
    records.put(NS, "k", {"text": "x"})
    assert "precious" in trash(tmp_path)


def test_comments_and_permissions_stay(records: BlockingRecords, folder: Path) -> None:
    """A put leaves a comment in the front matter, the lines that say the same, and who may read the page."""
    records.put(NS, "k", {"text": "x"})
    page = folder / "k.md"
    page.write_text(page.read_text().replace("---\n", "---\n# mine\n", 1))
    page.chmod(0o600)
    created = next(line for line in page.read_text().splitlines() if line.startswith("created"))
    records.put(NS, "k", {"text": "y"})
    assert "# mine" in page.read_text() and created in page.read_text() and "T" in created
    assert os.name == "nt" or page.stat().st_mode & 0o777 == 0o600


def test_nothing_leads_out_through_a_link(records: BlockingRecords, folder: Path, tmp_path: Path) -> None:
    """A folder that was swapped for a link is neither read nor written nor emptied."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "j.md").write_text("out")
    records.put(NS, "k", {"text": "x"})
    (folder / "k.md").unlink()
    folder.rmdir()
    folder.symlink_to(outside)
    assert records.get(NS, "j") is None and records.get(NS, "k") is None
    records.delete(NS, "j")
    with pytest.raises(NameRefusedError, match="link"):
        records.put(NS, "n", {"text": "y"})
    records.refresh()
    assert records.search() == []
    assert [path.name for path in outside.iterdir()] == ["j.md"]


def test_a_sweep_spares_what_was_changed_since(records: BlockingRecords, folder: Path) -> None:
    """What a person edited or a program put anew while its time ran out is not swept."""
    for key in ("edited", "kept", "over"):
        records.put(NS, key, {"text": key}, ttl_minutes=0.001)
    time.sleep(0.1)
    (folder / "edited.md").write_text("my note")
    records.put(NS, "kept", {"text": "anew"})
    assert records.sweep() == 1
    assert sorted(path.name for path in folder.iterdir()) == ["edited.md", "kept.md"]


@pytest.mark.parametrize("read", [True, False])
def test_a_broken_page_is_kept_when_its_time_is_over(
    records: BlockingRecords, folder: Path, tmp_path: Path, read: bool
) -> None:
    """What a person was writing when the record ran out is in the trash or where it was, once."""
    records.put(NS, "k", {"text": "x"}, ttl_minutes=0.001)
    (folder / "k.md").write_text("---\nfoo: [1\n---\nmy words\n")
    if read:
        records.refresh()
    time.sleep(0.1)
    for _ in range(3):
        records.sweep()
        records.delete(NS, "k")
    kept = trash(tmp_path) + ((folder / "k.md").read_text() if (folder / "k.md").exists() else "")
    assert kept.count("my words") == 1


def test_deleting_by_a_condition_spares_what_no_longer_meets_it(memory: MemWeave) -> None:
    """A record that changes while many are deleted is not among them."""
    first, second = (memory.records("store", embedder="none") for _ in range(2))
    first.batch([Put(NS, f"k{n:04}", {"old": True}) for n in range(600)])
    running = threading.Thread(target=lambda: first.delete_where(NS, {"old": True}))
    running.start()
    for number in range(599, 549, -1):
        second.put(NS, f"k{number:04}", {"old": False})
    running.join()
    assert second.count(NS) == 50


def test_half_a_surrogate_pair_comes_back_or_is_refused(records: BlockingRecords) -> None:
    """Where a page can hold it, it does; in its head it is an error before anything is written."""
    value = {"\ud800": "x", "y" * 100_000: "z"}
    records.put(NS, "k", value)
    records.refresh()
    found = records.get(NS, "k")
    assert found is not None and found.value == value
    more: dict[str, Any]
    for more in ({"index": ["\ud800"]}, {"provenance": {"a": "\ud800"}}):
        with pytest.raises(ValueError, match="surrogate"):
            records.put(NS, "l", {"text": "x"}, **more)


def test_secrets_do_not_reach_provenance(records: BlockingRecords, folder: Path) -> None:
    """Where something comes from is masked as its value is."""
    records.put(NS, "k", {"text": "x"}, provenance={"from": "https://ana:hunter22xyz@example.com"})
    assert "hunter22xyz" not in (folder / "k.md").read_text()


class _Picky(FakeEmbedder):
    """Refuses texts that hold "poison"."""

    async def embed(self, texts: Any, *, kind: Any = "document") -> Any:
        if any("poison" in text for text in texts):
            raise EmbeddingInputError("poison")
        return await super().embed(texts, kind=kind)


def test_a_text_that_is_refused_stands_in_nobodys_way(memory: MemWeave) -> None:
    """Records whose text an embedder refuses are kept, and a query finds the others."""
    records = memory.records("store", embedder=_Picky())
    records.batch([Put(NS, key, {"text": f"{key} tea"}) for key in ("good", "poison", "fine")])
    assert sorted(found.key for found in records.search(NS, query="tea")) == ["fine", "good"]


def test_vectors_of_another_length_wait(memory: MemWeave) -> None:
    """What another model made under the same name is not mixed in; with the first one nothing is lost."""
    config = RecordsConfig(identity="mine")
    memory.records("store", config, embedder=FakeEmbedder(8)).put(NS, "old", {"text": "old tea"})
    memory.records("store", config, embedder=FakeEmbedder(16)).put(NS, "new", {"text": "new tea"})
    found = memory.records("store", config, embedder=FakeEmbedder(8)).search(NS, query="tea")
    assert sorted(one.key for one in found) == ["new", "old"]
