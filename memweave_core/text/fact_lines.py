"""The lines of a file of facts: which bullets are facts, where each ends, and what it says.

Shared by what reads and writes the file (`memweave_core.facts.bullets`) and by what cuts it for the index, so
that both see the same text of a fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from .bullet_text import decode_text
from .markdown_lines import heading_level, is_rule

_BULLET: Final = re.compile(r"(?P<lead>[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)(?P<body>\S.*)", re.DOTALL)
_ATTRIBUTES: Final = re.compile(r"\{([^{}]*)\}[ \t]*$")
_HISTORY: Final = re.compile(r"[ ]{0,3}#{1,6}[ \t]+earlier[ \t]*#*[ \t]*", re.IGNORECASE)
_FENCE: Final = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_KNOWN: Final = frozenset(
    ("importance", "seen", "origin", "created", "updated", "from", "supersedes", "until")
)


class FactLines(NamedTuple):
    """`length` lines from line `start` (from 0) on are one bullet; `earlier`: under the heading "Earlier"."""

    start: int
    length: int
    earlier: bool


class WrittenFact(NamedTuple):
    """A bullet as written: `lead` is the bullet mark with its indentation, `text` what it says, decoded.

    `values` are the attributes by name ("#" for the id), still encoded; `extra` those that mean nothing here.
    """

    lead: str
    text: str
    values: Mapping[str, str]
    extra: tuple[str, ...]


def is_history_heading(line: str) -> bool:
    """True for the heading under which facts are history."""
    return _HISTORY.fullmatch(line) is not None


def fact_lines(lines: Sequence[str], first: int = 0) -> Iterator[FactLines]:
    """Every bullet from line `first` on that stands outside code and comments."""
    fence, comment, level, i = "", False, 0, first
    while i < len(lines):
        line = lines[i].removeprefix("\ufeff") if i == 0 else lines[i]
        mark = _FENCE.match(line)
        if comment or fence:
            comment = comment and "-->" not in line
            closing = mark and mark[1].startswith(fence) and not line.strip().strip(fence[:1])
            fence = "" if closing else fence
        elif mark:
            fence = mark[1]
        elif heading := heading_level(line.strip()):
            level = heading if is_history_heading(line) else 0 if heading <= level else level
        elif _BULLET.fullmatch(line) and not is_rule(line.strip()):
            count = _length(lines, i)
            yield FactLines(i, count, level > 0)
            i += count
            continue
        else:
            comment = line.rfind("<!--") > line.rfind("-->")
        i += 1


def read_fact(lines: Sequence[str]) -> WrittenFact:
    """What the lines of one bullet, as `fact_lines` finds them, say."""
    match = _BULLET.fullmatch(lines[0].removeprefix("\ufeff"))
    assert match is not None  # noqa: S101  only lines that match come here
    body = " ".join([match["body"].rstrip(), *(line.strip() for line in lines[1:])])
    found = _ATTRIBUTES.search(body)
    values, extra = _attributes(found[1]) if found else (None, ())
    if values is None:
        found, values, extra = None, {}, ()
    text = decode_text((body[: found.start()] if found else body).rstrip())
    return WrittenFact(match["lead"], text, values, extra)


def _length(lines: Sequence[str], start: int) -> int:
    """How many lines a bullet takes: indented text goes on with it, until its attributes end it."""
    count = 1
    while not _ATTRIBUTES.search(lines[start + count - 1]) and start + count < len(lines):
        following = lines[start + count]
        indented = following[:1] in (" ", "\t") and following.strip()
        if not indented or _BULLET.fullmatch(following) or _FENCE.match(following.strip()):
            break
        count += 1
    return count


def _attributes(inside: str) -> tuple[dict[str, str] | None, tuple[str, ...]]:
    """The attributes by name ("#" for the id) and the words that are none of ours; None for plain text."""
    values: dict[str, str] = {}
    extra: list[str] = []
    words = inside.split()
    for i, word in enumerate(words):
        key, equals, value = word.partition("=")
        if i == 0 and word.startswith("#"):
            values["#"] = word[1:]
        elif equals and key in _KNOWN and key not in values:
            values[key] = value
        else:
            extra.append(word)
    ours = "#" in values or (values and all("=" in word for word in words))
    return (values if ours else None), tuple(extra)
