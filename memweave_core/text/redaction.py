"""What another library's exception says, fit to be shown."""

from __future__ import annotations

import re

_SECRET = re.compile(r"\b(sk-|Bearer |key=|api[_-]?key[\"']?[:=] ?[\"']?)[\w.*-]{6,}", re.I)
_MOST_TEXT = 300


def describe(error: BaseException) -> str:
    """Class name and message in one line, shortened, without what looks like a key."""
    words = " ".join(str(error).split())
    words = _SECRET.sub(lambda found: f"{found[1]}…", words)
    if len(words) > _MOST_TEXT:
        words = words[:_MOST_TEXT] + "…"
    return f"{type(error).__name__}: {words}" if words else type(error).__name__
