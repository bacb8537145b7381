"""Where to cut a text that is too long for a chunk."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from .tokens import weight

_TYPICAL: Final = 8  # weight of a letter: how far to look for a cut at first
_SENTENCE_END: Final = re.compile(r"[.!?…][\"'”’)\]]{0,3}\s+|[。！？｡।؟][」』”）]{0,3}\s*")


def reach(text: str, start: int, end: int, room: int) -> int:
    """How far from `start` the text may go without weighing more than `room`: at least one character."""
    stop = min(end, start + room // _TYPICAL)
    while (cost := weight(text[start:stop])) > room:
        stop = start + max(1, (stop - start) * room // cost)
    for _ in range(8):  # keep a character with its combining marks and joiners
        if stop >= end or stop - start < 2 or not _joins(text[stop - 1], text[stop]):
            break
        stop -= 1
    return stop


def _joins(left: str, right: str) -> bool:
    return right > "\u02ff" and (
        left == "\u200d" or right in "\u200d\ufe0f" or unicodedata.combining(right) > 0
    )


def boundary(text: str, start: int, end: int, *, prose: bool) -> int:
    """The best place to cut up to `end`: a sentence or line end in its second half if there is one."""
    half = start + (end - start) // 2
    for low in (half, start):
        if prose:
            cut = max((match.end() for match in _SENTENCE_END.finditer(text, low, end)), default=0)
            if cut > low:
                return cut
        line = text.rfind("\n", low + 1, end)
        if line > 0:
            return line + 1
        if prose or low == start:
            space = text.rfind(" ", low + 1, end)
            if space > 0:
                return space + 1
    return end


def sentence_start(text: str, start: int, end: int, room: int) -> int:
    """Where the last sentences before `end` that weigh at most `room` begin, after `start`; 0 without any."""
    floor = max(start + 1, end - room // _TYPICAL)
    for match in _SENTENCE_END.finditer(text, floor, end):
        if match.end() < end and weight(text[match.end() : end]) <= room:
            return match.end()
    return 0
