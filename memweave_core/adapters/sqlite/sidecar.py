"""The sidecar: all vectors of a space as one matrix in a file that is mapped into memory.

A pure cache beside the database. It is valid only while the database names its token: the token is committed
after every vector in it, so whatever a power failure takes from the database takes the sidecar too. A file
that is missing, cut short or altered is ignored and made again.

The checksum covers header and ids: one over the matrix would read all of it at every opening. So a sample of
its rows is measured instead, each of which must have length 1, and all of them when integrity is checked.

Reading a mapped page that is no longer in the file ends a process (SIGBUS), so `Sidecar.intact` is asked
before each use. Another program that cuts the file short within the milliseconds of one question is not
caught; this library itself never writes to a sidecar that is in place.
"""

from __future__ import annotations

import contextlib
import glob
import mmap
import struct
import time
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ...types import FloatArray
    from .snapshot import Ids

_HEADER = struct.Struct("<8s32sQQQQI")
_MAGIC = b"MWVECS01"
_ALIGN = 64
_STALE_SECONDS = 3600
_SAMPLE = 256
_NORM_TOLERANCE = 1e-3
_BLOCK = 1_024


@dataclass(frozen=True)
class Sidecar:
    """What a sidecar holds: unit vectors by chunk, and the highest ids it has taken notice of."""

    chunk_ids: Ids
    matrix: FloatArray
    max_chunk: int
    max_vector: int
    mapped: mmap.mmap

    @property
    def intact(self) -> bool:
        """Whether the mapped file is still as long as it was.

        Asked of the open file itself: one that was deleted, or replaced by another, stays readable.
        """
        try:
            return self.mapped.size() >= len(self.mapped)
        except (OSError, ValueError):
            return False

    @property
    def sound(self) -> bool:
        """Whether every row has length 1. Reads all of the matrix."""
        count = len(self.matrix)
        return all(_unit(self.matrix[start : start + _BLOCK]) for start in range(0, count, _BLOCK))


def _unit(rows: FloatArray) -> bool:
    """Whether all rows are finite and of length 1, as they were written."""
    with np.errstate(all="ignore"):  # damaged rows may hold anything
        norms = np.linalg.norm(rows.astype(np.float64), axis=1)
        return bool((np.abs(norms - 1) <= _NORM_TOLERANCE).all())


def sidecar_path(database: Path, token: str) -> Path:
    """Where the sidecar of that token lies."""
    return database.with_name(f"{database.name}-vectors-{token}.bin")


def _offsets(count: int, dims: int) -> tuple[int, int, int]:
    """Where ids and matrix begin and where the file ends."""
    ids = -(-_HEADER.size // _ALIGN) * _ALIGN
    matrix = -(-(ids + 8 * count) // _ALIGN) * _ALIGN
    return ids, matrix, matrix + 4 * count * dims


def write(
    database: Path, token: str, ids: Ids, dims: int, blocks: Iterable[FloatArray], highest: tuple[int, int]
) -> Path:
    """Write a sidecar; `blocks` are the rows of the matrix in order. Raises `OSError` when it cannot.

    Nothing finds the file before the token is written into the database.
    """
    target = sidecar_path(database, token)
    temporary = target.with_suffix(".tmp")
    begin_ids, begin_matrix, end = _offsets(len(ids), dims)
    packed = ids.astype("<i8").tobytes()
    head = (_MAGIC, token.encode(), len(ids), dims, *highest)
    checksum = zlib.crc32(packed, zlib.crc32(_HEADER.pack(*head, 0)))
    try:
        with temporary.open("wb") as file:
            file.write(_HEADER.pack(*head, checksum).ljust(begin_ids, b"\0"))
            file.write(packed.ljust(begin_matrix - begin_ids, b"\0"))
            for block in blocks:
                file.write(np.ascontiguousarray(block, dtype="<f4").data)
            if file.tell() != end:
                raise OSError(f"{temporary} came out with {file.tell()} bytes instead of {end}")
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    return target


def read(database: Path, token: str, dims: int) -> Sidecar | None:
    """The sidecar of that token, mapped; None when it is not there, not whole or not sound in a sample."""
    try:
        with sidecar_path(database, token).open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):
        return None
    if len(mapped) < _HEADER.size:
        return None
    magic, name, count, stored_dims, max_chunk, max_vector, checksum = _HEADER.unpack_from(mapped)
    begin_ids, begin_matrix, end = _offsets(count, stored_dims)
    if (magic, name, stored_dims, len(mapped)) != (_MAGIC, token.encode(), dims, end):
        return None
    packed = mapped[begin_ids : begin_ids + 8 * count]
    head = _HEADER.pack(magic, name, count, stored_dims, max_chunk, max_vector, 0)
    if zlib.crc32(packed, zlib.crc32(head)) != checksum:
        return None
    matrix = np.frombuffer(mapped, dtype="<f4", count=count * dims, offset=begin_matrix).reshape(count, dims)
    if count and not _unit(matrix[np.linspace(0, count - 1, min(count, _SAMPLE), dtype=np.int64)]):
        return None
    ids = np.frombuffer(packed, dtype="<i8").astype(np.int64)
    return Sidecar(ids, matrix, max_chunk, max_vector, mapped)


def remove_others(database: Path, tokens: Iterable[str]) -> None:
    """Delete the sidecars of this database that no token names, and long abandoned temporary files.

    One that is still mapped cannot be deleted on Windows; the next call will.
    """
    kept = {sidecar_path(database, token).name for token in tokens}
    for entry in database.parent.glob(f"{glob.escape(database.name)}-vectors-*"):
        with contextlib.suppress(OSError):
            abandoned = entry.suffix == ".tmp" and time.time() - entry.stat().st_mtime > _STALE_SECONDS
            if abandoned or (entry.suffix == ".bin" and entry.name not in kept):
                entry.unlink()
