"""What a result leaves out of a transcript or a file of facts: marks that are for the program."""

from __future__ import annotations

import re
from typing import Final

_OURS: Final = re.compile(r"(?:^|/)(?:users/[^/]+/facts|sessions/[^/]+)\.md$")
_LABEL: Final = re.compile(
    r"^\*\*(?:system|user|assistant|tool)\*\*[^\n{}]{0,99}\{#[^\n{}]*\}[ \t]*(?:\r?\n)*", re.MULTILINE
)
_END: Final = re.compile(r"^<!--/-->[ \t]*(?:\r?\n)*", re.MULTILINE)
_ATTRIBUTES: Final = re.compile(
    r"[ \t]*\{#[^\s{}]*[ \t][^\n{}]*\b(?:importance|origin|created)=[^\n{}]*\}[ \t]*$", re.MULTILINE
)


def without_marks(path: str, text: str) -> str:
    """`text` of the page `path` without labels and ends of messages and without the attributes of facts.

    A text that is nothing else, and that of another page, comes back as it is.
    """
    if ("{#" not in text and "<!--/-->" not in text) or not _OURS.search(path):
        return text
    return _ATTRIBUTES.sub("", _END.sub("", _LABEL.sub("", text))).strip() or text
