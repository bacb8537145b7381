"""The vector leg: exact cosine by one of two engines that give the same answers.

"sqlite-vec" computes in SQL over the rows a filter leaves: nothing to load, right for few candidates and for
the first questions of a process. "numpy" multiplies a matrix held in memory: right for everything else, and
for a Python whose SQLite cannot load extensions.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from ..._errors import ConfigError, EmbeddingShapeError
from .database import Database
from .matrix import Matrix
from .schema import CHUNK_BITS

if TYPE_CHECKING:
    from ...types import FloatArray
    from .driver import Connection, Driver
    from .snapshot import Allowed, Ids, Snapshot
    from .spaces import Space

EngineName = Literal["auto", "sqlite-vec", "numpy"]

FEW = 2_000
"""Up to this many candidates "auto" may ask sqlite-vec (about 2.5 µs a candidate, nothing to load)."""

Nearest = list[tuple[int, float]]


class VectorEngine(Protocol):
    """Finds the nearest of the allowed chunks. `query` is a unit vector of the space's dimensions."""

    def nearest(
        self,
        connection: Connection,
        snapshot: Snapshot,
        space: Space,
        query: FloatArray,
        allowed: Allowed,
        limit: int,
    ) -> Nearest:
        """(chunk id, cosine), best first; equal cosines in the order of ids."""
        ...


class SqliteVecEngine:
    """Scalar cosine in SQL."""

    def nearest(
        self,
        connection: Connection,
        snapshot: Snapshot,  # noqa: ARG002 - part of the protocol
        space: Space,
        query: FloatArray,
        allowed: Allowed,
        limit: int,
    ) -> Nearest:
        """See `VectorEngine`."""
        if allowed.everything:
            source, files = "chunk AS c", "[]"
        else:
            source = (
                "json_each(:files) AS f CROSS JOIN chunk AS c"
                f" ON c.id >= f.value << {CHUNK_BITS} AND c.id < (f.value + 1) << {CHUNK_BITS}"
            )
            files = json.dumps(allowed.files.tolist())
        found = connection.execute(
            f"SELECT c.id, 1.0 - vec_distance_cosine(v.v, :query) AS cosine FROM {source}"  # noqa: S608 - constant text
            " CROSS JOIN vector AS v ON v.hash = c.embed_hash"
            " WHERE v.space_id = :space AND v.v IS NOT NULL ORDER BY cosine DESC, c.id LIMIT :limit",
            {"files": files, "query": query.tobytes(), "space": space.id, "limit": limit},
        )
        return [(chunk_id, _clip(cosine)) for chunk_id, cosine in found]


class NumpyEngine:
    """Matrix product in memory, the matrix mapped from a sidecar file when it is large."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._matrix: Matrix | None = None

    @property
    def loaded(self) -> bool:
        """Whether a matrix is in memory already."""
        return self._matrix is not None

    def nearest(
        self,
        connection: Connection,
        snapshot: Snapshot,
        space: Space,
        query: FloatArray,
        allowed: Allowed,
        limit: int,
    ) -> Nearest:
        """See `VectorEngine`."""
        with self._lock:
            matrix = self._current(connection, snapshot, space, len(query))
            ids, scores = matrix.scores(query, allowed)
        return _top(ids, scores, limit)

    def refresh(self, connection: Connection, snapshot: Snapshot, space: Space) -> None:
        """Bring matrix and sidecar up to date. `connection` is in a read transaction of `snapshot`."""
        if space.dims is not None:
            with self._lock:
                self._current(connection, snapshot, space, space.dims)

    def _current(self, connection: Connection, snapshot: Snapshot, space: Space, dims: int) -> Matrix:
        matrix = self._matrix
        if matrix is None or matrix.key != (snapshot.uuid, space.id) or not matrix.intact:
            matrix = self._matrix = Matrix(self._database.path, snapshot, space, dims)
        if matrix.update(connection, snapshot, space) and matrix.is_stale(snapshot):
            matrix.save(snapshot, space, lambda: self._database.write(bump=False))
        return matrix

    def cosines(
        self,
        connection: Connection,
        snapshot: Snapshot,
        space: Space,
        query: FloatArray,
        chunk_ids: Sequence[int],
    ) -> dict[int, float]:
        """Cosine of each given living chunk that has a vector."""
        wanted = np.sort(np.array(chunk_ids, dtype=np.int64))  # np.unique would import numpy.ma, 28 ms
        wanted = wanted[snapshot.everything.mask(wanted)]
        with self._lock:
            matrix = self._current(connection, snapshot, space, len(query))
            return matrix.cosines(query, wanted)

    def forget(self) -> None:
        """Let go of the matrix and of the mapped file."""
        with self._lock:
            self._matrix = None


class VectorLeg:
    """Chooses the engine for each question.

    Raises `ConfigError` when "sqlite-vec" is asked for and cannot be loaded.
    """

    def __init__(self, database: Database, engine: EngineName) -> None:
        self._driver: Driver = database.driver
        if engine == "sqlite-vec" and not self._driver.has_extension:
            raise ConfigError(
                "vector.engine 'sqlite-vec' needs the package sqlite-vec and an SQLite that can load it "
                f"({self._driver.detail}). Run: pip install pysqlite3 sqlite-vec, or set vector.engine to "
                "'auto'."
            )
        self._choice = engine
        self._sql = SqliteVecEngine()
        self.numpy = NumpyEngine(database)
        self._scanned = 0

    def nearest(
        self,
        connection: Connection,
        snapshot: Snapshot,
        space: Space,
        vector: FloatArray,
        allowed: Allowed,
        limit: int,
    ) -> Nearest:
        """The nearest `limit` allowed chunks. A vector of zeros has no direction and is near nothing."""
        query = unit_query(vector, space)
        if query is None or limit <= 0 or not allowed.chunks:
            return []
        engine = self._engine(snapshot, allowed.chunks)
        # SQL has no number for a limit beyond 64 bits.
        return engine.nearest(connection, snapshot, space, query, allowed, min(limit, allowed.chunks))

    def cosines(
        self,
        connection: Connection,
        snapshot: Snapshot,
        space: Space,
        vector: FloatArray,
        chunk_ids: Sequence[int],
    ) -> dict[int, float]:
        """Cosine of each given chunk that has a vector, from the matrix when there is one."""
        query = unit_query(vector, space)
        if query is None or not chunk_ids:
            return {}
        if self.numpy.loaded:
            found = self.numpy.cosines(connection, snapshot, space, query, chunk_ids)
        else:
            found = _stored_cosines(connection, space, query, chunk_ids)
        return {chunk_id: _clip(score) for chunk_id, score in found.items()}

    def _engine(self, snapshot: Snapshot, candidates: int) -> VectorEngine:
        if self._choice == "numpy" or not self._driver.has_extension:
            return self.numpy
        if self._choice == "sqlite-vec":
            return self._sql
        # Loading the matrix costs about one scan of everything: once that much was scanned, load it.
        if self.numpy.loaded or candidates > FEW or self._scanned > snapshot.chunks:
            return self.numpy
        self._scanned += candidates
        return self._sql


def unit_query(vector: FloatArray, space: Space) -> FloatArray | None:
    """The vector at length 1; None for one of zeros.

    Raises `EmbeddingShapeError` when it has other dimensions than the space or is not finite.
    """
    values = np.asarray(vector, dtype=np.float64).ravel()
    if len(values) != space.dims:
        raise EmbeddingShapeError(
            f"The query vector has {len(values)} dimensions, but the vectors of {space.identity!r} in the "
            f"index have {space.dims}. Use the embedding model that the index was built with, or index again "
            "with this one."
        )
    if not np.isfinite(values).all():
        raise EmbeddingShapeError("The query vector holds a number that is not finite.")
    largest = float(np.abs(values).max())
    if largest == 0:
        return None
    values = values / largest
    unit: FloatArray = (values / np.linalg.norm(values)).astype("<f4")
    return unit


def _stored_cosines(
    connection: Connection, space: Space, query: FloatArray, chunk_ids: Sequence[int]
) -> dict[int, float]:
    found = connection.execute(
        "SELECT c.id, v.v FROM json_each(?) AS j CROSS JOIN chunk AS c ON c.id = j.value"
        " CROSS JOIN vector AS v ON v.hash = c.embed_hash WHERE v.space_id = ? AND v.v IS NOT NULL",
        (json.dumps([int(chunk_id) for chunk_id in chunk_ids]), space.id),
    ).fetchall()
    if not found:
        return {}
    matrix = np.frombuffer(b"".join(row[1] for row in found), dtype="<f4").reshape(len(found), -1)
    return {row[0]: score for row, score in zip(found, (matrix @ query).tolist(), strict=True)}


def _clip(cosine: float) -> float:
    return min(1.0, max(-1.0, float(cosine)))


def _top(ids: Ids, scores: FloatArray, limit: int) -> Nearest:
    """The best `limit`; whoever is level with the last one competes by id."""
    if len(scores) > limit:
        cut = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        near = np.flatnonzero(scores >= cut)
        ids, scores = ids[near], scores[near]
    order = np.lexsort((ids, -scores))[:limit]
    return [
        (chunk_id, _clip(score))
        for chunk_id, score in zip(ids[order].tolist(), scores[order].tolist(), strict=True)
    ]
