"""Where the messages of a written conversation begin.

People and programs write conversations down in many ways; what they share is that a message begins with
who speaks: ``**Ana:** …``, ``**Ana** (10:32): …``, ``Ana: …``, ``[10:32] Ana: …``, ``- **Ana**: …``,
``小明：…``, or a line ``**Ana** · 2026-03-21 10:32 {#m12}`` of its own. A definition (``**Status:**
accepted``) looks the same, so a page counts as a conversation only when the same few speak again and
again. Transcripts of sessions, where the speaker of such a line is a role, are certain: there nothing
else begins a message.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from .spelling import UNSPACED

ROLES: Final = frozenset(
    {"user", "assistant", "system", "human", "ai", "agent", "bot", "tool", "developer", "model"}
)
"""Names of speakers in conversations with a model; a page that uses two of them is one."""

_FEWEST: Final = 4
_SHARE_OF_PARAGRAPHS: Final = 0.3
_WORDS_OF_A_NAME: Final = 4
_CHARACTERS_OF_A_NAME: Final = 10  # in a script without spaces
_WIDTH: Final = 120
_LABEL: Final = re.compile(
    r"""^[ ]{0,3}(?:[-*+>][ ])?                       # in a list or a quote
        (?:\[?[0-9][0-9T:.,/ -]{2,24}(?:[ap]m)?Z?\]?[ ]+(?:-[ ])?)?   # [10:32], 10:32 -
        (?:(?P<bold>\*\*|__)(?P<strong>[^\W\d_][^\n:\uff1a*_\[\](){}<>|#`]{0,39}?)
            (?:[:\uff1a](?P=bold)|(?P=bold)(?:[ ]*[(\[][^\n()\[\]]{1,40}[)\]])?[ ]?[:\uff1a]
              |(?P=bold)[ ]·[^\n{}]{1,60}\{\#[^\n{}]*\}[ ]*$)
          |(?P<plain>[^\W\d_][^\n:\uff1a*_\[\](){}<>|#`]{0,39}?)
              (?:[ ][(\[][0-9][^\n()\[\]]{1,40}[)\]])?(?:\uff1a|:(?=\s|(?<=[\u3040-\u9fff\uac00-\ud7af]:))))
    """,
    re.VERBOSE | re.IGNORECASE,
)

_TRANSCRIPT_LABEL: Final = re.compile(
    r"\*\*(?:system|user|assistant|tool)\*\*[ ]·[^\n{}]{1,60}\{\#[^\n{}]*\}[ ]*$"
)
_UNSPACED: Final = re.compile(f"[{UNSPACED}]+")


def message_lines(lines: Sequence[str]) -> frozenset[int]:
    """The 0-based numbers of the lines that begin a message; empty for a page that is no conversation.

    A conversation has at least four messages, speakers who on average speak twice or more, and begins at
    least three in ten of its paragraphs with a speaker (or two of the speakers are `ROLES`). A transcript of
    a session needs none of that.
    """
    own = [k for k, line in enumerate(lines) if line.startswith("**") and _TRANSCRIPT_LABEL.match(line)]
    if own:
        return frozenset(own)
    starts = {number: name for number, line in enumerate(lines) if (name := _speaker(line))}
    if len(starts) < _FEWEST:
        return frozenset()
    speakers = Counter(starts.values())
    if 2 * len(speakers) > len(starts):
        return frozenset()
    if len(ROLES & speakers.keys()) < 2:
        paragraphs = sum(1 for above, line in zip(["", *lines], lines, strict=False) if line and not above)
        if len(starts) < _SHARE_OF_PARAGRAPHS * paragraphs:
            return frozenset()
    return frozenset(starts)


def _speaker(line: str) -> str:
    """Who speaks, case-folded; "" for no label, or for what is hardly a name: too many words, or a small
    letter and no role."""
    start = line[:_WIDTH]
    if not (":" in start or "\uff1a" in start or line.endswith("}")):
        return ""  # nearly every line: quicker than the pattern
    match = _LABEL.match(line)
    if match is None:
        return ""
    name: str = match["strong"] or match["plain"]
    folded = name.strip().casefold()
    if len(name.split()) > _WORDS_OF_A_NAME or (
        len(folded) > _CHARACTERS_OF_A_NAME and _UNSPACED.fullmatch(folded)
    ):
        return ""
    return folded if match["strong"] or not name[0].islower() or folded in ROLES else ""
