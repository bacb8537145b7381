"""The index as one SQLite file: words in FTS5, vectors in a table, both searched exactly."""

from .database import IndexDamagedError
from .driver import Driver, choose
from .index import SqliteIndex

__all__ = ["Driver", "IndexDamagedError", "SqliteIndex", "choose"]
