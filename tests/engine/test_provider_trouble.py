"""A provider in trouble costs vectors for a while, never text, results or the host program."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memweave_core import (
    EmbeddingAuthError,
    EmbeddingRateLimitError,
    EmbeddingUnavailableError,
    MemoryConfig,
    MemWeave,
)
from memweave_core.testing import FakeEmbedder

from .conftest import WriteNote


class Flaky(FakeEmbedder):
    """Fails with `trouble` while it is set; counts its calls."""

    def __init__(self, trouble: BaseException | None = None) -> None:
        super().__init__()
        self.trouble = trouble
        self.tried = 0

    async def embed(self, texts: Sequence[str], *, kind: str = "document") -> list[list[float]]:  # type: ignore[override]
        self.tried += 1
        if self.trouble is not None:
            raise self.trouble
        return await super().embed(texts, kind=kind)  # type: ignore[arg-type,return-value]


TROUBLES = [
    EmbeddingAuthError("insufficient quota"),
    EmbeddingUnavailableError("connection refused"),
    RuntimeError("anything at all"),
    ValueError("\ud83d odd text"),
]


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda error: type(error).__name__)
async def test_search_answers_from_keywords(
    config: MemoryConfig, note: WriteNote, trouble: Exception
) -> None:
    """With the provider down, indexing ends, search finds by words and says what happened."""
    note("memory/a.md", "The valve opens at 4 bar.")
    embedder = Flaky(trouble)
    async with MemWeave(config, embedder=embedder) as memory:
        indexed = await memory.index()
        assert indexed.files_indexed == 1
        assert indexed.embeddings_pending == 1
        results = await memory.search("which valve opens?")
        assert results[0].path == "memory/a.md"
        assert results[0].vector_score is None
        assert results.degraded is not None
        assert results.pending == 1


async def test_missing_vectors_arrive_once_it_is_back(config: MemoryConfig, note: WriteNote) -> None:
    """Vectors that could not be had are filled in by a later index, without force."""
    note("memory/a.md", "The valve opens at 4 bar.")
    embedder = Flaky(EmbeddingUnavailableError("down"))
    async with MemWeave(config, embedder=embedder) as memory:
        await memory.index()
    embedder.trouble = None
    async with MemWeave(config, embedder=embedder) as memory:
        assert (await memory.index()).embeddings_computed == 1
        status = await memory.status()
        assert (status.pending, status.search_mode) == (0, "hybrid")


async def test_a_quota_error_is_asked_once(config: MemoryConfig, note: WriteNote) -> None:
    """No key or no quota: one call in all, then status says why and no more calls are made."""
    for number in range(30):
        note(f"memory/{number}.md", f"Note {number} about matter {number}.")
    embedder = Flaky(EmbeddingAuthError("insufficient quota"))
    async with MemWeave(config, embedder=embedder) as memory:
        await memory.index()
        await memory.search("matter 7")
        await memory.search("matter 8")
        status = await memory.status()
    assert embedder.tried == 1
    assert status.embedder.state == "open"
    assert "quota" in (status.embedder.reason or "")
    assert status.search_mode == "keyword-only"


async def test_status_never_calls_the_embedder(config: MemoryConfig) -> None:
    """Status, files and doctor ask nothing of a provider."""
    embedder = Flaky(EmbeddingUnavailableError("down"))
    async with MemWeave(config, embedder=embedder) as memory:
        await memory.status()
        await memory.files()
        await memory.doctor()
    assert embedder.tried == 0


async def test_keyword_search_never_embeds(config: MemoryConfig, note: WriteNote) -> None:
    """The keyword strategy works with a provider that is down and does not call it for the query."""
    note("memory/a.md", "The valve opens at 4 bar.")
    embedder = Flaky()
    async with MemWeave(config, embedder=embedder) as memory:
        await memory.index()
        before = embedder.tried
        results = await memory.search("valve", strategy="keyword")
        assert results.degraded is None
        assert embedder.tried == before


async def test_a_rate_limit_keeps_what_is_done(config: MemoryConfig, note: WriteNote) -> None:
    """A rate limit that does not pass leaves text indexed and the rest pending."""
    note("memory/a.md", "The valve opens at 4 bar.")
    embedder = Flaky(EmbeddingRateLimitError("slow down", retry_after=10_000))
    async with MemWeave(config, embedder=embedder) as memory:
        indexed = await memory.index()
        assert indexed.embeddings_pending == 1
        assert any("vector" in problem.reason for problem in indexed.problems)


class Short(FakeEmbedder):
    """Gives one vector too few."""

    async def embed(self, texts: Sequence[str], *, kind: str = "document") -> list[list[float]]:  # type: ignore[override]
        vectors = await super().embed(texts, kind=kind)  # type: ignore[arg-type]
        return list(vectors)[:-1]  # type: ignore[arg-type]


async def test_too_few_vectors_are_a_failure(config: MemoryConfig, note: WriteNote) -> None:
    """A short answer stores nothing and pairs no text with another text's vector."""
    note("memory/a.md", "First matter.")
    note("memory/b.md", "Second matter.")
    async with MemWeave(config, embedder=Short()) as memory:
        indexed = await memory.index()
        assert indexed.embeddings_pending == 2


async def test_another_dimension_is_another_space(config: MemoryConfig, note: WriteNote) -> None:
    """A model change is noticed at open: keywords go on, vectors are made anew and never mixed."""
    note("memory/a.md", "The valve opens at 4 bar.")
    quiet = MemoryConfig.from_dict({"workspace_dir": config.workspace_dir, "sync": {"on_search": False}})
    async with MemWeave(quiet, embedder=FakeEmbedder(dimensions=32)) as memory:
        await memory.index()
    async with MemWeave(quiet, embedder=FakeEmbedder(dimensions=48)) as memory:
        before = await memory.search("valve opens")
        assert (before[0].path, before[0].vector_score, before.pending) == ("memory/a.md", None, 1)
        assert (await memory.index()).embeddings_computed == 1
        assert (await memory.search("valve opens"))[0].vector_score is not None
        assert (await memory.status()).pending == 0


class OnlyQuestions(FakeEmbedder):
    """Embeds questions and refuses documents."""

    async def embed(self, texts: Sequence[str], *, kind: str = "document") -> list[list[float]]:  # type: ignore[override]
        if kind == "document":
            raise EmbeddingUnavailableError("documents are not served today")
        return await super().embed(texts, kind=kind)  # type: ignore[arg-type,return-value]


async def test_missing_document_vectors_are_told(config: MemoryConfig, note: WriteNote) -> None:
    """A search says why chunks have no vector, also when the question got one."""
    note("memory/a.md", "The valve opens at 4 bar.")
    async with MemWeave(config, embedder=OnlyQuestions()) as memory:
        results = await memory.search("valve")
        assert (results[0].path, results.pending) == ("memory/a.md", 1)
        assert "not served today" in (results.degraded or "")
