"""What a single line of Markdown can begin or end, by the rules of CommonMark's block structure.

`body` is a line without the white space before it, and not empty.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

OPENERS: Final = frozenset("#`~>-+*_<0123456789")
"""The characters that can open a block other than a paragraph or a table."""

BULLET: Final = re.compile(r"([-+*]|[0-9]{1,9}[.)])(?:([ \t]+)(?=\S)|[ \t]*$)")
"""A list marker: group 1 is the marker, group 2 the space before its text, None when there is no text."""

RAW_TAG: Final = re.compile(r"<(?:script|pre|style|textarea)(?=[\s>]|$)", re.IGNORECASE)
ATTRIBUTES: Final = re.compile(r"\{#[^{}]*\}$")


def indent_of(line: str) -> int:
    """Columns of white space at the beginning of a line, a tab reaching to the next multiple of four."""
    if line[0] not in " \t":
        return 0
    start = line[: len(line) - len(line.lstrip())]
    return len(start.expandtabs(4) if "\t" in start else start)


def is_rule(body: str) -> bool:
    char = body[0]
    if body[-1] != char and not body[-1].isspace():
        return False
    marks = body.replace(" ", "").replace("\t", "").rstrip()
    return len(marks) >= 3 and marks == char * len(marks)


def is_underline(body: str) -> bool:
    return not body.rstrip().strip(body[0])


def fence_run(body: str) -> int:
    """How many fence characters open a code fence here; 0 when they do not."""
    char = body[0]
    rest = body.lstrip(char)
    run = len(body) - len(rest)
    return run if run >= 3 and not (char == "`" and "`" in rest) else 0


def interrupts(body: str) -> bool:
    """True when a line that starts with `body` ends the paragraph before it."""
    char = body[0]
    if char == "#":
        return heading_level(body) > 0
    if char == ">":
        return True
    if char in "`~":
        return fence_run(body) > 0
    if char == "<":
        return body.startswith("<!--") or RAW_TAG.match(body) is not None
    if char in "-*_" and is_rule(body):
        return True
    match = BULLET.match(body) if char != "_" else None
    return (
        match is not None
        and match[2] is not None
        and (not char.isdigit() or match[1][:-1].lstrip("0") == "1")
    )


def opens_block(body: str) -> bool:
    """True when a line that starts with `body` cannot go on with a paragraph of a quote or item above it."""
    if body[1:2] == " " and body[0] in "-+*":
        return True  # a list item or a rule
    return body[0] in OPENERS and (interrupts(body) or BULLET.match(body) is not None)


def heading_level(body: str) -> int:
    level = len(body) - len(body.lstrip("#"))
    return level if level <= 6 and (len(body) == level or body[level].isspace()) else 0


def fence_end(lines: Sequence[str], i: int, char: str, run: int, offset: int) -> int:
    """Where a fence opened in line `i` ends: after its closing line, or with the container at `offset`."""
    j, n = i + 1, len(lines)
    end = j
    while j < n:
        line = lines[j]
        body = line.strip()
        if body:
            if offset and indent_of(line) < offset:
                return end
            if body[0] == char and len(body) >= run and not body.strip(char) and indent_of(line) - offset < 4:
                return j + 1
            end = j + 1
        j += 1
    return end


def is_fact(body: str) -> bool:
    """True for a line that ends in ``{#id ...}`` attributes."""
    body = body.rstrip()
    return body.endswith("}") and ATTRIBUTES.search(body) is not None
