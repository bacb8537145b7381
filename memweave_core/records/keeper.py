"""Carries out plans on pages and database: all that blocks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from .._errors import StorageError
from ..text.secrets import mask, secret_under
from . import spaces, table
from .mirror import Mirror
from .moments import micros, moment
from .places import folder_of
from .plan import Plan, RecordsConfig, make_plan, texts_to_embed
from .ranking import Ranking
from .record import Get, Namespaces, Op, Record, Result, Search
from .table import Row
from .writing import AT_ONCE, Writer, fitting

if TYPE_CHECKING:
    from ..adapters.sqlite.state import StateDatabase
    from ..types import FloatArray

T = TypeVar("T")
_SHORTEST_SECRET = 8
LATE_AT_ONCE = 2_000
"""How many records without vectors one search gives theirs before it answers."""


class Keeper:
    """The records of one root in one open database. Blocking, and usable from several threads.

    `identity` names the vector space, None when there is none.
    """

    def __init__(
        self,
        database: StateDatabase,
        mirror: Mirror,
        config: RecordsConfig,
        identity: str | None,
        clock: Callable[[], datetime],
    ) -> None:
        self.config = config
        self.identity = identity
        self._database = database
        self._mirror = mirror
        self._clock = clock
        self._mask = _without_secrets if config.mask_secrets else None
        self._ranking = Ranking(database, mirror, config, identity)
        self._writer = Writer(database, mirror, clock)

    # --- in two steps ----------------------------------------------------------------------------------

    def prepare(self, ops: Sequence[Op]) -> Plan:
        """Check operations, and find out which texts an embedder must be asked for."""
        plan = make_plan(ops, self.config, self._mask)
        if self.identity is None:
            plan.queries = ()
            return plan
        wanted = {one: text for change in plan.changes.values() for one, text in change.texts.items()}
        if plan.queries or any(isinstance(op, Search) and op.vector is not None for op in ops):
            plan.late = self._mended(lambda: self.late(LATE_AT_ONCE))
            wanted |= {one: text for texts in plan.late.values() for one, text in texts.items()}
        if wanted:
            plan.missing = self.missing(wanted, plan)
        return plan

    def carry_out(self, plan: Plan, *, last: bool = True) -> list[Result] | None:
        """Do it: reads see the state before the batch, of several changes of a record the last is made.

        None when a page that a search was to give had changed, unless this is the `last` try: plan anew.
        """
        return self._mended(lambda: self._carried_out(plan, last))

    def _carried_out(self, plan: Plan, last: bool) -> list[Result] | None:
        self._mirror.ready()
        if plan.late:
            self.cover(plan)
        results: list[Result] = []
        for op in plan.ops:
            if isinstance(op, Search):
                found = self._search(op, plan, last)
                if found is None:
                    return None
                results.append(found)
            else:
                results.append(self._read(op))
        changes = list(plan.changes.values())
        for start in range(0, len(changes), AT_ONCE):
            if start:  # the database may have been replaced while files were written
                self._mirror.ready()
            space = self._ranking.space()
            self._writer.write(changes[start : start + AT_ONCE], plan, space, self._ranking.dims)
        return results

    def _read(self, op: Op) -> Result:
        if isinstance(op, Get):
            return self._get(op)
        return self._namespaces(op) if isinstance(op, Namespaces) else None

    def _mended(self, call: Callable[[], T]) -> T:
        """Run it; when that meets a damaged database, once more on a new one."""
        try:
            return call()
        except StorageError:
            if not self._database.broken:
                raise
        return call()

    # --- reading ---------------------------------------------------------------------------------------

    def _get(self, op: Get) -> Record | None:
        row = self._mirror.find(folder_of(tuple(op.namespace)), op.key)
        if row is None or (self.config.omit_expired and row.is_over(micros(self._clock()))):
            return None
        if op.refresh:
            self._touch([row])
        return made(row)

    def _touch(self, rows: Sequence[Row]) -> None:
        ids = [row.id for row in rows if row.ttl is not None]
        if ids:
            with self._database.transaction() as connection:
                table.touch(connection, ids, micros(self._clock()))

    def _search(self, op: Search, plan: Plan, last: bool) -> list[Record] | None:
        now = micros(self._clock())
        vector: FloatArray | None = None
        if self.identity is not None and op.vector is not None:
            vector = spaces.unit(op.vector, self._ranking.dims, self.identity)
        elif op.query is not None:
            vector = plan.asked.get(op.query)
            if op.query in plan.asked and vector is None:
                return []  # a vector without a direction is near to nothing
        if vector is None:  # else `prepare` has looked: what an edit found now says would lack its vector
            self._mirror.look()
        found = self._ranking.search(op, vector, now, last=last)
        if found is None:
            return None
        if op.refresh:
            self._touch([row for row, _, _ in found])
        return [made(row, score, brought) for row, score, brought in found]

    def _namespaces(self, op: Namespaces) -> list[tuple[str, ...]]:
        self._mirror.look()
        now = micros(self._clock()) if self.config.omit_expired else None
        with self._database.read() as connection:
            rows = table.folders(connection, self._mirror.ready(), now)
        every = (table.namespace_from(folder, names) for folder, names in rows)
        kept = (one for one in every if op.matches is None or op.matches(one))
        cut = {one if op.max_depth is None else one[: op.max_depth] for one in kept}
        return sorted(cut)[op.offset : op.offset + op.limit]

    def count(self, op: Search) -> int:
        """How many records a search without ranking would find in all."""
        return self._mended(lambda: self._ranking.count(op, micros(self._clock())))

    # --- what is over ----------------------------------------------------------------------------------

    def sweep(self) -> int:
        """Delete what has outlived its time; how many there were."""
        return self._mended(self._swept)

    def _swept(self) -> int:
        root = self._mirror.ready()
        with self._database.read() as connection:
            over = table.expired(connection, root, micros(self._clock()))
        return self._writer.remove(over)

    def remove_where(self, op: Search) -> int:
        """Delete what a search without ranking finds; how many there were."""
        return self._mended(lambda: self._removed(op))

    def _removed(self, op: Search) -> int:
        self._mirror.ready()
        self._mirror.look()
        found = self._ranking.search(op, None, micros(self._clock())) or []
        return self._writer.remove([row for row, _, _ in found])

    def refresh(self) -> None:
        """Look at every page now."""

        def look() -> None:
            self._mirror.ready()
            self._mirror.look(force=True)

        self._mended(look)

    # --- vectors ---------------------------------------------------------------------------------------

    def _known(self, hashes: dict[bytes, str]) -> dict[bytes, FloatArray]:
        with self._database.read() as connection:
            return spaces.known(connection, self.identity or "", hashes)

    def late(self, limit: int) -> dict[int, dict[bytes, str]]:
        """Records that lack vectors, at most `limit`, with the texts these stand for."""
        self._mirror.ready()
        self._mirror.look()
        space = self._ranking.space()
        if space is None:
            return {}
        with self._database.read() as connection:
            rows = table.by_ids(connection, spaces.uncovered(connection, space, limit))
        return {
            one: texts_to_embed(json.loads(row.value), row.index, self.config) for one, row in rows.items()
        }

    def missing(self, wanted: dict[bytes, str], plan: Plan) -> dict[bytes, str]:
        """Those texts whose vectors are in no record yet; the plan gets the vectors of the others."""
        plan.vectors |= self._mended(lambda: self._known(wanted))
        return {one: text for one, text in wanted.items() if one not in plan.vectors}

    def count_late(self) -> int:
        """How many records lack vectors."""
        self._mirror.ready()
        space = self._ranking.space()
        if space is None:
            return 0
        with self._database.read() as connection:
            return spaces.count_uncovered(connection, space)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def cover(self, plan: Plan) -> None:
        """Store the vectors of late records; those whose texts could not be embedded stay late."""
        self._mirror.ready()
        space = self._ranking.space()
        if space is None:
            return
        with self._database.transaction() as connection:
            alive = table.by_ids(connection, list(plan.late))
            for record, texts in plan.late.items():
                vectors = fitting(texts, plan, self._ranking.dims) if record in alive else None
                if vectors is not None:
                    spaces.cover(connection, space, record, vectors)


def _without_secrets(name: str, text: str) -> str:
    """A text of a value, without the secrets that it or the name it stands under tells of."""
    plain = mask(text).text if len(text) >= _SHORTEST_SECRET else text
    kind = secret_under(name, text) if plain == text else None
    return f"[secret: {kind}]" if kind else plain


def made(row: Row, score: float | None = None, vector: FloatArray | None = None) -> Record:
    """The record of a row, of which nothing is shared with anybody."""
    return Record(
        row.namespace,
        row.key,
        json.loads(row.value),
        moment(row.created),
        moment(row.updated),
        None if row.expires is None else moment(row.expires),
        json.loads(row.provenance) if row.provenance else {},
        score,
        vector,
    )
