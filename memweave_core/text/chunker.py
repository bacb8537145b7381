"""Cut a Markdown page into chunks for the index.

A chunk belongs to one section, that is to one heading path. Within it, blocks are packed in order until the
token budget is full; a block that fits is never cut, one that does not is cut at its inner blocks (lists,
quotes), at sentences (prose), at lines (code, tables), at spaces, and only then inside a word. Each chunk
after the first of a section begins with the last whole blocks or sentences of the one before, as far as they
fit in `overlap`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from .._errors import ConfigError
from ..types import Chunk
from .blocks import Block, lines_of, scan
from .cutting import boundary, reach, sentence_start
from .tokens import UNITS, weight

MIN_TOKENS: Final = 16
"""The smallest budget of a chunk."""

_MAX_DEPTH: Final = 12
_LEAST_ROOM: Final = 4 * UNITS  # more than any one character weighs
_GAPS: Final = {gap: weight(gap) for gap in ("\n", "\n\n", "\n\n\n")}
_INK: Final = re.compile(r"\S")
_QUOTE_MARK: Final = re.compile(r"[ \t]*>[ \t]?")


class _Piece(NamedTuple):
    """Text from offset `start` to `end` that is kept whole when it fits.

    `prose` may be cut at sentences, also to share a chunk with its heading; `alone` shares a chunk with
    nothing but headings; what `opens` (a message) shares one with nothing before it but headings.
    """

    start: int
    end: int
    cost: int
    heading: bool = False
    prose: bool = False
    alone: bool = False
    opens: bool = False


def chunk(
    text: str,
    *,
    tokens: int = 400,
    overlap: int = 80,
    first_line: int = 1,
    skip_lines: int = 0,
    messages: Container[int] = frozenset(),
) -> list[Chunk]:
    """The chunks of a page, in order; none for a blank one.

    `text` may have any line endings; the text of a chunk has line feeds. No chunk is estimated at more than
    `tokens`; neighbours in a section share at most `overlap` (at most half a chunk). `first_line` is the
    number of the first line of `text`, `skip_lines` how many lines (front matter) to leave out. `messages`
    are the lines, counted from 0, with which messages of a conversation begin (`dialogue.message_lines`):
    each begins a chunk.

    A list item that ends in ``{#...}`` attributes (a fact) is a chunk of its own. A heading stands in the
    chunk of the text below it; it is alone only at the end of a page, or above a block that fills a chunk.
    Raises `ConfigError` for a budget below `MIN_TOKENS` or an overlap that is not smaller than the budget.
    """
    if tokens < MIN_TOKENS or not 0 <= overlap < tokens:
        raise ConfigError(f"Chunks of {tokens} tokens with an overlap of {overlap} are not possible.")
    page = _PageLines(lines_of(text), tokens * UNITS, messages)
    packer = _Packer(page, min(overlap, tokens // 2) * UNITS, first_line)
    path: list[tuple[int, str]] = []
    for block in scan(page.lines, skip_lines):
        if block.kind == "heading":
            path = [entry for entry in path if entry[0] < block.level]
            path.append((block.level, block.title))
            packer.open_section([title for _, title in path if title])
        for piece in page.pieces(block):
            packer.add(piece)
    packer.flush()
    return packer.chunks


class _PageLines:
    """The lines of a page, their offsets in the text, and the pieces that blocks are made of."""

    def __init__(self, lines: list[str], budget: int, messages: Container[int]) -> None:
        self.lines = lines
        self.messages = messages
        self.text = "\n".join(lines)
        self.starts = [0, *accumulate(map((1).__add__, map(len, lines)))]  # a line and its line feed
        self.budget = budget

    def line_of(self, offset: int) -> int:
        """The 0-based line that holds the character at `offset`."""
        return bisect_right(self.starts, offset) - 1

    def pieces(self, block: Block) -> Iterable[_Piece]:
        """A block as one piece, or, for a container that is too large or holds facts, as its inner blocks."""
        if self.messages and block.kind in ("text", "item", "quote"):
            cuts = [line for line in range(block.start, block.end) if line in self.messages]
            if cuts:
                return self._spoken(block, cuts)
        return self._expanded(block, self.lines, 0, 0)

    def _spoken(self, block: Block, cuts: list[int]) -> Iterator[_Piece]:
        """A block in which messages begin, cut where they do."""
        if cuts[0] > block.start:
            cuts.insert(0, block.start)
        for first, end in zip(cuts, [*cuts[1:], block.end], strict=True):
            part = block._replace(start=first, end=end, fact=False, facts=False)
            for k, piece in enumerate(self._expanded(part, self.lines, 0, 0)):
                yield piece._replace(opens=k == 0 and first in self.messages)

    def _expanded(self, block: Block, view: Sequence[str], base: int, depth: int) -> Iterable[_Piece]:
        kind = block.kind
        start = self.starts[base + block.start]
        end = self.starts[base + block.end] - 1
        cost = weight(self.text[start:end])
        if kind in ("item", "quote") and depth < _MAX_DEPTH and (block.facts or cost > self.budget):
            return self._inner(block, view, base, depth)
        return (_Piece(start, end, cost, kind == "heading", kind == "text", block.fact),)

    def _inner(self, block: Block, view: Sequence[str], base: int, depth: int) -> Iterator[_Piece]:
        inner = _inside(block, view[block.start : block.end])
        for k, sub in enumerate(scan(inner)):
            # A heading inside a list or quote is text; the first block takes the marker of its container.
            first = k == 0
            sub = sub._replace(
                kind="text" if sub.kind == "heading" else sub.kind,
                start=0 if first else sub.start,
                fact=sub.fact or (first and block.fact),
            )
            yield from self._expanded(sub, inner, base + block.start, depth + 1)


def _inside(block: Block, lines: Sequence[str]) -> list[str]:
    """The lines of an item or a quote without its own indent or marks."""
    if block.kind == "quote":
        return [_QUOTE_MARK.sub("", line, count=1) for line in lines]
    offset = block.offset
    inner: list[str] = []
    for line in lines:
        wide = line.expandtabs(4) if "\t" in line else line
        inner.append(wide.lstrip() if inner and wide[:offset].strip() else wide[offset:])
    return inner


class _Packer:
    """Fills chunks with pieces. `pieces` are those of the open chunk, from offset `start` to `end`."""

    def __init__(self, page: _PageLines, overlap: int, first_line: int) -> None:
        self.page = page
        self.overlap = overlap
        self.first_line = first_line
        self.chunks: list[Chunk] = []
        self.heading: list[str] = []
        self.first_heading: list[str] = []
        self.pieces: list[_Piece] = []
        self.cost = 0
        self.bare = True  # nothing but headings so far

    def open_section(self, heading: list[str]) -> None:
        """Go on under another heading path."""
        if not self.bare:
            self.flush()
        if not self.pieces:
            self.first_heading = heading
        self.heading = heading

    def add(self, piece: _Piece) -> None:
        """Put a piece in the open chunk, or close that and open the next."""
        if piece.opens and not self.bare:
            self.flush()
        if self._took(piece):
            return
        if self.pieces and not (self.bare and self._may_cut(piece)):
            self._turn(piece)
        self._add_in_parts(piece)

    def _add_in_parts(self, piece: _Piece) -> None:
        rest: _Piece | None = piece
        while rest and not self._took(rest):
            part, rest = self._cut(rest)
            if part:
                self._append(part)
                if rest:
                    self._turn(rest)

    def flush(self) -> None:
        """Close the open chunk."""
        if not self.pieces:
            return
        start, end = self.pieces[0].start, self.pieces[-1].end
        heading = self.heading
        if self.bare and self.first_heading != heading:
            pairs = zip(self.first_heading, heading, strict=False)
            same = next((k for k, (a, b) in enumerate(pairs) if a != b), len(self.first_heading))
            heading = heading[:same]
        self.chunks.append(
            Chunk(
                ordinal=len(self.chunks),
                start_line=self.page.line_of(start) + self.first_line,
                end_line=self.page.line_of(end - 1) + self.first_line,
                text=self.page.text[start:end],
                heading=" > ".join(heading),
                tokens=-(-self.cost // UNITS),
            )
        )
        self.pieces, self.cost, self.bare = [], 0, True
        self.first_heading = self.heading

    def _gap(self, piece: _Piece) -> int:
        """Weight of what stands between the open chunk and `piece`: blank lines."""
        if not self.pieces:
            return 0
        gap = self.page.text[self.pieces[-1].end : piece.start]
        return _GAPS.get(gap) or weight(gap)

    def _took(self, piece: _Piece) -> bool:
        """Put `piece` in the open chunk if it fits."""
        cost = self.cost + self._gap(piece) + piece.cost
        if cost > self.page.budget or (piece.alone and not self.bare):
            return False
        self.cost = cost
        self.pieces.append(piece)
        self.bare = self.bare and piece.heading
        if piece.alone:
            self.flush()
        return True

    def _may_cut(self, piece: _Piece) -> bool:
        room = self.page.budget - self.cost - self._gap(piece)
        return room >= _LEAST_ROOM and (piece.prose or piece.cost > self.page.budget)

    def _append(self, piece: _Piece) -> None:
        self.cost += self._gap(piece) + piece.cost
        self.pieces.append(piece)
        self.bare = self.bare and piece.heading

    def _turn(self, piece: _Piece) -> None:
        """Close the open chunk and begin the next with what it shares with the one before."""
        before = self.pieces
        shared = not self.bare and not piece.alone and not before[-1].alone
        room = self.overlap
        if piece.cost <= self.page.budget:
            gap = weight(self.page.text[before[-1].end : piece.start])
            room = min(room, self.page.budget - piece.cost - gap)
        self.flush()
        if shared and room > 0:
            for part in self._tail(before, room):
                self._append(part)

    def _tail(self, before: list[_Piece], room: int) -> list[_Piece]:
        """The last pieces, or else the last sentences, of a chunk that weigh at most `room`."""
        cost, first, below = 0, len(before), ""
        while first > 1 and not before[first - 1].heading:
            piece = before[first - 1]
            below = self.page.text[piece.end : before[first].start] if first < len(before) else ""
            cost += piece.cost + weight(below)
            if cost > room:
                break
            first -= 1
        last = before[-1]
        if first < len(before) or not last.prose:
            return before[first:]
        start = sentence_start(self.page.text, last.start, last.end, room)
        return [last._replace(start=start, cost=weight(self.page.text[start : last.end]))] if start else []

    def _cut(self, piece: _Piece) -> tuple[_Piece | None, _Piece | None]:
        """The part of `piece` that fits in the open chunk, and the rest; white space at the cut goes."""
        text = self.page.text
        room = self.page.budget - self.cost - self._gap(piece)
        cut = boundary(text, piece.start, reach(text, piece.start, piece.end, room), prose=piece.prose)
        part = text[piece.start : cut].rstrip()
        ink = _INK.search(text, cut, piece.end)
        rest = None
        if ink:
            line = text.rfind("\n", cut - 1, ink.start()) if part else -1
            start = ink.start() if line < 0 else line + 1  # a line that is begun anew keeps its indent
            rest = piece._replace(start=start, cost=piece.cost - weight(text[piece.start : start]))
        if not part:
            return None, rest
        return piece._replace(end=piece.start + len(part), cost=weight(part)), rest
