"""Which facts were put into which conversation: what comes back from there is no news.

Only ids are kept. Losing them costs no memory: a fact that a tool repeats may then be counted as seen again.
"""

from __future__ import annotations

from collections.abc import Collection

from .state import StateDatabase


class ShownFacts:
    """The ids of the facts that a conversation was shown. Methods block."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def note(self, conversation: str, fact_ids: Collection[str]) -> None:
        """Remember that these facts were shown."""
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO shown (conversation, fact) VALUES (?, ?)",
                [(conversation, fact_id) for fact_id in fact_ids],
            )

    def of(self, conversation: str) -> frozenset[str]:
        """The ids of the facts that were shown in a conversation."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT fact FROM shown WHERE conversation = ?", (conversation,))
            return frozenset(row[0] for row in rows)

    def forget(self, conversation: str) -> None:
        """Drop what is known of a conversation, when it is cleared."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM shown WHERE conversation = ?", (conversation,))
