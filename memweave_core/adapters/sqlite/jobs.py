"""The job queue as a table of the state database.

Moments are whole microseconds since 1970 in UTC. Of a waiting job `since` is when its pause began and
`ready_at` when it ends; of a running one they are the bounds of its lease. When a pause or lease is found to
begin in the future, the clock has gone back, and it is made to begin now.
"""

from __future__ import annotations

import datetime as dt
import json
import uuid
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..._errors import ConfigError
from ...job_types import Job, JobCounts, JobState, Payload
from .codec import plain
from .state import StateDatabase

if TYPE_CHECKING:
    from .driver import Connection

MAX_ATTEMPTS = 10
"""With the worker's pauses of 2 to 512 seconds: a quarter of an hour of trying."""

LOST = "Its worker ended without an answer, killed or stuck for longer than its lease."

_COLUMNS = "id, kind, payload, grp, key, state, attempts, error, enqueued_at, ready_at"
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND = dt.timedelta(microseconds=1)

_OPEN = "state IN ('waiting', 'running')"
# Steps from group to group over the index, so that a long line behind one job is not walked through.
_CLAIMABLE = f"""
WITH RECURSIVE groups (grp) AS (
    SELECT min(grp) FROM job WHERE {_OPEN}
    UNION ALL
    SELECT (SELECT min(grp) FROM job WHERE {_OPEN} AND grp > groups.grp) FROM groups WHERE grp IS NOT NULL
), first (id) AS (
    SELECT (
        SELECT id FROM job WHERE job.grp = groups.grp AND {_OPEN} AND (later = 0 OR ready_at <= :now)
        ORDER BY id LIMIT 1
    ) FROM groups WHERE grp IS NOT NULL
)
SELECT job.id FROM first CROSS JOIN job ON job.id = first.id
WHERE state = 'waiting' AND ready_at <= :now
    AND (:kinds IS NULL OR kind IN (SELECT value FROM json_each(:kinds)))
    AND NOT EXISTS (SELECT 1 FROM job AS other WHERE other.grp = job.grp AND other.state = 'running')
ORDER BY job.id LIMIT :limit
"""  # noqa: S608 - constants only
_OVERDUE = f"""
SELECT EXISTS (SELECT 1 FROM job WHERE state = 'running' AND ready_at <= :now)
    OR EXISTS (SELECT 1 FROM job WHERE {_OPEN} AND later = 0 AND since > :now)
"""  # noqa: S608 - constants only
_REDATE = f"""
UPDATE job SET ready_at = ready_at - since + :now, since = :now WHERE {_OPEN} AND later = 0 AND since > :now
"""  # noqa: S608 - constants only
_EXPIRE = """
UPDATE job SET state = CASE WHEN attempts >= :most THEN 'parked' ELSE 'waiting' END,
    error = :error, since = :now, ready_at = :now, lease = ''
WHERE state = 'running' AND ready_at <= :now
"""


class SqliteJobQueue:
    """A `JobQueue` in a state database; several may use one file, in any number of threads and processes.

    A job is parked after `max_attempts` starts that failed or ended without an answer.
    """

    def __init__(self, database: StateDatabase, *, max_attempts: int = MAX_ATTEMPTS) -> None:
        if max_attempts < 1:
            raise ConfigError(f"max_attempts must be at least 1, not {max_attempts}.")
        self._database = database
        self._most = max_attempts
        self._listeners: list[Callable[[], None]] = []

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """See `JobQueue.transaction`; gives the connection, for other tables of the same database."""
        with self._database.transaction() as connection:
            yield connection

    def _tell(self) -> None:
        for listener in tuple(self._listeners):
            listener()

    # --- for those who cause jobs ----------------------------------------------------------------------

    def enqueue(
        self,
        kind: str,
        payload: Payload,
        *,
        group: str,
        now: dt.datetime,
        key: str | None = None,
        run_at: dt.datetime | None = None,
    ) -> int:
        """See `JobQueue.enqueue`."""
        moment = _stamp(now)
        ready = moment if run_at is None else max(moment, _stamp(run_at))
        values = (_name(kind), _written(payload), _name(group), None if key is None else _name(key))
        with self._database.transaction() as connection:
            stored = connection.execute(
                "INSERT INTO job (kind, payload, grp, key, later, enqueued_at, since, ready_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING RETURNING id",
                (*values, ready > moment, moment, moment, ready),
            ).fetchone()
            if stored is not None:
                self._database.after_commit(self._tell)
            else:
                stored = connection.execute("SELECT id FROM job WHERE key = ?", values[3:]).fetchone()
            return int(stored[0])

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """See `JobQueue.listen`."""
        self._listeners.append(listener)

        def end() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return end

    # --- for workers -----------------------------------------------------------------------------------

    def claim(
        self, limit: int, *, lease_seconds: float, now: dt.datetime, kinds: Collection[str] | None = None
    ) -> list[Job]:
        """See `JobQueue.claim`. Writes nothing when there is nothing to take."""
        moment = _stamp(now)
        asked = {"now": moment, "limit": max(limit, 0), "kinds": _listed(kinds)}
        with self._database.read() as connection:
            if (
                not connection.execute(_OVERDUE, asked).fetchone()[0]
                and not connection.execute(_CLAIMABLE, asked).fetchone()
            ):
                return []
        with self._database.transaction() as connection:
            connection.execute(_REDATE, asked)
            connection.execute(_EXPIRE, {**asked, "most": self._most, "error": LOST})
            found = [row[0] for row in connection.execute(_CLAIMABLE, asked).fetchall()]
            bounds = moment, moment + _microseconds(lease_seconds)
            lease = uuid.uuid4().hex
            connection.executemany(
                "UPDATE job SET state = 'running', later = 0, attempts = attempts + 1,"
                " since = ?, ready_at = ?, lease = ? WHERE id = ?",
                [(*bounds, lease, job_id) for job_id in found],
            )
            rows = connection.execute(
                f"SELECT {_COLUMNS}, lease FROM job WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",  # noqa: S608 - constants only
                (json.dumps(found),),
            )
            return [_job(row) for row in rows.fetchall()]

    def extend(self, jobs: Sequence[Job], *, lease_seconds: float, now: dt.datetime) -> set[int]:
        """See `JobQueue.extend`."""
        since = _stamp(now)
        until = since + _microseconds(lease_seconds)
        with self._database.transaction() as connection:
            return {
                job.id
                for job in jobs
                if self._change(connection, job, "since = ?, ready_at = ?", since, until)
            }

    def done(self, job: Job, *, now: dt.datetime) -> bool:
        """See `JobQueue.done`."""
        with self._database.transaction() as connection:
            change = "state = 'done', lease = '', error = '', since = ?"
            return self._change(connection, job, change, _stamp(now))

    def retry(self, job: Job, error: str, *, delay: float, now: dt.datetime) -> JobState | None:
        """See `JobQueue.retry`."""
        state: JobState = "parked" if job.attempts >= self._most else "waiting"
        since = _stamp(now)
        with self._database.transaction() as connection:
            change = "state = ?, lease = '', error = ?, since = ?, ready_at = ?"
            ready = since + _microseconds(delay)
            return state if self._change(connection, job, change, state, plain(error), since, ready) else None

    def park(self, job: Job, error: str, *, now: dt.datetime) -> bool:
        """See `JobQueue.park`."""
        with self._database.transaction() as connection:
            change = "state = 'parked', lease = '', error = ?, since = ?"
            return self._change(connection, job, change, plain(error), _stamp(now))

    def release(self, job: Job, *, now: dt.datetime) -> bool:
        """See `JobQueue.release`."""
        moment = _stamp(now)
        with self._database.transaction() as connection:
            change = "state = 'waiting', lease = '', attempts = attempts - 1, since = ?, ready_at = ?"
            self._database.after_commit(self._tell)
            return self._change(connection, job, change, moment, moment)

    def _change(self, connection: Connection, job: Job, change: str, *values: object) -> bool:
        """Change a claimed job, unless its lease was given to somebody else."""
        statement = f"UPDATE job SET {change} WHERE id = ? AND lease = ? AND state = 'running'"  # noqa: S608 - constants only
        return connection.execute(statement, (*values, job.id, job.lease)).rowcount == 1

    def hasten(self, job_id: int, *, now: dt.datetime) -> bool:
        """See `JobQueue.hasten`."""
        moment = _stamp(now)
        with self._database.transaction() as connection:
            changed = connection.execute(
                "UPDATE job SET later = 0, since = ?, ready_at = ?"
                " WHERE id = ? AND state = 'waiting' AND later = 1",
                (moment, moment, job_id),
            ).rowcount
            if changed:
                self._database.after_commit(self._tell)
            return changed == 1

    # --- for people ------------------------------------------------------------------------------------

    def revive(self, job_id: int, *, now: dt.datetime) -> bool:
        """See `JobQueue.revive`."""
        moment = _stamp(now)
        with self._database.transaction() as connection:
            changed = connection.execute(
                "UPDATE job SET state = 'waiting', attempts = 0, since = ?, ready_at = ?"
                " WHERE id = ? AND state = 'parked'",
                (moment, moment, job_id),
            ).rowcount
            if changed:
                self._database.after_commit(self._tell)
            return changed == 1

    def remove(self, job_ids: Collection[int]) -> int:
        """See `JobQueue.remove`."""
        with self._database.transaction() as connection:
            found = json.dumps(sorted(job_ids))
            query = "DELETE FROM job WHERE id IN (SELECT value FROM json_each(?))"
            return connection.execute(query, (found,)).rowcount

    def purge(self, *, before: dt.datetime) -> int:
        """See `JobQueue.purge`."""
        with self._database.transaction() as connection:
            query = "DELETE FROM job WHERE state = 'done' AND since < ?"
            return connection.execute(query, (_stamp(before),)).rowcount

    def counts(self, *, now: dt.datetime, kinds: Collection[str] | None = None) -> JobCounts:
        """See `JobQueue.counts`."""
        asked = {"now": _stamp(now), "kinds": _listed(kinds)}
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT state, count(*), sum(later = 1 AND ready_at > :now) FROM job"
                " WHERE :kinds IS NULL OR kind IN (SELECT value FROM json_each(:kinds)) GROUP BY state",
                asked,
            ).fetchall()
        later = sum(row[2] for row in rows if row[0] == "waiting")
        return JobCounts(**{row[0]: row[1] for row in rows}, later=later)

    def jobs(self, *, states: Collection[JobState] | None = None, limit: int = 100) -> list[Job]:
        """See `JobQueue.jobs`."""
        wanted = json.dumps(
            sorted(states if states is not None else ("waiting", "running", "parked", "done"))
        )
        query = (
            f"SELECT {_COLUMNS} FROM job WHERE state IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT ?"  # noqa: S608 - constants only
        )
        with self._database.read() as connection:
            return [_job(row) for row in connection.execute(query, (wanted, limit)).fetchall()]

    def get(self, job_id: int) -> Job | None:
        """See `JobQueue.get`."""
        with self._database.read() as connection:
            query = f"SELECT {_COLUMNS} FROM job WHERE id = ?"  # noqa: S608 - constants only
            row = connection.execute(query, (job_id,)).fetchone()
        return None if row is None else _job(row)


def _job(row: tuple[Any, ...]) -> Job:
    job_id, kind, payload, group, key, state, attempts, error, enqueued, ready, *lease = row
    moments = (_EPOCH + enqueued * _MICROSECOND, _EPOCH + ready * _MICROSECOND)
    return Job(job_id, kind, json.loads(payload), group, key, state, attempts, error, *moments, *lease)


def _stamp(moment: dt.datetime) -> int:
    if moment.tzinfo is None:
        raise ConfigError(f"A moment needs a timezone; {moment.isoformat()} has none.")
    return (moment - _EPOCH) // _MICROSECOND


def _microseconds(seconds: float) -> int:
    return round(max(seconds, 0.0) * 1e6)


def _listed(kinds: Collection[str] | None) -> str | None:
    return None if kinds is None else json.dumps(sorted(kinds))


def _name(text: str) -> str:
    if plain(text) != text:  # else two names could become one
        raise ConfigError(f"The name {text!r} of a job's kind, group or key is no valid Unicode.")
    return text


def _written(payload: Payload) -> str:
    try:
        text = json.dumps(dict(payload), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"The payload of a job must be a JSON object: {error}.") from error
    return text
