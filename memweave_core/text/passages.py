"""From a page to what the index takes: chunks, the words that describe them, the texts to embed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import PurePosixPath

from ..types import Chunk, IndexedChunk, Page
from .blocks import lines_of
from .chunker import chunk
from .dialogue import message_lines
from .frontmatter import split

CUTTING = 5
"""Raised whenever the same page would give other chunks or texts: every page is then cut anew."""

BEFORE_CHARS = 400
"""How much of the message before it is embedded with a message: what "yes, in June" is about stands there.

What it is worth stands in docs/quality.md; few messages of a chat are longer than this.
"""


def passages(page: Page, *, tokens: int, overlap: int) -> list[IndexedChunk]:
    """The chunks of a page in order, each with its searchable context and the text for the embedder."""
    front = split(page.text)
    messages = message_lines(lines_of(page.text))
    skip = front.body_start_line - 1
    pieces = chunk(page.text, tokens=tokens, overlap=overlap, skip_lines=skip, messages=messages)
    if not pieces:  # a page of properties alone is found by its name and by what they say
        pieces = chunk(front.raw, tokens=tokens, overlap=overlap, first_line=2)
    meta = page.meta
    name = PurePosixPath(meta.path).with_suffix("").as_posix()
    about = [meta.title, name, meta.date.isoformat() if meta.date else "", *meta.aliases, *meta.tags]
    if not messages:
        return [_indexed(piece, meta.title, about) for piece in pieces]
    return [
        _indexed(piece, meta.title, about, before if _begins(piece, messages) else "")
        for piece, before in zip(pieces, ["", *(piece.text for piece in pieces)], strict=False)
    ]


def _begins(piece: Chunk, messages: frozenset[int]) -> bool:
    return not messages.isdisjoint(range(piece.start_line - 1, piece.end_line))


def _indexed(piece: Chunk, title: str, about: Iterable[str], before: str = "") -> IndexedChunk:
    # The headings of a conversation, a date or a number, say less than the message before.
    above = before[-BEFORE_CHARS:] or " > ".join(_headings_above(piece, title))
    embed_text = f"{above}\n{piece.text}" if above else piece.text
    context = " ".join(dict.fromkeys(part for part in (*about, piece.heading) if part))
    digest = hashlib.sha256(embed_text.encode("utf-8", "surrogatepass")).hexdigest()
    return IndexedChunk(chunk=piece, context=context, embed_text=embed_text, embed_hash=digest)


def _headings_above(piece: Chunk, title: str) -> list[str]:
    """Title and headings that do not stand in the piece itself, so that nothing is embedded twice."""
    path = dict.fromkeys(part for part in (title, *piece.heading.split(" > ")) if part)
    return [part for part in path if part not in piece.text]
