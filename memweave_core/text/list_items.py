"""Where a list item of Markdown ends: its continuation lines, nested items and the fences inside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from .markdown_lines import (
    BULLET,
    OPENERS,
    fence_end,
    fence_run,
    indent_of,
    interrupts,
    is_fact,
    is_rule,
    is_underline,
    opens_block,
)

_MAX_MARKERS: Final = 16
"""Deeper nesting is text."""


class Item(NamedTuple):
    """Lines up to `end`; `offset` is the column of the content, `facts` says that a nested item is a fact."""

    end: int
    offset: int
    facts: bool


def item_at(lines: Sequence[str], i: int, body: str, indent: int) -> Item | None:
    """The list item that line `i` opens, with its continuation lines and nested items; None if it is none."""
    item = _OpenItem()
    fence = item.enter(body, indent)
    if not item.opened:
        return None
    empty = not fence and not item.para and BULLET.fullmatch(body.rstrip()) is not None
    j = end = fence_end(lines, i, fence[0], len(fence), item.offsets[-1]) if fence else i + 1
    blank = facts = False
    while j < len(lines):
        line = lines[j]
        body = line.lstrip()
        if not body:
            if empty and j == i + 1:
                break  # an item that begins with two blank lines is empty
            blank, item.para = True, False
            j += 1
            continue
        indent = indent_of(line)
        if indent < item.offsets[0] and not item.continues(body, indent, blank=blank):
            break
        fence = item.take(body, indent, blank=blank)
        facts = facts or (item.opened and is_fact(body))
        j = end = fence_end(lines, j, fence[0], len(fence), item.offsets[-1]) if fence else j + 1
        blank = False
    return Item(end, item.offsets[0], facts)


class _OpenItem:
    """The containers that are open inside a list item.

    `offsets` are the content columns of the item and of the items nested in it, `para` says that the last
    line was text of a paragraph, `opened` that it opened a nested item.
    """

    __slots__ = ("offsets", "opened", "para")

    def __init__(self) -> None:
        self.offsets: list[int] = []
        self.para = False
        self.opened = False

    def continues(self, body: str, indent: int, *, blank: bool) -> bool:
        """True for a line that goes on with an open paragraph whatever its indent (lazy continuation)."""
        if not self.para or blank:
            return False
        return indent > 3 or not opens_block(body)

    def take(self, body: str, indent: int, *, blank: bool) -> str:
        """Account for a line of the item; the fence that it opens, or ""."""
        self.opened = False
        depth = len(self.offsets)
        while depth > 1 and indent < self.offsets[depth - 1]:
            depth -= 1
        column = indent - self.offsets[depth - 1]
        if depth < len(self.offsets):
            if self.continues(body, column, blank=blank):
                return ""
            del self.offsets[depth:]
            self.para = False
        elif self.para and body[0] in "=-" and 0 <= column < 4 and is_underline(body):
            self.para = False  # a heading inside the item
            return ""
        return "" if column > 3 else self.enter(body, indent)

    def enter(self, body: str, indent: int) -> str:
        """Open the items whose markers begin `body`; the fence that follows them, or ""."""
        while body and body[0] in OPENERS and not (body[0] in "-*_" and is_rule(body)):
            match = BULLET.match(body)
            if match is None or len(self.offsets) >= _MAX_MARKERS or (self.para and not interrupts(body)):
                break
            gap = len(match[2].expandtabs(4)) if match[2] else 1
            self.offsets.append(indent + len(match[1]) + (gap if gap < 5 else 1))
            self.opened, self.para = True, False
            if gap > 4:
                return ""
            indent, body = self.offsets[-1], body[match.end() :]
        fence = body[0] * fence_run(body) if body and body[0] in "`~" else ""
        text = body and not fence and (body[0] not in "#<-*_" or not interrupts(body))
        self.para = bool(text)
        return fence
