"""What every index must do with vectors that are asked for by the hash of their text."""

from __future__ import annotations

import pytest

from ..ports import Index
from .index_pages import embed_hash, near, put, store, vector


class KeptVectorsContract:
    """Vectors are read back, and forgotten, by the hash of the text they are of."""

    def test_vectors_are_read_by_hash(self, index: Index) -> None:
        """Stored vectors come back at length 1, a text marked to have none as None, others not."""
        assert index.vectors([embed_hash("alpha")]) == {}
        index.use_space("m")
        store(index, alpha=vector(3, 4), beta=None)
        found = index.vectors([embed_hash(text) for text in ("alpha", "beta", "gamma")])
        assert found.keys() == {embed_hash("alpha"), embed_hash("beta")}
        alpha = found[embed_hash("alpha")]
        assert alpha is not None and alpha.tolist() == pytest.approx([0.6, 0.8])
        assert found[embed_hash("beta")] is None

    def test_vectors_are_of_the_current_space(self, index: Index) -> None:
        """A vector of another space is not given."""
        index.use_space("m")
        store(index, alpha=vector(1, 0))
        index.use_space("n")
        assert index.vectors([embed_hash("alpha")]) == {}

    def test_forgotten_vectors_are_gone_in_every_space(self, index: Index) -> None:
        """A text that no file holds loses its vectors; one that a file holds keeps them."""
        both = [embed_hash("alpha"), embed_hash("beta")]
        for space in ("m", "n"):
            index.use_space(space)
            store(index, alpha=vector(1, 0), beta=vector(0, 1))
        put(index, "memory/a.md", "alpha")
        assert index.forget_vectors(both) == 2
        for space in ("m", "n"):
            index.use_space(space)
            assert index.vectors(both).keys() == {embed_hash("alpha")}
        assert near(index, vector(1, 0)) == ["memory/a.md"] and index.counts().cached == 1
        put(index, "memory/b.md", "beta")
        assert [item.text for item in index.pending(5)] == ["beta"]
