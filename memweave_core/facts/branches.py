"""Conversations that branch: which messages and facts belong to the branch that is gone on with.

A framework with checkpoints can take a conversation back to an earlier point and go on from there. The
transcript keeps every branch. The last message of each turn says which messages the turn has and which turn
it follows, so that the way from any message back to the beginning can be told from the branches beside it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from ..messages import Fact, Message
from .bullets import Changes, Entry, FactFile

_Span: TypeAlias = tuple[int | None, int]
"""Where the transcript ended when a turn began, None where that is not known, and where the turn ends."""
_TURN: Final = "turn"
"""The key in `Message.extra` of the last message of a turn."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One branch of the conversation `session`; `left` are the messages of the branches beside it.

    Messages that no turn claims, such as those written by hand, belong to every branch. `known` are ids of
    facts that came up on this branch too, although they were first learnt on another.
    """

    session: str
    left: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()

    @classmethod
    def of(cls, session: str, messages: Iterable[Message], head: str, thread: str | None = None) -> Branch:
        """The branch that ends with the message `head`; "" stands for the beginning of the conversation.

        `thread` is the one it is gone on with, by default that of the head. Turns of other threads of the
        same conversation, and turns that were under way together with one of its own, belong to it too.
        """
        places: dict[str | None, int] = {"": -1}
        turns: dict[str, _Turn] = {}
        for place, message in enumerate(messages):
            places[message.id] = place
            if (turn := _read(message)) is not None:
                turns[message.id] = turn
        way = _way(turns, head)
        if thread is None and head in turns:
            thread = turns[head].thread
        here = {message for end in way for message in turns[end].messages}
        known = {fact for end in way for fact in turns[end].known}
        spans = {end: (places.get(turn.since), places[end]) for end, turn in turns.items()}
        away = {end for end, turn in turns.items() if turn.thread in (None, thread)}.difference(way)
        near = set(way)
        while near:  # what was under way together with what was under way together with the way itself …
            near = {end for end in away if any(_overlap(spans[end], spans[other]) for other in near)}
            away -= near
        left = {message for end in away for message in turns[end].messages}
        return cls(session, frozenset(left - here), frozenset(known))

    @staticmethod
    def turn(
        messages: Sequence[Message],
        after: str,
        known: Iterable[str] = (),
        *,
        thread: str | None = None,
        since: str | None = None,
    ) -> tuple[Message, ...]:
        """The messages of a turn, ready to be recorded: the last says that they follow the message `after`.

        All need ids. `after` is the last message of the turn before, "" for the first of a conversation;
        `known` are ids of facts that came up on this branch so far, wherever they were first learnt. `thread`
        is the one that the turn is of, where a conversation has several; `since` the last message that the
        transcript had when the turn began, None where that is not known.
        """
        if not messages:
            return ()
        mark: dict[str, Any] = {"messages": [message.id for message in messages], "after": after}
        more = {"known": list(known), "thread": thread, "since": since}
        mark |= {name: value for name, value in more.items() if value not in (None, [])}
        last = messages[-1]
        return (*messages[:-1], replace(last, extra={**last.extra, _TURN: mark}))

    def has(self, fact: Fact) -> bool:
        """Whether a fact is known on this branch.

        It is, unless it was learnt from a message on another one; what came up in a second conversation is
        known from there.
        """
        session, _, message = fact.source.rpartition("#")
        elsewhere = session == self.session and message in self.left
        return not elsewhere or fact.seen > 1 or fact.id in self.known


def ends_turn(message: Message) -> bool:
    """Whether a message ends a turn, as `Branch.turn` marks it."""
    return _read(message) is not None


def facts_on(file: FactFile, branch: Branch) -> tuple[Fact, ...]:
    """The facts that hold on a branch, in the order of the file.

    In the place of a fact that was learnt on another branch stands what it superseded, if that is known here.
    """
    found: dict[int, Fact] = {}
    for entry in file.current:
        known = _known(file, entry, branch)
        if known is not None:
            found.setdefault(known.line, known.fact)
    return tuple(found.values())


def leave(file: FactFile, branch: Branch, today: dt.date) -> Changes:
    """The changes that make `facts_on` the facts of the file: the others go to the history.

    What is current again supersedes what had taken its place.
    """
    replaced: dict[int, Fact] = {}
    retired: dict[int, dt.date] = {}
    removed: set[int] = set()
    added: list[Fact] = []
    for entry in file.current:
        known = _known(file, entry, branch)
        if known is entry:
            continue
        retired[entry.line] = today
        if known is not None and known.line not in removed:
            # The chain stays one: current again, then what is left now, then what came before both.
            removed.add(known.line)
            added.append(replace(known.fact, supersedes=entry.fact.id))
            replaced[entry.line] = replace(entry.fact, supersedes=known.fact.supersedes)
    return Changes(replaced=replaced, retired=retired, removed=removed, added=added)


@dataclass(frozen=True, slots=True)
class _Turn:
    messages: frozenset[str]
    after: str
    known: frozenset[str]
    thread: str | None
    since: str | None


def _read(message: Message) -> _Turn | None:
    """The turn that a message ends; people may have changed what stands there."""
    mark = message.extra.get(_TURN)
    if not isinstance(mark, Mapping):
        return None
    ids, after, known = (mark.get(key) for key in ("messages", "after", "known"))
    if not isinstance(ids, list | tuple) or not isinstance(after, str):
        return None
    facts = frozenset(map(str, known)) if isinstance(known, list | tuple) else frozenset()
    thread, since = _text(mark.get("thread")), _text(mark.get("since"))
    return _Turn(frozenset(map(str, ids)), after, facts, thread, since)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _way(turns: Mapping[str, _Turn], head: str) -> dict[str, None]:
    """The ends of the turns that lead to `head`, the last one first."""
    way: dict[str, None] = {}
    while head in turns and head not in way:
        way[head] = None
        head = turns[head].after
    return way


def _overlap(one: _Span, other: _Span) -> bool:
    """Whether each of two turns had begun when the other was written."""
    (begun, written), (other_begun, other_written) = one, other
    if begun is None or other_begun is None:
        return False
    return begun < other_written and other_begun < written


def _known(file: FactFile, entry: Entry, branch: Branch) -> Entry | None:
    """The entry itself, or the first that it superseded, step by step, that is known on the branch."""
    at: Entry | None = entry
    met: set[int] = set()
    while at is not None and not branch.has(at.fact):
        met.add(at.line)
        at = file.entry(at.fact.supersedes)
        if at is not None and (at.line in met or not at.earlier):
            return None
    return at
