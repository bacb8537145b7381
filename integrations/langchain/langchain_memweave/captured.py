"""What of an agent's state is written down: completed turns, each once, whatever is replayed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import BaseMessage

from memweave_core import Branch, MemWeave, Message, masked

from .messages import to_memweave
from .turns import Opened, Turn, facts_in, turns


@dataclass(frozen=True, slots=True)
class Position:
    """Where a thread stands: what the middleware keeps in the state, so that it is taken back with it.

    `head` is the id of the last message of the user that was written down on this branch, "" before the
    first. `until` is the id of the last message of the state that needs not be written down any more, whoever
    said it. `known` are facts that came up on this branch and were first learnt on another.
    """

    head: str = ""
    until: str = ""
    known: tuple[str, ...] = ()

    @classmethod
    def read(cls, values: Mapping[str, Any], about: Conversation) -> Position | None:
        """From what `written` gave; None where nothing is said of this conversation yet."""
        own = values.get("users", {}).get(about.user or "")
        if own is None or own.get("session", about.session) != about.session:
            return None
        return cls(own["head"], values["until"], tuple(own["known"]))

    def written(self, values: Mapping[str, Any], about: Conversation) -> dict[str, Any]:
        """The `values` of a thread with this position of a conversation in them."""
        own = {"head": self.head, "known": list(self.known), "session": about.session}
        users = {**values.get("users", {}), about.user or "": own}
        return {**values, "until": self.until, "last": about.user, "users": users}


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation of an open memory, and the thread of a graph that it is gone on with in."""

    memory: MemWeave
    user: str | None
    session: str
    thread: str = ""

    def of(self, opened: Opened | None) -> Conversation:
        """The conversation that a turn is of, by what it began with."""
        return self if opened is None else replace(self, user=opened.user, session=opened.session)

    async def written(self) -> tuple[Message, ...]:
        """What stands in the transcript."""
        return await self.memory.chat(self.session, self.user).messages()

    async def start(self, messages: Sequence[BaseMessage], values: Mapping[str, Any]) -> Position:
        """Where a thread stands of whose user its state says nothing: at the end, or before what is replayed.

        What precedes the current turn was said before there was a memory, or by another user.
        """
        current = turns(messages)[-1:]
        first = (current[0][0].id or "") if current else ""
        ids = [message.id or "" for message in messages]
        at = ids.index(first) if first in ids else 0
        until = values.get("until", ids[at - 1] if at else "")
        written = await self.written()
        return Position(before(written, first) if first else last_id(written), until)

    async def branch(self, position: Position, messages: Sequence[BaseMessage]) -> Branch:
        """The branch that the state is on."""
        written = await self.written()
        branch = Branch.of(self.session, written, position.head, self.thread)
        both = {message.id for message in messages} & branch.left
        stored = _Stored(one for one in written if one.id in both)
        here = {stored.named(to_memweave(message)).id for message in messages if message.id in both}
        known = {*branch.known, *position.known, *facts_in(messages)}
        return replace(branch, left=branch.left - here, known=frozenset(known))

    async def write(self, position: Position, given: Sequence[Turn]) -> Position:
        """Write down the turns that are complete and not there yet; where the thread stands then."""
        stored = _Stored(await self.written())
        new: list[Turn] = []
        for turn in reversed(given):
            if new and all(stored.named(one).id in stored for one in map(to_memweave, turn.messages)):
                break
            if turn.is_complete:
                new.append(turn)
        for turn in reversed(new):
            position = await self._write(position, turn, stored)
        return position

    async def _write(self, position: Position, turn: Turn, stored: _Stored) -> Position:
        said = [stored.named(to_memweave(message)) for message in turn.messages]
        known = [*position.known, *facts_in(turn.messages)]
        if any(message.id not in stored for message in said):
            played_again = any(message.id in stored for message in turn.messages)
            since = None if turn.opened is None or played_again else turn.opened.since
            marked = Branch.turn(said, position.head, known, thread=self.thread, since=since)
            done = await self.memory.record(self.user, self.session, marked)
            own = {f"{self.session}#{message.id}" for message in said}
            known += [one.fact.id for one in done.remembered if one.fact.source not in own]
        until = turn.messages[-1].id or ""
        return Position(head=said[-1].id, until=until, known=tuple(dict.fromkeys(known)))


class _Stored:
    """The messages of a transcript, by what a message of a state is known again by."""

    def __init__(self, messages: Iterable[Message]) -> None:
        self._by_id: dict[str | None, Message] = {}
        self._results: dict[str, Message] = {}
        for message in messages:
            self._by_id[message.id] = message
            if message.tool_call_id:
                self._results.setdefault(message.tool_call_id, message)

    def __contains__(self, message_id: str | None) -> bool:
        return message_id in self._by_id

    def named(self, message: Message) -> Message:
        """The message under the id it has there, or under one that no other has.

        What was said otherwise on another branch keeps its own; a tool that was called again and gave the
        same result, which has a new id each time, is not another message.
        """
        mine = masked(message)
        there = self._by_id.get(message.id)
        if there is None:
            result = self._results.get(message.tool_call_id or "")
            same = result is not None and (result.role, result.content) == (mine.role, mine.content)
            return replace(message, id=result.id) if result is not None and same else message
        if (mine.role, mine.content, mine.tool_calls) == (there.role, there.content, there.tool_calls):
            return message
        words = json.dumps(
            [mine.role, mine.content, [c.id for c in mine.tool_calls]], default=str, sort_keys=True
        )
        return replace(message, id=f"{message.id}~{hashlib.sha256(words.encode()).hexdigest()[:8]}")


def before(written: Sequence[Message], first: str) -> str:
    """The message that the turn beginning with `first` follows, if it was written down; else the last."""
    for message in written:
        mark = message.extra.get("turn")
        if isinstance(mark, Mapping) and list(mark.get("messages", ()))[:1] == [first]:
            return str(mark.get("after", ""))
    return last_id(written)


def last_id(written: Sequence[Message]) -> str:
    """The id of the last message of a transcript, "" of an empty one."""
    return written[-1].id if written else ""
