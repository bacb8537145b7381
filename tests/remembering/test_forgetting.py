"""Forgetting a fact: where it goes from, what says where it still stands, and undoing it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memweave_core import MemWeave
from memweave_core._errors import NotFoundError
from memweave_core.conversation.summary import Summary
from memweave_core.messages import Fact, Message
from memweave_core.remembering.forgetting import Parts, forget, restore

SECRET = "Has a tattoo of a heron on the left shoulder"


async def _known(parts: Parts) -> str:
    """The id of a fact that stands in a file, in a message, in a summary and in the index."""
    parts.sessions.append("ana", "s1", [Message("user", f"{SECRET}."), Message("user", "I like tea.")])
    old = parts.sessions.summary("ana", "s1")
    new = Summary(f"They greeted each other. The user {SECRET.lower()}. Tea was served.", "m2", 2)
    parts.sessions.write_summary("ana", "s1", new, old)
    [stored] = await parts.facts.remember("ana", [Fact(SECRET, source="s1#m1")])
    await parts.facts.remember("ana", [Fact("Plays chess")])
    await parts.runtime.sync()
    await parts.runtime.backfill.run()
    return stored.fact.id


def _page(parts: Parts, user: str) -> str:
    return parts.runtime.store.get(parts.facts.pages.key(user)).text


async def _found(memory: MemWeave, user: str = "ana") -> list[str]:
    """The pages in which a search finds the words of the fact."""
    results = await memory.search("tattoo heron shoulder", user_id=user, max_results=20)
    return [one.path for one in results if "heron" in one.snippet.casefold()]


async def test_t17_a_forgotten_fact_is_gone(parts: Parts, memory: MemWeave) -> None:
    """After forgetting, neither file, search, recall, vectors nor summary have the fact."""
    gone = await forget(parts, "ana", await _known(parts))
    assert SECRET not in _page(parts, "ana") and "Plays chess" in _page(parts, "ana")
    assert gone.fact.text == SECRET and len(gone.struck) == 1 and gone.withheld == ("s1#m1",)
    assert await _found(memory) == ["memory/users/ana/sessions/s1.md"]
    assert parts.sessions.summary("ana", "s1").text == "They greeted each other. Tea was served."
    assert (await parts.facts.vectors.of([SECRET], embed=False)).vectors == {}


async def test_forgetting_says_where_the_words_still_stand(parts: Parts, workspace: Path) -> None:
    """The report names messages, other pages and the copy for undoing."""
    fact_id = await _known(parts)
    (workspace / "memory" / "notes.md").write_text(f"# Notes\n\n{SECRET}, it seems.\n")
    await parts.runtime.sync()
    gone = await forget(parts, "ana", fact_id)
    told = " ".join(gone.still_in)
    assert "s1#m1" in told and "memory/notes.md" in told and gone.kept_in in told and "git" not in told


async def test_5_12_git_history_is_reported(parts: Parts, workspace: Path) -> None:
    """The report counts the commits that still hold the fact."""
    fact_id = await _known(parts)
    for command in (["init", "-q"], ["add", "memory"], ["commit", "-q", "-m", "x"]):
        name = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "-C", str(workspace), *name, *command], check=True)
    gone = await forget(parts, "ana", fact_id, purge=True)
    assert [line for line in gone.still_in if "git history" in line and "1 commit" in line]


async def test_5_12_purge_leaves_no_byte(parts: Parts, workspace: Path) -> None:
    """After a purge no file of the workspace, index and trash included, holds the words."""
    fact_id = await _known(parts)
    await parts.facts.edit("ana", fact_id, text=f"{SECRET}, and a scar")
    first = await forget(parts, "ana", fact_id)
    await restore(parts, "ana", first.kept_in)
    await parts.runtime.sync()
    gone = await forget(parts, "ana", fact_id, purge=True)
    assert gone.deleted == ("s1#m1",) and gone.kept_in == "" and gone.still_in == ()
    holding = [path for path in workspace.rglob("*") if path.is_file() and b"heron" in path.read_bytes()]
    assert holding == []


async def test_restore_undoes(parts: Parts) -> None:
    """What was forgotten comes back with its id, its history, the summary, and leave to be learnt from."""
    fact_id = await _known(parts)
    await parts.facts.edit("ana", fact_id, text=f"{SECRET}, and a scar")
    before = await parts.facts.history("ana", fact_id)
    summary = parts.sessions.summary("ana", "s1").text
    gone = await forget(parts, "ana", fact_id)
    assert len(gone.facts) == 2
    [back] = await restore(parts, "ana", gone.kept_in)
    assert back.id == fact_id and await parts.facts.history("ana", fact_id) == before
    assert parts.sessions.summary("ana", "s1").text == summary
    assert not parts.sessions.transcript("ana", "s1").withheld


async def test_t16_nobody_else_is_touched(parts: Parts, memory: MemWeave) -> None:
    """The same fact of another user stays, in file and search, and is not restored by anybody else."""
    await parts.facts.remember("bo", [Fact(SECRET)])
    gone = await forget(parts, "ana", await _known(parts), purge=False)
    assert [fact.text for fact in (await parts.facts.file("bo")).facts] == [SECRET]
    assert "memory/users/bo/facts.md" in await _found(memory, "bo")
    with pytest.raises(NotFoundError):
        await restore(parts, "bo", gone.kept_in)


async def test_a_purge_leaves_the_copies_of_others(parts: Parts) -> None:
    """Copies in the trash of another user's facts, and of other facts, outlive a purge."""
    [other] = await parts.facts.remember("bo", [Fact(SECRET)])
    kept = await forget(parts, "bo", other.fact.id)
    await forget(parts, "ana", await _known(parts), purge=True)
    assert [fact.text for fact in await restore(parts, "bo", kept.kept_in)] == [SECRET]


async def test_a_fact_written_by_hand_is_forgotten(parts: Parts, workspace: Path) -> None:
    """A fact that has no id in the file goes by the id it is shown with, and no other byte changes."""
    place = workspace / "memory" / "users" / "ana" / "facts.md"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"Own words.\r\n- Sings\r\n* Plays &#99;hess\r\n- Cooks")
    fact = (await parts.facts.file("ana")).facts[1]
    await forget(parts, "ana", fact.id)
    assert place.read_bytes() == b"Own words.\r\n- Sings\r\n- Cooks"


async def test_what_is_forgotten_may_be_said_again(parts: Parts) -> None:
    """A forgotten fact can be remembered again from another message."""
    [one] = await parts.facts.remember("ana", [Fact("Sings", source="s1#m1")])
    gone = await forget(parts, "ana", one.fact.id)
    [again] = await parts.facts.remember("ana", [Fact("Sings", source="s2#m1")])
    assert again.outcome == "stored"
    assert await restore(parts, "ana", gone.kept_in) == () and len((await parts.facts.file("ana")).facts) == 1


async def test_forgetting_the_unknown(parts: Parts) -> None:
    """An id that is not there is refused, and says how to list the facts."""
    with pytest.raises(NotFoundError, match="facts"):
        await forget(parts, "ana", "f000000")


@pytest.mark.parametrize("text", ["Writes a\0b", "x" * 300_000])
async def test_what_git_cannot_look_for_is_forgotten_all_the_same(parts: Parts, text: str) -> None:
    """A fact with NUL, or longer than an argument of a program may be, can be forgotten."""
    [stored] = await parts.facts.remember("ana", [Fact(text)])
    assert (await forget(parts, "ana", stored.fact.id)).fact.text == text


async def test_a_purge_deletes_only_what_says_all_of_it(parts: Parts) -> None:
    """Messages that say most of a fact are withheld, named in the report, and stay."""
    said = ["I am severely allergic to nuts.", "Are you allergic to nuts?", "Hello."]
    parts.sessions.append("ana", "s1", [Message("user", text) for text in said])
    [one] = await parts.facts.remember("ana", [Fact("Is severely allergic to nuts")])
    gone = await forget(parts, "ana", one.fact.id, purge=True)
    assert gone.deleted == ("s1#m1",) and gone.withheld == ("s1#m1", "s1#m2")
    assert [message.text for message in parts.sessions.messages("ana", "s1")] == said[1:]
    assert any("s1#m2" in sentence for sentence in gone.still_in)


async def test_one_word_of_two_is_no_mention(parts: Parts) -> None:
    """Of a fact of two words that say something, a message with one of them is not withheld."""
    said = ["I am allergic to nuts.", "My cat is allergic to dust.", "Where can I buy nuts and bolts?"]
    parts.sessions.append("ana", "s1", [Message("user", text) for text in said])
    [one] = await parts.facts.remember("ana", [Fact("Is allergic to nuts")])
    assert (await forget(parts, "ana", one.fact.id)).withheld == ("s1#m1",)


async def test_a_longer_word_is_not_the_same_word(parts: Parts) -> None:
    """A page that says something else with a longer word is not named as one that says it too."""
    facts = await parts.facts.remember("ana", [Fact("Likes tea"), Fact("Likes teaching")])
    await parts.runtime.sync()
    gone = await forget(parts, "ana", facts[0].fact.id, purge=True)
    assert gone.still_in == ()


@pytest.mark.parametrize(
    "broken", [b"---\nsession: [s2\n---\n\n**user**\n\n" + SECRET.encode(), bytes(range(256))]
)
async def test_a_broken_conversation_keeps_no_fact(parts: Parts, workspace: Path, broken: bytes) -> None:
    """A fact is forgotten though a conversation is beyond reading or marking, and the report names that."""
    fact_id = await _known(parts)
    (workspace / "memory" / "users" / "ana" / "sessions" / "s2.md").write_bytes(broken)
    gone = await forget(parts, "ana", fact_id)
    assert SECRET not in _page(parts, "ana") and gone.withheld == ("s1#m1",)
    assert any("'s2'" in sentence for sentence in gone.still_in)
