"""Records are pages that anybody may change, and are found by name, condition, meaning and words."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from memweave_core import (
    ConfigError,
    EmbeddingUnavailableError,
    MemoryConfig,
    NameRefusedError,
    ReadOnlyError,
    UsageError,
)
from memweave_core.blocking import MemWeave
from memweave_core.records import BlockingRecords, Get, Put, RecordsConfig, Search, ValueRefusedError
from memweave_core.testing import FakeEmbedder

ANA = ("ana", "facts")


def rows(folder: Path, table: str) -> int:
    """How many rows a table of the database has."""
    from memweave_core.adapters.sqlite.driver import choose

    connection = choose().connect(str(folder.parents[1] / ".memweave" / "records.sqlite"))
    try:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    finally:
        connection.close()


def keys(records: BlockingRecords, *prefix: str, **more: Any) -> list[str]:
    """The keys that a search gives."""
    return [record.key for record in records.search(prefix, **more)]


def test_a_record_comes_back(records: BlockingRecords) -> None:
    """What was put is what get gives, with its times and provenance."""
    records.put(ANA, "drink", {"text": "green tea", "n": 4}, provenance={"thread": "t1"})
    found = records.get(ANA, "drink")
    assert found is not None
    assert (found.namespace, found.key, found.value) == (ANA, "drink", {"text": "green tea", "n": 4})
    assert found.created == found.updated
    assert found.provenance == {"thread": "t1"}


def test_an_edit_by_hand_is_what_get_gives(records: BlockingRecords, folder: Path) -> None:
    """Text and JSON that a person changed count, and the time of creation stays."""
    records.put(ANA, "drink", {"text": "green tea", "n": 4})
    before = records.get(ANA, "drink")
    page = folder / "ana" / "facts" / "drink.md"
    page.write_text(page.read_text().replace("green tea", "espresso").replace('"n": 4', '"n": 5'))
    found = records.get(ANA, "drink")
    assert before is not None and found is not None
    assert found.value == {"text": "espresso", "n": 5}
    assert found.created == before.created
    assert found.updated > before.updated


def test_a_search_by_meaning_finds_the_edit(records: BlockingRecords, folder: Path) -> None:
    """A page that changed since it was indexed is ranked by what it says now."""
    records.put(ANA, "a", {"text": "green tea"})
    records.put(ANA, "b", {"text": "tall ships"})
    records.search(query="tea")
    page = folder / "ana" / "facts" / "b.md"
    page.write_text(page.read_text().replace("tall ships", "green tea tea"))
    found = records.search(query="green tea tea", limit=2)
    assert [record.key for record in found] == ["b", "a"]
    assert found[0].score == pytest.approx(1.0)


def test_pages_of_others_appear_and_vanish(records: BlockingRecords, folder: Path) -> None:
    """A file that came from elsewhere is a record, and one that is gone is none."""
    records.put(ANA, "a", {"text": "green tea"})
    (folder / "ana" / "My note.md").write_text("A note by hand.\n")
    records.refresh()
    assert records.search(("ana",), where={"text": {"$text": "hand"}})[0].key == "My note"
    (folder / "ana" / "facts" / "a.md").unlink()
    assert records.get(ANA, "a") is None
    assert keys(records) == ["My note"]


def test_a_page_that_cannot_be_read_keeps_its_last_value(
    records: BlockingRecords, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """JSON broken by hand loses nothing: the last value stays and the log names the page."""
    records.put(ANA, "a", {"text": "green tea", "n": 4})
    page = folder / "ana" / "facts" / "a.md"
    page.write_text(page.read_text().replace('"n": 4', '"n": '))
    found = records.get(ANA, "a")
    assert found is not None and found.value == {"text": "green tea", "n": 4}
    assert "a.md" in caplog.text


def test_front_matter_of_a_person_outlasts_a_put(records: BlockingRecords, folder: Path) -> None:
    """Keys that a person added to the front matter stay when the record is written again."""
    records.put(ANA, "a", {"text": "one"})
    page = folder / "ana" / "facts" / "a.md"
    page.write_text(page.read_text().replace("---\n", "---\ntags: [mine]\n", 1))
    records.put(ANA, "a", {"text": "two"})
    assert "tags: [mine]" in page.read_text()
    assert "two" in page.read_text()


@pytest.mark.parametrize("damage", ["deleted", "emptied", "scribbled"])
def test_the_database_is_made_again(config: MemoryConfig, folder: Path, damage: str) -> None:
    """A lost or damaged database is filled again from the pages, vectors included."""
    with MemWeave(config, embedder=FakeEmbedder()) as memory:
        for number in range(20):
            memory.records("store").put(ANA, f"k{number}", {"text": f"tea number{number}"}, ttl_minutes=90)
    database = folder.parents[1] / ".memweave" / "records.sqlite"
    for path in database.parent.glob("records.sqlite-*"):
        path.unlink()
    if damage == "deleted":
        database.unlink()
    else:
        database.write_bytes(b"" if damage == "emptied" else b"\x01" * 9000)
    with MemWeave(config, embedder=FakeEmbedder()) as memory:
        records = memory.records("store")
        assert keys(records, query="tea number7", limit=1) == ["k7"]
        assert records.count() == 20


@pytest.mark.parametrize("more", [{}, {"query": "tea"}, {"words": "tea"}], ids=["listed", "ranked", "words"])
def test_a_page_may_be_larger_than_anything(records: BlockingRecords, more: dict[str, Any]) -> None:
    """A limit beyond what a database counts to gives everything, and such an offset nothing."""
    records.put(ANA, "a", {"text": "green tea"})
    assert [found.key for found in records.search(limit=10**30, **more)] == ["a"]
    assert records.search(limit=10**30, offset=10**30, **more) == []
    assert records.namespaces(limit=10**30) == [ANA]


def test_closing_a_memory_closes_records_that_were_dropped(config: MemoryConfig) -> None:
    """When a memory has been closed, nobody is still closing the records of objects long gone."""
    with MemWeave(config, embedder=FakeEmbedder()) as memory:
        for number in range(20):
            memory.records("store").put(ANA, f"k{number}", {"text": f"tea number{number}"})
    assert not [one.name for one in threading.enumerate() if one.name == "memweave-closing"]


def test_a_damage_met_on_the_way_is_mended(records: BlockingRecords, folder: Path) -> None:
    """A database that is deleted while it is open is filled again without a word."""
    records.put(ANA, "a", {"text": "green tea"})
    for path in (folder.parents[1] / ".memweave").glob("records.sqlite*"):
        path.unlink()
    assert keys(records, query="tea") == ["a"]


def test_deleting_leaves_nothing(records: BlockingRecords, folder: Path) -> None:
    """Page, row, vectors, words and empty folders go, and no copy is kept in the trash."""
    records.put(ANA, "a", {"x": "green", "y": "tea"}, index=["x", "y"])
    assert keys(records, words="green") == ["a"]
    records.delete(ANA, "a")
    assert [rows(folder, table) for table in ("record", "vector", "words", "uncovered")] == [0, 0, 0, 0]
    assert list(folder.rglob("*")) == []
    assert not (folder.parents[1] / ".memweave" / "trash").exists()
    assert records.namespaces() == []


def test_equal_texts_are_embedded_once(config: MemoryConfig) -> None:
    """A text that a record of the same embedder has is not sent again, in a batch or later."""
    embedder = FakeEmbedder()
    with MemWeave(config, embedder=embedder) as memory:
        records = memory.records("store")
        records.batch([Put(ANA, key, {"text": "same"}) for key in "ab"])
        records.put(ANA, "c", {"text": "same"})
        assert [call.texts for call in embedder.calls] == [("same",)]


def test_a_failing_embedder_loses_nothing(config: MemoryConfig, caplog: pytest.LogCaptureFixture) -> None:
    """A record is written without its vector, which the next search makes; a query meanwhile is an error."""
    embedder = FakeEmbedder()
    with MemWeave(config, embedder=embedder) as memory:
        records = memory.records("store")
        embedder.down = EmbeddingUnavailableError("no line")
        records.put(ANA, "a", {"text": "green tea"})
        assert "without vectors" in caplog.text
        with pytest.raises(EmbeddingUnavailableError):
            records.search(query="tea")
        assert keys(records) == ["a"]
    with MemWeave(config, embedder=FakeEmbedder()) as memory:
        assert memory.records("store").refresh() == 0
        assert keys(memory.records("store"), query="tea") == ["a"]


def test_given_vectors_need_no_embedder(memory: MemWeave) -> None:
    """Records that bring their vectors are found by a vector, and one of another length is refused."""
    records = memory.records("nodes", RecordsConfig(identity="theirs"), embedder="none")
    records.put((), "a", {"text": "x"}, vectors=[[1.0, 0.0], [0.0, 1.0]])
    records.put((), "b", {"text": "y"}, vectors=[[1.0, 1.0]])
    found = records.search(vector=[1.0, 0.0], vectors=True)
    assert [(record.key, round(record.score or 0, 3)) for record in found] == [("a", 1.0), ("b", 0.707)]
    assert [round(float(x), 3) for x in found[1].vector] == [0.707, 0.707]  # type: ignore[union-attr]
    with pytest.raises(UsageError, match="3 numbers where those of theirs have 2"):
        records.search(vector=[1.0, 0.0, 0.0])


def test_an_own_time_to_live(config: MemoryConfig, folder: Path) -> None:
    """A record goes when its time is over, unless it was touched, and a sweep deletes its page."""
    now = [dt.datetime(2026, 1, 1, tzinfo=dt.UTC)]
    with MemWeave(config, embedder=FakeEmbedder(), clock=lambda: now[0]) as memory:
        records = memory.records("store")
        records.put(ANA, "a", {"n": 1}, ttl_minutes=10)
        records.put(ANA, "b", {"n": 1}, ttl_minutes=10)
        now[0] += dt.timedelta(minutes=9)
        assert records.get(ANA, "a", refresh=True) is not None
        now[0] += dt.timedelta(minutes=9)
        assert keys(records) == ["a"]
        assert records.get(ANA, "b") is None
        assert records.sweep() == 1
    assert [path.name for path in folder.rglob("*.md")] == ["a.md"]


HOSTILE = [
    ("..", "../../users/ana/facts"),
    ("users", "ana"),
    ("a/b", "c\\d"),
    ("con", "nul.md"),
    ("b.md", "B.md"),
    ("É", "E\u0301"),
    ("x" * 300, "y" * 300),
    (" ", "."),
    ("🙂", "\n"),
]


def test_hostile_names_stay_in_their_folder(records: BlockingRecords, tmp_path: Path) -> None:
    """Whatever labels and keys are called, each has a page of its own below the folder, and comes back."""
    for number, (label, key) in enumerate(HOSTILE):
        records.put((label, "b.md"), key, {"n": number})
        records.put((label,), "b", {"n": -number})
    for number, (label, key) in enumerate(HOSTILE):
        found = records.get((label, "b.md"), key)
        assert found is not None and found.value == {"n": number}
    records.refresh()
    assert {(r.namespace, r.key) for r in records.search(limit=99)} == {
        one for label, key in HOSTILE for one in (((label, "b.md"), key), ((label,), "b"))
    }
    assert [path.name for path in (tmp_path / "memory").iterdir()] == ["store"]


def test_a_link_is_not_written_through(records: BlockingRecords, folder: Path, tmp_path: Path) -> None:
    """A folder that is a link is refused, and its files are no records."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret.md").write_text("secret")
    folder.mkdir(parents=True)
    (folder / "out").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="link"):
        records.put(("out",), "a", {"n": 1})
    assert records.search() == []


def test_a_link_in_the_place_of_all_records_is_not_written_through(
    records: BlockingRecords, folder: Path, tmp_path: Path
) -> None:
    """A folder of records that leads out of the workspace is refused as one within it is."""
    outside = tmp_path / "outside"
    outside.mkdir()
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.symlink_to(outside)
    with pytest.raises(NameRefusedError):
        records.put(ANA, "drink", {"text": "green tea"})
    assert list(outside.iterdir()) == []


def test_the_same_again_changes_nothing(records: BlockingRecords, folder: Path) -> None:
    """A program that is run again writes no byte for what is there already."""
    records.put(ANA, "drink", {"text": "green tea", "n": 4})
    page = folder / "ana" / "facts" / "drink.md"
    before = page.read_bytes(), page.stat().st_mtime_ns
    records.put(ANA, "drink", {"text": "green tea", "n": 4})
    assert (page.read_bytes(), page.stat().st_mtime_ns) == before
    records.put(ANA, "drink", {"text": "green tea", "n": 5})
    assert page.read_bytes() != before[0]


def test_a_put_without_a_time_to_live_takes_away_the_old_one(records: BlockingRecords) -> None:
    """The same value put for good no longer ends when it would have."""
    records.put(ANA, "drink", {"text": "green tea"}, ttl_minutes=5)
    records.put(ANA, "drink", {"text": "green tea"})
    found = records.get(ANA, "drink")
    assert found is not None and found.expires is None


def test_records_are_pages_of_the_memory(memory: MemWeave) -> None:
    """A search of the memory finds what a record says."""
    memory.records("store").put(ANA, "drink", {"text": "Ana drinks gunpowder tea."})
    assert memory.search("gunpowder")[0].path == "memory/store/ana/facts/drink.md"


def test_secrets_are_masked(memory: MemWeave) -> None:
    """A key of a provider in a value is replaced by a marker, unless that is switched off."""
    key = "sk-proj-" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7d"
    records = memory.records("store")
    records.put(ANA, "a", {"deep": [{"note": f"the key is {key}"}]})
    assert key not in json.dumps([record.value for record in records.search()])
    plain = memory.records("plain", RecordsConfig(mask_secrets=False))
    plain.put(ANA, "a", {"note": key})
    assert [record.value for record in plain.search()] == [{"note": key}]


def test_a_name_tells_of_a_secret(memory: MemWeave) -> None:
    """What stands under a name such as "password" is masked, at any depth, and nothing under other names."""
    records = memory.records("store")
    login = {"user": "ana", "Password": "Quartz7Ridge", "ids": ["Quartz7Ridge"]}
    records.put(ANA, "a", {"logins": [login], "api_key": ["4f9a8c1d22be47709d3e"], "token": "the"})
    (record,) = records.search()
    assert record.value == {
        "logins": [{**login, "Password": "[secret: password]"}],
        "api_key": ["[secret: key]"],
        "token": "the",
    }


@pytest.mark.parametrize("wrong", [float("nan"), b"x", {1: 2}, {"x": {1, 2}}, dt.date(2026, 1, 1)])
def test_what_is_no_json_is_refused(records: BlockingRecords, wrong: Any) -> None:
    """The error names the place, and nothing of the batch is written."""
    with pytest.raises(ValueRefusedError, match=r"value\.deep\[0\]"):
        records.batch([Put(ANA, "a", {"n": 1}), Put(ANA, "b", {"deep": [wrong]})])
    assert records.count() == 0


def test_reading_only_writes_nothing(config: MemoryConfig, records: BlockingRecords) -> None:
    """A memory opened to be read finds records and refuses to write or delete them."""
    records.put(ANA, "a", {"text": "green tea"})
    with MemWeave(config, embedder=FakeEmbedder(), read_only=True) as memory:
        reading = memory.records("store")
        assert keys(reading, query="tea") == ["a"]
        for call in (lambda: reading.put(ANA, "b", {"n": 1}), reading.sweep):
            with pytest.raises(ReadOnlyError):
                call()


def test_an_unusable_folder_name_is_refused(memory: MemWeave) -> None:
    """Records cannot lie where users and conversations do, nor outside of the memory."""
    for name in ("users", "sessions", "..", "a/b", "A"):
        with pytest.raises(ConfigError):
            memory.records(name)


def test_other_paths_have_vectors_of_their_own(memory: MemWeave) -> None:
    """Opened with other paths, the same records are ranked by those texts."""
    memory.records("store").put(ANA, "a", {"text": "tea", "title": "ships"})
    by_title = memory.records("store", RecordsConfig(paths=("title",)))
    assert by_title.search(query="ships")[0].score == pytest.approx(1.0)
    assert (memory.records("store").search(query="ships")[0].score or 0) < 0.9


def test_many_equal_scores_make_whole_pages(records: BlockingRecords) -> None:
    """Records that score the same are each on one page, whatever is deleted in between."""
    records.batch([Put(ANA, f"k{n}", {"text": "tea"}) for n in range(60)])
    records.batch([Put(ANA, f"k{n}", None) for n in range(0, 60, 3)])
    pages = [keys(records, query="tea", limit=7, offset=offset) for offset in range(0, 42, 7)]
    assert [len(page) for page in pages] == [7, 7, 7, 7, 7, 5]
    assert len({key for page in pages for key in page}) == 40


def test_a_batch_reads_before_it_writes(records: BlockingRecords) -> None:
    """Gets and searches of a batch see the state before it."""
    found = records.batch([Put(ANA, "a", {"n": 1}), Get(ANA, "a"), Search(), Put(ANA, "a", {"n": 2})])
    assert found == [None, None, [], None]


def test_words_find_records_of_their_own_folder(memory: MemWeave) -> None:
    """A search by words scores the share of the question that a record holds, rare words above all."""
    records, others = memory.records("store"), memory.records("nodes")
    others.put((), "c", {"text": "anchor in another folder"})
    for number in range(5):
        records.put(ANA, f"k{number}", {"text": f"The harbour has {number} ships"})
    records.put(ANA, "a", {"text": "An anchor lies in the harbour"})
    found = records.search(words="the anchors of the harbour", limit=3)
    assert found[0].key == "a"
    assert found[0].score == pytest.approx(1.0)
    assert 0 < (found[1].score or 0) < 0.5
    assert keys(records, "ana", words="harbour", where={"text": {"$text": "3"}}) == ["k3"]
    records.put(ANA, "a", {"text": "nothing of that"})
    assert keys(records, words="anchor") == []


async def test_both_faces_are_one(memory: MemWeave) -> None:
    """What one face writes the other finds at once, inside one running loop."""
    blocking = memory.records("store")
    records = blocking.asynchronous
    await records.put(ANA, "a", {"text": "green tea"})
    blocking.put(ANA, "b", {"text": "black tea"})
    assert {record.key for record in await records.search(query="tea")} == {"a", "b"}
    assert await records.delete_where(where={"text": {"$text": "green"}}) == 1
    assert await records.count() == blocking.count() == 1
    assert await records.namespaces() == [ANA]


def test_killed_writers_leave_whole_records(tmp_path: Path) -> None:
    """A process killed while it writes leaves records that are whole, each a page and a row."""
    code = (
        "import itertools, sys\n"
        "from memweave_core import MemoryConfig\n"
        "from memweave_core.blocking import MemWeave\n"
        "records = MemWeave(MemoryConfig(workspace_dir=sys.argv[1]), embedder='none').records('store')\n"
        "for n in itertools.count():\n"
        "    records.put(('a',), f'k{n % 9}', {'text': str(n), 'n': n})\n"
        "    print(n, flush=True)"
    )
    running = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    for line in running.stdout:
        if int(line) > 25:
            break
    running.kill()
    running.communicate()
    with MemWeave(MemoryConfig(workspace_dir=str(tmp_path)), embedder="none") as memory:
        found = memory.records("store").search(limit=99)
    assert len(found) == 9
    assert all(record.value["text"] == str(record.value["n"]) for record in found)
    assert max(record.value["n"] for record in found) >= 26
