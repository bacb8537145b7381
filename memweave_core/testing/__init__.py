"""Fakes and contract suites, for testing code that uses this library and adapters written for it.

The fakes are here; each contract suite is in a module of its own: `testing.embedder` and its neighbours.
None of them needs a test framework beyond plain classes and `assert`.
"""

from .embedder import EmbedderContract
from .fakes import EmbedCall, FakeClock, FakeEmbedder, ScriptedModel

__all__ = ["EmbedCall", "EmbedderContract", "FakeClock", "FakeEmbedder", "ScriptedModel"]
