"""The store over real files keeps the contract of the port."""

from pathlib import Path

import pytest

from memweave_core.adapters.markdown.store import MarkdownFiles
from memweave_core.config import MemoryConfig
from memweave_core.testing.markdown_store import MarkdownStoreContract


class TestMarkdownFiles(MarkdownStoreContract):
    """With a memory folder."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> MarkdownFiles:
        """An empty workspace with the default layout."""
        return MarkdownFiles(MemoryConfig(workspace_dir=str(tmp_path)))


class TestWholeVault(MarkdownStoreContract):
    """With the whole workspace as memory."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> MarkdownFiles:
        """An empty vault."""
        return MarkdownFiles(MemoryConfig(workspace_dir=str(tmp_path), memory_dir="."))


class TestHiddenLinkedWorkspace(MarkdownStoreContract):
    """With a workspace that lies in a hidden folder and is reached through a link."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> MarkdownFiles:
        """An empty workspace like the default one in a home folder, linked."""
        real = tmp_path / ".memweave" / "default"
        real.mkdir(parents=True)
        (tmp_path / "link").symlink_to(real)
        return MarkdownFiles(MemoryConfig(workspace_dir=str(tmp_path / "link"), memory_dir=".notes"))
