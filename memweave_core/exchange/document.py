"""Bytes of an export to JSON values: encodings, lines, and zip archives read in memory."""

from __future__ import annotations

import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .._errors import ImportFormatError
from ..text.encoding import decode

MOST_BYTES: Final = 512 * 1024 * 1024
"""Most that is unpacked from an archive, in all."""

_MOST_MEMBERS: Final = 20_000
_CONVERSATIONS: Final = re.compile(r"(?:.*/)?conversations(?:[-_ .]?\d+)?\.json", re.IGNORECASE)
BROKEN: Final = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError,
    NotImplementedError, LookupError,
)  # fmt: skip
"""What reading a damaged archive raises."""


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON document. For JSON lines `value` is the list of their values.

    `problems` are sentences, `skipped` counts the lines or files that could not be read.
    """

    name: str
    value: Any
    problems: tuple[str, ...] = ()
    skipped: int = 0


def is_archive(data: bytes) -> bool:
    """True for a zip archive."""
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def documents(name: str, data: bytes, most_bytes: int = MOST_BYTES) -> Iterator[Document]:
    """The document in `data`, or those in an archive that hold conversations, one at a time.

    In an archive these are the files called ``conversations.json`` or ``conversations-000.json``; where there
    is none, every JSON file. Raises `ImportFormatError` for what is no JSON, is damaged as a whole, or would
    unpack to more than `most_bytes`.
    """
    if not is_archive(data):
        yield document(name, data)
        return
    for member, unpacked in _members(name, data, most_bytes):
        try:
            yield document(member, unpacked)
        except ImportFormatError as error:
            yield Document(member, None, (str(error),), 1)


def document(name: str, data: bytes) -> Document:
    """One JSON document or a file of JSON lines. Raises `ImportFormatError`."""
    text, problems = _text(name, data)
    if text.lstrip()[:1] not in ("{", "["):
        raise ImportFormatError(f"{_called(name)} is neither JSON nor a zip archive.")
    try:
        return Document(name, json.loads(text), problems)
    except RecursionError as error:
        raise ImportFormatError(f"{_called(name)} is nested too deeply.") from error
    except ValueError as error:
        return _lines(name, text, problems, error)


def _lines(name: str, text: str, problems: tuple[str, ...], error: ValueError) -> Document:
    values, bad = [], []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            values.append(value)
        else:
            bad.append(number)
    if len(values) <= len(bad):
        raise ImportFormatError(f"{_called(name)} is not JSON: {error}.") from error
    if bad:
        problems += (f"{_called(name)}: {_numbers(bad)} of it cannot be read as JSON.",)
    return Document(name, values, problems, len(bad))


def _numbers(lines: Sequence[int]) -> str:
    shown = ", ".join(str(line) for line in lines[:20])
    more = f" and {len(lines) - 20} more" if len(lines) > 20 else ""
    return f"line{'s' if len(lines) > 1 else ''} {shown}{more}"


def _text(name: str, data: bytes) -> tuple[str, tuple[str, ...]]:
    """The text, by its byte order mark or the zeros in its first bytes (RFC 4627, section 3)."""
    encoding = json.detect_encoding(data) if data else "utf-8"
    try:
        return data.decode(encoding).removeprefix("\ufeff"), ()
    except UnicodeDecodeError:
        repaired = data.decode(encoding, "replace").removeprefix("\ufeff")
    if encoding.startswith("utf-8") and repaired.lstrip()[:1] in ("{", "["):
        if all(c.isascii() or c == "\ufffd" for c in repaired):
            guess = decode(data)
            if guess.text is not None:
                return guess.text, ((f"{_called(name)}: {guess.problem}",) if guess.problem else ())
        count = repaired.count("\ufffd")
        return repaired, (f"{_called(name)}: {count} characters are not valid UTF-8 and show as \ufffd.",)
    raise ImportFormatError(f"{_called(name)} is not text in UTF-8 or UTF-16.")


def _members(name: str, data: bytes, most_bytes: int) -> Iterator[tuple[str, bytes]]:
    """Names and contents of the files to read. Sizes are counted while unpacking: a header can lie."""
    left = most_bytes
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in chosen(name, archive.infolist(), most_bytes):
                with archive.open(info) as member:
                    unpacked = member.read(left + 1)
                left -= len(unpacked)
                if left < 0:
                    raise ImportFormatError(_too_large(name, most_bytes))
                yield info.filename, unpacked
    except ImportFormatError:
        raise
    except BROKEN as error:
        raise ImportFormatError(f"{_called(name)} cannot be unpacked: {error}.") from error


def chosen(name: str, members: Sequence[zipfile.ZipInfo], most_bytes: int) -> list[zipfile.ZipInfo]:
    """The files of an archive that are to be read, see `documents`. Raises `ImportFormatError`."""
    if len(members) > _MOST_MEMBERS:
        raise ImportFormatError(
            f"{_called(name)} holds {len(members)} files; at most {_MOST_MEMBERS} are read."
        )
    files = sorted((info for info in members if not info.is_dir()), key=lambda info: info.filename)
    files = [info for info in files if "__MACOSX/" not in info.filename]
    found = [info for info in files if _CONVERSATIONS.fullmatch(info.filename)]
    found = found or [info for info in files if info.filename.lower().endswith((".json", ".jsonl"))]
    if not found:
        raise ImportFormatError(f"{_called(name)} holds no JSON file.")
    if sum(info.file_size for info in found) > most_bytes:
        raise ImportFormatError(_too_large(name, most_bytes))
    return found


def _too_large(name: str, most_bytes: int) -> str:
    return f"{_called(name)} unpacks to more than {most_bytes:,} bytes; unpack it and import file by file."


def _called(name: str) -> str:
    return f"The file {name!r}" if name else "The file"
