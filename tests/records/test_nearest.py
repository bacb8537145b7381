"""Looking at the nearest records first gives what looking at all of them gives."""

from __future__ import annotations

import numpy as np
import pytest

from memweave_core.blocking import MemWeave
from memweave_core.records import Put, RecordsConfig, Search, ranking

COUNT = 120


@pytest.mark.parametrize("modulus", [2, 5, 40, 100])
@pytest.mark.parametrize("offset", [0, 3])
def test_conditions_do_not_change_the_order(
    memory: MemWeave, monkeypatch: pytest.MonkeyPatch, modulus: int, offset: int
) -> None:
    """However rare a value is, the page of results is that of the exact order, with vectors and scores."""
    monkeypatch.setattr(ranking, "_NEAREST", (4, 16))
    records = memory.records("nodes", RecordsConfig(identity="given"), embedder="none")
    vectors = np.random.default_rng(5).standard_normal((COUNT + 1, 6)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    asked, rows = vectors[-1], vectors[:-1]
    records.batch([Put(("a",), f"k{k}", {"n": k % modulus}, vectors=[row]) for k, row in enumerate(rows)])
    op = Search(("a",), {"n": 1}, vector=asked, limit=4, offset=offset, vectors=True)
    for _ in range(2):  # the second time after a condition that is kept
        (found,) = records.batch([op])
        cosines = rows @ asked
        order = [k for k in np.argsort(-cosines) if k % modulus == 1][offset : offset + 4]
        assert isinstance(found, list)
        assert [record.key for record in found] == [f"k{k}" for k in order]
        assert [record.score for record in found] == pytest.approx([cosines[k] for k in order], abs=1e-5)
        for record, k in zip(found, order, strict=True):
            assert record.vector == pytest.approx(rows[k], abs=1e-6)
        records.batch([Search(("a",), {"n": 1}, keys=["k1"], vector=asked, limit=1)])


def test_what_is_gone_or_over_is_not_counted(memory: MemWeave, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deleted records among the nearest leave no gap in the page."""
    monkeypatch.setattr(ranking, "_NEAREST", (8,))
    records = memory.records("nodes", RecordsConfig(identity="given"), embedder="none")
    records.batch([Put(("a",), f"k{k}", {"n": k % 2}, vectors=[[1.0, k / COUNT]]) for k in range(COUNT)])
    records.batch([Put(("a",), f"k{k}", None) for k in (0, 2, 4)])
    found = records.search(("a",), where={"n": 0}, vector=[1.0, 0.0], limit=3)
    assert [record.key for record in found] == ["k6", "k8", "k10"]
