"""What a query of LlamaIndex asks of records, step by step, and what comes of the answers. Pure."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

from llama_index.core.vector_stores.types import VectorStoreQuery, VectorStoreQueryMode

from memweave_core.records import Filter, Op, Record, Result, Search

from .conditions import condition_of
from .node_ranking import MMR_THRESHOLD, diverse, fused

Mode = VectorStoreQueryMode
Scored: TypeAlias = tuple[Record, float]

BY_WORDS: Final = frozenset({Mode.TEXT_SEARCH, Mode.SPARSE})
BY_VECTOR: Final = frozenset({Mode.DEFAULT, Mode.MMR, Mode.HYBRID})
_PREFETCH: Final = 4.0
_LEAST_DEPTH: Final = 20
"""Both legs of a hybrid query give at least so many."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A query in our terms. `keys` are None for any node; `depth` is how many are looked at for MMR."""

    mode: VectorStoreQueryMode
    namespace: tuple[str, ...]
    vector: Sequence[float] | None
    words: str
    limit: int
    sparse_limit: int
    where: Filter
    keys: Sequence[str] | None
    doc_ids: Sequence[str] | None
    alpha: float
    threshold: float
    depth: int


def asked_of(query: VectorStoreQuery, namespace: tuple[str, ...], given: Mapping[str, Any]) -> Asked:
    """A checked query; `given` are the arguments beside it. Raises `ValueError` for one without answer."""
    mode = VectorStoreQueryMode(query.mode)
    if mode not in BY_WORDS | BY_VECTOR:
        raise ValueError(
            f"MemWeaveVectorStore does not answer queries of mode {mode.value!r}; it answers "
            f"{', '.join(sorted(mode.value for mode in BY_WORDS | BY_VECTOR))}."
        )
    if mode in BY_VECTOR and query.query_embedding is None:
        raise ValueError(f"A query of mode {mode.value!r} needs a query_embedding.")
    if mode in (*BY_WORDS, Mode.HYBRID) and query.query_str is None:
        raise ValueError(f"A query of mode {mode.value!r} needs a query_str.")
    limit = query.similarity_top_k
    if mode == Mode.HYBRID and query.hybrid_top_k is not None:
        limit = query.hybrid_top_k
    threshold = given.get("mmr_threshold")
    if threshold is None:
        threshold = MMR_THRESHOLD if query.mmr_threshold is None else query.mmr_threshold
    depth = given.get("mmr_prefetch_k")
    if depth is None:
        depth = int(limit * float(given.get("mmr_prefetch_factor") or _PREFETCH))
    return Asked(
        mode=mode,
        namespace=namespace,
        vector=query.query_embedding if mode in BY_VECTOR else None,
        words=query.query_str or "",
        limit=limit,
        sparse_limit=query.sparse_top_k or limit,
        where=condition_of(query.filters, query.doc_ids),
        keys=list(query.node_ids) if query.node_ids else None,
        doc_ids=query.doc_ids,
        alpha=0.5 if query.alpha is None else query.alpha,
        threshold=float(threshold),
        depth=max(int(depth), limit),
    )


def answering(asked: Asked) -> Generator[list[Op], list[Result], list[Scored]]:
    """The records that answer, best first; each batch that is to be asked is yielded."""
    if asked.mode == Mode.HYBRID:
        return (yield from _hybrid(asked))
    if asked.mode in BY_WORDS:
        limit = asked.sparse_limit if asked.mode == Mode.SPARSE else asked.limit
        return _scored((yield [_by_words(asked, limit)])[0])
    if asked.mode == Mode.MMR:
        found = _scored((yield [_by_vector(asked, asked.depth, vectors=True)])[0])
        vectors = [record.vector for record, _ in found if record.vector is not None]
        places = diverse([score for _, score in found], vectors, asked.limit, asked.threshold)
        return [found[place] for place in places]
    return _scored((yield [_by_vector(asked, asked.limit)])[0])


def _hybrid(asked: Asked) -> Generator[list[Op], list[Result], list[Scored]]:
    """Both legs, and the cosines of what only words found; what only the vector found counts no words."""
    depth = max(4 * asked.limit, _LEAST_DEPTH)
    ops: list[Op] = [_by_vector(asked, depth), _by_words(asked, max(depth, asked.sparse_limit))]
    near, worded = map(_scored, (yield ops))
    known = {record.key: record for record, _ in (*near, *worded)}
    cosines, words = _by_key(near), _by_key(worded)
    others = [key for key in words if key not in cosines]
    if others and asked.alpha > 0:
        (found,) = yield [_by_vector(asked, len(others), keys=others)]
        cosines |= _by_key(_scored(found))
    return [(known[key], score) for key, score in fused(cosines, words, asked.alpha)][: asked.limit]


def _by_vector(
    asked: Asked, limit: int, *, keys: Sequence[str] | None = None, vectors: bool = False
) -> Search:
    keys = asked.keys if keys is None else keys
    return Search(asked.namespace, asked.where, vector=asked.vector, keys=keys, limit=limit, vectors=vectors)


def _by_words(asked: Asked, limit: int) -> Search:
    return Search(asked.namespace, asked.where, words=asked.words, keys=asked.keys, limit=limit)


def _scored(found: Result) -> list[Scored]:
    return [(record, record.score or 0.0) for record in cast("list[Record]", found)]


def _by_key(found: Sequence[Scored]) -> dict[str, float]:
    return {record.key: score for record, score in found}
