"""The values that cross every boundary of the library: frozen, typed, without behaviour of their own.

Paths are posix strings relative to the workspace (``memory/notes.md``), or absolute for files that live
elsewhere. Line numbers start at 1 and both ends are included. Scores are in [0, 1], higher is better.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, overload

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    FloatArray: TypeAlias = NDArray[np.float32]
    Vectors: TypeAlias = FloatArray | Sequence[Sequence[float]]

EmbedKind: TypeAlias = Literal["document", "query"]
Tier: TypeAlias = Literal["working", "episodic", "semantic", "procedural"]
SearchMode: TypeAlias = Literal["hybrid", "keyword-only", "vector-only"]
Scalar: TypeAlias = str | int | float | bool | None


# --- pages ---------------------------------------------------------------------------------------------


class FileStamp(NamedTuple):
    """What a cheap `stat` says of a file: enough to notice any edit, in either direction of time.

    A tuple, because every search makes and compares one for each file.
    """

    size: int
    mtime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class PageMeta:
    """What path and front matter say about one Markdown file.

    `date` is None for an undated page. `owner` is the user id of a private page under ``users/<id>/``,
    None for a shared one. `metadata` holds the front matter keys we do not interpret.
    """

    path: str
    source: str
    tier: Tier = "semantic"
    date: dt.date | None = None
    evergreen: bool = True
    owner: str | None = None
    title: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    pinned: bool = False
    superseded_by: str | None = None
    expires_at: dt.date | None = None
    external: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a page: the exact text of lines `start_line`..`end_line`.

    `ordinal` counts from 0 within the page. `heading` is the path of headings above the piece, joined
    with " > ". `tokens` is an estimate.
    """

    ordinal: int
    start_line: int
    end_line: int
    text: str
    heading: str = ""
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """One Markdown file as read: text decoded, BOM taken off, line endings untouched."""

    meta: PageMeta
    text: str
    stamp: FileStamp
    content_hash: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageText:
    """What `get` returns: the text of a page and the hash to hand back for a compare-and-swap write."""

    path: str
    text: str
    content_hash: str


class Edited(NamedTuple):
    """What `edit` did to a page: its key, and its text before and after, "" where there was none."""

    key: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that could not be taken in as asked, and why, in a sentence."""

    path: str
    reason: str


# --- index ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk ready for the index.

    `context` is title, heading, file name, date and tags: searchable, not part of the text.
    `embed_text` is what the embedder is given; `embed_hash` is its sha-256 (hex).
    """

    chunk: Chunk
    context: str
    embed_text: str
    embed_hash: str


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """One row of the file table: what is known of a page without opening it."""

    id: int
    meta: PageMeta
    stamp: FileStamp
    content_hash: str
    chunks: int


@dataclass(frozen=True, slots=True)
class KnownFile:
    """The little that a stat scan needs to tell whether an indexed file has changed."""

    stamp: FileStamp
    content_hash: str
    external: bool


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk as the index returns it, with the page it belongs to.

    `language` is that by which the words of the page are stemmed, "" where it is unsure; None if not known.
    """

    id: int
    file_id: int
    chunk: Chunk
    meta: PageMeta
    language: str | None = None


@dataclass(frozen=True, slots=True)
class PendingText:
    """A text that still has no vector in the current vector space, and the newest chunk that needs it."""

    embed_hash: str
    text: str
    chunk_id: int


@dataclass(frozen=True, slots=True)
class KeywordHit:
    """What the keyword leg knows of a chunk, all in [0, 1] but `bm25` (>= 0, larger is better).

    `share` is the idf-weighted share of the query's terms that stand in the chunk, `file_share` the same
    for its whole page, `known` the same for the whole index. `near` is the share of those that the chunk
    lacks but a chunk next to it has, `far` of those that these lack but a chunk two away has; both only
    where `keyword_scores` was asked. `named` is above 0 where the title or an alias of its page stands in
    the query: the part of the query's words that the name is, 1 when nothing else is asked for. `taken` are
    the words of the query that no page knows, with the known ones each was taken for, the nearest first.
    """

    chunk_id: int
    share: float
    file_share: float
    bm25: float = 0.0
    known: float = 1.0
    near: float = 0.0
    far: float = 0.0
    named: float = 0.0
    taken: Mapping[str, tuple[str, ...]] | None = None


@dataclass(frozen=True, slots=True)
class IndexCounts:
    """Row counts of the index. `pending` counts the chunks without a vector in the current space."""

    files: int
    chunks: int
    vectors: int
    pending: int
    cached: int


@dataclass(frozen=True, slots=True)
class Where:
    """Which pages a question is about; every field narrows, an empty one does not.

    `user` names whose private pages may be seen besides the shared ones; without it no private page is.
    `source` and `tier` are any-of, `tags` all-of. `since` and `until` include both ends and leave undated
    pages out. `metadata` pairs a front matter key with the values it may have. Pages
    that another one replaces are left out but with `superseded`.
    """

    user: str | None = None
    source: tuple[str, ...] = ()
    tier: tuple[Tier, ...] = ()
    since: dt.date | None = None
    until: dt.date | None = None
    tags: tuple[str, ...] = ()
    metadata: tuple[tuple[str, tuple[Scalar, ...]], ...] = ()
    paths: tuple[str, ...] = ()
    superseded: bool = False


# --- embedding -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Calibration:
    """How an embedder's raw cosine maps to relevance: `low` -> 0, `high` -> 1, linear between.

    `low` is about the cosine of unrelated texts, `high` of a question and its answer.
    `duplicate` is the cosine above which two texts are candidates for being the same statement.
    """

    low: float = 0.0
    high: float = 1.0
    duplicate: float = 0.85


@dataclass(frozen=True, slots=True)
class EmbedLimits:
    """What one request may hold: texts per batch, tokens per batch, tokens per text."""

    max_batch_items: int = 64
    max_batch_tokens: int = 100_000
    max_text_tokens: int = 8_000


@dataclass(frozen=True, slots=True)
class EmbedderHealth:
    """What the circuit breaker knows. `state` "open" means that no call is made before `retry_in` seconds."""

    state: Literal["ok", "failing", "open"] = "ok"
    reason: str | None = None
    retry_in: float | None = None


# --- results -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One hit. `vector_score` and `text_score` are None where that leg did not exist for it.

    `rerank_score` is the number of the reranker, on its own scale; None where it did not read the hit.
    `stages` is filled by ``explain=True``: the name of each pipeline stage and its numbers. `confident` says
    that it is more than a guess: its content answers well, not only its name, and is of the days asked for.
    """

    path: str
    start_line: int
    end_line: int
    score: float
    snippet: str
    source: str
    vector_score: float | None = None
    text_score: float | None = None
    heading: str = ""
    tier: Tier = "semantic"
    date: dt.date | None = None
    tags: tuple[str, ...] = ()
    stages: Mapping[str, Any] = field(default_factory=dict)
    rerank_score: float | None = None
    superseded_by: str | None = None
    confident: bool = False


@dataclass(frozen=True, slots=True)
class SearchResults(Sequence[SearchResult]):
    """The hits of one search, best first, and what a caller should know about how they were found.

    `mode` says which legs answered; `degraded` is the reason when the vector leg should have answered
    and could not; `dropped` counts what the noise gate cut; `low_confidence` says that no result is
    `confident`, as when there is none; `pending` counts chunks not embedded yet;
    `warnings` names a processor that failed, a file that could not be read, and the like.
    """

    items: tuple[SearchResult, ...] = ()
    mode: SearchMode = "hybrid"
    degraded: str | None = None
    dropped: int = 0
    pending: int = 0
    warnings: tuple[str, ...] = ()
    low_confidence: bool = True

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, index: int) -> SearchResult: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[SearchResult, ...]: ...
    def __getitem__(self, index: int | slice) -> SearchResult | tuple[SearchResult, ...]:
        return self.items[index]

    def __iter__(self) -> Iterator[SearchResult]:
        return iter(self.items)


@dataclass(frozen=True, slots=True)
class IndexResult:
    """What one indexing run did. `problems` names every file that was left out or taken as plain text."""

    files_scanned: int = 0
    files_indexed: int = 0
    files_skipped: int = 0
    files_deleted: int = 0
    chunks_created: int = 0
    embeddings_cached: int = 0
    embeddings_computed: int = 0
    embeddings_pending: int = 0
    duration_ms: float = 0.0
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class FileInfo:
    """One page as `files()` lists it. `mtime` is in seconds since the epoch."""

    path: str
    size: int
    hash: str
    mtime: float
    chunks: int
    is_evergreen: bool
    source: str
    tier: Tier
    date: dt.date | None
    title: str
    owner: str | None


@dataclass(frozen=True, slots=True)
class Why:
    """Why a page is, or is not, among the results of a query.

    `verdict` is one of: "returned", "not a page", "not indexed", "filtered", "private", "superseded",
    "no match", "below the gate", "outranked", "dropped by MMR", "dropped by a processor".
    """

    path: str
    verdict: str
    detail: str
    rank: int | None = None
    result: SearchResult | None = None
