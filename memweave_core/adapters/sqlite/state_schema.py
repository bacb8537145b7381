"""The tables of the state database, as numbered migrations: each brings the one before it one step on."""

from __future__ import annotations

APPLICATION_ID = 0x4D575354
"""Written into the header of every state database ("MWST")."""

_JOBS = """
CREATE TABLE job (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    grp TEXT NOT NULL,
    key TEXT UNIQUE,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'parked', 'done')),
    later INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT NOT NULL DEFAULT '',
    enqueued_at INTEGER NOT NULL,
    since INTEGER NOT NULL,
    ready_at INTEGER NOT NULL,
    lease TEXT NOT NULL DEFAULT ''
);
CREATE INDEX job_open ON job (grp, id) WHERE state IN ('waiting', 'running');
CREATE INDEX job_since ON job (since) WHERE state IN ('waiting', 'running') AND later = 0;
CREATE INDEX job_running ON job (grp) WHERE state = 'running';
CREATE INDEX job_parked ON job (id) WHERE state = 'parked';
CREATE INDEX job_done ON job (since) WHERE state = 'done';
"""

_SHOWN = """
CREATE TABLE shown (
    conversation TEXT NOT NULL,
    fact TEXT NOT NULL,
    PRIMARY KEY (conversation, fact)
) WITHOUT ROWID;
"""

MIGRATIONS: tuple[str, ...] = (_JOBS, _SHOWN)
"""Never change one that was released: add another. ``PRAGMA user_version`` says how many were run."""
