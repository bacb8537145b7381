"""How facts grow and go: merged or superseded when they come again, reinforced, and pruned when too many."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from ..messages import Fact, Remembered
from .bullets import new_id
from .verdict import Verdict, verdict

HIGHEST_AUTOMATIC: Final = 4
"""What repetition alone can make of a fact; 5 is for what a person asked to be remembered."""

NEVER_PRUNED: Final = 4
"""From this importance on a machine deletes nothing."""

SOFT_LIMIT: Final = 150
"""Facts of one user above which the least important ones go."""

Similar: TypeAlias = Callable[[Fact], float] | Mapping[str, float]
"""How similar a known fact is to the new one, in [-1, 1]: a function, or a mapping by id (0 if missing)."""

_BEST: Final[dict[Verdict, int]] = {"same": 0, "fuller": 1, "poorer": 2, "changed": 3}


@dataclass(frozen=True, slots=True)
class PruneReport:
    """What pruning did to `facts` facts: `dropped` go, `excess` are above `limit` and stay nevertheless."""

    facts: int
    limit: int
    dropped: int = 0
    excess: int = 0

    @property
    def sentence(self) -> str:
        """The report as a sentence; "" when there was nothing to do."""
        if not self.dropped and not self.excess:
            return ""
        text = f"{self.facts} facts, soft limit {self.limit}: {self.dropped} of the least important dropped"
        if self.excess:
            text += f"; still {self.excess} too many, all of importance {NEVER_PRUNED} or more"
        return text + "."


def reinforce(fact: Fact, today: dt.date, source: str) -> Fact:
    """The fact after it came up again in `source` (``session#message``, "" when unknown).

    In another session than the one it is from, it counts as seen once more, and an automatic or imported
    fact gains one importance, up to 4. In the same session, or when the session is unknown, only the day
    changes. What a person said or wrote keeps the importance it has.
    """
    if not source or _session(source) == _session(fact.source):
        return replace(fact, updated=today)
    importance = fact.importance
    if fact.origin in ("automatic", "import"):
        importance = max(importance, min(importance + 1, HIGHEST_AUTOMATIC))
    return replace(fact, importance=importance, seen=fact.seen + 1, updated=today, source=source)


def prune(facts: Sequence[Fact], limit: int = SOFT_LIMIT) -> tuple[tuple[Fact, ...], PruneReport]:
    """The facts to drop so that at most `limit` are left, as far as that goes, and what to report.

    The lowest importance goes first and among equals the oldest (the day it was last confirmed; undated facts
    are somebody's own and go last). None of importance 4 or more goes.
    """
    over = len(facts) - limit
    if over <= 0:
        return (), PruneReport(len(facts), limit)
    low = [fact for fact in facts if fact.importance < NEVER_PRUNED]
    low.sort(key=lambda fact: (fact.importance, fact.updated or fact.created or dt.date.max))
    dropped = tuple(low[:over])
    return dropped, PruneReport(len(facts), limit, len(dropped), over - len(dropped))


def decide(
    new: Fact,
    known: Sequence[Fact],
    similar: Similar,
    threshold: float,
    today: dt.date,
    taken: Collection[str] = (),
) -> Remembered:
    """What becomes of a new fact beside the `known` ones of the same user.

    Known facts more similar than `threshold` are compared by content, the most similar first. `replaced` is
    the known fact that is to be written over ("merged") or to move to the history ("superseded").
    `taken` are further ids that must not be given again. What a model found neither rewords nor supersedes
    what a person said: then both stay.
    """
    if not any(character.isalnum() for character in new.text):
        return Remembered("skipped", new, "It holds no words.")
    ids = {fact.id for fact in known if fact.id} | set(taken)
    best = _best(new, known, similar, threshold)
    if best is None:
        return Remembered("stored", _fresh(new, ids, today), "Nothing known says the same.")
    how, old = best
    if how == "changed":
        fact = _fresh(replace(new, importance=_importance(new, old), supersedes=old.id), ids, today)
        return Remembered("superseded", fact, "It tells what holds now instead.", old)
    fact = _merged(new, old, how, today)
    if not fact.id:
        fact = replace(fact, id=new_id(fact.text, ids), created=fact.created or today)
    return Remembered("merged", fact, _REASONS[how], old)


_REASONS: Final[dict[Verdict, str]] = {
    "same": "It says the same as a known fact.",
    "fuller": "It says a known fact more fully.",
    "poorer": "A known fact says it more fully.",
}


def _best(
    new: Fact, known: Sequence[Fact], similar: Similar, threshold: float
) -> tuple[Verdict, Fact] | None:
    scores = [(_score(similar, fact), fact) for fact in known]
    likely = sorted((pair for pair in scores if pair[0] > threshold), key=lambda pair: -pair[0])
    # The very same words need no embedder to be recognised.
    plain = _plain(new)
    likely += [(0.0, fact) for score, fact in scores if score <= threshold and _plain(fact) == plain]
    found = [(verdict(new.text, fact.text), fact) for _, fact in likely]
    allowed = [(how, fact) for how, fact in found if how in _BEST and _may(how, new, fact)]
    return min(allowed, key=lambda pair: _BEST[pair[0]], default=None)


def _score(similar: Similar, fact: Fact) -> float:
    return similar.get(fact.id, 0.0) if isinstance(similar, Mapping) else similar(fact)


def _plain(fact: Fact) -> str:
    return " ".join(fact.text.casefold().split()).strip(" .!")


def _by_person(fact: Fact) -> bool:
    return fact.origin in ("explicit", "person")


def _may(how: Verdict, new: Fact, old: Fact) -> bool:
    """Whether a verdict may take effect: words that no person said must not get a person's weight."""
    if how == "same" or _by_person(new) == _by_person(old):
        return True
    return how == "poorer" if _by_person(old) else how == "changed" or how == "fuller"


def _importance(new: Fact, old: Fact) -> int:
    if _by_person(new):
        return new.importance
    return min(max(new.importance, old.importance), HIGHEST_AUTOMATIC)


def _merged(new: Fact, old: Fact, how: Verdict, today: dt.date) -> Fact:
    again = reinforce(old, today, new.source)
    first = _by_person(new) and not _by_person(old)  # then a person's words replace those of a model
    text = new.text if how == "fuller" or first else old.text
    origin = "explicit" if "explicit" in (new.origin, old.origin) else new.origin if first else old.origin
    kept = _by_person(old) and not _by_person(new)  # a person's number is not changed by a model's
    importance = again.importance if kept else max(again.importance, new.importance)
    # The source is that of the words: it tells on which branch of a conversation they were said.
    source = new.source if text != old.text and new.source else again.source
    return replace(again, text=text, origin=origin, importance=importance, source=source)


def _fresh(new: Fact, taken: Collection[str], today: dt.date) -> Fact:
    name = new.id if new.id and new.id not in taken else new_id(new.text, taken)
    created = new.created or today
    return replace(new, id=name, created=created, updated=new.updated or created)


def _session(source: str) -> str:
    return source.rpartition("#")[0] or source
