"""Conversations are given other messages in one step: what stays keeps its bytes, what goes is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memweave_core import MemoryConfig, MemWeave, Message, UsageError, blocking

TEXTS = ["one", "two", "three"]


def page(folder: Path) -> Path:
    """The transcript of the conversation."""
    return folder / "memory" / "sessions" / "s.md"


async def begun(folder: Path) -> MemWeave:
    """A memory with three messages in a conversation of nobody."""
    memory = MemWeave(MemoryConfig(workspace_dir=str(folder), progress=False))
    await memory.chat("s").append([Message("user", text) for text in TEXTS])
    return memory


async def test_what_stays_keeps_its_bytes_and_what_goes_is_kept(tmp_path: Path) -> None:
    """A message that is dropped is in the trash; the others stand where they stood, byte for byte."""
    memory = await begun(tmp_path)
    before = page(tmp_path).read_text(encoding="utf-8")
    left = await memory.chat("s").rewrite(lambda said: [said[0], said[2], Message("assistant", "four")])
    after = page(tmp_path).read_text(encoding="utf-8")
    assert [(m.id, m.text) for m in left] == [("m1", "one"), ("m3", "three"), ("m4", "four")]
    assert left == await memory.chat("s").messages()
    assert all(part in before for part in after.split("\n**assistant**")[0].split("\n\n"))
    (kept,) = (tmp_path / ".memweave" / "trash").rglob("*.md")
    assert "two" in kept.read_text(encoding="utf-8")
    await memory.close()


async def test_no_id_is_given_twice(tmp_path: Path) -> None:
    """When all messages are gone, the next one still gets the next id."""
    memory = await begun(tmp_path)
    assert await memory.chat("s").rewrite(lambda said: []) == ()
    (new,) = await memory.chat("s").append(Message("user", "again"))
    assert new.id == "m4"
    await memory.close()


async def test_the_same_messages_change_nothing(tmp_path: Path) -> None:
    """A change that gives back what is there leaves the file alone; one of nothing makes no file."""
    memory = await begun(tmp_path)
    stamp = page(tmp_path).stat().st_mtime_ns
    assert len(await memory.chat("s").rewrite(lambda said: said)) == 3
    assert page(tmp_path).stat().st_mtime_ns == stamp
    assert await memory.chat("other").rewrite(lambda said: []) == ()
    assert not page(tmp_path).with_name("other.md").exists()
    await memory.close()


async def test_an_error_leaves_all_as_it_was(tmp_path: Path) -> None:
    """Two messages of one id, or a message that cannot be written, change nothing."""
    memory = await begun(tmp_path)
    before = page(tmp_path).read_bytes()
    for wrong in (
        lambda said: [said[0], said[0]],
        lambda said: [*said, Message("user", "x", extra={"a": {1}})],
    ):
        with pytest.raises(UsageError):
            await memory.chat("s").rewrite(wrong)
    assert page(tmp_path).read_bytes() == before
    await memory.close()


async def test_nothing_that_is_said_meanwhile_is_lost(tmp_path: Path) -> None:
    """Changes and appends at once all take effect."""
    memory = await begun(tmp_path)
    chat = memory.chat("s")

    def marked(said: Sequence[Message]) -> list[Message]:
        return [replace(m, extra={"times": m.extra.get("times", 0) + 1}) for m in said]

    await asyncio.gather(
        *(step for k in range(8) for step in (chat.append(Message("user", f"{k}")), chat.rewrite(marked)))
    )
    said = await chat.messages()
    assert len(said) == 11
    assert said[0].extra == {"times": 8}
    await memory.close()


def test_both_faces_of_a_memory_are_one(tmp_path: Path) -> None:
    """The blocking face of a memory reads what the other wrote, inside a running loop too."""
    memory = blocking.MemWeave(MemoryConfig(workspace_dir=str(tmp_path), progress=False))
    assert blocking.MemWeave.of(memory) is memory

    async def both() -> str:
        await memory.asynchronous.chat("s").append(Message("user", "hello"))
        twin = blocking.MemWeave.of(memory.asynchronous)
        return twin.chat("s").messages()[0].text + blocking.wait(asyncio.sleep(0, " and good bye"))

    assert asyncio.run(both()) == "hello and good bye"
    memory.close()
