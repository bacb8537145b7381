"""Names that a caller chose, made safe to be the name of a file or folder on any system, and back again.

`encode_segment` turns any name (user id, session id, namespace, date) into one path segment. It is injective
also on file systems that fold case or normalise Unicode, so two names never share a file. What it gives:

- lower-case letters, digits, ``-_.@+=,()!'&`` and inner spaces stay; so do letters of other scripts that have
  no case and no second spelling. Everything else becomes the percent-encoded bytes of its UTF-8 form:
  ``Ana:1`` is ``%41na%3A1``, ``ana@example.org`` stays as it is.
- Names that mean something to a system are broken by encoding their first character: ``con`` is ``%63on``.
- A name whose segment would be longer than `MAX_SEGMENT_BYTES` is shortened: a readable beginning, ``%~`` and
  the sha-256 of the name. Such a segment cannot be decoded; it is found again by encoding the name again.
  Compare names by `stored_name` where they may be long.

`safe_relative_path` is for whole paths: it keeps the caller's spelling and refuses what could leave the
folder it is meant for.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache
from pathlib import PurePosixPath
from urllib.parse import unquote_to_bytes

from .._errors import NameRefusedError

MAX_SEGMENT_BYTES = 140
"""Longest segment made here; with ".md" it still fits the 143 bytes that encrypted home folders allow."""

MARKDOWN_SUFFIXES = (".md", ".markdown", ".mdown", ".mkd")
"""How the name of a page ends, in any case."""

NEVER_MEMORY = frozenset({"node_modules"})
"""Folders of other people's packages, which are no memory wherever they lie."""

_MAX_FILE_NAME_BYTES = 255
_MAX_PATH_BYTES = 4_000
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.@+=,()!'& ")
_LETTERS = frozenset({"Ll", "Lo", "Nd"})
_HASH_MARK = "%~"
_SHORTENED = re.compile(r"%~[0-9a-f]{64}\Z")
_UNIT = re.compile(r"%[0-9A-Fa-f]{2}|.", re.DOTALL)
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"]
    + [f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"]
)
_NOT_PORTABLE = re.compile(r'[<>:"|?*\\\x00-\x1f\x7f]')
_DRIVE = re.compile(r"[A-Za-z]:")

# The letters kept as they are must not depend on the Python version, or one id would get two files.
_unicode = unicodedata.ucd_3_2_0


def is_markdown(name: str) -> bool:
    """True when the suffix of a file name or path, in any case, is one of Markdown."""
    return name.lower().endswith(MARKDOWN_SUFFIXES)


def encode_segment(name: str) -> str:
    """One portable path segment for `name`, at most `MAX_SEGMENT_BYTES` long in UTF-8.

    Raises `NameRefusedError` for an empty name, for one with half a surrogate pair, and for one that has the
    form of a shortened segment.
    """
    _check_name(name)
    segment = _edges("".join(c if _stays(c) else _percent(c) for c in name))
    if is_device_name(segment) or segment in NEVER_MEMORY:
        segment = _percent(segment[0]) + segment[1:]
    if len(segment.encode()) <= MAX_SEGMENT_BYTES:
        return segment
    return _shortened(segment, name)


def decode_segment(segment: str) -> str:
    """The name that `encode_segment` made `segment` of; a shortened segment is given back as it is.

    Never raises: a folder that a person named is its own name, malformed percent signs included.
    """
    text = unicodedata.normalize("NFC", segment)
    if "%" not in text or is_shortened(text):
        return text
    try:
        return unquote_to_bytes(text).decode("utf-8")
    except UnicodeError:
        return text


def stored_name(name: str) -> str:
    """What `decode_segment` will give for the segment of `name`: `name` itself, unless it is too long."""
    return decode_segment(encode_segment(name))


def is_shortened(segment: str) -> bool:
    """True for a segment that ends in the hash of a name too long to be kept whole."""
    return _SHORTENED.search(segment) is not None


def is_device_name(segment: str) -> bool:
    """True for names that Windows takes for a device, with any suffix: ``CON``, ``nul.md``, ``COM1``."""
    return segment.partition(".")[0].rstrip(" ").casefold() in _DEVICES


def safe_relative_path(path: str) -> PurePosixPath:
    """A caller's page path, normalised: "/" between segments, Unicode in NFC, case kept.

    Raises `NameRefusedError` for a path that is empty, absolute, has a drive letter, ``..``, a back-slash, a
    control character or half a surrogate pair, or leads into a hidden folder (``.memweave`` among them).
    """
    check_characters(path)
    if path.startswith("/") or _DRIVE.match(path):
        raise NameRefusedError(f"{path!r} is an absolute path; give one relative to the memory.")
    if "\\" in path:
        raise NameRefusedError(f'{path!r} has a back-slash; write "/" between folders.')
    parts = [part for part in unicodedata.normalize("NFC", path).split("/") if part not in ("", ".")]
    if not parts:
        raise NameRefusedError(f"{path!r} names no page.")
    for part in parts:
        _check_segment(part, path)
    return PurePosixPath(*parts)


def check_portable(path: PurePosixPath) -> None:
    """Refuse the path of a new page that some system could not hold. Raises `NameRefusedError`."""
    for part in path.parts:
        bad = _NOT_PORTABLE.search(part)
        if bad is not None:
            what = f"the character {bad.group()!r}"
        elif part[-1] in ". " or part[0] == " ":
            what = "a space or a dot at an end of a name"
        elif is_device_name(part):
            what = f"the name {part!r}, which is a device on Windows,"
        elif part.casefold() in NEVER_MEMORY:
            what = f"the folder {part!r}, which is never memory,"
        else:
            continue
        raise NameRefusedError(f"{str(path)!r} has {what} and cannot be stored everywhere; choose another.")


def _check_name(name: str) -> None:
    if not isinstance(name, str) or not name:
        raise NameRefusedError(f"A name must be a string that is not empty, not {name!r}.")
    if _has_surrogate(name):
        raise NameRefusedError(f"The name {name!r} holds half a surrogate pair, which is not text.")
    if is_shortened(name):
        raise NameRefusedError(f"The name {name!r} has the form kept for names too long to be stored whole.")


def check_characters(path: str) -> None:
    """Refuse a path that is empty, too long, or holds what no path may hold. Raises `NameRefusedError`."""
    if not isinstance(path, str) or not path:
        raise NameRefusedError(f"A path must be a string that is not empty, not {path!r}.")
    if _has_surrogate(path):
        raise NameRefusedError(f"The path {path[:200]!r} is not valid Unicode.")
    if not path.isprintable() and any(unicodedata.category(c) == "Cc" for c in path):
        raise NameRefusedError(f"The path {path[:200]!r} holds a control character.")
    if len(path.encode()) > _MAX_PATH_BYTES:
        raise NameRefusedError(
            f"A path of {len(path.encode())} bytes is longer than {_MAX_PATH_BYTES}, the most allowed: "
            f"{path[:40]!r}…"
        )


def _check_segment(part: str, path: str) -> None:
    if part == "..":
        raise NameRefusedError(f'{path!r} has ".." in it; a path must stay inside the memory.')
    if part.startswith("."):
        raise NameRefusedError(
            f"{path!r} has the hidden part {part!r}; hidden files and folders are not memory."
        )
    if len(part.encode()) > _MAX_FILE_NAME_BYTES:
        raise NameRefusedError(
            f"A name of {len(part.encode())} bytes is longer than the {_MAX_FILE_NAME_BYTES} that file "
            f"systems hold: {part[:40]!r}…"
        )


def _has_surrogate(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text)


def _percent(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


@lru_cache(maxsize=4096)
def _stays(c: str) -> bool:
    """True for a character with one spelling under every case folding and normalisation."""
    if c.isascii():
        return c in _PLAIN
    if _unicode.category(c) not in _LETTERS or _joins_the_one_before(c):
        return False
    return c.casefold() == c and c.upper().lower() == c and unicodedata.normalize("NFKC", c) == c


def _joins_the_one_before(c: str) -> bool:
    """Hangul vowels and finals: the only letters that a normalisation melts into the letter before them."""
    return "\u1100" <= c <= "\u11ff" or "\ua960" <= c <= "\ua97f" or "\ud7b0" <= c <= "\ud7ff"


def _edges(segment: str) -> str:
    """No dot or space at either end: one hides a file, the other is dropped by Windows."""
    core = segment.strip(". ")
    start = len(segment) - len(segment.lstrip(". "))
    return _percent(segment[:start]) + core + _percent(segment[start + len(core) :])


def _shortened(segment: str, name: str) -> str:
    room = MAX_SEGMENT_BYTES - len(_HASH_MARK) - 64
    kept, used = [], 0
    for unit in _UNIT.findall(segment):
        used += len(unit.encode())
        if used > room:
            break
        kept.append(unit)
    return "".join(kept) + _HASH_MARK + hashlib.sha256(name.encode()).hexdigest()
