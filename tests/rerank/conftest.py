"""A workspace of a few notes, and memories over it with a reranker of the test's own."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memweave_core import MemoryConfig, MemWeave
from memweave_core.config import assembled
from memweave_core.testing import FakeEmbedder

NOTES = {
    "memory/a.md": "The lantern, the lantern, once more the lantern and a lantern.",
    "memory/b.md": "A lantern hangs by the door of the boat house.",
    "memory/c.md": "Who repaired the lantern? Ana did, in March.",
    "memory/d.md": "Nothing of that kind.",
    "memory/users/ana/e.md": "The private lantern of Ana.",
}

Open = Callable[..., MemWeave]


@pytest.fixture
def config(tmp_path: Path) -> MemoryConfig:
    for name, text in NOTES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return MemoryConfig(workspace_dir=str(tmp_path))


@pytest.fixture
def open_memory(config: MemoryConfig) -> Open:
    """A memory with a reranker and settings by dotted name."""

    def make(reranker: Any = None, **settings: Any) -> MemWeave:
        named = {name.replace("__", "."): value for name, value in settings.items()}
        # One engine, so that a cosine is the same to its last digit in each of two searches.
        always = {"workspace_dir": config.workspace_dir, "vector.engine": "numpy"}
        made = assembled({**always, **named})
        return MemWeave(made, embedder=FakeEmbedder(), reranker=reranker)

    return make


class StandInEncoder:
    """What we use of fastembed's cross-encoder: it yields a number for each text, and refuses a name."""

    loaded: list[str]

    def __init__(self, model_name: str) -> None:
        if model_name != "some/model":
            raise ValueError(f"Model {model_name} is not supported in TextCrossEncoder.")
        self.loaded.append(model_name)

    def rerank(self, query: str, documents: Iterable[str], batch_size: int = 64) -> Iterator[float]:
        """More of the question's words, fewer others: a higher number."""
        del batch_size
        asked = set(query.casefold().split())
        for text in documents:
            words = text.casefold().split()
            yield 8.0 * len(asked & set(words)) / len(asked) - 0.1 * len(words)


@pytest.fixture
def fastembed(monkeypatch: pytest.MonkeyPatch) -> type[StandInEncoder]:
    """The package with a stand-in for its model, since weights would have to be downloaded."""
    encoder = type("TextCrossEncoder", (StandInEncoder,), {"loaded": []})
    module: Any = types.ModuleType("fastembed.rerank.cross_encoder")
    module.TextCrossEncoder = encoder
    for name in ("fastembed", "fastembed.rerank"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return encoder
