"""Finds records: narrowed first, then ranked by vectors or words, or ordered by their last change."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from . import spaces, table, words
from .filter_sql import FOLD, Sql, compile_filter
from .filters import Filter, matches, parse
from .matrix import Ids, SpaceMatrix, among, best
from .mirror import Mirror
from .places import folder_of
from .plan import RecordsConfig
from .record import Search
from .table import Row

if TYPE_CHECKING:
    from ..adapters.sqlite.driver import Connection
    from ..adapters.sqlite.state import StateDatabase
    from ..types import FloatArray

Found: TypeAlias = "tuple[Row, float | None, FloatArray | None]"
"""A row, its score, and its vector where that was asked for."""

_TRIES: Final = 5
_MOST_ALLOWED: Final = 16
_NEAREST: Final = (256, 2_048)
_SMALL: Final = 4
"""So many of the nearest are looked at first, where there are more than four times as many in all."""


class Ranking:
    """Searches of one root. Blocking, and usable from several threads."""

    def __init__(
        self, database: StateDatabase, mirror: Mirror, config: RecordsConfig, identity: str | None
    ) -> None:
        self._database = database
        self._mirror = mirror
        self._config = config
        self._identity = identity
        self._lock = threading.Lock()
        self._matrix: SpaceMatrix | None = None
        self._stored_dims: int | None = None
        self._opened = 0
        self._folding = 0
        self._state: tuple[object, ...] = ()
        self._allowed: dict[tuple[object, ...], Ids] = {}

    @property
    def dims(self) -> int | None:
        """The length of the vectors, as far as it is known."""
        matrix = self._matrix
        return self._config.dims or (matrix.dims if matrix is not None else None) or self._stored_dims

    def space(self) -> int | None:
        """The id of the space in the database that is open now; None without vectors. The root is `ready`."""
        if self._identity is None:
            return None
        if self._matrix is None or self._opened != self._database.openings:
            with self._lock:
                with self._database.transaction() as connection:
                    root, paths = self._mirror.root, self._config.paths
                    space = spaces.space_id(connection, root, self._identity, paths)
                    self._stored_dims = spaces.length_in(connection, space)
                self._matrix = SpaceMatrix(space)
                self._opened = self._database.openings
        return self._matrix.space

    # --- searching -------------------------------------------------------------------------------------

    def search(
        self, op: Search, vector: FloatArray | None, now: int, *, last: bool = True
    ) -> list[Found] | None:
        """The page of results that was asked for, each as its page is now.

        None when a page had changed that a vector found, whose own vectors are to be made first, unless this
        is the `last` try.
        """
        root = self._mirror.ready()
        self.space()
        where = parse(op.where)
        found: list[Found] = []
        for _ in range(_TRIES):
            if self._identity is not None and vector is not None:
                with self._lock:
                    found = self._by_vector(op, where, vector, now)
            elif op.words is not None and op.words.strip():
                with self._lock:
                    found = self._by_words(op, where, now)
            elif self._identity is not None and op.vector is not None:
                return []  # a vector without a direction is near to nothing
            else:
                found = [(row, None, None) for row in self._listed(root, op, where, now)]
            if self._mirror.current([row for row, _, _ in found]):
                break
            if vector is not None and not last:
                return None
        return found

    def count(self, op: Search, now: int) -> int:
        """How many records a search without ranking finds in all."""
        root = self._mirror.ready()
        where = parse(op.where)
        with self._database.read() as connection:
            narrow, decided = self._narrowed(connection, root, op, where, now)
            if decided:
                statement = f"SELECT count(*) FROM record WHERE {narrow.text}"  # noqa: S608
                return int(connection.execute(statement, narrow.operands).fetchone()[0])
            return sum(matches(where, json.loads(value)) for _, value in table.values(connection, narrow))

    def _narrowed(
        self, connection: Connection, root: int, op: Search, where: Filter, now: int
    ) -> tuple[Sql, bool]:
        """The SQL of what narrows a search to what is not over, and whether it says all of it."""
        narrow, condition = self._asked(connection, root, op, where)
        if self._config.omit_expired:
            narrow = Sql(f"{narrow.text} AND (expires IS NULL OR expires > ?)", (*narrow.operands, now))
        return narrow, condition is not None

    def _asked(self, connection: Connection, root: int, op: Search, where: Filter) -> tuple[Sql, Sql | None]:
        """The SQL of prefix, keys and condition, and of the condition alone: None if SQL cannot say it."""
        if self._folding != self._database.openings:  # once for each connection
            connection.create_function(FOLD, 1, _folded, deterministic=True)
            self._folding = self._database.openings
        condition = compile_filter(where, "record.value")
        return table.narrowed(root, folder_of(tuple(op.prefix)), condition, op.keys), condition

    # --- without ranking -------------------------------------------------------------------------------

    def _listed(self, root: int, op: Search, where: Filter, now: int) -> list[Row]:
        with self._database.read() as connection:
            narrow, decided = self._narrowed(connection, root, op, where, now)
            if decided:
                return table.newest(connection, narrow, op.limit, op.offset)
            ids = [
                record
                for record, value in table.values(connection, narrow, table.ORDER)
                if matches(where, json.loads(value))
            ][op.offset : op.offset + op.limit]
            rows = table.by_ids(connection, ids)
            return [rows[one] for one in ids]

    # --- with ranking ----------------------------------------------------------------------------------

    def _by_vector(self, op: Search, where: Filter, vector: FloatArray, now: int) -> list[Found]:
        matrix = self._matrix
        if matrix is None:
            return []
        with self._database.read() as connection:
            self._keep_up(connection, matrix)
            if matrix.dims is not None and matrix.dims != len(vector):
                spaces.unit(vector, matrix.dims, self._identity or "")
            found, rows = self._nearest(connection, op, where, vector, now)
            if found is None:
                records, scores, rows = matrix.scores(vector, self._allowed_ids(connection, op, where))
                found, dead = self._best(connection, op, records, scores, now)
                matrix.bury(dead)
        return [
            (row, score, matrix.vector(int(rows[place])) if op.vectors else None)
            for row, score, place in found
        ]

    def _nearest(
        self, connection: Connection, op: Search, where: Filter, vector: FloatArray, now: int
    ) -> tuple[list[tuple[Row, float, int]] | None, Ids]:
        """What `_best` gives, found among the nearest records of all, and their rows; None if not there.

        Where many records meet a condition, enough of the nearest do: looking at these alone gives the same
        as looking at every record first, which takes as long as the database is large.
        """
        matrix, nothing = self._matrix, np.empty(0, dtype=np.int64)
        if matrix is None or op.keys is not None:
            return None, nothing
        narrow, condition = self._asked(connection, self._mirror.root, op, where)
        if condition is None or condition.text == "1" or (narrow.text, *narrow.operands) in self._allowed:
            return None, nothing
        records, scores, rows = matrix.scores(vector, None)
        for count in _NEAREST:
            if _SMALL * count > len(records):
                break
            order, _ = best(records, scores, count)
            places = {record: place for record, _, place in order}
            meeting = table.meeting(connection, narrow, list(places))
            chosen = np.array([places[record] for record in meeting], dtype=np.int64)
            found, _ = self._best(connection, op, records[chosen], scores[chosen], now)
            if len(found) == op.limit:
                return found, rows[chosen]
        return None, nothing

    def _by_words(self, op: Search, where: Filter, now: int) -> list[Found]:
        root, paths = self._mirror.root, self._config.paths
        with self._database.transaction() as connection:
            space = spaces.space_id(connection, root, words.SPACE, paths)
            words.catch_up(connection, space, paths)
        with self._database.read() as connection:
            records, scores = words.find(connection, op.words or "")
            allowed = self._allowed_ids(connection, op, where, whole=False)
            inside = np.flatnonzero(among(records, allowed)) if allowed is not None else slice(None)
            found, _ = self._best(connection, op, records[inside], scores[inside], now)
        return [(row, score, None) for row, score, _ in found]

    def _best(
        self, connection: Connection, op: Search, records: Ids, scores: FloatArray, now: int
    ) -> tuple[list[tuple[Row, float, int]], list[int]]:
        """((row, score, place) of the page of results that was asked for, records that are no more)."""
        wanted = op.offset + op.limit
        asked = wanted + 16
        while True:
            order, whole = best(records, scores, asked)
            known = table.by_ids(connection, [record for record, _, _ in order])
            alive = [
                (known[record], score, place)
                for record, score, place in order
                if record in known and not (self._config.omit_expired and known[record].is_over(now))
            ]
            if whole or len(alive) >= wanted:
                dead = [record for record, _, _ in order if record not in known]
                return alive[op.offset : wanted], dead
            asked *= 2

    def _keep_up(self, connection: Connection, matrix: SpaceMatrix) -> None:
        version = connection.execute("PRAGMA data_version").fetchone()[0]
        state = (self._database.openings, version, connection.total_changes)
        if state != self._state:
            matrix.update(connection)
            self._allowed.clear()
            self._state = state

    def _allowed_ids(
        self, connection: Connection, op: Search, where: Filter, *, whole: bool = True
    ) -> Ids | None:
        """The records that a search may find, sorted; None for all of the root where `whole` admits that."""
        narrow, condition = self._asked(connection, self._mirror.root, op, where)
        if condition is None:
            found = [
                record
                for record, value in table.values(connection, narrow)
                if matches(where, json.loads(value))
            ]
            return np.sort(np.array(found, dtype=np.int64))
        if whole and not op.prefix and op.keys is None and condition.text == "1":
            return None
        asked = (narrow.text, *narrow.operands)
        if asked not in self._allowed:
            ids = np.array(table.chosen_ids(connection, narrow), dtype=np.int64)
            if len(self._allowed) >= _MOST_ALLOWED:
                self._allowed.pop(next(iter(self._allowed)))
            self._allowed[asked] = np.sort(ids)
        return self._allowed[asked]


def _folded(text: Any) -> Any:
    return text.casefold() if isinstance(text, str) else text
