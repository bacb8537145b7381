"""T16: no verb ever shows one user anything of another, whatever the two are called."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest

from memweave_core import MemoryConfig, MemWeave, Message, NotFoundError
from memweave_core.testing import FakeEmbedder

HOSTILE = [
    ("john_doe", "john-doe"),
    ("john-doe", "johnXdoe"),
    ("100%", "100x"),
    ("%", "_"),
    ("../x", "x"),
    ("../ana", "ana"),
    ("ana@example.org", "ana"),
    ("Ana", "ana"),
    (unicodedata.normalize("NFC", "josé"), unicodedata.normalize("NFD", "josé")),
    ("a/b", "a"),
    ("ana/sessions", "ana"),
    ("x" * 300, "x" * 299),
    ("con", "CON"),
    ("users", "sessions"),
]
SECRET = "zanzibar"


@pytest.mark.parametrize(("owner", "other"), HOSTILE)
async def test_t16_no_verb_shows_another_user(config: MemoryConfig, owner: str, other: str) -> None:
    """Facts, history, recall, context, sessions, chat, search, export and jobs of B are free of A."""
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        await memory.record(owner, "s", [Message("user", f"Remember that my word is {SECRET}.")])
        (fact,) = await memory.facts(owner)
        for user in (other, None):
            seen: list[object] = [
                await memory.context(user, "s", f"my word is {SECRET[:4]}"),
                await memory.preview(user, "s"),
                await memory.sessions(user),
                await memory.chat("s", user).messages(),
                await memory.chat("s", user).summary(),
                await memory.export(user),
                (await memory.search("my word", user_id=user, min_score=0)).items,
            ]
            if user is not None:
                seen += [
                    await memory.facts(user),
                    await memory.fact_history(user),
                    await memory.recall(user, "my word"),
                ]
            assert SECRET not in repr(seen).replace(f"my word is {SECRET[:4]}", "")
        for verb in (memory.forget(other, fact.id), memory.edit_fact(other, fact.id, text="Mine")):
            with pytest.raises(NotFoundError):
                await verb
        assert await memory.facts(owner) == (fact,)


@pytest.mark.parametrize(("owner", "other"), HOSTILE)
async def test_t16_no_write_touches_another_user(
    config: MemoryConfig, workspace: Path, owner: str, other: str
) -> None:
    """The same fact of two users is two facts; forgetting, clearing and importing leave A as it was."""
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        await memory.record(owner, "s", [Message("user", "Remember that I own a kayak.")])
        before = {path: path.read_bytes() for path in (workspace / "memory").rglob("*.md")}
        assert (await memory.remember(other, "I own a kayak")).outcome == "stored"
        assert (await memory.remember(other, "I own a kayak")).outcome == "merged"
        await memory.forget(other, (await memory.facts(other))[0].id, purge=True)
        await memory.chat("s", other).append(Message("user", "hello"))
        await memory.chat("s", other).clear()
        export = workspace / "export.json"
        export.write_text(json.dumps(await memory.export(owner)), encoding="utf-8")
        report = await memory.import_file(export, other)
        assert report.facts == 0
        assert {path: path.read_bytes() for path in before} == before


async def test_t16_a_verdict_of_one_user_is_no_business_of_another(memory: MemWeave) -> None:
    """A fact that supersedes another does so for its own user only."""
    await memory.remember("ana", "My favourite drink is coffee")
    await memory.remember("ben", "My favourite drink is tea")
    assert [fact.text for fact in await memory.facts("ana")] == ["My favourite drink is coffee"]
    assert (await memory.remember("ben", "My favourite drink is now water")).outcome == "superseded"
    assert [fact.text for fact in await memory.facts("ana")] == ["My favourite drink is coffee"]
