"""The tables of the index database, and how to tell that a file is one.

Text lies apart from the narrow `chunk` rows, so that scans over chunks read little. Vectors are stored once
per (space, hash) and are joined to chunks by the hash of what was embedded: a renamed or moved file finds its
vectors again. File and vector ids only grow (AUTOINCREMENT) and a chunk id is ``file id << CHUNK_BITS |
ordinal``; so a (chunk, vector) pair is newer than a snapshot exactly when one of its ids is above the highest
in it.
"""

from __future__ import annotations

import string
import uuid
from typing import TYPE_CHECKING

from ...text.analysis import ANALYZER_VERSION

if TYPE_CHECKING:
    from .driver import Connection

APPLICATION_ID = 0x4D575643
"""Written into the header of every database of ours ("MWVC")."""

VERSION = 4
"""Raised whenever the tables change: an index of another version is deleted and built anew."""

PAGE_SIZE = 16384
"""Holds seven vectors of 512 dimensions a page; 4096 would hold one and waste half of the space."""

CHUNK_BITS = 20
"""The low bits of a chunk id, which hold its ordinal; those above are the file id."""

MAX_CHUNKS = 1 << CHUNK_BITS

_TABLES = """
CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    uuid TEXT NOT NULL,
    generation INTEGER NOT NULL,
    analyzer INTEGER NOT NULL,
    profile TEXT NOT NULL DEFAULT ''
);
CREATE TABLE file (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL UNIQUE,
    source TEXT NOT NULL,
    tier TEXT NOT NULL,
    date TEXT,
    owner TEXT,
    title TEXT NOT NULL,
    evergreen INTEGER NOT NULL,
    external INTEGER NOT NULL,
    extra TEXT,
    language TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    inode BLOB NOT NULL,
    hash TEXT NOT NULL,
    chunks INTEGER NOT NULL,
    terms INTEGER NOT NULL,
    revision INTEGER NOT NULL
);
CREATE INDEX file_revision ON file (revision);
CREATE TABLE chunk (
    id INTEGER PRIMARY KEY,
    embed_hash BLOB NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    terms INTEGER NOT NULL
);
CREATE INDEX chunk_hash ON chunk (embed_hash);
CREATE TABLE passage (
    id INTEGER PRIMARY KEY,
    heading TEXT NOT NULL,
    text TEXT NOT NULL,
    embed_prefix TEXT,
    embed_text TEXT,
    repeats TEXT NOT NULL
);
CREATE TABLE space (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    identity TEXT NOT NULL UNIQUE,
    dims INTEGER,
    complete_to INTEGER NOT NULL DEFAULT 0,
    sidecar TEXT,
    used INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE vector (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    space_id INTEGER NOT NULL,
    hash BLOB NOT NULL,
    v BLOB
);
CREATE UNIQUE INDEX vector_hash ON vector (hash, space_id);
CREATE INDEX vector_blank ON vector (space_id) WHERE v IS NULL;
CREATE TABLE unused (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    vector_id INTEGER NOT NULL UNIQUE
);
"""

# The analysis in Python has done all the splitting there is: only white space separates tokens here. Of the
# words of a chunk, each once, FTS5 keeps posting lists alone: no positions (detail=none) and no text. How
# often a word is repeated, which BM25 needs, stands in `passage.repeats`.
_TOKENIZER = "ascii tokenchars '{}'".format(string.punctuation.replace("'", "''")).replace('"', '""')
_WITHOUT_TEXT = "content='', contentless_delete=1"
_WITH_TEXT = "columnsize=0"

_TEXTLESS_SINCE = (3, 43)
"""The first SQLite that can delete from a word index without text; an older one keeps the text."""

# With eight segments a level instead of four, a first fill takes a third less time in FTS5.
_SEARCH_SETTINGS = (
    "INSERT INTO chunk_fts (chunk_fts, rank) VALUES ('automerge', 8)",
    "INSERT INTO chunk_fts (chunk_fts, rank) VALUES ('hashsize', 4194304)",
)

TABLES = frozenset(
    {"state", "file", "chunk", "passage", "space", "vector", "unused", "chunk_fts", "chunk_terms"}
)


def create(connection: Connection) -> None:
    """Lay all tables into an empty database, in one transaction, and switch it to WAL."""
    connection.execute(f"PRAGMA page_size={PAGE_SIZE}")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in _TABLES.split(";"):
            connection.execute(statement)
        create_search_tables(connection)
        connection.execute(
            "INSERT INTO state (id, uuid, generation, analyzer) VALUES (1, ?, 1, ?)",
            (uuid.uuid4().hex, ANALYZER_VERSION),
        )
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version={VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def create_search_tables(connection: Connection) -> None:
    """Make the empty word index."""
    kind = _WITHOUT_TEXT if _can_be_textless(connection) else _WITH_TEXT
    connection.execute(
        f'CREATE VIRTUAL TABLE chunk_fts USING fts5(words, detail=none, {kind}, tokenize="{_TOKENIZER}")'
    )
    connection.execute("CREATE VIRTUAL TABLE chunk_terms USING fts5vocab(chunk_fts, row)")
    for statement in _SEARCH_SETTINGS:
        connection.execute(statement)


def is_readable(connection: Connection) -> bool:
    """False when a newer SQLite library made the word index in a way that this one does not know."""
    if _can_be_textless(connection):
        return True
    made = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'chunk_fts'").fetchone()
    return made is None or _WITHOUT_TEXT not in made[0]


def _can_be_textless(connection: Connection) -> bool:
    version: str = connection.execute("SELECT sqlite_version()").fetchone()[0]
    return tuple(map(int, version.split(".")[:2])) >= _TEXTLESS_SINCE


def forget_files(connection: Connection) -> None:
    """Delete every file and chunk; vectors stay, as unused ones, and no id is ever given out again."""
    for table in ("file", "chunk", "passage"):
        connection.execute(f"DELETE FROM {table}")  # noqa: S608 - the names are the constants above
    # Emptying FTS5 row by row would take minutes at a million rows.
    connection.execute("DROP TABLE chunk_terms")
    connection.execute("DROP TABLE chunk_fts")
    create_search_tables(connection)
    connection.execute("INSERT OR IGNORE INTO unused (vector_id) SELECT id FROM vector ORDER BY id")
