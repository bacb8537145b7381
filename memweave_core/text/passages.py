"""From a page to what the index takes: chunks, the words that describe them, the texts to embed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from ..types import Chunk, IndexedChunk, Page, PageMeta
from .blocks import lines_of
from .chunker import chunk
from .dialogue import message_lines
from .fact_lines import fact_lines, read_fact
from .frontmatter import split
from .markdown_lines import heading_level

CUTTING = 7
"""Raised whenever the same page would give other chunks or texts: every page is then cut anew."""

BEFORE_CHARS = 400
"""How much of the message before it is embedded with a message: what "yes, in June" is about stands there.

What it is worth stands in docs/quality.md; few messages of a chat are longer than this.
"""


def passages(page: Page, *, tokens: int, overlap: int) -> list[IndexedChunk]:
    """The chunks of a page in order, each with its searchable context and the text for the embedder."""
    meta = page.meta
    name = PurePosixPath(meta.path).with_suffix("").as_posix()
    about = [meta.title, name, meta.date.isoformat() if meta.date else "", *meta.aliases, *meta.tags]
    if is_facts_page(meta):
        return _facts(page, about, tokens)
    front = split(page.text)
    messages = message_lines(lines_of(page.text))
    skip = front.body_start_line - 1
    pieces = chunk(page.text, tokens=tokens, overlap=overlap, skip_lines=skip, messages=messages)
    if not pieces:  # a page of properties alone is found by its name and by what they say
        pieces = chunk(front.raw, tokens=tokens, overlap=overlap, first_line=2)
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
    return _with_text(piece, about, embed_text)


def _with_text(piece: Chunk, about: Iterable[str], embed_text: str) -> IndexedChunk:
    context = " ".join(dict.fromkeys(part for part in (*about, piece.heading) if part))
    return IndexedChunk(
        chunk=piece, context=context, embed_text=embed_text, embed_hash=embed_hash(embed_text)
    )


def embed_hash(text: str) -> str:
    """The name under which the index keeps the vector of a text: its sha-256, in hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _headings_above(piece: Chunk, title: str) -> list[str]:
    """Title and headings that do not stand in the piece itself, so that nothing is embedded twice."""
    path = dict.fromkeys(part for part in (title, *piece.heading.split(" > ")) if part)
    return [part for part in path if part not in piece.text]


# --- facts -----------------------------------------------------------------------------------------------


def is_facts_page(meta: PageMeta) -> bool:
    """Whether a page is the file of facts of a user: ``users/<user>/facts.md``."""
    return meta.owner is not None and PurePosixPath(meta.path).match("users/*/facts.md")


def _facts(page: Page, about: Iterable[str], tokens: int) -> list[IndexedChunk]:
    """A chunk for each fact, embedded as what the fact says alone; what else stands there is cut as usual.

    So a search finds single facts, and what recalls facts shares their vectors. What is history has no chunk:
    a search must not answer with what no longer holds.
    """
    lines = lines_of(page.text)
    at = split(page.text).body_start_line - 1
    made: list[IndexedChunk] = []
    path: list[tuple[int, str]] = []
    for start, length, earlier in [*fact_lines(lines, at), (len(lines), 0, False)]:
        above = _titles(path)
        for piece in _cut(lines, at, start, tokens):
            if any(line.strip() and not heading_level(line.strip()) for line in piece.text.split("\n")):
                headings = " > ".join([*above, piece.heading] if piece.heading else above)
                made.append(_indexed(replace(piece, heading=headings), page.meta.title, about))
        for line in lines[at:start]:
            _go_below(path, line.strip())
        at = start + length
        fact = read_fact(lines[start:at]) if length else None
        if fact is None or earlier or "until" in fact.values:
            continue
        pieces = list(_cut(lines, start, at, tokens))
        for piece in pieces:
            text = fact.text if len(pieces) == 1 else piece.text
            made.append(_with_text(replace(piece, heading=" > ".join(_titles(path))), about, text))
    return [replace(one, chunk=replace(one.chunk, ordinal=k)) for k, one in enumerate(made)]


def _cut(lines: Sequence[str], start: int, end: int, tokens: int) -> Iterable[Chunk]:
    if start == end:
        return []
    return chunk("\n".join(lines[start:end]), tokens=tokens, overlap=0, first_line=start + 1)


def _go_below(path: list[tuple[int, str]], line: str) -> None:
    """Keep `path`, the open headings, up to date with a line."""
    if level := heading_level(line):
        path[:] = [entry for entry in path if entry[0] < level]
        path.append((level, line.strip("#").strip()))


def _titles(path: Sequence[tuple[int, str]]) -> list[str]:
    return [title for _, title in path if title]
