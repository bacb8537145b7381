"""Small pages, vectors and questions for tests of an index, and the queries that break careless ones."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..ports import Index
from ..types import Chunk, FileStamp, IndexedChunk, Page, PageMeta, Where

if TYPE_CHECKING:
    from ..types import FloatArray

ANYONE = Where()
_ORDINAL_BITS = 20  # as `IndexReader` promises
ABSENT = 999 << _ORDINAL_BITS
"""A chunk id that no test gives out."""

ODD_QUERIES = (
    "", " ", "\t\n", "\0", "a\0b", "\ud800", "x\udfffy", '"', "'", '""', "don't", "C++", "C#", "GB/s", "GBs",
    "grammar::fa", "*", "a*", "^a", "(", ")", "(a", "a OR", "AND", "OR", "NOT", "NEAR", "NEAR(a b)",
    "a AND b", "body:a", "context : a", "-a", "+a", "a,b", "{a}", "[a]", "<a>", "a;b", "--", "/* a */", "%",
    "_", "\\", "\x01a\x7f", "🙂", "🙂👍🏽", "é", "e\u0301", "ﬁ", "会", "会议", "しりとり", "데이터",
    "飞书 plugin", "ไทย", "a" * 20_000, "a " * 10_000, "会" * 5_000, '"' * 1_000,
)  # fmt: skip
"""Strings that a careless index reads as syntax, or breaks on."""


def make_page(path: str, *texts: str, **meta: Any) -> tuple[Page, list[IndexedChunk]]:
    """A page with one chunk per text, and these ready for the index. `meta` sets fields of `PageMeta`."""
    fields = {"source": "memory", "title": "", **meta}
    text = "\n".join(texts)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    page = Page(
        PageMeta(path=path, **fields), text, FileStamp(len(text), 1_700_000_000_000_000_000, 7), digest
    )
    return page, [
        IndexedChunk(Chunk(place, place + 1, place + 1, piece), page.meta.title, piece, embed_hash(piece))
        for place, piece in enumerate(texts)
    ]


def file_id(chunk_id: int) -> int:
    """The file that a chunk belongs to."""
    return chunk_id >> _ORDINAL_BITS


def ordinal(chunk_id: int) -> int:
    """The place of a chunk in its page."""
    return chunk_id & ((1 << _ORDINAL_BITS) - 1)


def embed_hash(text: str) -> str:
    """The hash of a text for the embedder."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def vector(*numbers: float) -> FloatArray:
    """A vector of these numbers."""
    import numpy as np

    return np.array(numbers, dtype=np.float32)


def put(index: Index, path: str, *texts: str, **meta: Any) -> int:
    """Index a page of `make_page`; returns how many of its chunks had a vector."""
    return index.put(*make_page(path, *texts, **meta))


def store(index: Index, **vectors: FloatArray | None) -> None:
    """Store vectors by text."""
    index.store_vectors({embed_hash(text): value for text, value in vectors.items()})


def paths(index: Index, chunk_ids: Sequence[int]) -> list[str]:
    """The pages of chunks, in order."""
    rows = index.rows(chunk_ids)
    return [rows[chunk_id].meta.path for chunk_id in chunk_ids]


def found(index: Index, query: str, where: Where = ANYONE, limit: int = 10) -> list[str]:
    """Pages that hold words of the query, best first."""
    with index.moment():
        return paths(index, [hit.chunk_id for hit in index.keyword(query, where=where, limit=limit)])


def near(index: Index, query: FloatArray, where: Where = ANYONE, limit: int = 10) -> list[str]:
    """Pages near a vector, nearest first."""
    return paths(index, [chunk_id for chunk_id, _ in index.nearest(query, where=where, limit=limit)])
