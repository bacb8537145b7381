"""Records by the words of their texts: BM25 over stemmed words, each text by its own language.

Words are kept from the first search by words on; those of records written since are added by the next.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import numpy as np

from ..text.analysis import LANGUAGES, detect_language, document_words, query_terms
from . import spaces, table
from .fields import texts_of

if TYPE_CHECKING:
    from ..adapters.sqlite.driver import Connection
    from ..types import FloatArray
    from .matrix import Ids

SPACE: Final = "words"
"""What stands in the place of an embedder for records whose words are to be kept."""

_HALF: Final = 5.0
_AT_ONCE: Final = 1_000


def catch_up(connection: Connection, space: int, paths: tuple[str, ...]) -> None:
    """Add the words of records that have none yet; within a transaction."""
    while waiting := spaces.uncovered(connection, space, _AT_ONCE):
        for record, row in table.by_ids(connection, waiting).items():
            index = row.index
            chosen = () if index is False else paths if index is None else tuple(index)
            texts = texts_of(json.loads(row.value), chosen)
            body = " ".join(document_words(text, detect_language(text)) for text in texts)
            if body.strip():
                connection.execute("INSERT INTO words (rowid, body) VALUES (?, ?)", (record, body))
        connection.executemany(
            "DELETE FROM uncovered WHERE space = ? AND record = ?", [(space, record) for record in waiting]
        )


def find(connection: Connection, question: str) -> tuple[Ids, FloatArray]:
    """(records that hold a word of the question, scores in [0, 1)) of all roots.

    The score is BM25 b as b / (b + 5). Any question is meant literally. Words that mean nothing, such as
    "the", are looked for only where there is nothing else.
    """
    terms = query_terms(question, LANGUAGES)
    telling = [term for term in terms if not term.stop] or terms
    forms = dict.fromkeys(form for term in telling for form in term.variants if form)
    if not forms:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    asked = " OR ".join('"' + form.replace('"', '""') + '"' for form in forms)
    rows = connection.execute(
        "SELECT rowid, -bm25(words) FROM words WHERE words MATCH ?", (asked,)
    ).fetchall()
    ids = np.array([row[0] for row in rows], dtype=np.int64)
    scores = np.maximum(np.array([row[1] for row in rows], dtype=np.float32), 0)
    return ids, scores / (scores + np.float32(_HALF))
