"""Everything about searching that needs numpy, behind one door: snapshots, keyword leg, vector leg."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...types import KeywordHit, Where
from .asked import Asked
from .database import Database
from .evidence import Question
from .keyword import KeywordLeg
from .matrix import SIDECAR_FROM
from .sidecar import remove_others
from .snapshot import Snapshot, Snapshots
from .vectors import EngineName, Nearest, VectorLeg

if TYPE_CHECKING:
    from ...types import FloatArray
    from .driver import Connection
    from .spaces import Space


class Questions:
    """Answers about the state that a connection's read transaction sees."""

    sidecar_from = SIDECAR_FROM

    def __init__(self, database: Database, engine: EngineName) -> None:
        self._path = database.path
        self._snapshots = Snapshots()
        self._keyword = KeywordLeg()
        self._vectors = VectorLeg(database, engine)

    def keyword(self, connection: Connection, asked: Asked, limit: int, *, ties: bool) -> list[KeywordHit]:
        """See `IndexReader.keyword`."""
        snapshot = self._snapshots.of(connection)
        question = self._question(connection, snapshot, asked)
        allowed = snapshot.allowed(connection, asked.where)
        hits = self._keyword.best(connection, snapshot, question, allowed, limit)
        return self._keyword.ordered(connection, snapshot, question, hits) if ties else hits

    def keyword_scores(
        self, connection: Connection, asked: Asked, chunk_ids: Sequence[int]
    ) -> dict[int, KeywordHit]:
        """See `IndexReader.keyword_scores`."""
        snapshot = self._snapshots.of(connection)
        allowed = snapshot.allowed(connection, asked.where)
        question = self._question(connection, snapshot, asked)
        return self._keyword.scores(connection, snapshot, question, allowed, chunk_ids)

    def _question(self, connection: Connection, snapshot: Snapshot, asked: Asked) -> Question:
        user = asked.where.user
        return Question(
            asked.query, user, snapshot.allowed(connection, Where(user=user, superseded=True)), asked.spans
        )

    def languages(self, connection: Connection, chunk_ids: Sequence[int]) -> dict[int, str]:
        """See `IndexReader.languages`."""
        return self._snapshots.of(connection).languages_by_chunk(chunk_ids)

    def nearest(
        self, connection: Connection, space: Space, vector: FloatArray, where: Where, limit: int
    ) -> Nearest:
        """See `IndexReader.nearest`."""
        snapshot = self._snapshots.of(connection)
        allowed = snapshot.allowed(connection, where)
        return self._vectors.nearest(connection, snapshot, space, vector, allowed, limit)

    def cosines(
        self, connection: Connection, space: Space, vector: FloatArray, chunk_ids: Sequence[int]
    ) -> dict[int, float]:
        """See `IndexReader.cosines`."""
        snapshot = self._snapshots.of(connection)
        return self._vectors.cosines(connection, snapshot, space, vector, chunk_ids)

    def allowed_files(self, connection: Connection, where: Where) -> frozenset[int]:
        """Ids of the files that `where` lets through."""
        return frozenset(self._snapshots.of(connection).allowed(connection, where).files.tolist())

    def refresh(self, connection: Connection, space: Space) -> None:
        """Bring the vector matrix and its sidecar up to date."""
        self._vectors.numpy.refresh(connection, self._snapshots.of(connection), space)

    def remove_sidecars(self, kept: Sequence[str]) -> None:
        """Delete the sidecar files that no token of `kept` names."""
        remove_others(self._path, kept)

    def forget(self) -> None:
        """Let go of mapped files."""
        self._vectors.numpy.forget()
