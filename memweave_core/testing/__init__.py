"""Fakes and contract suites, for testing code that uses this library and adapters written for it.

Fakes, `EmbedderContract` and `RerankerContract` need no test framework. The suites for an index,
`testing.index.IndexContract`, for a Markdown store, `testing.markdown_store.MarkdownStoreContract`, and for
a job queue, `testing.jobs.JobQueueContract`, need pytest and are therefore not imported here.
"""

from .embedder import EmbedderContract
from .fakes import EmbedCall, FakeClock, FakeEmbedder, ScriptedModel
from .reranker import FakeReranker, RerankCall, RerankerContract

__all__ = [
    "EmbedCall",
    "EmbedderContract",
    "FakeClock",
    "FakeEmbedder",
    "FakeReranker",
    "RerankCall",
    "RerankerContract",
    "ScriptedModel",
]
