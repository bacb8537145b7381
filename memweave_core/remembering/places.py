"""Where conversations and facts lie: paths below the memory folder, made of encoded names.

Whatever a user or session is called, its files stay in its own folder: see `text.names.encode_segment`.
"""

from __future__ import annotations

from .._errors import NameRefusedError
from ..text.names import encode_segment

LONGEST_NAME: int = 1_000
"""Characters of the name of a user or a session. It stands in the front matter of its pages, too."""

FACTS: str = "facts.md"
SUMMARY: str = "~summary.md"
"""End of the name of a summary. No encoded name holds a "~" but those shortened, after a "%"."""


def user_folder(user: str) -> str:
    """The folder of one user's private pages. Raises `NameRefusedError`."""
    return f"users/{_segment(user)}"


def facts_path(user: str) -> str:
    """The page of one user's facts."""
    return f"{user_folder(user)}/{FACTS}"


def sessions_folder(user: str | None) -> str:
    """The folder of the transcripts of one user, or of those that belong to nobody (None)."""
    return "sessions" if user is None else f"{user_folder(user)}/sessions"


def transcript_path(user: str | None, session: str) -> str:
    """The page of one conversation."""
    return f"{sessions_folder(user)}/{_segment(session)}.md"


def summary_path(user: str | None, session: str) -> str:
    """The page of the running summary of one conversation, beside it."""
    return f"{sessions_folder(user)}/{_segment(session)}{SUMMARY}"


def group_of(user: str | None, session: str) -> str:
    """A name for one conversation of one user that no other has: what its jobs keep their order in."""
    return f"{sessions_folder(user)}/{_segment(session)}"


def _segment(name: str) -> str:
    """The encoded name of a user or a session. Raises `NameRefusedError`."""
    if isinstance(name, str) and len(name) > LONGEST_NAME:
        raise NameRefusedError(
            f"A name of {len(name):,} characters is too long; it may have {LONGEST_NAME:,}: {name[:40]!r}…"
        )
    return encode_segment(name)
