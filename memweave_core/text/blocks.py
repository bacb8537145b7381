"""The block structure of a Markdown text, line by line.

This is the block half of CommonMark with pipe tables, as far as cutting needs it: where headings, fences,
list items, quotes, tables and comments begin and end. Text inside a block is not parsed. A full parser is
many times slower; the tests hold this one against it. Deliberately different: HTML tags open no block (a
heading inside ``<details>`` is a heading), only comments and ``<pre>``, ``<script>``, ``<style>``,
``<textarea>`` do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from .list_items import item_at
from .markdown_lines import (
    ATTRIBUTES,
    BULLET,
    OPENERS,
    RAW_TAG,
    fence_end,
    fence_run,
    heading_level,
    indent_of,
    interrupts,
    is_fact,
    is_rule,
    is_underline,
    opens_block,
)

Kind: TypeAlias = Literal["heading", "code", "item", "quote", "table", "html", "text"]

_DELIMITERS: Final = re.compile(r"\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?$")
"""For a line without the space around it: two runs of white space in a row would take quadratic time."""
_RAW_END: Final = re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE)
_MAX_TITLE: Final = 200
_MAYBE_TITLE: Final = re.compile(r"(?:^|\r)\ufeff? {0,3}(?:#[ \t]|=+[ \t]*(?:\r|$))", re.MULTILINE)
_MARKED: Final = re.compile(r"[\[*_~=`]")
"""Without one of these there is no `_MARKUP`, which is slow to look for."""
_MARKUP: Final = re.compile(
    r"!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]|!?\[([^\]]*)\]\([^)]*\)|(?:\*\*|__|~~|==|`)+|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)"
)


class Block(NamedTuple):
    """Lines `start` up to but without `end` (0-based).

    `level` and `title` belong to a heading. For an item `offset` is the column of its content, `fact` says
    that its first line ends in ``{#...}`` attributes, `facts` that an item nested in it does.
    """

    kind: Kind
    start: int
    end: int
    level: int = 0
    title: str = ""
    offset: int = 0
    fact: bool = False
    facts: bool = False


def lines_of(text: str) -> list[str]:
    """The lines of `text` without their endings (LF, CRLF or CR) and without a BOM."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.removeprefix("\ufeff").split("\n")


def document_title(text: str, *, skip_lines: int = 0) -> str:
    """The first heading of level 1 after `skip_lines` lines, without markup; "" when there is none."""
    if _MAYBE_TITLE.search(text) is None:
        return ""  # most pages without a title need not be looked at line by line
    for block in scan(lines_of(text), skip_lines):
        if block.level == 1 and block.title:
            return block.title
    return ""


def scan(lines: Sequence[str], start: int = 0) -> Iterator[Block]:
    """The blocks of `lines` from index `start` on, in order. Blank lines between blocks belong to none."""
    i, n = start, len(lines)
    while i < n:
        line = lines[i]
        body = line.lstrip()
        if not body:
            i += 1
            continue
        indent = 0 if len(body) == len(line) else indent_of(line)
        block = None
        if indent > 3:
            block = Block("code", i, _indented_code_end(lines, i))
        elif body[0] in OPENERS:
            block = _opened(lines, i, body, indent)
        if block is None:
            block = _table(lines, i) if _table_starts(lines, i) else _text(lines, i)
        yield block
        i = block.end


def _opened(lines: Sequence[str], i: int, body: str, indent: int) -> Block | None:
    """The block that the first character of line `i` opens, if it does."""
    char = body[0]
    if char == "#":
        return _atx(i, body)
    if char == ">":
        return Block("quote", i, _quote_end(lines, i))
    if char in "`~":
        run = fence_run(body)
        return Block("code", i, fence_end(lines, i, char, run, 0)) if run else None
    if char == "<":
        end = _html_end(lines, i, body)
        return Block("html", i, end) if end else None
    if char in "-*_" and is_rule(body):
        return Block("text", i, i + 1)
    item = item_at(lines, i, body, indent) if char != "_" else None
    return item and Block("item", i, item.end, offset=item.offset, fact=is_fact(body), facts=item.facts)


# --- headings and text ---------------------------------------------------------------------------------


def _atx(i: int, body: str) -> Block | None:
    level = heading_level(body)
    if not level:
        return None
    title = body[level:].strip()
    closed = title.rstrip("#")
    if not closed or closed[-1].isspace():
        title = closed.rstrip()
    return Block("heading", i, i + 1, level, _plain_title(title))


def _plain_title(title: str) -> str:
    """A heading without inline markup, on one line and cut to `_MAX_TITLE` characters."""
    title = title[: _MAX_TITLE * 4]
    if title.endswith("}"):
        title = ATTRIBUTES.sub("", title)
    if _MARKED.search(title):
        title = _MARKUP.sub(lambda match: match[1] or match[2] or "", title)
    return " ".join(title.split())[:_MAX_TITLE].rstrip()


def _text(lines: Sequence[str], i: int) -> Block:
    """A paragraph from line `i`, or the heading that an underline makes of it."""
    j, n = i + 1, len(lines)
    while j < n:
        line = lines[j]
        body = line.lstrip()
        if not body:
            break
        char = body[0]
        if char in OPENERS or char == "=":
            indent = indent_of(line)
            if indent < 4:
                if char in "=-" and is_underline(body):
                    title = _plain_title(" ".join(lines[i:j]))
                    return Block("heading", i, j + 1, 1 if char == "=" else 2, title)
                if char != "=" and interrupts(body):
                    break
        if "|" in line and _table_starts(lines, j):
            break
        j += 1
    return Block("text", i, j)


def _indented_code_end(lines: Sequence[str], i: int) -> int:
    end = j = i + 1
    while j < len(lines):
        if lines[j].strip():
            if indent_of(lines[j]) < 4:
                break
            end = j + 1
        j += 1
    return end


def _table_starts(lines: Sequence[str], i: int) -> bool:
    if i + 1 >= len(lines) or "|" not in lines[i + 1] or "|" not in lines[i] or indent_of(lines[i]) > 3:
        return False
    if indent_of(lines[i + 1]) > 3:
        return False
    below = lines[i + 1].strip()
    return _DELIMITERS.match(below) is not None and _cells(lines[i]) == _cells(below)


def _cells(row: str) -> int:
    row = row.strip().removeprefix("|")
    cells = row.count("|") - row.count("\\|")
    return cells if row.endswith("|") and not row.endswith("\\|") else cells + 1


def _table(lines: Sequence[str], i: int) -> Block:
    j = i + 2
    while j < len(lines):
        body = lines[j].lstrip()
        if not body or indent_of(lines[j]) > 3 or opens_block(body):
            break
        j += 1
    return Block("table", i, j)


# --- blocks with an end of their own -------------------------------------------------------------------


def _html_end(lines: Sequence[str], i: int, body: str) -> int:
    """Where a comment or raw element ends: after the line with its end mark, or with the text."""
    if body.startswith("<!--"):
        if "-->" in body[4:] or body.startswith(("<!-->", "<!--->")):
            return i + 1
        return next((j + 1 for j in range(i + 1, len(lines)) if "-->" in lines[j]), _last(lines))
    if RAW_TAG.match(body):
        return next((j + 1 for j in range(i, len(lines)) if _RAW_END.search(lines[j])), _last(lines))
    return 0


def _last(lines: Sequence[str]) -> int:
    end = len(lines)
    while not lines[end - 1].strip():
        end -= 1
    return end


def _quote_end(lines: Sequence[str], i: int) -> int:
    j, fence = i, ""
    lazy = False
    while j < len(lines):
        line = lines[j]
        body = line.lstrip()
        if not body:
            break
        if body[0] == ">" and indent_of(line) < 4:
            inner = body.lstrip("> \t")
            lazy, fence = _quoted(inner, fence)
        elif not lazy or (indent_of(line) < 4 and opens_block(body)):
            break
        j += 1
    return j


def _quoted(inner: str, fence: str) -> tuple[bool, str]:
    """Whether a paragraph is open after a quoted line, and the fence that is open inside the quote."""
    if fence:
        closed = inner.startswith(fence) and not inner.rstrip().strip(fence[0])
        return False, "" if closed else fence
    if not inner:
        return False, ""
    if inner[0] in "`~" and fence_run(inner):
        return False, inner[0] * fence_run(inner)
    return inner[0] not in "#<-*_" or not interrupts(inner) or BULLET.match(inner) is not None, ""
