"""What is done to a file of facts as a whole: taking new facts in, editing one, taking one out.

Everything here is worked out from the file as it stands and gives the changes to write; nothing is lost that
a person wrote meanwhile.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ..messages import Fact, FactVersion, Remembered
from ..text.secrets import mask
from .aging import HIGHEST_AUTOMATIC, PruneReport, decide, prune
from .bullets import Changes, Entry, FactFile, identified, new_id
from .likeness import Likeness

_MASKED: Final = re.compile(r"\[secret: ([^\]\n]{1,60})\]")
_FROM_MACHINES: Final = ("automatic", "import")


@dataclass(frozen=True, slots=True)
class Rules:
    """Above `limit` facts the least important ones go."""

    limit: int
    today: dt.date


@dataclass(frozen=True, slots=True)
class TakenIn:
    """The changes to write, what became of each new fact, and the facts that `report` says were dropped."""

    changes: Changes
    remembered: list[Remembered]
    dropped: tuple[Fact, ...]
    report: PruneReport


def proper(fact: Fact) -> Fact:
    """The fact as it may be kept: secrets masked, no halves of surrogate pairs, importance in its range.

    What a machine found or another product exported is of importance 4 at most.
    """
    text = mask(fact.text.strip().encode("utf-8", "replace").decode()).text
    highest = HIGHEST_AUTOMATIC if fact.origin in _FROM_MACHINES else 5
    source = mask(fact.source).text
    importance = max(1, min(fact.importance, highest))
    return replace(fact, text=text, source=source, importance=importance, seen=max(1, fact.seen))


def take_in(file: FactFile, new: Sequence[Fact], likeness: Likeness, rules: Rules) -> TakenIn:
    """Take `proper` facts into a file in order, each beside what the ones before it made of the file."""
    draft = _Draft(file, rules.today)
    remembered = [_telling_masked(fact, draft.take(fact, likeness)) for fact in new]
    if all(one.outcome == "skipped" for one in remembered):
        return TakenIn(Changes(), remembered, (), PruneReport(len(draft.facts), rules.limit))
    dropped, report = prune(tuple(draft.facts.values()), rules.limit)
    gone = {fact.id for fact in dropped}
    draft.drop(gone)
    if report.sentence:
        remembered = [_noted(one, gone, report.sentence) for one in remembered]
    return TakenIn(draft.changes(), remembered, dropped, report)


def _telling_masked(fact: Fact, told: Remembered) -> Remembered:
    """`told`, and which kinds of secrets are not kept with the fact."""
    kinds = dict.fromkeys(_MASKED.findall(fact.text))
    return replace(told, reason=f"{told.reason} Masked: {', '.join(kinds)}.") if kinds else told


def _noted(one: Remembered, gone: set[str], report: str) -> Remembered:
    if one.outcome == "skipped":
        return one
    if one.fact.id in gone:
        return replace(one, outcome="skipped", reason=f"It matters least, and there is no room. {report}")
    return replace(one, reason=f"{one.reason} {report}") if one.outcome != "merged" else one


@dataclass(slots=True)
class _Draft:
    """The current facts while new ones come in, by slot: the line of an entry, or a negative number."""

    file: FactFile
    today: dt.date
    facts: dict[int, Fact] = field(init=False)
    taken: set[str] = field(init=False)
    named: dict[int, Fact] = field(init=False)
    retired: dict[int, Fact] = field(default_factory=dict)
    past: list[tuple[Fact, dt.date]] = field(default_factory=list)
    removed: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.named = dict(identified(self.file, self.today).replaced)
        self.facts = {entry.line: self.named.get(entry.line, entry.fact) for entry in self.file.current}
        self.taken = set(self.file.ids) | {fact.id for fact in self.named.values()}

    def take(self, new: Fact, likeness: Likeness) -> Remembered:
        if new.source and any(
            entry.fact.source == new.source and same_words(entry.fact.text, new.text)
            for entry in self.file.earlier
        ):
            return Remembered("skipped", new, "It was learnt from the same message, and holds no longer.")
        known = list(self.facts.values())
        told = decide(new, known, likeness.scores(new.text, known), 0.0, self.today, self.taken)
        if told.outcome == "skipped":
            return told
        self.taken.add(told.fact.id)
        old = told.replaced
        slot = next((at for at, fact in self.facts.items() if old is not None and fact.id == old.id), None)
        if old is None or slot is None:
            self._add(told.fact)
        elif told.outcome == "superseded":
            self._retire(slot, old)
            self._add(told.fact)
        else:
            told = replace(told, fact=self._reworded(slot, old, told.fact))
            self.facts[slot] = told.fact
        return told

    def _add(self, fact: Fact) -> None:
        self.facts[min(0, min(self.facts, default=0)) - 1] = fact

    def _retire(self, slot: int, old: Fact) -> None:
        del self.facts[slot]
        if slot > 0:
            self.retired[slot] = old
        else:
            self.past.append((old, self.today))

    def _reworded(self, slot: int, old: Fact, fact: Fact) -> Fact:
        """The merged fact; when its words are others than those on disk, these go to the history."""
        if slot < 0 or fact.text == old.text:
            return fact
        earlier = _earlier(old, self.taken)
        self.taken.add(earlier.id)
        self.past.append((earlier, self.today))
        return replace(fact, supersedes=earlier.id)

    def drop(self, ids: set[str]) -> None:
        for slot, fact in list(self.facts.items()):
            if fact.id in ids:
                del self.facts[slot]
                if slot > 0:
                    self.removed.add(slot)

    def changes(self) -> Changes:
        """The changes to write; an entry that is as it was is not among them."""
        before = {entry.line: entry.fact for entry in self.file.current}
        kept = {slot: fact for slot, fact in self.facts.items() if slot > 0}
        replaced = {slot: fact for slot, fact in (kept | self.retired).items() if fact != before[slot]}
        added = [self.facts[slot] for slot in sorted((s for s in self.facts if s < 0), reverse=True)]
        retired = dict.fromkeys(self.retired, self.today)
        return Changes(replaced, retired, frozenset(self.removed), added, tuple(self.past))


def _earlier(old: Fact, taken: set[str]) -> Fact:
    """The same words under an id of their own, for the history."""
    return replace(old, id=new_id(old.text, taken))


def edit(
    file: FactFile, entry: Entry, text: str | None, importance: int | None, today: dt.date
) -> tuple[Changes, Fact]:
    """The changes that give a current fact other words or another importance, and the fact as it is then.

    It is the person's own from now on. Its words before go to the history.
    """
    replaced = dict(identified(file, today).replaced)
    old = replaced.get(entry.line, entry.fact)
    fact = replace(old, updated=today, origin="explicit" if old.origin == "explicit" else "person")
    if importance is not None:
        fact = replace(fact, importance=importance)
    if text is not None:
        fact = proper(replace(fact, text=text))
    past: tuple[tuple[Fact, dt.date], ...] = ()
    if fact.text != old.text:
        earlier = _earlier(old, set(file.ids) | {one.id for one in replaced.values()})
        past = ((earlier, today),)
        fact = replace(fact, supersedes=earlier.id)
    elif fact.importance == old.importance:
        return Changes(), old
    replaced[entry.line] = fact
    return Changes(replaced=replaced, past=past), fact


def versions(file: FactFile, fact_id: str) -> list[FactVersion]:
    """What a fact said, newest first, from its latest wording on, whichever of its wordings is named."""
    by_id = {entry.fact.id: entry for entry in file.entries if entry.fact.id}
    later = {entry.fact.supersedes: key for key, entry in by_id.items() if entry.fact.supersedes}
    met = {fact_id}
    while (newer := later.get(fact_id, "")) and newer not in met:
        fact_id = newer
        met.add(newer)
    found: list[FactVersion] = []
    while fact_id in by_id:
        entry = by_id.pop(fact_id)
        found.append(FactVersion(entry.fact, entry.until, current=not entry.earlier))
        fact_id = entry.fact.supersedes
    return found


def with_history(file: FactFile, entry: Entry) -> tuple[Entry, ...]:
    """An entry, the earlier wordings that it took the place of, and what says the very same elsewhere."""
    chain, at = [entry], entry
    by_id = {one.fact.id: one for one in file.entries if one.earlier and one.fact.id}
    while at.fact.supersedes and (before := by_id.pop(at.fact.supersedes, None)) is not None:
        chain.append(before)
        at = before
    texts = {_plain(one.fact.text) for one in chain}
    lines = {one.line for one in chain}
    same = [one for one in file.entries if one.line not in lines and _plain(one.fact.text) in texts]
    return (*chain, *same)


def same_words(one: str, other: str) -> bool:
    """Whether two texts are the same but for case, white space and the stop at the end."""
    return _plain(one) == _plain(other)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!")
