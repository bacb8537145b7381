"""Writes pages into the index and reads them back: the file, chunk and passage rows and the word index."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..._errors import NameRefusedError, StorageError
from ...text.analysis import detect_language, document_counts
from ...text.page_names import name_tokens
from ...types import ChunkRow, FileStamp, IndexedChunk, IndexedFile, KnownFile, Page
from .codec import (
    FILE_COLUMNS,
    KNOWN_COLUMNS,
    META_COLUMNS,
    decode_chunk,
    decode_known,
    decode_listed,
    decode_meta,
    encode_meta,
    encode_stamp,
    plain,
    storable,
)
from .schema import CHUNK_BITS, MAX_CHUNKS

if TYPE_CHECKING:
    from .driver import Connection

Item = TypeVar("Item")

_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]")


def storable_words(words: str) -> str:
    """Tokens, one space between, as the word index takes them: no control character within."""
    if not words.isprintable():  # rare, and much quicker to ask than to search for
        words = _CONTROL.sub("", words)
    return plain(words)


@dataclass(frozen=True)
class PreparedPage:
    """A page with all rows but their ids, made before the write lock is taken.

    Per chunk: `words` has every distinct one once, `repeats` a word once more for every time it comes again.
    """

    page: Page
    language: str
    chunks: Sequence[IndexedChunk]
    hashes: Sequence[bytes]
    words: Sequence[str]
    repeats: Sequence[str]
    lengths: Sequence[int]


def prepare(page: Page, chunks: Sequence[IndexedChunk]) -> PreparedPage:
    """Analyse a page. Raises `NameRefusedError` for a path that no database text can hold."""
    meta = page.meta
    if not storable(meta.path) or not storable(meta.owner or ""):
        raise NameRefusedError(f"The path {meta.path!r} is not valid Unicode; rename the file to index it.")
    if any(not 0 <= chunk.chunk.ordinal < MAX_CHUNKS for chunk in chunks):
        raise StorageError(f"{meta.path} has more than {MAX_CHUNKS} chunks; split the file.")
    language = detect_language(page.text)
    words: list[str] = []
    repeats: list[str] = []
    lengths: list[int] = []
    for chunk in chunks:
        counts = document_counts(f"{chunk.chunk.text} {chunk.context}", language)
        distinct = " ".join(counts)
        if not distinct.isprintable():  # rare: something in it may not be storable
            counts = Counter(storable_words(" ".join(counts.elements())).split())
            distinct = " ".join(counts)
        words.append(distinct)
        again = [(word, n) for word, n in counts.items() if n > 1]
        repeats.append(" ".join([word if n == 2 else " ".join([word] * (n - 1)) for word, n in again]))
        lengths.append(sum(counts.values()))
    if words:
        names = map(storable_words, name_tokens((meta.title, *meta.aliases), language))
        words[0] = " ".join(filter(None, (words[0], *names)))
    hashes = [bytes.fromhex(chunk.embed_hash) for chunk in chunks]
    return PreparedPage(page, language, chunks, hashes, words, repeats, lengths)


def insert(connection: Connection, ready: PreparedPage) -> int:
    """Write a prepared page and return its new file id; the old rows of its path must be gone."""
    page = ready.page
    values = (
        *encode_meta(page.meta),
        *encode_stamp(page.stamp),
        page.content_hash,
        len(ready.chunks),
        sum(ready.lengths),
        ready.language,
    )
    # Two statements on purpose: INSERT … SELECT opens a savepoint, at which FTS5 writes out what it has
    # gathered, and a batch of files would cost as much as so many transactions.
    revision = connection.execute("SELECT generation + 1 FROM state").fetchone()[0]
    cursor = connection.execute(
        f"INSERT INTO file ({META_COLUMNS}, size, mtime_ns, inode, hash, chunks, terms, language, revision)"  # noqa: S608 - constant column names
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*values, revision),
    )
    file_id = int(cursor.lastrowid or 0)
    base = file_id << CHUNK_BITS
    ids = [base | item.chunk.ordinal for item in ready.chunks]
    pieces = [item.chunk for item in ready.chunks]
    connection.executemany(
        "INSERT INTO chunk (id, embed_hash, start_line, end_line, tokens, terms) VALUES (?, ?, ?, ?, ?, ?)",
        [
            (chunk_id, embed_hash, piece.start_line, piece.end_line, piece.tokens, length)
            for chunk_id, embed_hash, piece, length in zip(
                ids, ready.hashes, pieces, ready.lengths, strict=True
            )
        ],
    )
    connection.executemany(
        "INSERT INTO passage (id, heading, text, embed_prefix, embed_text, repeats)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        [
            (chunk_id, plain(item.chunk.heading), plain(item.chunk.text), *_embed_parts(item), again)
            for chunk_id, item, again in zip(ids, ready.chunks, ready.repeats, strict=True)
        ],
    )
    connection.executemany(
        "INSERT INTO chunk_fts (rowid, words) VALUES (?, ?)", list(zip(ids, ready.words, strict=True))
    )
    return file_id


def _embed_parts(item: IndexedChunk) -> tuple[str | None, str | None]:
    """What must be kept besides the chunk's text to have the embedder's text again: its beginning, or all."""
    embed_text, text = plain(item.embed_text), plain(item.chunk.text)
    if embed_text.endswith(text):
        return embed_text[: len(embed_text) - len(text)], None
    return None, embed_text


def embed_text(text: str, prefix: str | None, whole: str | None) -> str:
    """The text of a chunk as the embedder is given it, from what `passage` keeps of it."""
    return whole if whole is not None else f"{prefix}{text}"


def delete(connection: Connection, path: str) -> set[bytes] | None:
    """Delete every row of a path; the embed hashes its chunks had, or None when it was not indexed."""
    found = connection.execute("SELECT id FROM file WHERE path = ?", (path,)).fetchone()
    if found is None:
        return None
    span = (found[0] << CHUNK_BITS, (found[0] + 1) << CHUNK_BITS)
    hashes = {
        row[0] for row in connection.execute("SELECT embed_hash FROM chunk WHERE id >= ? AND id < ?", span)
    }
    connection.execute("DELETE FROM chunk_fts WHERE rowid >= ? AND rowid < ?", span)
    connection.execute("DELETE FROM passage WHERE id >= ? AND id < ?", span)
    connection.execute("DELETE FROM chunk WHERE id >= ? AND id < ?", span)
    connection.execute("DELETE FROM file WHERE id = ?", (found[0],))
    return hashes


def touch(connection: Connection, path: str, stamp: FileStamp) -> None:
    """Note a new stamp; nothing happens when the path is not indexed."""
    connection.execute(
        "UPDATE file SET size = ?, mtime_ns = ?, inode = ?,"
        " revision = (SELECT generation + 1 FROM state) WHERE path = ?",
        (*encode_stamp(stamp), path),
    )


def chunk_ids(connection: Connection, path: str) -> list[int]:
    """Ids of the chunks of one file, in order."""
    found = connection.execute("SELECT id FROM file WHERE path = ?", (path,)).fetchone()
    if found is None:
        return []
    span = (found[0] << CHUNK_BITS, (found[0] + 1) << CHUNK_BITS)
    rows = connection.execute("SELECT id FROM chunk WHERE id >= ? AND id < ? ORDER BY id", span)
    return [row[0] for row in rows]


def chunk_rows(connection: Connection, ids: Iterable[int]) -> dict[int, ChunkRow]:
    """The chunks with their pages; ids that are gone are left out."""
    wanted = list(dict.fromkeys(int(chunk_id) for chunk_id in ids))
    files = json.dumps(list({chunk_id >> CHUNK_BITS for chunk_id in wanted}))
    metas = {
        row[0]: (decode_meta(row[2:]), row[1])
        for row in connection.execute(
            f"SELECT id, language, {META_COLUMNS} FROM file WHERE id IN (SELECT value FROM json_each(?))",  # noqa: S608 - constant column names
            (files,),
        )
    }
    found = connection.execute(
        "SELECT c.id, c.start_line, c.end_line, c.tokens, p.heading, p.text FROM json_each(?) AS j"
        " CROSS JOIN chunk AS c ON c.id = j.value JOIN passage AS p ON p.id = c.id",
        (json.dumps(wanted),),
    )
    return {
        row[0]: decode_chunk(row, row[0] & (MAX_CHUNKS - 1), *metas[row[0] >> CHUNK_BITS]) for row in found
    }


class Mirror(Generic[Item]):
    """Something of every file, by path: after a change only the rows that changed are read again.

    `decode` makes (path, item) of a row of `columns`. A mapping once given out never changes.
    """

    def __init__(self, columns: str, decode: Callable[[Sequence[Any]], tuple[str, Item]]) -> None:
        self._columns = columns
        self._decode = decode
        self._lock = threading.Lock()
        self._state: tuple[str, int] = ("", -1)
        self._items: dict[str, Item] = {}

    def of(self, connection: Connection) -> Mapping[str, Item]:
        """All files in path order, as the connection's transaction sees them."""
        state: tuple[str, int] = connection.execute("SELECT uuid, generation FROM state").fetchone()
        with self._lock:
            if self._state != state:
                sequel = self._state[0] == state[0] and self._state[1] < state[1]
                known, since = (self._items, self._state[1]) if sequel else ({}, -1)
                self._items = self._updated(connection, known, since)
                self._state = state
            return self._items

    def _updated(self, connection: Connection, known: dict[str, Item], since: int) -> dict[str, Item]:
        rows = connection.execute(f"SELECT {self._columns} FROM file WHERE revision > ?", (since,))  # noqa: S608 - constant column names
        items = known | dict(map(self._decode, rows))
        # What is held now is all that is there, and perhaps some that went.
        if len(items) != connection.execute("SELECT count(*) FROM file").fetchone()[0]:
            living = {row[0] for row in connection.execute("SELECT path FROM file")}
            items = {path: item for path, item in items.items() if path in living}
        if items.keys() == known.keys():
            return items  # `|` has kept the order
        return dict(sorted(items.items(), key=itemgetter(0)))


def file_list() -> Mirror[IndexedFile]:
    """A mirror of whole files."""
    return Mirror(FILE_COLUMNS, decode_listed)


def known_list() -> Mirror[KnownFile]:
    """A mirror of the little that a stat scan compares with: a fifth of the time of whole files."""
    return Mirror(KNOWN_COLUMNS, decode_known)
