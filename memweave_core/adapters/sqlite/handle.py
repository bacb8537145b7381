"""A connection that is closed once, by whoever comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .driver import Connection


class Handle:
    """A connection and the opening of the file (`epoch`) it belongs to; closed with its last reference.

    A reader thread that ends and a database that closes may both want to close it, and SQLite does not
    survive two threads in one close: the list hands the connection to the first of them only.
    """

    __slots__ = ("__weakref__", "_to_close", "connection", "epoch")

    def __init__(self, connection: Connection, epoch: int) -> None:
        self.connection = connection
        self.epoch = epoch
        self._to_close = [connection]

    def close(self) -> None:
        try:
            connection = self._to_close.pop()
        except IndexError:
            return
        connection.close()

    def __del__(self) -> None:
        self.close()
