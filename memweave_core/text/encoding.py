"""Bytes of a Markdown file to text and back: UTF-8 first, never a replacement character in silence."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Longer marks first: the one of UTF-32 begins with that of UTF-16."""

_LEGACY = ("cp1252", "cp1250", "cp1251", "cp932", "gb18030", "cp949", "big5", "euc_jp", "koi8_r", "cp1253")
"""Encodings that notes are still met in, the likelier first; it wins where detection sees no difference."""

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
_SAMPLE = 65_536
_NUL_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded file: `text` without the byte order mark, and how to write it back in kind.

    `text` is None for bytes that are not text. `problem` is a sentence when the encoding had to be guessed,
    when there is no text, or when the file was cut off within a character: `half` are the bytes of it.
    """

    text: str | None
    encoding: str
    bom: bool = False
    problem: str | None = None
    half: bytes = b""


def decode(data: bytes) -> Decoded:
    """Text of a file: by its byte order mark, as UTF-8, as UTF-16 without a mark, else by detection."""
    with_mark = data.startswith(codecs.BOM_UTF8)
    marked = byte_order_mark(data)
    if marked is not None:
        mark, encoding = marked
        text = _strictly(data[len(mark) :], encoding)
        if text is not None:
            return Decoded(text, encoding, True, None)
        data = data[len(mark) :] if encoding == "utf-8" else data
    if _looks_binary(data):
        return _unmarked_utf16(data) or Decoded(None, "binary", False, "It is not text but binary data.")
    text = _strictly(data, "utf-8")
    if text is not None:
        return Decoded(text, "utf-8")
    cut = half_character(data)
    text = _strictly(data[:-cut], "utf-8") if cut else None
    if text is not None:
        return Decoded(
            text, "utf-8", with_mark, "It was cut off in the midst of its last character.", data[-cut:]
        )
    return _detected(data)


def half_character(data: bytes) -> int:
    """How many bytes at the end of UTF-8 text are the beginning of a character; 0 after a whole one.

    `data` may begin in the midst of one. 0 as well without another character beyond ASCII before: the text
    may then be of another encoding.
    """
    for count in range(1, min(3, len(data)) + 1):
        byte = data[-count]
        if byte & 0xC0 == 0x80:
            continue
        before = data[:-count]
        start = next((k for k, one in enumerate(before[:4]) if one & 0xC0 != 0x80), 0)
        sure = not before[start:].isascii() and _strictly(before[start:], "utf-8") is not None
        return count if sure and _may_go_on(data[-count:]) else 0
    return 0


def _may_go_on(data: bytes) -> bool:
    """Whether bytes are the beginning of one character of UTF-8, and not all of it."""
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(data) == ""
    except UnicodeDecodeError:
        return False


def encode_like(text: str, encoding: str, bom: bool) -> bytes:
    """`text` as bytes in the encoding and with the mark of the file it replaces.

    Raises `UnicodeEncodeError` for a character that the encoding does not have.
    """
    mark = next((mark for mark, name in _MARKS if name == encoding), b"") if bom else b""
    return mark + text.encode(encoding)


def byte_order_mark(data: bytes) -> tuple[bytes, str] | None:
    """(mark, encoding) when the data begin with a byte order mark."""
    return next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), None)


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _looks_binary(data: bytes) -> bool:
    """More than a stray NUL; also true for UTF-16 without a mark."""
    sample = data[:_SAMPLE]
    return sample.count(0) > max(1, len(sample) * _NUL_SHARE)


def _unmarked_utf16(data: bytes) -> Decoded | None:
    """Western text in UTF-16 has a NUL in every other byte, and only there."""
    sample = data[:_SAMPLE]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    encoding = "utf-16-le" if odd > even else "utf-16-be"
    if min(even, odd) > 0 or max(even, odd) < len(sample) // 4:
        return None
    text = _strictly(data, encoding)
    if text is None or _CONTROL.search(text):
        return None
    return Decoded(text, encoding, False, f"It has no byte order mark; it was read as {encoding}.")


def _detected(data: bytes) -> Decoded:
    from charset_normalizer import from_bytes

    matches = from_bytes(data[:_SAMPLE], cp_isolation=list(_LEGACY), threshold=0.5)
    ranked = sorted(matches, key=lambda m: (round(m.chaos, 2), -round(m.coherence, 1), _rank(m.encoding)))
    for guess in [match.encoding for match in ranked] + ["cp1252"]:
        text = _strictly(data, guess)
        if text is not None:
            name = next((twin for twin in _LEGACY if _strictly(data, twin) == text), guess)
            reason = f"It is not UTF-8; it was read as {name}, which is a guess. Save it as UTF-8."
            return Decoded(text, name, False, reason)
    return Decoded(
        None, "unknown", False, "It is neither UTF-8 nor any other encoding that could be detected."
    )


def _rank(encoding: str) -> int:
    return _LEGACY.index(encoding) if encoding in _LEGACY else len(_LEGACY)
