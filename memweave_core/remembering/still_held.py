"""Where the words of a forgotten fact still stand, in sentences for the person who asked to forget it."""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from .. import history
from .._errors import MemWeaveError
from ..config import DERIVED, MemoryConfig
from ..text.bullet_text import encode_text
from ..types import Where
from .places import transcript_path

if TYPE_CHECKING:
    from ..assembly import Runtime

logger = logging.getLogger(__name__)

_SHOWN: Final = 5
_LOOKED_AT: Final = 50
"""Chunks of other pages that are looked at for the very words."""


class Looking(Protocol):
    """What looking for words needs of an open memory."""

    @property
    def config(self) -> MemoryConfig: ...
    @property
    def runtime(self) -> Runtime: ...


@dataclass(frozen=True, slots=True)
class Left:
    """What forgetting knows it left: messages that say it, less those deleted, and the copy for undoing."""

    said: Sequence[str] = ()
    deleted: Collection[str] = ()
    kept_in: str = ""


def still_held(parts: Looking, user: str, texts: Sequence[str], left: Left) -> list[str]:
    """Sentences that name transcripts, other pages, the trash and git, where they hold one of `texts`.

    Blocks on the index and on git. What cannot be looked through is said, too.
    """
    found = []
    said = [place for place in left.said if place not in left.deleted]
    if said:
        purging = "purge deletes those that say all of it" if left.kept_in else "delete those that should go"
        found.append(f"Messages that say it, or part of it, are withheld; {purging}: {listed(said)}.")
    pages = _pages_with(parts, user, texts, {place.rpartition("#")[0] for place in said})
    if pages:
        found.append(f"Pages that were not learnt from say it too: {listed(pages)}.")
    if left.kept_in:
        found.append(
            f"{DERIVED}/trash/{left.kept_in} keeps it for `restore`, and freed space in the index may hold"
            " it; purge removes both."
        )
    try:
        commits = history.commits_holding(parts.config, {*texts, *map(encode_text, texts)})
    except MemWeaveError as error:
        return [*found, f"Whether the git history of the workspace holds it is not known: {error}"]
    if commits:
        many = "1 commit" if commits == 1 else f"{commits} commits"
        found.append(
            f"The git history of the workspace ({many}) still holds it; only rewriting that removes it."
        )
    return found


def listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _pages_with(parts: Looking, user: str, texts: Sequence[str], sessions: Collection[str]) -> list[str]:
    """Other pages that this user can see in which the very words stand."""
    index, store = parts.runtime.index, parts.runtime.store
    told = {store.memory_key(transcript_path(user, session)) for session in sessions}
    found: dict[str, None] = {}
    try:
        for text in texts:
            hits = index.keyword(text, where=Where(user=user, superseded=True), limit=_LOOKED_AT)
            for row in index.rows([hit.chunk_id for hit in hits]).values():
                if row.meta.path not in told and _stands_in(row.chunk.text, text):
                    found[row.meta.path] = None
    except MemWeaveError as error:
        logger.warning("Other pages could not be looked through: %s", error)
    return list(found)


def _stands_in(page: str, text: str) -> bool:
    """Whether the words of `text` stand in `page` as whole words."""
    return bool(re.search(rf"(?<!\w){re.escape(_plain(text))}(?!\w)", _plain(page)))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
