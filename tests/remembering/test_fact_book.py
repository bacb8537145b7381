"""Facts are taken in, merged, superseded, pruned and edited, whatever stands in the file by then."""

from __future__ import annotations

import asyncio
import datetime as dt
import multiprocessing
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memweave_core import MemoryConfig, MemWeave
from memweave_core._errors import NotFoundError, UsageError
from memweave_core.assembly import assemble
from memweave_core.conversation_config import FactsConfig
from memweave_core.messages import Fact, Remembered
from memweave_core.remembering.fact_book import FactBook
from memweave_core.remembering.forgetting import Parts, restore
from memweave_core.testing import FakeClock, FakeEmbedder
from memweave_core.types import EmbedKind

if TYPE_CHECKING:
    from memweave_core.types import FloatArray


def auto(text: str, source: str = "s1#m1", importance: int = 2) -> Fact:
    """A fact that was found in a conversation."""
    return Fact(text, origin="automatic", source=source, importance=importance)


def page(workspace: Path, user: str = "ana") -> Path:
    """Where the facts of a user lie."""
    return workspace / "memory" / "users" / user / "facts.md"


async def texts(book: FactBook, user: str = "ana") -> list[str]:
    """What is known of a user now."""
    return [fact.text for fact in (await book.file(user)).facts]


async def told(book: FactBook, *new: Fact) -> list[Remembered]:
    """What became of facts of ana."""
    return await book.remember("ana", new)


class AllAlike(FakeEmbedder):
    """Any two texts have a cosine of 0.97."""

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind = "document") -> FloatArray:
        """Mostly one direction for all, and a little of its own for each."""
        import numpy as np

        own = await super().embed(texts, kind=kind)
        own[:, 0] = 0
        own *= np.sqrt(0.03) / np.maximum(np.linalg.norm(own, axis=1, keepdims=True), 1e-12)
        own[:, 0] = np.sqrt(0.97)
        return own


async def test_t9_the_fullest_form_is_kept_once(book: FactBook) -> None:
    """Of two facts that say the same the fuller wording stays, and the other is its history."""
    [first] = await told(book, auto("Likes Python"))
    [second] = await told(book, auto("Prefers Python to JavaScript", "s2#m1"))
    assert (second.outcome, second.fact.id) == ("merged", first.fact.id)
    assert await texts(book) == ["Prefers Python to JavaScript"]
    assert [one.fact.text for one in await book.history("ana", first.fact.id)] == [
        "Prefers Python to JavaScript",
        "Likes Python",
    ]


async def test_t9_a_changed_value_supersedes(book: FactBook) -> None:
    """What holds now takes the place of what held before, which stays in the history with its last day."""
    await told(book, auto("Drinks coffee"))
    [now] = await told(book, auto("Drinks tea now", "s2#m4"))
    assert now.outcome == "superseded" and now.replaced is not None and now.replaced.text == "Drinks coffee"
    assert await texts(book) == ["Drinks tea now"]
    [old] = await book.history("ana")
    assert (old.fact.text, old.until) == ("Drinks coffee", dt.date(2026, 3, 21))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Owns 2 cats", "Owns 3 cats"),
        ("Flies on 2026-05-01", "Flies on 2026-05-02"),
        ("Uses Python 3.11 at work", "Uses Python 3.12 at home"),
        ("Knows Ana from Lugo", "Knows Eva from Lugo"),
        ("Runs 5 km on Sundays", "Runs 5 miles on Sundays"),
        ("Ana lent Bo money", "Bo lent Ana money"),
        ("Eats fish", "Does not eat meat"),
    ],
)
async def test_t9_small_differences_are_kept_apart(config: MemoryConfig, one: str, other: str) -> None:
    """Facts that differ in a number, day, version, name, unit, direction or negation are all kept."""
    runtime = assemble(config, AllAlike(), read_only=False)
    book = FactBook(runtime, config, FakeClock())
    await told(book, auto(one), auto(other, "s2#m1"))
    assert await texts(book) == [one, other]
    runtime.close()


async def test_t9_restatements_collapse(config: MemoryConfig) -> None:
    """The same statement in other words that change nothing is one fact."""
    runtime = assemble(config, AllAlike(), read_only=False)
    book = FactBook(runtime, config, FakeClock())
    for text in ("The user is allergic to nuts.", "User is allergic to nuts", "Is allergic to nuts"):
        await told(book, auto(text))
    assert len(await texts(book)) == 1
    runtime.close()


async def test_t9_a_set_cosine_is_the_only_proposal(config: MemoryConfig) -> None:
    """With `facts.duplicate` only facts above that cosine, strictly, or of the same words become one."""
    config = replace(config, facts=FactsConfig(duplicate=1.0))
    runtime = assemble(config, FakeEmbedder(), read_only=False)
    book = FactBook(runtime, config, FakeClock())
    await told(book, auto("Likes Python"), auto("Prefers Python to JavaScript"), auto("likes python."))
    assert await texts(book) == ["Likes Python", "Prefers Python to JavaScript"]
    runtime.close()


async def test_t10_another_session_reinforces(book: FactBook) -> None:
    """A fact that comes up in further sessions gains importance, up to 4; in the same one it does not."""
    for session, importance, seen in [("s1", 2, 1), ("s1", 2, 1), ("s2", 3, 2), ("s3", 4, 3), ("s4", 4, 4)]:
        [one] = await told(book, auto("Plays chess", f"{session}#m1"))
        assert (one.fact.importance, one.fact.seen) == (importance, seen)


async def test_t10_the_same_again_changes_no_byte(book: FactBook, workspace: Path) -> None:
    """Remembering the same thing twice in one session leaves the file as it is."""
    await told(book, auto("Plays chess"))
    before = page(workspace).read_bytes()
    await told(book, auto("Plays chess"))
    assert page(workspace).read_bytes() == before


async def test_t6_what_was_asked_for_stays(book: FactBook, config: MemoryConfig) -> None:
    """A fact that a person asked to be remembered keeps importance 5 above any limit."""
    await told(book, *[Fact(f"Rule {n}", origin="explicit", importance=5) for n in range(config.facts.limit)])
    [last] = await told(book, Fact("Rule 9999", origin="explicit", importance=5))
    facts = (await book.file("ana")).facts
    assert len(facts) == config.facts.limit + 1 and {fact.importance for fact in facts} == {5}
    assert "still 1 too many" in last.reason


@pytest.mark.parametrize(("given", "kept"), [(5, 4), (9, 4), (0, 1), (-3, 1), (3, 3)])
async def test_t7_automatic_facts_are_1_to_4(book: FactBook, given: int, kept: int) -> None:
    """The importance of what a machine found is brought into the range from 1 to 4."""
    [one] = await told(book, auto("Plays chess", importance=given))
    assert one.fact.importance == kept


async def test_t14_the_least_important_goes(parts: Parts) -> None:
    """Above the limit the least important fact goes, is named in no list, and can be restored."""
    book = parts.facts
    await told(book, auto("Had toast", importance=1), *[auto(f"Knows song {n}") for n in range(149)])
    [new] = await told(book, auto("Plays chess"))
    assert new.outcome == "stored" and "1 of the least important dropped" in new.reason
    assert len(await texts(book)) == 150 and "Had toast" not in await texts(book)
    [kept] = book.trash.names()
    assert [fact.text for fact in await restore(parts, "ana", kept)] == ["Had toast"]


async def test_t15_no_room_for_the_least(book: FactBook) -> None:
    """A new fact that matters least is skipped at once, with the reason, when all others stay."""
    await told(book, *[auto(f"Knows song {n}", importance=4) for n in range(150)])
    [new] = await told(book, auto("Had toast", importance=1))
    assert new.outcome == "skipped" and "150" in new.reason and len(await texts(book)) == 150


async def test_t22_the_source_is_kept(book: FactBook, workspace: Path) -> None:
    """Each fact names the session and message it is from."""
    await told(book, auto("Plays chess", "talk 1#m7"))
    [fact] = (await book.file("ana")).facts
    assert fact.source == "talk 1#m7" and "from=session:talk" in page(workspace).read_text("utf-8")


async def test_hand_edits_count_at_once(book: FactBook, workspace: Path) -> None:
    """A line added, changed or deleted by hand is what the next call sees, and no other byte changes."""
    await told(book, auto("Plays chess"), auto("Likes olives"))
    lines = page(workspace).read_text("utf-8").splitlines(keepends=True)
    by_hand = [line.replace("importance=2", "importance=4") for line in lines if "olives" not in line]
    text = "Own words.\r\n" + "".join(by_hand) + "* Sings\n\n> quoted"
    page(workspace).write_bytes(text.encode())
    assert [(one.text, one.importance) for one in (await book.file("ana")).facts] == [
        ("Plays chess", 4),
        ("Sings", 3),
    ]
    [_] = await told(book, auto("Cooks"))
    after = page(workspace).read_bytes().decode()
    assert (
        after.startswith("Own words.\r\n# Facts")
        and after.endswith("\n\n> quoted")
        and "* Sings {#f" in after
    )


async def test_an_id_shown_is_the_id_written(book: FactBook, workspace: Path) -> None:
    """A fact written by hand can be named by the id it is shown with."""
    page(workspace).parent.mkdir(parents=True)
    page(workspace).write_text("- Sings\n", encoding="utf-8")
    [fact] = (await book.file("ana")).facts
    edited = await book.edit("ana", fact.id[:3], importance=5)
    assert (edited.id, edited.importance) == (fact.id, 5)
    assert (await book.file("ana")).facts[0].id == fact.id


async def test_t17_an_edit_is_found_by_its_new_words(book: FactBook) -> None:
    """An edited fact is recalled by its new words, and its words before are its history."""
    stored = await told(book, *[auto(f"Knows song {n}") for n in range(12)], auto("Plays chess"))
    edited = await book.edit("ana", stored[-1].fact.id, text="Paints watercolours")
    assert (edited.id, edited.origin) == (stored[-1].fact.id, "person")
    recalled = await book.recall("ana", "watercolours", top=1)
    assert recalled.facts == (edited,) and recalled.note == ""
    assert [one.fact.text for one in await book.history("ana", edited.id)] == [
        "Paints watercolours",
        "Plays chess",
    ]


async def test_an_edit_to_what_another_fact_says(book: FactBook) -> None:
    """Words that another fact has are refused and the fact is named; its own words are not."""
    one, two = await told(book, auto("Plays chess"), auto("Likes olives"))
    with pytest.raises(UsageError, match=f"{one.fact.id} says that already; forget {two.fact.id}"):
        await book.edit("ana", two.fact.id, text="plays chess.")
    assert (await book.edit("ana", two.fact.id, text="likes olives")).text == "likes olives"


async def test_a_masked_secret_is_told(book: FactBook) -> None:
    """The reason says of what kind a secret was that is not kept."""
    [kept] = await told(book, auto("The deploy token is ghp_" + "a1B2c3D4" * 5))
    assert kept.reason.endswith(" Masked: github token.")


async def test_edits_that_cannot_be(book: FactBook) -> None:
    """An edit of history, of nothing, without words, or out of range is refused and changes nothing."""
    [one] = await told(book, auto("Drinks coffee"))
    [two] = await told(book, auto("Drinks tea now"))
    for fact_id, text in [(one.fact.id, "x"), (two.fact.id, " - "), ("", "x")]:
        with pytest.raises(UsageError):
            await book.edit("ana", fact_id, text=text)
    with pytest.raises(UsageError):
        await book.edit("ana", two.fact.id, importance=6)
    with pytest.raises(NotFoundError, match="facts"):
        await book.resolve("ana", "nothing")
    with pytest.raises(UsageError, match="several"):
        await book.resolve("ana", "f")
    assert await texts(book) == ["Drinks tea now"]


async def test_secrets_are_masked(book: FactBook, workspace: Path, embedder: FakeEmbedder) -> None:
    """No secret in a fact reaches the disk or the embedder, by remembering or by editing."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    [one] = await told(book, auto(f"The token is {token}"))
    await book.edit("ana", one.fact.id, text=f"Old token {token}")
    assert token not in page(workspace).read_text("utf-8") and token not in "".join(embedder.texts)
    assert "[secret: github token]" in page(workspace).read_text("utf-8")


@pytest.mark.parametrize("text", ["", "  ", "...", "---", "\ufeff"])
async def test_nothing_is_not_remembered(book: FactBook, workspace: Path, text: str) -> None:
    """A fact without words is skipped with a reason, and no file is made."""
    [one] = await told(book, auto(text))
    assert one.outcome == "skipped" and one.reason and not page(workspace).exists()


@pytest.mark.parametrize(
    "text", ["a\nb", "- x {#f1}", "\ud800 half", "<!-- x", "x" * 30_000, "{importance=5}"]
)
async def test_any_text_stays_one_fact(book: FactBook, text: str) -> None:
    """Whatever a fact holds, it is one line that is read back, and the same again is the same."""
    [one] = await told(book, auto(text))
    assert await texts(book) == [one.fact.text]
    assert [again.outcome for again in await told(book, auto(text))] == ["merged"]


async def test_a_failing_embedder_costs_nothing(book: FactBook, embedder: FakeEmbedder) -> None:
    """While the embedder is down facts are stored, the same words are recognised, and all is said."""
    embedder.down = RuntimeError("no network")
    first = await told(book, auto("Plays chess"), auto("Sings"))
    again = await told(book, auto("plays chess.", "s2#m1"))
    assert [one.outcome for one in [*first, *again]] == ["stored", "stored", "merged"]
    assert await texts(book) == ["Plays chess", "Sings"]


async def test_t16_users_do_not_meet(book: FactBook) -> None:
    """The same fact of two users is two facts, in files of their own, whatever the users are called."""
    users = ["ana", "ANA", "../ana", "a/b", "x" * 300, "%", "con", "ana\0", "josé", "jose\u0301"]
    for user in users:
        [one] = await book.remember(user, [auto("Plays chess")])
        assert one.outcome == "stored"
    assert len({book.pages.key(user) for user in users}) == len(users)


async def test_facts_that_appear_meanwhile_are_compared(parts: Parts, embedder: FakeEmbedder) -> None:
    """A fact that another writer adds while vectors are made is compared too: there is no double."""
    one, other = parts.facts, FactBook(parts.runtime, parts.config, FakeClock())
    await asyncio.gather(*(book.remember("ana", [auto("Plays chess")]) for book in (one, other) * 10))
    [fact] = (await one.file("ana")).facts
    assert (fact.text, fact.seen) == ("Plays chess", 1)


async def test_hand_edits_while_vectors_are_made(
    book: FactBook, workspace: Path, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a person writes while the embedder is asked is not lost, and is compared with what comes in."""
    await told(book, auto("Sings"))
    ask = embedder.embed

    async def slow(texts: Sequence[str], *, kind: EmbedKind = "document") -> FloatArray:
        if not any("chess" in text for call in embedder.calls for text in call.texts):
            with page(workspace).open("a", encoding="utf-8") as file:
                file.write("- Plays chess\n")
        return await ask(texts, kind=kind)

    monkeypatch.setattr(embedder, "embed", slow)
    [one] = await told(book, auto("Plays chess", "s2#m1"))
    assert one.outcome == "merged" and one.fact.origin == "person"
    assert await texts(book) == ["Sings", "Plays chess"]


async def test_a_hand_that_never_rests(
    book: FactBook, workspace: Path, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that grows with every question to the embedder does not keep a fact from being stored."""
    ask, written = embedder.embed, iter(range(1000))

    async def slow(texts: Sequence[str], *, kind: EmbedKind = "document") -> FloatArray:
        page(workspace).parent.mkdir(parents=True, exist_ok=True)
        with page(workspace).open("a", encoding="utf-8") as file:
            file.write(f"- Knows song {next(written)}\n")
        return await ask(texts, kind=kind)

    monkeypatch.setattr(embedder, "embed", slow)
    [one] = await told(book, auto("Plays chess"))
    assert one.outcome == "stored" and "Plays chess" in await texts(book) and next(written) < 6


async def test_an_edit_by_hand_within_the_same_moment(book: FactBook, workspace: Path) -> None:
    """A change that keeps size and time of the file is seen, too."""
    await told(book, auto("Plays chess"))
    await book.file("ana")
    before = page(workspace).stat()
    text = page(workspace).read_text("utf-8").replace("chess", "darts")
    with page(workspace).open("r+", encoding="utf-8") as file:
        file.write(text)
    os.utime(page(workspace), ns=(before.st_atime_ns, before.st_mtime_ns))
    assert await texts(book) == ["Plays darts"]


def _remember(workspace: str, name: str) -> None:
    config = MemoryConfig(workspace_dir=workspace)
    runtime = assemble(config, FakeEmbedder(), read_only=False)
    book = FactBook(runtime, config, FakeClock())

    async def run() -> None:
        for n in range(25):
            await book.remember("ana", [auto(f"{name} knows song {n}"), auto(f"Everybody knows tune {n}")])

    asyncio.run(run())
    runtime.close()


def test_two_processes_lose_nothing_and_double_nothing(workspace: Path) -> None:
    """Two processes that remember 50 facts each leave all of them, and those in common once."""
    starting = multiprocessing.get_context("spawn")
    workers = [starting.Process(target=_remember, args=(str(workspace), name)) for name in ("Ana", "Bo")]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    lines = [line for line in page(workspace).read_text("utf-8").splitlines() if line.startswith("- ")]
    assert len(lines) == 75 and len({line.split(" {#")[0] for line in lines}) == 75


@pytest.mark.parametrize(("text", "importance"), [("Sings", 0), ("Sings", 6), ("Sings", 2.5), (None, 3)])
async def test_what_is_no_fact_is_refused(config: MemoryConfig, text: Any, importance: Any) -> None:
    """A fact that is not text, or whose importance is no whole number from 1 to 5, is refused."""
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        with pytest.raises(UsageError, match="fact"):
            await memory.remember("ana", text, importance=importance)
        assert await memory.facts("ana") == ()


async def test_a_fact_has_a_length(memory: MemWeave) -> None:
    """More than 2,000 characters are refused with both numbers, when remembering and when editing."""
    kept = await memory.remember("ana", "tea " * 500)
    with pytest.raises(UsageError, match=r"2,004 .*2,000"):
        await memory.remember("ana", "chess" + "x" * 1_999)
    with pytest.raises(UsageError, match=r"2,001 .*2,000"):
        await memory.edit_fact("ana", kept.fact.id, text="y" * 2_001)
