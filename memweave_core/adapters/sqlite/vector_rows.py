"""The part of the index about vectors by the hash of the text they are of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ..._errors import ConfigError
from ...types import PendingText
from . import kept_vectors, spaces
from .codec import storable

if TYPE_CHECKING:
    from ...types import FloatArray
    from .database import Database
    from .driver import Connection


class VectorRows:
    """Vectors of the current space of one index; what `SqliteIndex` is besides words and files."""

    _database: Database
    _cache_entries: int | None
    _identity: str | None

    def use_space(self, identity: str) -> None:
        """Make `identity` the current vector space of this object; other spaces are kept, never mixed in."""
        if not identity or not storable(identity):
            raise ConfigError(f"A vector space needs a name, not {identity!r}.")
        self._identity = identity

    def pending(self, limit: int, *, before: int | None = None) -> list[PendingText]:
        """Up to `limit` distinct texts without a vector in the current space; none without a space."""
        if self._identity is None:
            return []
        with self._database.read() as connection:
            return spaces.pending(connection, self._space(connection), limit, before)

    def store_vectors(self, vectors: Mapping[str, FloatArray | None]) -> None:
        """Vectors by embed hash, kept at length 1. None, or zeros, marks a text that will never have one.

        Other dimensions than the space had mean another model under its name: the old vectors are dropped.
        Raises `EmbeddingShapeError`, and stores nothing, when lengths differ or a number is not finite;
        `ConfigError` when `use_space` was never called.
        """
        if self._identity is None:
            raise ConfigError("Call use_space before storing vectors: they belong to a vector space.")
        rows, dims = spaces.unit_vectors(vectors)
        if rows:
            with self._database.write() as connection:
                spaces.store(connection, self._identity, rows, dims)
                spaces.trim(connection, self._cache_entries, slack=True)

    def vectors(self, hashes: Iterable[str]) -> dict[str, FloatArray | None]:
        """The stored vectors of these embed hashes in the current space.

        None for a text that is marked to have no vector; hashes of which nothing is known are left out.
        """
        with self._database.read() as connection:
            return kept_vectors.of(connection, self._space(connection), hashes)

    def forget_vectors(self, hashes: Iterable[str]) -> int:
        """Delete the vectors of these embed hashes in every space; returns how many there were.

        Those of texts that a file still holds stay.
        """
        with self._database.write() as connection:
            return kept_vectors.forget(connection, hashes)

    def _drop_cached(self, connection: Connection) -> None:
        """Delete every vector of a text that no file holds."""
        spaces.trim(connection, 0, slack=False)
        connection.execute("UPDATE space SET sidecar = NULL")

    def _space(self, connection: Connection) -> spaces.Space | None:
        return spaces.find_space(connection, self._identity)
