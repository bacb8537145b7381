"""Rerankers that raise what is usually not caught."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from memweave_core import MemoryConfig, MemWeave


class OddError(BaseException):
    """No `Exception`."""


@pytest.mark.parametrize("error", [SystemExit(3), asyncio.CancelledError(), OddError(), StopIteration()])
@pytest.mark.parametrize("kind", ["async", "plain"])
async def test_a_search_outlives_them(tmp_path: Path, error: BaseException, kind: str) -> None:
    """Whatever a reranker raises, the results come in the order before, with a warning."""

    async def awaited(query: str, texts: Sequence[str]) -> list[float]:
        raise error

    def plain(query: str, texts: Sequence[str]) -> list[float]:
        raise error

    config = MemoryConfig(workspace_dir=str(tmp_path), progress=False)
    async with MemWeave(config, reranker=awaited if kind == "async" else plain) as memory:
        await memory.write("a.md", "A lantern hangs by the door.")
        results = await memory.search("lantern")
    assert [result.path for result in results] == ["memory/a.md"]
    assert any("Not reranked" in warning for warning in results.warnings)
