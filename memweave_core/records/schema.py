"""The tables of the records, all derived from the pages, and how their database is kept."""

from __future__ import annotations

from typing import Final

from ..adapters.sqlite.state import DatabaseKind

FILE_NAME: Final = "records.sqlite"

KIND: Final = DatabaseKind(
    application_id=0x4D575243,  # "MWRC"
    noun="database of records",
    loss="it is filled again from the pages",
    durable=False,
    check=False,
)

_TABLES = """
CREATE TABLE root (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    filled INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE record (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root INTEGER NOT NULL,
    folder TEXT NOT NULL,
    key TEXT NOT NULL,
    file TEXT NOT NULL,
    namespace TEXT,
    value TEXT NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    expires INTEGER,
    ttl REAL,
    paths TEXT,
    provenance TEXT,
    others INTEGER NOT NULL,
    size INTEGER NOT NULL,
    mtime INTEGER NOT NULL,
    inode INTEGER NOT NULL
);
CREATE UNIQUE INDEX record_name ON record (root, folder, key);
CREATE UNIQUE INDEX record_file ON record (root, file);
CREATE INDEX record_recent ON record (root, updated DESC, key, folder);
CREATE INDEX record_expiry ON record (root, expires) WHERE expires IS NOT NULL;
CREATE TABLE space (
    id INTEGER PRIMARY KEY,
    root INTEGER NOT NULL,
    identity TEXT NOT NULL,
    paths TEXT NOT NULL,
    UNIQUE (root, identity, paths)
);
CREATE TABLE vector (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    space INTEGER NOT NULL,
    record INTEGER NOT NULL,
    hash BLOB NOT NULL,
    v BLOB NOT NULL
);
CREATE INDEX vector_space ON vector (space);
CREATE INDEX vector_record ON vector (record);
CREATE INDEX vector_hash ON vector (hash);
CREATE TABLE uncovered (
    space INTEGER NOT NULL,
    record INTEGER NOT NULL,
    PRIMARY KEY (space, record)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (body, tokenize = "unicode61 remove_diacritics 2");
"""

MIGRATIONS: Final[tuple[str, ...]] = (_TABLES,)
"""A row keeps its id while it says the same: what changes gets a new one, so old vectors find no row.

`folder` is that of `places.folder_of`; `namespace` is set where names were shortened; times are microseconds
since 1970; `paths` is the `index` of the put as JSON; `others` is that of `table.Row`.
`uncovered` are records whose vectors in a space are still to be made.
"""
