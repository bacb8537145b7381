"""A candidate on its way through the pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..types import ChunkRow, KeywordHit

Stages: TypeAlias = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the index knows of a chunk in view of a query; None where a leg is missing or found nothing.

    `foreign` chunks stand in a page in another language than the query.
    """

    chunk_id: int
    cosine: float | None = None
    keyword: KeywordHit | None = None
    foreign: bool = False


@dataclass(frozen=True, slots=True)
class Scored:
    """A chunk with its score in [0, 1], the scores of its legs, and what each stage said.

    `evidence` is the score that its content alone gives it, where that is not the score at the gate: a page
    may be among the results for its name. `stages` is None where nobody asked for an explanation: writing
    them down would take longer than ranking.
    """

    chunk_id: int
    score: float
    vector: float | None = None
    text: float | None = None
    bm25: float = 0.0
    stages: Stages | None = None
    evidence: float | None = None

    def moved(self, score: float, stage: str, **numbers: Any) -> Scored:
        """The same chunk after one more stage."""
        stages = self.stages
        if stages is not None:
            stages = {**stages, stage: numbers | {"score": score}}
        evidence = self.score if self.evidence is None else self.evidence
        return Scored(self.chunk_id, score, self.vector, self.text, self.bm25, stages, evidence)


@dataclass(frozen=True, slots=True)
class Hit:
    """A scored chunk with its text, and the number of the reranker if it read it."""

    scored: Scored
    row: ChunkRow
    rerank: float | None = None

    @property
    def score(self) -> float:
        return self.scored.score

    def moved(self, score: float, stage: str, **numbers: Any) -> Hit:
        return Hit(self.scored.moved(score, stage, **numbers), self.row, self.rerank)


def in_order(scored: Scored) -> tuple[float, float, float, int]:
    """Sort key, best first: score, then BM25, then the vector leg, then the order of the index."""
    return (-scored.score, -scored.bm25, -(scored.vector or 0.0), scored.chunk_id)
