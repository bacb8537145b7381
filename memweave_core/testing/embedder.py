"""The contract of an embedder as a test class: derive from it and say how to make yours.

class TestMine(EmbedderContract):
    def make(self) -> Embedder:
        return MyEmbedder()
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..ports import Embedder
from ..types import EmbedKind

if TYPE_CHECKING:
    from ..types import FloatArray

_TEXTS = (
    "Ana prefers to run database migrations on Tuesday morning.",
    "El servicio usa PostgreSQL con un grupo de veinte conexiones.",
    "数据库连接池的大小是二十。",
    "🙂 C++ at 3 GB/s, don't ask",
    "one",
)


class EmbedderContract:
    """What every embedder must do. `tolerance` bounds how far equal texts may differ between batches."""

    tolerance = 1e-5

    def make(self) -> Embedder:
        """A new embedder, ready for use."""
        raise NotImplementedError

    def _embed(self, texts: Sequence[str], kind: EmbedKind = "document") -> FloatArray:
        import numpy as np

        async def run() -> FloatArray:
            return np.asarray(await self.make().embed(texts, kind=kind), dtype=np.float32)

        return asyncio.run(run())

    def test_identity_is_a_stable_name(self) -> None:
        """Two embedders made alike name the same vector space."""
        assert self.make().identity
        assert self.make().identity == self.make().identity

    def test_one_vector_per_text(self) -> None:
        """There is one vector of the promised length for each text, all numbers finite."""
        import numpy as np

        vectors = self._embed(_TEXTS)
        assert vectors.ndim == 2
        assert len(vectors) == len(_TEXTS)
        assert np.isfinite(vectors).all()
        assert self.make().dimensions in (None, vectors.shape[1])

    def test_order_is_kept(self) -> None:
        """A text has the same vector alone, in a batch and in a batch turned round."""
        import numpy as np

        vectors = self._embed(_TEXTS)
        np.testing.assert_allclose(self._embed(_TEXTS[::-1])[::-1], vectors, atol=self.tolerance)
        for text, vector in zip(_TEXTS, vectors, strict=True):
            np.testing.assert_allclose(self._embed([text])[0], vector, atol=self.tolerance)

    def test_questions_have_the_same_length(self) -> None:
        """Vectors of questions and of documents can be compared."""
        assert self._embed(_TEXTS[:1], "query").shape == self._embed(_TEXTS[:1]).shape

    def test_different_texts_differ(self) -> None:
        """Texts that say different things do not share a vector."""
        import numpy as np

        first, second = self._embed(_TEXTS[:2])
        assert not np.allclose(first, second, atol=1e-3)

    def test_one_object_serves_several_event_loops(self) -> None:
        """An embedder can be used again in a new event loop."""
        embedder = self.make()
        asyncio.run(_once(embedder))
        asyncio.run(_once(embedder))


async def _once(embedder: Embedder) -> None:
    await embedder.embed(["again"], kind="query")
