"""The seams of the library: what it asks of an embedder, an index, a Markdown store and a model.

No driver connection and no framework type crosses one of these. Contract suites for adapters of your own
are in `memweave_core.testing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from .types import (
    Calibration,
    ChunkRow,
    Edited,
    EmbedKind,
    EmbedLimits,
    FileStamp,
    IndexCounts,
    IndexedChunk,
    IndexedFile,
    KeywordHit,
    KnownFile,
    Page,
    PageText,
    PendingText,
    Problem,
    SearchResult,
    Where,
)

if TYPE_CHECKING:
    from .messages import Message
    from .text.timespans import TimeSpan
    from .types import FloatArray, Vectors

Clock: TypeAlias = Callable[[], datetime]
"""Gives the present moment, with a timezone."""

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with (what is being done, how many are done, how many in all)."""


class Embedder(Protocol):
    """Turns texts into vectors.

    `identity` names everything that makes vectors comparable (provider, model, dimensions, prefixes), but
    not the address of a server. `dimensions` may be None until the first call has answered.
    """

    @property
    def identity(self) -> str: ...
    @property
    def dimensions(self) -> int | None: ...
    async def embed(self, texts: Sequence[str], *, kind: EmbedKind = "document") -> Vectors:
        """One vector per text, in order. Raises `EmbeddingError`; any other exception is taken as one."""
        ...


@runtime_checkable
class Calibrated(Protocol):
    """An embedder that knows the scale of its own cosines."""

    @property
    def calibration(self) -> Calibration: ...


@runtime_checkable
class Limited(Protocol):
    """An embedder that knows how much one request may hold."""

    @property
    def limits(self) -> EmbedLimits: ...


class Reranker(Protocol):
    """Reads a question together with each text and says how well they answer it.

    `identity` names the model in warnings. The search calls `rerank` on the event loop of whoever searches.
    """

    @property
    def identity(self) -> str: ...
    async def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """One finite number per text, in order, on any scale: the higher, the better the answer."""
        ...


class ChatModel(Protocol):
    """A language model. `identity` names it in messages to people; nothing stored depends on it."""

    @property
    def identity(self) -> str: ...
    async def complete(self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None) -> str:
        """The text of the reply. A model that can be held to a JSON schema is held to `schema`.

        Raises `ModelError`; any other exception is taken as one.
        """
        ...


class IndexReader(Protocol):
    """Read-only questions to the index; also what a custom search strategy is given.

    `where` restricts a question *before* the best `limit` are taken. All ids are chunk ids. Methods block;
    call them from a worker thread. `chunk_id >> 20` is the file id, neighbours in a page are `id ± 1`.
    """

    def keyword(
        self, query: str, *, where: Where, limit: int, ties: bool = True, spans: Sequence[TimeSpan] = ()
    ) -> list[KeywordHit]:
        """The best chunks by words. Any string is a valid query and is meant literally.

        A page dated within one of `spans` counts as holding the words of the query that name it. With `ties`
        BM25 orders the chunks that hold the same terms; without it stays 0, which is quicker.
        """
        ...

    def keyword_scores(
        self, query: str, chunk_ids: Sequence[int], *, where: Where, spans: Sequence[TimeSpan] = ()
    ) -> dict[int, KeywordHit]:
        """What the keyword leg knows of given chunks and of those beside them, without BM25.

        A chunk whose page holds no term of the query is left out.
        """
        ...

    def nearest(self, vector: FloatArray, *, where: Where, limit: int) -> list[tuple[int, float]]:
        """(chunk id, cosine) of the nearest chunks of the current space, exact, best first."""
        ...

    def cosines(self, vector: FloatArray, chunk_ids: Sequence[int]) -> dict[int, float]:
        """Cosine of each given chunk that has a vector in the current space."""
        ...

    def rows(self, chunk_ids: Sequence[int]) -> dict[int, ChunkRow]:
        """The chunks themselves; ids that are gone are left out."""
        ...

    def languages(self, chunk_ids: Sequence[int]) -> dict[int, str]:
        """ISO 639-1 code of the page of each given chunk, "" where it is unsure."""
        ...

    def files(self, *, where: Where | None = None) -> list[IndexedFile]:
        """All files of the index in path order, or those that `where` lets through."""
        ...

    def chunk_ids(self, path: str) -> list[int]:
        """The chunk ids of one file in order; empty when it is not indexed."""
        ...

    def counts(self) -> IndexCounts: ...


class Index(IndexReader, Protocol):
    """The derived index. Every method is one transaction, and a reader sees a file's old or new chunks."""

    @property
    def notes(self) -> Sequence[str]:
        """What happened while opening, one sentence each: set aside, rebuilt, and the like."""
        ...

    def known(self) -> Mapping[str, KnownFile]:
        """Every indexed file by path; cheap to ask again while nothing has changed."""
        ...

    def profile(self) -> str:
        """The settings under which the text was cut, as last set; "" at first."""
        ...

    def set_profile(self, profile: str) -> None: ...

    def moment(self) -> AbstractContextManager[None]:
        """Within it all questions of this thread are answered from one state of the index."""
        ...

    def batch(self) -> AbstractContextManager[None]:
        """Within it all changes of this thread are one transaction; what is raised within undoes them all."""
        ...

    def put(self, page: Page, chunks: Sequence[IndexedChunk]) -> int:
        """`put_all` of one page."""
        ...

    def put_all(self, pages: Sequence[tuple[Page, Sequence[IndexedChunk]]]) -> int:
        """Replace everything known of these pages, of all of them or, when one is refused, of none.

        Returns how many of their chunks got a vector from the cache.
        """
        ...

    def touch(self, path: str, stamp: FileStamp) -> None:
        """Note a new stamp for a file whose content is unchanged."""
        ...

    def remove(self, paths: Sequence[str]) -> int:
        """Forget files; returns how many were there. Their vectors stay cached for a move or a rename."""
        ...

    def waiting(self) -> int:
        """How many chunks have no vector in the current space yet."""
        ...

    def pending(self, limit: int, *, before: int | None = None) -> list[PendingText]:
        """Up to `limit` distinct texts that have no vector in the current space, newest chunk first.

        `before` goes on where an earlier answer ended: only chunks with a smaller id are looked at.
        """
        ...

    def store_vectors(self, vectors: Mapping[str, FloatArray | None]) -> None:
        """Vectors by embed hash. None, or a vector of zeros, marks a text that will never have one."""
        ...

    def vectors(self, hashes: Iterable[str]) -> dict[str, FloatArray | None]:
        """Stored vectors of the current space by embed hash; None for a text marked to have none."""
        ...

    def forget_vectors(self, hashes: Iterable[str]) -> int:
        """Delete vectors, in all spaces, of texts that no file holds; returns how many there were."""
        ...

    def use_space(self, identity: str) -> None:
        """Make `identity` the current vector space; vectors of another are kept apart and never mixed in."""
        ...

    def trim(self) -> int:
        """Housekeeping after an indexing run; returns how many cached vectors went, oldest use first."""
        ...

    def integrity(self) -> list[str]:
        """Every fault found in the database, one sentence each; empty when sound."""
        ...

    def close(self) -> None: ...


class HeldPage(Protocol):
    """A page that one writer holds alone. Each writing is whole or not at all, and lasts."""

    @property
    def key(self) -> str: ...
    @property
    def stamp(self) -> FileStamp | None:
        """The stamp of the file now; None when there is none."""
        ...

    def read(self) -> str:
        """The text; "" for a page that is not there."""
        ...

    def replace(self, text: str) -> None:
        """Write the whole page."""
        ...

    def append(self, text: str) -> tuple[str, FileStamp]:
        """Add lines at the end: what was added as a reader will see it, and the stamp after it."""
        ...

    def keep(self, folder: Path, text: str) -> Path:
        """Write a copy of a part of the page into a folder outside the memory; its path."""
        ...


class MarkdownStore(Protocol):
    """The Markdown files of a workspace: the only truth. Paths are those of `PageMeta.path`."""

    def scan(self) -> tuple[dict[str, FileStamp], list[Problem]]:
        """Every memory file with its stamp, and every file left out with the reason."""
        ...

    def stamp(self, path: str) -> FileStamp | None:
        """The stamp of one file, inside or outside the workspace; None when it is gone."""
        ...

    def key_for(self, path: str | PathLike[str]) -> str:
        """The key of a file given by a person: absolute, or relative to the workspace."""
        ...

    def read(self, path: str) -> Page:
        """Raises `NotFoundError` when it is gone, `StorageError` when it cannot be read as text."""
        ...

    def get(self, path: str) -> PageText: ...
    def write(self, path: str, text: str, *, overwrite: bool, expected_hash: str | None) -> str:
        """Write a whole page atomically; returns its path."""
        ...

    def append(self, path: str, text: str) -> str: ...
    def remove(self, path: str, *, keep_in: Path | None = None) -> None:
        """Delete a page, or move it into the folder `keep_in`. Raises `NotFoundError`."""
        ...

    def hold(self, path: str) -> AbstractContextManager[HeldPage]:
        """A page for this writer alone, as long as the block lasts; not reentrant."""
        ...

    def edit(self, path: str, change: Callable[[str], str]) -> Edited:
        """Replace a page's text ("" when missing) by what `change` makes of it, with no writer in between."""
        ...

    def memory_key(self, path: str) -> str:
        """The key of a page by its path below the memory folder."""
        ...

    def owner_of(self, path: str) -> str | None:
        """The user to whom the page of this key is private, without reading it; None for a shared one."""
        ...

    def disk_path(self, key: str) -> Path:
        """Where the file of a key lies."""
        ...

    def roots(self) -> list[Path]:
        """The folders to watch for changes."""
        ...

    def hint(self) -> str | None:
        """A sentence for a workspace whose notes no setting names, else None."""
        ...


class SearchStrategy(Protocol):
    """A ranking of your own, registered by name."""

    def search(
        self, reader: IndexReader, query: str, query_vector: FloatArray | None, *, where: Where, limit: int
    ) -> Sequence[tuple[int, float]]:
        """(chunk id, score in [0, 1]) best first. Runs in a worker thread."""
        ...


class PostProcessor(Protocol):
    """A last stage of your own: may drop, reorder or rescore results, not invent them."""

    def process(self, results: Sequence[SearchResult], query: str, now: date) -> Sequence[SearchResult]: ...
