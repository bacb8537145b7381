"""A conversation that was taken back, through the verbs; summaries and vectors for programs of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from memweave_core import Branch, ConfigError, MemoryConfig, MemWeave, Message, ModelError
from memweave_core.testing import FakeEmbedder, ScriptedModel


async def forked(memory: MemWeave) -> Branch:
    """A conversation of two turns whose second was said again otherwise: the branch of the new one."""
    head = ""
    for number, text in enumerate(("Remember that I live in Lima.", "Remember that I live in Quito now.")):
        said = [Message("user", text, f"h{number}"), Message("assistant", "Noted.", f"a{number}")]
        await memory.record("ana", "t", Branch.turn(said, head))
        head = f"a{number}"
    again = [Message("user", "And now?", "h9"), Message("assistant", "Well.", "a9")]
    await memory.record("ana", "t", Branch.turn(again, "a0"))
    return Branch.of("t", await memory.chat("t", "ana").messages(), "a9")


async def test_facts_and_messages_of_a_branch(memory: MemWeave) -> None:
    """Facts, recall and context leave out what was said on the other branch."""
    branch = await forked(memory)
    assert [fact.text for fact in await memory.facts("ana", branch=branch)] == ["I live in Lima"]
    found = await memory.recall("ana", "Where do I live?", branch=branch)
    assert [fact.text for fact in found.facts] == ["I live in Lima"]
    context = await memory.context("ana", "t", "Where do I live?", branch=branch)
    assert "Quito" not in context.render()
    assert [message.id for message in context.window.messages] == ["h0", "a0", "h9", "a9"]


async def test_without_a_branch_everything_counts(memory: MemWeave) -> None:
    """Who names no branch is shown all that was said and learnt."""
    await forked(memory)
    assert "Quito" in (await memory.context("ana", "t", "Where?")).text
    assert [fact.text for fact in await memory.facts("ana")] == ["I live in Quito now"]


async def test_a_summary_of_other_branches_is_left_out(memory: MemWeave, workspace: Path) -> None:
    """A summary that goes beyond the branch is not shown on it, one that does not is."""
    branch = await forked(memory)
    summary = workspace / "memory/users/ana/sessions/t~summary.md"
    for until, shown in (("a1", False), ("a0", True)):
        summary.write_text(f"---\nsummarised_until: {until}\n---\n\nMoved around.\n", encoding="utf-8")
        assert ("Moved" in (await memory.preview("ana", "t", branch=branch)).text) == shown


async def test_a_fuller_wording_is_of_its_branch(memory: MemWeave) -> None:
    """A fact that was said more fully on the other branch has its earlier words on this one."""
    await memory.remember("ana", "Has a cat", source="t#h0")
    await memory.remember("ana", "Has a cat called Tom", source="t#h1")
    assert [fact.text for fact in await memory.facts("ana")] == ["Has a cat called Tom"]
    other = Branch("t", frozenset({"h1"}))
    assert [fact.text for fact in await memory.facts("ana", branch=other)] == ["Has a cat"]


async def test_left_facts_go_to_the_history(memory: MemWeave) -> None:
    """Leaving the other branches moves their facts to the history; done again it changes nothing."""
    branch = await forked(memory)
    assert [fact.text for fact in await memory.leave_branches("ana", branch)] == ["I live in Quito now"]
    assert await memory.leave_branches("ana", branch) == ()
    assert [fact.text for fact in await memory.facts("ana")] == ["I live in Lima"]
    history = await memory.fact_history("ana", (await memory.facts("ana"))[0].id)
    assert [version.fact.text for version in history] == ["I live in Lima", "I live in Quito now"]


async def test_a_summary_is_given_and_not_stored(config: MemoryConfig) -> None:
    """The model of the memory summarises what it is given, after what was said before."""
    llm = ScriptedModel(["Ana said hi.", ""])
    async with MemWeave(config, embedder=FakeEmbedder(), llm=llm) as memory:
        said = {"role": "user", "content": "hi"}
        assert await memory.summarise([said], previous="Nothing yet.") == "Ana said hi."
        assert "Nothing yet." in llm.prompts[0]
        with pytest.raises(ModelError, match="no summary"):
            await memory.summarise([said])
        assert await memory.sessions() == ()


async def test_a_summary_needs_a_model(memory: MemWeave) -> None:
    """Without a language model a summary is refused with what to do."""
    with pytest.raises(ConfigError, match=r"llm\.model"):
        await memory.summarise([{"role": "user", "content": "hi"}])


async def test_vectors_of_texts(memory: MemWeave, config: MemoryConfig) -> None:
    """Texts get unit vectors, blank ones zeros, and a memory without embedder says so."""
    [one, blank] = await memory.embed(["green tea", " "])
    assert sum(value * value for value in one) == pytest.approx(1, abs=1e-4)
    assert blank == [0.0] * len(one)
    assert await memory.embed(["green tea"], kind="query") == [one]
    async with MemWeave(config, embedder="none") as without:
        with pytest.raises(ConfigError, match="embedder"):
            await without.embed(["green tea"])
