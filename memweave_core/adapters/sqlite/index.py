"""`SqliteIndex`: the index port over one SQLite file."""

from __future__ import annotations

import os
import uuid
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..._errors import ConfigError, StorageError
from ...types import (
    ChunkRow,
    FileStamp,
    IndexCounts,
    IndexedChunk,
    IndexedFile,
    KeywordHit,
    KnownFile,
    Page,
    Where,
)
from . import files, integrity, spaces
from .aside import Verdict, judge
from .asked import Asked
from .codec import storable
from .database import Database, IndexDamagedError
from .driver import BUSY_SECONDS, Driver
from .files import PreparedPage
from .vector_rows import VectorRows

if TYPE_CHECKING:
    from ...text.timespans import TimeSpan
    from ...types import FloatArray
    from .driver import Connection
    from .questions import Questions
    from .vectors import EngineName

_ENGINES = ("auto", "sqlite-vec", "numpy")

_indexes: weakref.WeakSet[SqliteIndex] = weakref.WeakSet()


def _after_fork_in_child() -> None:
    for index in list(_indexes):
        index._start_caches()  # a thread that is not in the child may have held their locks


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


class SqliteIndex(VectorRows):
    """The derived index in the SQLite file `path`; made, or made anew, when that is no sound index.

    `engine` answers vector questions: "auto", "sqlite-vec" or "numpy". `cache_entries` is how many vectors
    are kept for the return of texts that went, or of another vector space; None sets no bound, 0 keeps none.
    `busy_seconds` is how long a call waits for another process before it raises `StorageError`.

    Methods block and may be called from any number of threads and processes; a forked child may go on using
    it. After `close` every call raises `StorageError`, but `close` itself does nothing more.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        engine: EngineName = "auto",
        cache_entries: int | None = 20_000,
        busy_seconds: float = BUSY_SECONDS,
    ) -> None:
        if engine not in _ENGINES:
            raise ConfigError(f"vector.engine must be one of {_ENGINES}, not {engine!r}.")
        self.path = Path(path).expanduser().absolute()
        self._engine: EngineName = engine
        self._cache_entries = cache_entries
        self._identity: str | None = None
        self._start_caches()
        self._database = Database(self.path, busy_seconds=busy_seconds)
        if engine == "sqlite-vec":
            _ = self._questions  # says at once, not at the first search, that the engine is not to be had
        _indexes.add(self)

    def _start_caches(self) -> None:
        self._files = files.file_list()
        self._known = files.known_list()
        self._asked: Questions | None = None

    @property
    def _questions(self) -> Questions:
        """Made at the first question. Two threads may make one each at first; one of them is kept."""
        if self._asked is None:
            from .questions import Questions  # needs numpy, which listing and indexing files does not

            made = Questions(self._database, self._engine)
            self._asked = self._asked or made
        return self._asked

    # --- about itself ----------------------------------------------------------------------------------

    @property
    def notes(self) -> list[str]:
        """What happened to the file at opening or since, one sentence each: set aside, replaced, renewed."""
        return list(self._database.notes)

    @property
    def driver(self) -> Driver:
        """The SQLite library in use."""
        return self._database.driver

    @property
    def vector_engine(self) -> str:
        """The engines that answer vector questions: "sqlite-vec", "numpy" or "sqlite-vec + numpy"."""
        if self._engine != "auto":
            return self._engine
        return "sqlite-vec + numpy" if self.driver.has_extension else "numpy"

    @contextmanager
    def moment(self) -> Iterator[None]:
        """Within it all questions of this thread are answered from one state of the index.

        A file that another process indexes meanwhile is seen as it was before, not as gone.
        """
        with self._database.read():
            yield

    # --- questions -------------------------------------------------------------------------------------

    def keyword(
        self, query: str, *, where: Where, limit: int, ties: bool = True, spans: Sequence[TimeSpan] = ()
    ) -> list[KeywordHit]:
        """The best `limit` chunks by words; see `IndexReader.keyword`."""
        with self._database.read() as connection:
            return self._questions.keyword(connection, Asked(query, where, tuple(spans)), limit, ties=ties)

    def keyword_scores(
        self, query: str, chunk_ids: Sequence[int], *, where: Where, spans: Sequence[TimeSpan] = ()
    ) -> dict[int, KeywordHit]:
        """The keyword leg of given chunks; see `IndexReader.keyword_scores`."""
        with self._database.read() as connection:
            return self._questions.keyword_scores(connection, Asked(query, where, tuple(spans)), chunk_ids)

    def nearest(self, vector: FloatArray, *, where: Where, limit: int) -> list[tuple[int, float]]:
        """(chunk id, cosine) of the nearest chunks, best first; empty while the space has no vector.

        Raises `EmbeddingShapeError` when the vector has not the dimensions of the space.
        """
        with self._database.read() as connection:
            space = self._space(connection)
            if space is None or space.dims is None:
                return []
            return self._questions.nearest(connection, space, vector, where, limit)

    def cosines(self, vector: FloatArray, chunk_ids: Sequence[int]) -> dict[int, float]:
        """Cosine of each given chunk that has a vector; errors as for `nearest`."""
        with self._database.read() as connection:
            space = self._space(connection)
            if space is None or space.dims is None:
                return {}
            return self._questions.cosines(connection, space, vector, chunk_ids)

    def rows(self, chunk_ids: Sequence[int]) -> dict[int, ChunkRow]:
        """The chunks themselves; ids that are gone are left out."""
        with self._database.read() as connection:
            return files.chunk_rows(connection, chunk_ids)

    def languages(self, chunk_ids: Sequence[int]) -> dict[int, str]:
        """Language of the page of each given chunk, "" where it is unsure; ids that are gone are left out."""
        with self._database.read() as connection:
            return self._questions.languages(connection, chunk_ids)

    def files(self, *, where: Where | None = None) -> list[IndexedFile]:
        """All files in path order, private ones too, or those that `where` lets through."""
        with self._database.read() as connection:
            everything = list(self._files.of(connection).values())
            if where is None:
                return everything
            wanted = self._questions.allowed_files(connection, where)
            return [file for file in everything if file.id in wanted]

    def known(self) -> Mapping[str, KnownFile]:
        """Every file by path with what a stat scan compares; cheap to ask again while nothing has changed."""
        with self._database.read() as connection:
            return self._known.of(connection)

    def profile(self) -> str:
        """The settings under which the text was cut, as last set; "" at first."""
        with self._database.read() as connection:
            return str(connection.execute("SELECT profile FROM state").fetchone()[0])

    def set_profile(self, profile: str) -> None:
        """Remember the settings under which the text was cut."""
        with self._database.write() as connection:
            connection.execute("UPDATE state SET profile = ?", (profile,))

    def chunk_ids(self, path: str) -> list[int]:
        """The chunk ids of one file in order; empty when it is not indexed."""
        if not storable(path):
            return []
        with self._database.read() as connection:
            return files.chunk_ids(connection, path)

    def counts(self) -> IndexCounts:
        """Row counts. `vectors` counts distinct texts with a vector in the current space, `pending` chunks
        still without one (0 when no space is in use), `cached` the vectors that no file needs now: those of
        texts that went, and of other spaces.
        """
        with self._database.read() as connection:
            space = self._space(connection)
            file_count, chunk_count = connection.execute(
                "SELECT count(*), coalesce(sum(chunks), 0) FROM file"
            ).fetchone()
            return IndexCounts(
                files=file_count,
                chunks=chunk_count,
                vectors=spaces.count_vectors(connection, space),
                pending=spaces.count_pending(connection, space) if self._identity is not None else 0,
                cached=spaces.count_cached(connection, space),
            )

    def waiting(self) -> int:
        """How many chunks have no vector in the current space; cheaper than all `counts`."""
        if self._identity is None:
            return 0
        with self._database.read() as connection:
            return spaces.count_pending(connection, self._space(connection))

    # --- changes ---------------------------------------------------------------------------------------

    def put(self, page: Page, chunks: Sequence[IndexedChunk]) -> int:
        """`put_all` of one page."""
        return self.put_all([(page, chunks)])

    def put_all(self, pages: Sequence[tuple[Page, Sequence[IndexedChunk]]]) -> int:
        """Replace everything known of these pages, of all or none; see `Index.put_all`.

        Raises `NameRefusedError` for a path that is not valid Unicode.
        """
        ready = [files.prepare(*one) for one in pages]  # other writers wait for what follows alone
        with self._database.write() as connection:
            return sum(self._put(connection, one) for one in ready)

    def _put(self, connection: Connection, ready: PreparedPage) -> int:
        new = set(ready.hashes)
        old = files.delete(connection, ready.page.meta.path) or set()
        files.insert(connection, ready)
        spaces.claim(connection, new - old)
        self._release(connection, old - new)
        return spaces.count_with_vector(connection, self._space(connection), ready.hashes)

    def batch(self) -> AbstractContextManager[None]:
        """A ``with`` block whose changes by this thread are one transaction; keep it under a second."""
        return self._database.batch()

    def touch(self, path: str, stamp: FileStamp) -> None:
        """Note a new stamp for a file whose content is unchanged."""
        if storable(path):
            with self._database.write() as connection:
                files.touch(connection, path, stamp)

    def remove(self, paths: Sequence[str]) -> int:
        """Forget files, all or none; returns how many were there. Their vectors stay cached."""
        removed = 0
        with self._database.write() as connection:
            for path in filter(storable, dict.fromkeys(paths)):
                hashes = files.delete(connection, path)
                if hashes is not None:
                    removed += 1
                    self._release(connection, hashes)
        return removed

    def _release(self, connection: Connection, hashes: set[bytes]) -> None:
        if hashes:
            spaces.release(connection, hashes)
            spaces.trim(connection, self._cache_entries, slack=True)

    def trim(self) -> int:
        """Housekeeping for the end of an indexing run: returns how many cached vectors were deleted.

        Bounds the cache exactly and brings the vector sidecar up to date, so that no search has to. While
        chunks wait for a vector in the current space, other spaces are left alone; after that they count
        as cached and go first, the one that was current longest ago before the others.
        """
        with self._database.read() as connection:
            space = self._space(connection)
            due = spaces.trim_due(connection, space, self._cache_entries)
        trimmed = self._trim() if due else 0
        if space is not None and space.dims is not None and self._engine != "sqlite-vec":
            with self._database.read() as connection:
                self._refresh_matrix(connection)
        return trimmed

    def _trim(self) -> int:
        with self._database.write() as connection:
            trimmed, sidecars = spaces.keep_house(connection, self._space(connection), self._cache_entries)
        if sidecars is not None:
            self._questions.remove_sidecars(sidecars)
        return trimmed

    def _refresh_matrix(self, connection: Connection) -> None:
        space = self._space(connection)
        if space is None:
            return
        if space.sidecar or spaces.count_vectors(connection, space) >= self._questions.sidecar_from:
            self._questions.refresh(connection, space)

    def purge(self) -> bool:
        """Leave no byte in the files of the index of what was deleted from it, cached vectors included.

        False when another process is reading: its journal then holds it until a later purge.
        """
        with self._database.write() as connection:
            self._drop_cached(connection)
            connection.execute("INSERT INTO chunk_fts (chunk_fts) VALUES ('optimize')")
        self._questions.remove_sidecars([])
        self._questions.forget()
        return self._database.rewrite()

    # --- soundness -------------------------------------------------------------------------------------

    def integrity(self) -> list[str]:
        """Every fault found in the database, one sentence each; empty when sound. Reads all of it.

        A damaged vector sidecar is a note, not a fault: it is dropped, and made again from the database.
        """
        found: list[str] = []
        try:
            with self._database.write(bump=False) as connection:
                found += integrity.faults(self.driver, connection)
                dropped = integrity.disown_sidecars(connection, self.path) if not found else []
            self._database.notes += dropped
            if dropped and self._asked is not None:
                self._asked.forget()
        except IndexDamagedError as error:  # so broken that not even nothing can be committed
            found = found or [str(error)]
        return found

    def reset(self) -> None:
        """Set the database file aside as damaged and begin an empty one; index the Markdown files again."""
        self._database.reset()

    def copy_from(self, other: str | Path) -> None:
        """Become a copy of another index, which is only read and whose folder need not be writable.

        Commits that are still in its write-ahead log are left out; indexing the Markdown files brings them
        back. Raises `StorageError` when `other` is not a sound index of this version.
        """
        source_path = Path(other).expanduser().absolute()
        try:
            source = self.driver.connect(f"{source_path.as_uri()}?mode=ro&immutable=1")
            try:
                verdict = judge(self.driver, source)
                if verdict is not Verdict.OURS:
                    raise StorageError(f"The index {source_path} cannot be copied: it {verdict.value}.")
                self._database.replace_content(source)
            finally:
                source.close()
        except self.driver.Error as error:
            raise StorageError(f"The index {source_path} cannot be copied: {error}.") from error
        self._be_another()

    def copy_of(self, other: SqliteIndex) -> None:
        """Become a copy of another open index as it is now."""
        with other._database.read() as source:
            self._database.replace_content(source)
        self._be_another()

    def _be_another(self) -> None:
        """Take a name of its own, and no sidecar: caches of the original must not be taken for this one's."""
        with self._database.write() as connection:
            connection.execute("UPDATE state SET uuid = ?", (uuid.uuid4().hex,))
            connection.execute("UPDATE space SET sidecar = NULL")

    def close(self) -> None:
        """Wait for running calls, then close the file. A second call does nothing."""
        if self._asked is not None:
            self._asked.forget()
        self._database.close()
