"""A workspace in a temporary folder, and a way to fill it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memweave_core.adapters.markdown.store import MarkdownFiles
from memweave_core.config import MemoryConfig

OpenStore = Callable[..., MarkdownFiles]
PutFile = Callable[[str, str | bytes], Path]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An empty workspace."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def open_store(workspace: Path) -> OpenStore:
    """Opens the workspace with given settings."""

    def opened(**settings: Any) -> MarkdownFiles:
        return MarkdownFiles(MemoryConfig(workspace_dir=str(workspace), **settings))

    return opened


@pytest.fixture
def put(workspace: Path) -> PutFile:
    """Makes a file in the workspace as a person would, without the store."""

    def made(path: str, content: str | bytes = "text\n") -> Path:
        file = workspace / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    return made
