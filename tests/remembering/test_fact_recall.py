"""Which facts are recalled, and by what when there is no embedder to ask."""

from __future__ import annotations

from pathlib import Path

import pytest

from memweave_core import MemoryConfig
from memweave_core._errors import ConfigError, EmbeddingAuthError
from memweave_core.assembly import assemble
from memweave_core.messages import Fact
from memweave_core.remembering.fact_book import FactBook
from memweave_core.testing import FakeClock, FakeEmbedder

SONGS = [Fact(f"Knows the song number {n}") for n in range(20)]


async def test_t12_few_facts_are_all_recalled(book: FactBook, embedder: FakeEmbedder) -> None:
    """Fewer facts than are asked for are all recalled, and nothing is asked of the embedder for it."""
    await book.remember("ana", SONGS[:9])
    asked = len(embedder.calls)
    recalled = await book.recall("ana", "weather tomorrow")
    assert len(recalled.facts) == 9 and recalled.left_out == 0 and len(embedder.calls) == asked


async def test_t11_the_nearest_ten(book: FactBook) -> None:
    """Of many facts the ten nearest by cosine are recalled, with their similarity and how many are left."""
    await book.remember("ana", [*SONGS, Fact("Plays chess every Sunday", importance=1)])
    recalled = await book.recall("ana", "Who plays chess?")
    assert len(recalled.facts) == 10 and recalled.left_out == 11 and recalled.note == ""
    best = max(zip(recalled.similarities, recalled.facts, strict=True), key=lambda pair: pair[0] or 0)
    assert best[1].text == "Plays chess every Sunday" and 0 < (best[0] or 0) <= 1


async def test_nothing_said(book: FactBook, embedder: FakeEmbedder) -> None:
    """With nothing said the most important facts are recalled, without a similarity or a complaint."""
    await book.remember("ana", [*SONGS, Fact("Plays chess", importance=5)])
    embedder.down = EmbeddingAuthError("The key was refused.")
    recalled = await book.recall("ana", "  ", embed=False, top=1)
    assert [fact.text for fact in recalled.facts] == ["Plays chess"]
    assert (recalled.similarities, recalled.left_out, recalled.note) == ((None,), 20, "")


async def test_t9_with_the_bundled_embedder(config: MemoryConfig) -> None:
    """With the default embedder the fuller wording replaces the other, and tea takes the place of coffee."""
    runtime = assemble(config, None, read_only=False)
    book = FactBook(runtime, config, FakeClock())
    await book.remember("ana", [Fact("The user likes Python"), Fact("The user's favourite drink is coffee")])
    await book.remember(
        "ana", [Fact("The user prefers Python to JavaScript"), Fact("Favourite drink is now tea")]
    )
    assert [fact.text for fact in (await book.recall("ana", "drink")).facts] == [
        "Favourite drink is now tea",
        "The user prefers Python to JavaScript",
    ]
    runtime.close()


async def test_nothing_known(book: FactBook) -> None:
    """Of a user of whom nothing is known nothing is recalled, and no file is made."""
    recalled = await book.recall("nobody", "anything")
    assert (recalled.facts, recalled.left_out, recalled.note) == ((), 0, "")
    with pytest.raises(ConfigError):
        await book.recall("nobody", "anything", top=0)


async def test_t20_words_while_the_embedder_fails(book: FactBook, embedder: FakeEmbedder) -> None:
    """With the embedder down, words and then importance decide, and the note says why."""
    await book.remember("ana", [*SONGS, Fact("Plays chess on Sundays")])
    embedder.down = EmbeddingAuthError("The key was refused.")
    recalled = await book.recall("ana", "Which sundays for chess?", top=1)
    assert [fact.text for fact in recalled.facts] == ["Plays chess on Sundays"]
    assert "by words" in recalled.note and "key was refused" in recalled.note


async def test_t20_another_embedder(book: FactBook, config: MemoryConfig) -> None:
    """Vectors of the embedder before are not used; those of the new one are made when it can be asked."""
    await book.remember("ana", [*SONGS, Fact("Plays chess on Sundays")])
    other = FakeEmbedder(32)
    other.down = EmbeddingAuthError("Not yet.")
    runtime = assemble(config, other, read_only=False)
    changed = FactBook(runtime, config, FakeClock())
    assert "by words" in (await changed.recall("ana", "chess", top=1)).note
    other.down = None
    runtime.close()
    runtime = assemble(config, other, read_only=False)
    recalled = await FactBook(runtime, config, FakeClock()).recall("ana", "chess", top=1)
    assert recalled.note == "" and [fact.text for fact in recalled.facts] == ["Plays chess on Sundays"]
    assert "Plays chess on Sundays" in other.texts
    runtime.close()


async def test_no_embedder_at_all(config: MemoryConfig) -> None:
    """Without an embedder facts are remembered, become one by their words, and are recalled by words."""
    runtime = assemble(config, "none", read_only=False)
    book = FactBook(runtime, config, FakeClock())
    await book.remember("ana", [*SONGS, Fact("Likes Python")])
    [one] = await book.remember("ana", [Fact("Prefers Python to JavaScript")])
    recalled = await book.recall("ana", "¿Python?", top=1)
    assert one.outcome == "merged" and recalled.facts == (one.fact,) and "no embedder" in recalled.note
    runtime.close()


async def test_vectors_are_made_once(book: FactBook, embedder: FakeEmbedder, config: MemoryConfig) -> None:
    """A fact is embedded once for remembering, recall and search, also by the next process."""
    await book.remember("ana", SONGS)
    await book.recall("ana", "song")
    runtime = book._runtime
    await runtime.sync()
    await runtime.backfill.run()
    other = FactBook(runtime, config, FakeClock())
    await other.recall("ana", "song")
    documents = [text for call in embedder.calls if call.kind == "document" for text in call.texts]
    assert sorted(documents) == sorted(fact.text for fact in SONGS)


async def test_the_embedder_may_be_left_alone(book: FactBook, embedder: FakeEmbedder) -> None:
    """Told not to ask the embedder, a recall goes by words and says so."""
    await book.remember("ana", [*SONGS, Fact("Plays chess")])
    asked = len(embedder.calls)
    by_words = await book.recall("ana", "chess", embed=False, top=1)
    assert [fact.text for fact in by_words.facts] == ["Plays chess"] and "by words" in by_words.note
    assert len(embedder.calls) == asked


async def test_a_search_finds_single_facts(book: FactBook, workspace: Path) -> None:
    """The page of facts is indexed a fact at a time, under the words of the fact alone."""
    await book.remember("ana", [Fact("Plays chess"), Fact("Sings")])
    runtime = book._runtime
    await runtime.sync()
    rows = runtime.index.rows(runtime.index.chunk_ids("memory/users/ana/facts.md"))
    assert [row.chunk.text.split(" {#")[0] for row in rows.values()] == ["- Plays chess", "- Sings"]
