"""Questions that name a page, a day or a superseded page, asked of a real memory."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from memweave_core import MemoryConfig, MemWeave

NOON = dt.datetime(2026, 3, 25, 12, tzinfo=dt.UTC)


@pytest.fixture
def config(tmp_path: Path) -> MemoryConfig:
    for day, text in ((17, "The deploy broke the login."), (18, "The deploy went well."), (24, "Quiet day.")):
        _write(tmp_path, f"2026-03-{day}.md", text)
    _write(tmp_path, "old.md", "---\nsuperseded_by: memory/new.md\n---\nGate code is 1111.")
    _write(tmp_path, "new.md", "Gate code is 2222.")
    return MemoryConfig(workspace_dir=str(tmp_path), progress=False)


def _write(folder: Path, name: str, text: str) -> None:
    path = folder / "memory" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("what happened with the deploy on 17 March?", "memory/2026-03-17.md"),
        ("what happened with the deploy last Wednesday?", "memory/2026-03-18.md"),
        ("deploy, 2026-03-18", "memory/2026-03-18.md"),
        ("how was yesterday?", "memory/2026-03-24.md"),
        ("¿qué pasó ayer?", "memory/2026-03-24.md"),
    ],
)
async def test_a_day_is_understood(config: MemoryConfig, query: str, path: str) -> None:
    """A page dated on the day that a question names comes first, by the clock of the memory."""
    async with MemWeave(config, clock=lambda: NOON) as memory:
        assert (await memory.search(query))[0].path == path


async def test_a_superseded_page_is_left_out(config: MemoryConfig) -> None:
    """Only the page that holds now is found; `why` and `include_superseded` know the other."""
    async with MemWeave(config, clock=lambda: NOON) as memory:
        assert [hit.path for hit in await memory.search("gate code")] == ["memory/new.md"]
        both = await memory.search("gate code", include_superseded=True)
        assert {hit.path: hit.superseded_by for hit in both} == {
            "memory/new.md": None,
            "memory/old.md": "memory/new.md",
        }
        assert (await memory.why("gate code", "memory/old.md")).verdict == "superseded"


async def test_what_is_not_known_is_marked(config: MemoryConfig) -> None:
    """Results of a question that nothing answers are none, or of low confidence."""
    async with MemWeave(config, clock=lambda: NOON) as memory:
        for query in ("which gearbox oil does the tractor take?", "salary of the gardener"):
            results = await memory.search(query)
            assert not results or results.low_confidence
        assert not (await memory.search("what is the gate code?")).low_confidence


async def test_age_makes_no_answer_unsure(config: MemoryConfig) -> None:
    """Confidence is judged at the gate, as the docs say: an old page that answers is still an answer."""
    async with MemWeave(config, clock=lambda: NOON) as memory:
        results = await memory.search("the deploy broke the login", decay_half_life_days=1)
        assert results[0].path == "memory/2026-03-17.md" and results[0].score < 0.45
        assert not results.low_confidence


async def test_a_page_that_nothing_replaces_is_found_and_reported(
    config: MemoryConfig, tmp_path: Path
) -> None:
    """A `superseded_by` that names no page hides nothing, and `doctor` warns of it."""
    (tmp_path / "memory" / "new.md").unlink()
    async with MemWeave(config, clock=lambda: NOON) as memory:
        [hit] = await memory.search("gate code")
        assert (hit.path, hit.superseded_by) == ("memory/old.md", None)
        [found] = [finding for finding in await memory.doctor() if "superseded_by" in finding.detail]
        assert found.level == "warning" and found.detail.startswith("memory/old.md")


async def test_a_page_of_another_day_is_no_answer(config: MemoryConfig) -> None:
    """The best page of other days than those asked for is a guess, however well its words fit."""
    async with MemWeave(config, clock=lambda: NOON) as memory:
        assert (await memory.search("when did the deploy break the login in January?")).low_confidence
        assert not (await memory.search("when did the deploy break the login last week?")).low_confidence


async def test_a_name_alone_is_no_answer(config: MemoryConfig, tmp_path: Path) -> None:
    """A page that is named but does not hold what is asked for is a guess; asked for by itself it is not."""
    _write(tmp_path, "heron.md", "# Heron barge\n\nBuilt of oak.")
    async with MemWeave(config, clock=lambda: NOON) as memory:
        results = await memory.search("which insurance premium did the treasurer quote for the Heron barge?")
        assert results[0].path == "memory/heron.md" and results.low_confidence
        assert not (await memory.search("Heron barge")).low_confidence
