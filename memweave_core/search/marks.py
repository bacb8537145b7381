"""How results show transcripts and files of facts: without the marks that are for the program."""

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


def heading_or_title(heading: str, path: str, title: str) -> str:
    """The heading a passage stands under; that of a transcript is its title, where it was given one."""
    if heading or not _OURS.search(path) or path.endswith(f"/{title}.md"):
        return heading
    return title
