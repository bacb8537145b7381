"""Gives plans the vectors that they lack."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._errors import EmbeddingError, EmbeddingShapeError
from ..foreign_methods import awaits
from .plan import Plan, RecordsConfig

if TYPE_CHECKING:
    from ..adapters.embedders.resilience import ResilientEmbedder
    from ..types import FloatArray

logger = logging.getLogger(__name__)


async def fill(
    plan: Plan, embedder: ResilientEmbedder, config: RecordsConfig, *, strict: bool = False
) -> None:
    """Ask the embedder for what a plan lacks; each distinct text once.

    Raises `EmbeddingError` when a query has no vector, or with `strict` any text; else the log says so.
    """
    hashes, texts = list(plan.missing), list(plan.missing.values())

    def keep(start: int, vectors: list[FloatArray | None]) -> None:
        check_lengths(vectors, embedder.identity, config)
        plan.vectors.update(zip(hashes[start : start + len(vectors)], vectors, strict=True))

    for query in plan.queries:  # first: texts that are refused must not make the embedder pause before it
        plan.asked[query] = await embedder.query(query)
    check_lengths(plan.asked.values(), embedder.identity, config)
    try:
        if texts:
            await embedder.documents(texts, keep)
    except EmbeddingError as error:
        if strict:
            raise
        logger.warning("Records are without vectors, which a later search makes: %s", error)


def check_lengths(vectors: Iterable[FloatArray | None], identity: str, config: RecordsConfig) -> None:
    """Raise `EmbeddingShapeError` when vectors are not of the length that was asked for."""
    for vector in vectors:
        if config.dims is not None and vector is not None and len(vector) != config.dims:
            raise EmbeddingShapeError(
                f"{identity} gave vectors of {len(vector)} numbers where the records want {config.dims}: "
                "correct dims, or choose another model."
            )


@dataclass(frozen=True, slots=True)
class Immediate:
    """An embedder that answers in the calling thread, for code that waits anyhow: no thread is changed."""

    documents: Callable[[list[str]], Any]
    query: Callable[[str], Any]
    embedder: ResilientEmbedder

    def filled(self, plan: Plan, config: RecordsConfig) -> bool:
        """Whether it gave a plan what it lacks; where not, `fill` is the way, with all its patience."""
        from ..adapters.embedders.checking import unit_vectors

        texts, queries, who = list(plan.missing.values()), list(plan.queries), self.embedder.identity
        if len(texts) > self.embedder.limits.max_batch_items:
            return False
        length = self.embedder.dimensions
        made: list[FloatArray | None]
        try:
            made = unit_vectors(self.documents(texts), len(texts), length, who)[0] if texts else []
            rows = [self.query(query) for query in queries]
            asked = unit_vectors(rows, len(rows), length, who)[0] if rows else []
        except Exception as error:
            logger.info("%s did not answer at once and is asked again: %s", who, error)
            return False
        check_lengths(asked, who, config)
        try:
            check_lengths(made, who, config)
        except EmbeddingShapeError as error:
            logger.warning("Records are without vectors, which a later search makes: %s", error)
        else:
            plan.vectors.update(zip(plan.missing, made, strict=True))
        plan.asked.update(zip(queries, asked, strict=True))
        return True


def immediate(model: object, embedder: ResilientEmbedder) -> Immediate | None:
    """The methods of LangChain's embeddings where they do not await anything; None for other models."""
    documents, query = getattr(model, "embed_documents", None), getattr(model, "embed_query", None)
    if not callable(documents) or not callable(query) or isinstance(model, type):
        return None
    if any(awaits(model, name, not_of=("langchain_core.",)) for name in ("aembed_documents", "aembed_query")):
        return None
    return Immediate(documents, query, embedder)
