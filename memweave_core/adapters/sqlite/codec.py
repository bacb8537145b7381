"""How pages, stamps and hashes lie in the columns of the database."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from typing import Any

from ...types import Chunk, ChunkRow, FileStamp, IndexedFile, KnownFile, PageMeta
from .schema import CHUNK_BITS

META_COLUMNS = "path, source, tier, date, owner, title, evergreen, external, extra"
FILE_COLUMNS = f"id, size, mtime_ns, inode, hash, chunks, {META_COLUMNS}"
KNOWN_COLUMNS = "path, size, mtime_ns, inode, hash, external"

_EXTRA = ("tags", "aliases", "pinned", "superseded_by", "metadata")
_LARGEST = 2**63 - 1


def plain(text: str) -> str:
    """The text with lone surrogates, which no encoding can hold, turned into "?"."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def storable(text: str) -> bool:
    """Whether SQLite can hold the text as it is."""
    return plain(text) is text


def encode_meta(meta: PageMeta) -> tuple[Any, ...]:
    """Values for `META_COLUMNS`."""
    return (
        meta.path,
        plain(meta.source),
        meta.tier,
        _iso(meta.date),
        meta.owner,
        plain(meta.title),
        meta.evergreen,
        meta.external,
        _encode_extra(meta),
    )


def decode_meta(row: Sequence[Any]) -> PageMeta:
    """The page behind values of `META_COLUMNS`. Dates within `metadata` come back as ISO strings."""
    path, source, tier, date, owner, title, evergreen, external, extra = row
    day = dt.date.fromisoformat(date) if date else None
    rarer = _decode_extra(extra) if extra else {}
    return PageMeta(path, source, tier, day, bool(evergreen), owner, title, external=bool(external), **rarer)


def _decode_extra(extra: str) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(extra)
    for name in ("tags", "aliases"):
        if name in fields:
            fields[name] = tuple(fields[name])
    if "expires_at" in fields:
        fields["expires_at"] = dt.date.fromisoformat(fields["expires_at"])
    return fields


def _iso(date: dt.date | None) -> str | None:
    return date.isoformat() if date is not None else None


def _encode_extra(meta: PageMeta) -> str | None:
    """JSON of the rarer fields that are set; None, the usual case, when none is."""
    extra: dict[str, Any] = {name: value for name in _EXTRA if (value := getattr(meta, name))}
    if "metadata" in extra:
        extra["metadata"] = {str(key): value for key, value in extra["metadata"].items()}
    if meta.expires_at is not None:
        extra["expires_at"] = meta.expires_at.isoformat()
    return json.dumps(extra, default=str) if extra else None


def encode_stamp(stamp: FileStamp) -> tuple[int, int, int | str]:
    """Size, mtime_ns, inode. Some file systems have inode numbers beyond 63 bits: those are text."""
    return stamp.size, stamp.mtime_ns, stamp.inode if stamp.inode <= _LARGEST else str(stamp.inode)


def decode_listed(row: Sequence[Any]) -> tuple[str, IndexedFile]:
    """Path and file behind values of `FILE_COLUMNS`."""
    file_id, size, mtime_ns, inode, content_hash, chunks, *columns = row
    meta = decode_meta(columns)
    stamp = FileStamp(size, mtime_ns, int(inode))
    return meta.path, IndexedFile(file_id, meta, stamp, content_hash, chunks)


def decode_known(row: Sequence[Any]) -> tuple[str, KnownFile]:
    """Path and the rest of values of `KNOWN_COLUMNS`."""
    path, size, mtime_ns, inode, content_hash, external = row
    return path, KnownFile(FileStamp(size, mtime_ns, int(inode)), content_hash, bool(external))


def decode_chunk(row: Sequence[Any], ordinal: int, meta: PageMeta, language: str) -> ChunkRow:
    """A chunk behind (id, start_line, end_line, tokens, heading, text)."""
    chunk_id, start_line, end_line, tokens, heading, text = row
    chunk = Chunk(ordinal, start_line, end_line, text, heading, tokens)
    return ChunkRow(id=chunk_id, file_id=chunk_id >> CHUNK_BITS, chunk=chunk, meta=meta, language=language)
