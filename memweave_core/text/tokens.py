"""An estimate of how many tokens a text is for an embedding model, without a tokenizer.

Every character has a weight that its first UTF-8 byte decides, so the estimate is additive: the weight of a
text is the sum of the weights of its parts. The weights were set against cl100k (byte-pair, 100,000 entries)
and a multilingual SentencePiece model of 128,000: on notes, dialogue, code and tables the estimate is 0.9 to
1.2 times the count of either; CJK is about one token a character, base64 1.7 characters a token (0.8 times
the true count), random lower-case letters without spaces are the worst case known (0.45 times).
"""

from __future__ import annotations

from typing import Final

UNITS: Final = 32
"""Weight of one token; `weight` counts in these units so that sums stay exact."""

_LETTER: Final = 8
_LETTERS: Final = b"abcdefghijklmnopqrstuvwxyz"
_SPACE: Final = 1
_CONTINUATION: Final = bytes(range(0x80, 0xC0))  # the lead byte carries the weight of its character


def _byte_weights() -> bytes:
    weights = bytearray([_LETTER] * 256)
    for byte in range(0x21, 0x7F):
        weights[byte] = 20  # punctuation
    for byte in b"0123456789":
        weights[byte] = 20
    for byte in b"ABCDEFGHIJKLMNOPQRSTUVWXYZ":
        weights[byte] = 28  # rare in prose, two fifths of base64
    for byte in _LETTERS:
        weights[byte] = _LETTER
    weights[0x20] = _SPACE
    for byte in b"\t\n\r":
        weights[byte] = 4
    for byte in range(0xC2, 0xC8):
        weights[byte] = 22  # accented Latin
    for byte in range(0xC8, 0xE0):
        weights[byte] = 32  # Greek, Hebrew and others
    for byte in range(0xD0, 0xD4):
        weights[byte] = 16  # Cyrillic
    for byte in range(0xD8, 0xDC):
        weights[byte] = 26  # Arabic
    for byte in range(0xE0, 0xF0):
        weights[byte] = 34  # Indic scripts, CJK, Hangul, symbols
    for byte in range(0xF0, 0x100):
        weights[byte] = 80  # emoji and rare CJK
    return bytes(weights)


_WEIGHTS: Final = _byte_weights()


def weight(text: str) -> int:
    """The estimate in units of 1 / `UNITS` token; ``weight(a + b) == weight(a) + weight(b)``."""
    data = text.encode("utf-8", "surrogatepass")
    if not text.isascii():
        data = data.translate(None, _CONTINUATION)
    rest = data.translate(None, _LETTERS)
    other = rest.translate(None, b" ")
    common = (len(data) - len(rest)) * _LETTER + (len(rest) - len(other)) * _SPACE
    return common + sum(other.translate(_WEIGHTS))


def estimate_tokens(text: str) -> int:
    """About how many tokens `text` is for a common embedding tokenizer; rather too many than too few."""
    return -(-weight(text) // UNITS)
