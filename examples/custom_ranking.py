"""A ranking of your own, and a last stage of your own.

Runs offline, in the folder of a clone: ``uv run python examples/custom_ranking.py``
"""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memweave_core import IndexReader, MemoryConfig, SearchResult, Where
from memweave_core.blocking import MemWeave

if TYPE_CHECKING:
    from memweave_core.types import FloatArray


class TopLevelFirst:
    """A strategy: keyword hits, nearer ones by meaning higher, pages deep in folders lower."""

    def search(
        self, reader: IndexReader, query: str, query_vector: FloatArray | None, *, where: Where, limit: int
    ) -> Sequence[tuple[int, float]]:
        """(chunk id, score in [0, 1]), best first."""
        shares = {hit.chunk_id: hit.share for hit in reader.keyword(query, where=where, limit=limit)}
        cosines = reader.cosines(query_vector, list(shares)) if query_vector is not None else {}
        scored = []
        for chunk_id, row in reader.rows(list(shares)).items():
            score = 0.8 * shares[chunk_id] + 0.2 * max(0.0, cosines.get(chunk_id, 0.0))
            scored.append((chunk_id, score if row.meta.path.count("/") < 2 else score / 2))
        return sorted(scored, key=lambda pair: -pair[1])


class RulesOnTop:
    """A processor: asked for rules, the pages of the source "rules" come first; the future stays out."""

    def process(self, results: Sequence[SearchResult], query: str, now: dt.date) -> Sequence[SearchResult]:
        """The results to return, in the order to return them."""
        past = [result for result in results if result.date is None or result.date <= now]
        if "rule" not in query.lower():
            return past
        raised = [replace(result, score=1.0) if result.source == "rules" else result for result in past]
        return sorted(raised, key=lambda result: -result.score)


def main(workspace: str) -> None:
    """The same question by the default ranking, by our own, and with the rules on top."""
    with MemWeave(MemoryConfig(workspace_dir=workspace)) as memory:
        memory.write("archive/old/invoices.md", "# Invoices\n\nInvoices are sent by post.\n")
        memory.write("invoices.md", "# Invoices\n\nInvoices are sent by e-mail on the first of the month.\n")
        memory.write("rules/money.md", "# Money\n\nInvoices above 10,000 EUR need two signatures.\n")

        memory.register_strategy("top-level-first", TopLevelFirst())
        question = "how are invoices sent"
        for strategy in ("hybrid", "top-level-first"):
            print(strategy, [result.path for result in memory.search(question, strategy=strategy)])

        memory.register_postprocessor(RulesOnTop())
        question = "what are the rules for invoices"
        print("rules on top", [result.path for result in memory.search(question, min_score=0.1)])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(folder)
