"""Facts that are imported: what of them is not known yet goes into the book of the user's facts."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import Protocol, TypeAlias, TypeVar

from ..exchange.imported import Imported
from ..facts.bullets import Changes, FactFile, write
from ..facts.upkeep import proper
from ..facts.verdict import verdict
from ..messages import Fact, FactVersion, ImportReport, Remembered
from .fact_book import FactBook

T = TypeVar("T")
_Dated: TypeAlias = tuple[Fact, dt.date | None]
_AT_ONCE = 100
_NO_ROOM = "facts.limit leaves no room, and others matter more"
_NO_WORDS = "without words"
_OVERTAKEN = "what is known instead is newer"


class Run(Protocol):
    """Makes a blocking call on a thread."""

    def __call__(self, call: Callable[[], T]) -> Awaitable[T]: ...


class FactImport:
    """Takes the facts of an import for one user, and counts what became of them."""

    def __init__(self, book: FactBook, run: Run, user: str | None) -> None:
        self._book = book
        self._run = run
        self._user = user
        self._stored: set[str] = set()
        self._before: frozenset[str] | None = None
        self._known = 0
        self._skipped: Counter[str] = Counter()
        self._problems: list[str] = []

    async def take(self, piece: Imported) -> None:
        """Take the facts of a piece. Of our own export they come in as they are where there are none yet."""
        if self._user is None:
            self._skipped["a fact belongs to a user, and none was named"] += len(piece.facts)
            return
        facts = [proper(fact) for fact in piece.facts]
        if self._before is None:
            self._before = _ids((await self._book.file(self._user)).facts)
        if piece.format == "memweave" and await self._restored(self._user, facts, piece.earlier):
            return
        facts.sort(
            key=lambda fact: fact.updated or fact.created or dt.date.min
        )  # what is newer may supersede
        for start in range(0, len(facts), _AT_ONCE):
            await self._remember(self._user, facts[start : start + _AT_ONCE])

    @property
    def stored(self) -> int:
        """How many new facts there are until now."""
        return len(self._stored)

    async def close(self) -> None:
        """Say what had no room beside the others."""
        if self._user is None or self._before is None:
            return
        ids = (await self._book.file(self._user)).ids
        if dropped := len(self._stored - ids):
            self._skipped[_NO_ROOM] += dropped
        self._stored &= ids
        if pushed := len(self._before - ids):
            self._problems.append(
                f"{_facts(pushed)} known before made room (facts.limit); a copy is in .memweave/trash."
            )

    def counted(self, report: ImportReport) -> ImportReport:
        """`report` with what became of these facts added."""
        said = [f"{_facts(count)} not taken: {reason}." for reason, count in self._skipped.items() if count]
        return replace(
            report,
            facts=report.facts + len(self._stored),
            known_facts=report.known_facts + self._known,
            skipped=report.skipped + self._skipped.total(),
            problems=(*report.problems, *said, *self._problems),
        )

    async def _remember(self, user: str, facts: Sequence[Fact]) -> None:
        file = await self._book.file(user)
        unknown = [fact for fact in facts if not _is_known(file, fact)]
        new = [fact for fact in unknown if not _is_overtaken(file, fact)]
        self._known += len(facts) - len(unknown)
        self._skipped[_OVERTAKEN] += len(unknown) - len(new)
        for told in await self._book.remember(user, new):
            self._count(told)

    def _count(self, told: Remembered) -> None:
        if told.outcome == "skipped":
            self._skipped[_NO_ROOM if any(map(str.isalnum, told.fact.text)) else _NO_WORDS] += 1
        elif told.outcome == "merged":
            self._known += 1
        else:
            self._stored.add(told.fact.id)

    async def _restored(self, user: str, facts: Sequence[Fact], earlier: Sequence[FactVersion]) -> bool:
        """Write the history down, and the facts as they are if there are none; False when there are some."""
        past = _each_once((proper(old.fact), old.until) for old in earlier)
        done: list[bool] = []

        def change(before: str) -> str:
            file = self._book.pages.parsed(user, before)
            done[:] = [not file.entries]
            current = [] if file.entries else [fact for fact, _ in _each_once((one, None) for one in facts)]
            ids, words = file.ids | _ids(current), {_words(entry.fact) for entry in file.entries}
            new = [old for old in past if old[0].id not in ids and _words(old[0]) not in words]
            return write(file, Changes(added=current, past=new)) if current or new else before

        await self._run(lambda: self._book.pages.edit(user, change))
        if done[0]:
            self._stored |= _ids((await self._book.file(user)).facts)
        return done[0]


def _each_once(facts: Iterable[_Dated]) -> list[_Dated]:
    """The facts that have words; a second one of an id loses it, and gets another with the next write."""
    met: set[str] = set()
    kept = []
    for fact, until in facts:
        if any(map(str.isalnum, fact.text)):
            kept.append((replace(fact, id="") if fact.id in met else fact, until))
            met.add(fact.id)
    return kept


def _is_known(file: FactFile, fact: Fact) -> bool:
    """Whether the same words are there already: from this very source, under this id, or as history.

    History must not come back: what superseded it is newer than this export of it.
    """
    words = _words(fact)
    return any(
        entry.earlier or entry.fact.id == fact.id or entry.fact.source == fact.source
        for entry in file.entries
        if _words(entry.fact) == words
    )


def _is_overtaken(file: FactFile, fact: Fact) -> bool:
    """Whether a newer fact tells what holds instead: it must not be superseded by an older one."""
    day = _day(fact)
    newer = [known for known in file.facts if day is not None and (_day(known) or day) > day]
    return any(verdict(fact.text, known.text) == "changed" for known in newer)


def _day(fact: Fact) -> dt.date | None:
    return fact.updated or fact.created


def _words(fact: Fact) -> str:
    return " ".join(fact.text.casefold().split())


def _ids(facts: Iterable[Fact]) -> frozenset[str]:
    return frozenset(fact.id for fact in facts if fact.id)


def _facts(count: int) -> str:
    return "1 fact" if count == 1 else f"{count} facts"
