"""Records by the words of their texts: stemmed words, each text by its own language.

Words are kept from the first search by words on; those of records written since are added by the next.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Final

import numpy as np

from ..text.analysis import detect_language, document_words, query_terms
from ..text.stopwords import LANGUAGES
from . import spaces, table
from .fields import texts_of

if TYPE_CHECKING:
    from ..adapters.sqlite.driver import Connection
    from ..types import FloatArray
    from .matrix import Ids

SPACE: Final = "words"
"""What stands in the place of an embedder for records whose words are to be kept."""

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
    """(records that hold a word of the question, scores in (0, 1]) of all roots.

    The score is the share of the question that a record holds, each word weighing as much as it is rare:
    log(1 + (N - n + 0.5) / (n + 0.5)) when n of N records have it. Any question is meant literally. Words
    that mean nothing, such as "the", count only where there is nothing else.
    """
    terms = query_terms(question, LANGUAGES)
    telling = [term for term in terms if not term.stop] or terms
    number = int(connection.execute("SELECT count(*) FROM words_docsize").fetchone()[0])
    holders: list[Ids] = []
    weights: list[float] = []
    for term in telling:
        forms = dict.fromkeys(form.replace('"', '""') for form in term.variants if form)
        if not forms:
            continue
        asked = " OR ".join(f'"{form}"' for form in forms)
        rows = connection.execute("SELECT rowid FROM words WHERE words MATCH ?", (asked,)).fetchall()
        holders.append(np.array([row[0] for row in rows], dtype=np.int64))
        weights.append(term.weight * math.log1p((number - len(rows) + 0.5) / (len(rows) + 0.5)))
    if not weights:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    ids, places = np.unique(np.concatenate(holders), return_inverse=True)
    each = np.repeat(weights, [len(found) for found in holders])
    scores = np.bincount(places, weights=each, minlength=len(ids)) / sum(weights)
    return ids, scores.astype(np.float32)
