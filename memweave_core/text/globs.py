"""Glob patterns over posix paths, as ignore files have them.

``*`` and ``?`` stop at "/", ``**`` does not, ``[…]`` is a set. A pattern without "/" is tried on every name
of a path, one with "/" on the path from its beginning. A pattern that matches a folder covers what is in it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

_PART = re.compile(r"\*\*/|\*\*|\*|\?|\[!?(?:\][^\]]*|[^\]]+)\]|.", re.DOTALL)
_RANGE = re.compile(r"(.)-(.)|(.)", re.DOTALL)


def path_matcher(patterns: Iterable[str]) -> Callable[[str], bool] | None:
    """A test whether any pattern covers a path, or None when there are no patterns."""
    sources = [
        _translate(unicodedata.normalize("NFC", pattern)) for pattern in patterns if pattern.strip("/")
    ]
    if not sources:
        return None
    found = re.compile("|".join(sources), re.DOTALL).match
    return lambda path: found(path) is not None


def _translate(pattern: str) -> str:
    anchored = "/" in pattern.rstrip("/")
    body = "".join(_piece(part) for part in _PART.findall(pattern.strip("/")))
    start = "" if anchored else "(?:.*/)?"
    end = "/" if pattern.endswith("/") else r"(?:/|\Z)"
    return f"(?:{start}{body}{end})"


def _piece(part: str) -> str:
    if part == "**/":
        return "(?:.*/)?"
    if part == "**":
        return ".*"
    if part == "*":
        return "[^/]*"
    if part == "?":
        return "[^/]"
    if len(part) > 1:
        return _character_class(part[1:-1])
    return re.escape(part)


def _character_class(members: str) -> str:
    negated = members.startswith("!")
    inside = ""
    for low, high, single in _RANGE.findall(members[negated:]):
        if single:
            inside += re.escape(single)
        elif low <= high:
            inside += f"{re.escape(low)}-{re.escape(high)}"
    if negated:
        return f"[^/{inside}]"
    return f"[{inside}]" if inside else "(?!)"
