"""What is known of each user: facts are taken in, recalled, edited, and looked up in their history."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from .._errors import ConfigError, NotFoundError, UsageError
from ..assembly import Runtime
from ..config import MemoryConfig
from ..facts import recall as recalling
from ..facts.branches import Branch, facts_on, leave
from ..facts.bullets import Entry, FactFile, write
from ..facts.by_words import overlaps
from ..facts.likeness import Likeness
from ..facts.upkeep import Rules, TakenIn, edit, proper, same_words, take_in, versions
from ..messages import Fact, FactVersion, Recalled, Remembered
from ..ports import Clock
from .fact_pages import FactPages
from .fact_trash import FactTrash, Kept, lines_of_facts
from .fact_vectors import FactVectors, Found

if TYPE_CHECKING:
    from ..types import FloatArray

logger = logging.getLogger(__name__)

_TRIES: Final = 4
"""How often the vectors of facts that others add meanwhile are asked for; after that, words must do."""

_AT_ONCE: Final = 50
"""Facts that are compared and written under one lock: half a second's work beside a thousand others."""


class FactBook:
    """The facts of all users of one open memory. Usable from several threads, event loops and processes.

    Nothing is locked while an embedder is asked. A failing embedder never makes a call fail: facts that are
    the same word for word are recognised all the same, and recall goes by words.
    """

    def __init__(self, runtime: Runtime, config: MemoryConfig, clock: Clock) -> None:
        self._runtime = runtime
        self._config = config
        self._clock = clock
        self.pages = FactPages(runtime.store)
        self.vectors = FactVectors(runtime)
        self.trash = FactTrash(config.trash)

    # --- reading ---------------------------------------------------------------------------------------

    async def file(self, user: str) -> FactFile:
        """The facts of a user as they stand in the file now; each current one has an id.

        A fact that a person wrote without one is shown with the id that the next write will give it.
        """
        return await self._runtime.readers.run(lambda: self.pages.read(user))

    async def current(self, user: str, branch: Branch | None = None) -> tuple[Fact, ...]:
        """The facts that hold now; with `branch` those that hold on it."""
        file = await self.file(user)
        return file.facts if branch is None else facts_on(file, branch)

    async def resolve(self, user: str, fact_id: str) -> Entry:
        """The entry with this id, or whose id alone begins so.

        Raises `NotFoundError` when there is none, `UsageError` when there are several.
        """
        return found_by_id(await self.file(user), user, fact_id)

    async def history(self, user: str, fact_id: str | None = None) -> list[FactVersion]:
        """All wordings and values of one fact, newest first; without an id, all that is no longer current.

        Raises as `resolve` does.
        """
        file = await self.file(user)
        if fact_id is not None:
            return versions(file, found_by_id(file, user, fact_id).fact.id)
        found = [FactVersion(entry.fact, entry.until) for entry in file.earlier]
        return sorted(found, key=lambda one: one.until or dt.date.min, reverse=True)

    async def recall(
        self,
        user: str,
        query: str,
        *,
        embed: bool = True,
        top: int | None = None,
        branch: Branch | None = None,
        standing: int = 0,
    ) -> Recalled:
        """The `top` facts (`config.facts.recall`) nearest to `query`, or all when there are fewer.

        With `branch` only facts that are known on it; at most `standing` others of importance 5 come besides.

        `embed=False` says that the embedder is not to be asked, for instance because it has just failed.
        Without vectors the words decide, then the importance.
        """
        top = self._config.facts.recall if top is None else top
        if top < 1:
            raise ConfigError(f"At least one fact must be asked for, not {top}.")
        facts = await self.current(user, branch)
        if not facts:
            return Recalled()
        few = len(facts) < top
        (vector, trouble), found = await asyncio.gather(
            self._asked(query, embed=embed and not few),
            self.vectors.of([fact.text for fact in facts], embed=embed and not few),
        )
        return await self._runtime.readers.run(
            lambda: _chosen(
                facts, query, vector, found, (top, standing), "" if few else trouble or found.note
            )
        )

    async def _asked(self, query: str, *, embed: bool) -> tuple[FloatArray | None, str]:
        if embed:
            return await self.vectors.query(query)
        return None, "The embedder was not asked."

    # --- writing ---------------------------------------------------------------------------------------

    async def remember(self, user: str, new: Sequence[Fact]) -> list[Remembered]:
        """Take facts in, in order; says of each what became of it.

        What says the same as a known fact becomes one with it, in the fuller wording; what holds now instead
        of it supersedes it; earlier wordings and values stay in the history. Above `config.facts.limit` the
        least important facts go, a copy of them to the trash; the reason says so. Secrets are masked.
        Raises `StorageError`.
        """
        given = [proper(fact) for fact in new]
        parts = [given[at : at + _AT_ONCE] for at in range(0, len(given), _AT_ONCE)]
        return [one for part in parts for one in await self._take_in(user, part)]

    async def _take_in(self, user: str, given: Sequence[Fact]) -> list[Remembered]:
        tried = 0
        while True:
            tried += 1
            file = await self.file(user)
            texts = [fact.text for fact in (*file.facts, *given)]
            found = await self.vectors.of(texts)
            last = tried == _TRIES or bool(found.note)
            writing = _Writing(self, user, given, found, None if last else frozenset(texts))
            taken = await self._runtime.readers.run(writing.run)
            if taken is not None:
                return taken.remembered

    async def edit(
        self, user: str, fact_id: str, *, text: str | None = None, importance: int | None = None
    ) -> Fact:
        """Give a current fact other words or another importance (1 to 5); returns it as it is now.

        Its words before stay in the history. Raises as `resolve` does, and `UsageError` for a text without
        words or one that another fact has, an importance out of range, or a fact that is history.
        """
        if importance is not None and importance not in range(1, 6):
            raise ConfigError(f"importance must be from 1 to 5, not {importance!r}.")
        if text is not None and not any(map(str.isalnum, text)):
            raise UsageError("A fact needs words; use forget to delete it.")
        if text is not None:
            check_length(text)
        now: list[Fact] = []

        def change(before: str) -> str:
            file = self.pages.parsed(user, before)
            entry = found_by_id(self.pages.shown(user, file), user, fact_id)
            if entry.earlier:
                raise UsageError(f"The fact {entry.fact.id} is history and is not edited.")
            if text is not None:
                _check_new(self.pages.shown(user, file), entry, text)
            changes, fact = edit(file, file.at(entry.line), text, importance, self.today())
            now[:] = [fact]
            return write(file, changes)

        await self._runtime.readers.run(lambda: self.pages.edit(user, change))
        return now[0]

    async def leave(self, user: str, branch: Branch) -> tuple[Fact, ...]:
        """Move facts that are not known on a branch to the history; what they superseded holds again."""
        left: list[Fact] = []

        def change(before: str) -> str:
            file = self.pages.parsed(user, before)
            changes = leave(file, branch, self.today())
            left[:] = [file.at(line).fact for line in changes.retired]
            return write(file, changes) if changes else before

        await self._runtime.readers.run(lambda: self.pages.edit(user, change))
        return tuple(left)

    def rules(self) -> Rules:
        """By what facts are pruned and dated now."""
        return Rules(self._config.facts.limit, self.today())

    def likeness(self, found: Found) -> Likeness:
        """By what facts are proposed to be the same."""
        set_here, embedder = self._config.facts.duplicate, self._runtime.embedder
        own = embedder.calibration.duplicate if embedder is not None else 1.0
        return Likeness(found.vectors, own if set_here is None else set_here, closely=set_here is not None)

    def today(self) -> dt.date:
        """The present day where the user is."""
        return self._config.day(self._clock())


class _Writing:
    """One attempt to take facts in; `run` blocks. `compared` are the texts whose vectors were asked for."""

    def __init__(
        self, book: FactBook, user: str, given: Sequence[Fact], found: Found, compared: frozenset[str] | None
    ) -> None:
        self._book = book
        self._user = user
        self._given = given
        self._likeness = book.likeness(found)
        self._compared = compared
        self._taken: TakenIn | None = None

    def run(self) -> TakenIn | None:
        """What was written; None when the file holds facts meanwhile that have not been compared."""
        self._book.pages.edit(self._user, self._change)
        if self._taken is not None and self._taken.dropped:
            logger.info("%s", self._taken.report.sentence)
        return self._taken

    def _change(self, before: str) -> str:
        file = self._book.pages.parsed(self._user, before)
        if self._compared is not None and not self._compared.issuperset(fact.text for fact in file.facts):
            return before
        taken = take_in(file, self._given, self._likeness, self._book.rules())
        if taken.dropped:  # the copy first: nothing may go without one
            self._book.trash.keep(Kept(self._user, lines_of_facts(taken.dropped)))
        self._taken = taken
        return write(file, taken.changes) if taken.changes else before


def check_length(text: str) -> None:
    """Raises `UsageError` for a text that is too long to be one fact."""
    size = len(text.strip())
    if size > recalling.LONGEST:
        raise UsageError(
            f"A fact of {size:,} characters is too long; one has at most {recalling.LONGEST:,}."
            " Keep a longer text on a page."
        )


def _check_new(file: FactFile, edited: Entry, text: str) -> None:
    """Raises `UsageError` when another current fact has these words already."""
    for entry in file.current:
        if entry.line != edited.line and same_words(entry.fact.text, text):
            raise UsageError(
                f"The fact {entry.fact.id} says that already; forget {edited.fact.id} instead of editing it."
            )


def found_by_id(file: FactFile, user: str, fact_id: str) -> Entry:
    """The entry whose id is `fact_id`, or the only one whose id begins so; errors as for `resolve`."""
    wanted = fact_id.strip().removeprefix("#").casefold()
    named = [entry for entry in file.entries if entry.fact.id]
    exact = [entry for entry in named if entry.fact.id.casefold() == wanted]
    found = exact or [entry for entry in named if wanted and entry.fact.id.casefold().startswith(wanted)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise NotFoundError(f"{user!r} has no fact {fact_id!r}; `facts({user!r})` lists them with their ids.")
    several = ", ".join(entry.fact.id for entry in found[:8])
    raise UsageError(f"{fact_id!r} is the beginning of several ids: {several}. Give more of it.")


def _chosen(
    facts: Sequence[Fact],
    query: str,
    vector: FloatArray | None,
    found: Found,
    most: tuple[int, int],
    trouble: str,
) -> Recalled:
    """The nearest facts; by words where the question has no vector, or a fact none that fits it."""
    if not query.strip() and vector is None:  # nothing to be near to: importance decides
        chosen = recalling.choose(facts, None, *most)
        return Recalled(chosen.facts, (None,) * len(chosen.facts), chosen.left_out)
    nearest: list[float | None] = [None] * len(facts)
    for at, fact in enumerate(facts):
        own = found.vectors.get(fact.text)
        if own is not None and vector is not None and own.shape == vector.shape:
            nearest[at] = float(own @ vector)
    if None in nearest:
        words = overlaps(query, [fact.text for fact in facts])
        nearest = [share if one is None else one for one, share in zip(nearest, words, strict=True)]
    scores = [one or 0.0 for one in nearest]
    chosen = recalling.choose(facts, scores, *most)
    by_id = {fact.id: score for fact, score in zip(facts, scores, strict=True)}
    how = "Recalled by words" if vector is None else "Some facts were compared by words"
    similarities = tuple(by_id[fact.id] for fact in chosen.facts)
    return Recalled(chosen.facts, similarities, chosen.left_out, f"{how}: {trouble}" if trouble else "")


def nearest_first(recalled: Recalled) -> Recalled:
    """The same facts, the nearest first; as they are where nothing was compared."""
    order = sorted(range(len(recalled.facts)), key=lambda at: recalled.similarities[at] or 0.0, reverse=True)
    facts = tuple(recalled.facts[at] for at in order)
    return replace(recalled, facts=facts, similarities=tuple(recalled.similarities[at] for at in order))
