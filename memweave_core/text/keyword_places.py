"""Where keywords stand in a long text, so that costly patterns are tried there alone.

A pattern without a literal beginning is tried at every character, which takes a second for a few megabytes
and lets no other thread run meanwhile; finding a plain string takes a thousandth of that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

_AROUND: Final = 16  # longer than what stands before or after a keyword in any name that holds it
_PIECE: Final = 65_536


def lowered(text: str) -> str:
    """`text` in lower case with every character at its place: one letter alone becomes two elsewhere."""
    return text.replace("İ", "i").lower()


def regions(low: str, keywords: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Stretches of a lower-case text that hold its keywords with 16 characters on either side, in order.

    Long ones come in pieces that overlap by as much as a name is long.
    """
    found: list[tuple[int, int]] = []
    for word in keywords:
        at = low.find(word)
        while at >= 0:
            end = at + len(word) + 3 * _AROUND
            found.append((max(0, at - _AROUND), end))
            at = low.find(word, end - 2 * _AROUND)
    start = stop = -1
    for first, last in sorted(found):
        if first > stop:
            yield from _pieces(start, stop)
            start = first
        stop = max(stop, last)
    yield from _pieces(start, stop)


def matches_at(pattern: re.Pattern[str], text: str, low: str, *words: str) -> Iterator[re.Match[str]]:
    """The matches of a pattern that begins with one of `words`; `low` is `lowered(text)`."""
    for word in words:
        at = low.find(word)
        while at >= 0:
            found = pattern.match(text, at)
            if found:
                yield found
            at = low.find(word, max(at + 1, found.end() if found else 0))


def _pieces(start: int, stop: int) -> Iterator[tuple[int, int]]:
    if start < 0:
        return
    for at in range(start, stop, _PIECE):
        yield at, min(stop, at + _PIECE + 2 * _AROUND)
