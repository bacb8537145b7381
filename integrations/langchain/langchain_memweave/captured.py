"""What of an agent's state is written down: completed turns, each once, whatever is replayed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from memweave_core import Branch, MemWeave, Message, masked

from .messages import is_summary, to_memweave


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
    def read(cls, values: Mapping[str, Any], user: str | None) -> Position | None:
        """From what `written` gave; None where nothing is said of this user yet."""
        own = values["users"].get(user or "")
        return None if own is None else cls(own["head"], values["until"], tuple(own["known"]))

    def written(self, values: Mapping[str, Any], user: str | None) -> dict[str, Any]:
        """The JSON `values` of a thread with this position of a user in them."""
        own = {"head": self.head, "known": list(self.known)}
        users = {**values.get("users", {}), user or "": own}
        return {"until": self.until, "last": user, "users": users}


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation of an open memory."""

    memory: MemWeave
    user: str | None
    session: str

    async def start(self, messages: Sequence[BaseMessage], values: Mapping[str, Any]) -> Position:
        """Where a thread stands of whose user its state says nothing: at the end, or before what is replayed.

        What precedes the current turn was said before there was a memory, or by another user.
        """
        written = await self.memory.chat(self.session, self.user).messages()
        current = turns(messages)[-1:]
        first = (current[0][0].id or "") if current else ""
        ids = [message.id or "" for message in messages]
        at = ids.index(first) if first in ids else 0
        until = values.get("until", ids[at - 1] if at else "")
        return Position(before(written, first) if first else _last(written), until)

    async def branch(self, position: Position, messages: Sequence[BaseMessage]) -> Branch:
        """The branch that the state is on."""
        written = await self.memory.chat(self.session, self.user).messages()
        branch = Branch.of(self.session, written, position.head)
        both = {message.id for message in messages} & branch.left
        stored = {one.id: one for one in written if one.id in both}
        here = {_named(to_memweave(message), stored).id for message in messages if message.id in both}
        known = {*branch.known, *position.known, *facts_in(messages)}
        return replace(branch, left=branch.left - here, known=frozenset(known))

    async def write(self, position: Position, messages: Sequence[BaseMessage]) -> Position:
        """Write down the turns that are complete and not there yet; where the thread stands then."""
        stored = {one.id: one for one in await self.memory.chat(self.session, self.user).messages()}
        new: list[list[BaseMessage]] = []
        own = turns(_after(messages, position.until))
        for turn in reversed(own):
            if new and all(_named(one, stored).id in stored for one in map(to_memweave, turn)):
                break
            if is_complete(turn, last=turn is own[-1]):
                new.append(turn)
        for turn in reversed(new):
            position = await self._write(position, turn, stored)
        return position

    async def _write(
        self, position: Position, turn: Sequence[BaseMessage], stored: Mapping[str, Message]
    ) -> Position:
        said = [_named(to_memweave(message), stored) for message in turn]
        known = list(position.known)
        known += facts_in(turn)
        if any(message.id not in stored for message in said):
            marked = Branch.turn(said, position.head, known)
            done = await self.memory.record(self.user, self.session, marked)
            own = {f"{self.session}#{message.id}" for message in said}
            known += [one.fact.id for one in done.remembered if one.fact.source not in own]
        until = turn[-1].id or ""
        return Position(head=said[-1].id, until=until, known=tuple(dict.fromkeys(known)))


def turns(messages: Iterable[BaseMessage]) -> list[list[BaseMessage]]:
    """The messages in turns, each from what the user says to what precedes their next message.

    System messages and summaries are nobody's words and are left out.
    """
    found: list[list[BaseMessage]] = []
    answered = True
    for message in messages:
        if isinstance(message, SystemMessage) or is_summary(message):
            continue
        if isinstance(message, HumanMessage):
            if answered:
                found.append([])
            answered = False
        else:
            answered = True
        if found:
            found[-1].append(message)
    return found


def is_complete(turn: Sequence[BaseMessage], *, last: bool) -> bool:
    """Whether a turn has an answer and all tools that were called have answered.

    The last one of a run that has ended may end with a tool; one that others follow was broken off there.
    """
    if not last and not isinstance(turn[-1], AIMessage):
        return False
    asked = {call["id"] for one in turn if isinstance(one, AIMessage) for call in one.tool_calls}
    answered = {one.tool_call_id for one in turn if isinstance(one, ToolMessage)}
    return asked <= answered and any(isinstance(one, AIMessage) for one in turn)


def before(written: Sequence[Message], first: str) -> str:
    """The message that the turn beginning with `first` follows, if it was written down; else the last."""
    for message in written:
        mark = message.extra.get("turn")
        if isinstance(mark, Mapping) and list(mark.get("messages", ()))[:1] == [first]:
            return str(mark.get("after", ""))
    return _last(written)


def facts_in(messages: Iterable[BaseMessage]) -> list[str]:
    """The facts that the tool `remember` was told in these messages."""
    found: list[str] = []
    for message in messages:
        if isinstance(message, ToolMessage) and message.name == "remember":
            artifact = message.artifact
            found += map(str, artifact.get("facts", ())) if isinstance(artifact, Mapping) else ()
    return found


def _after(messages: Sequence[BaseMessage], until: str) -> Sequence[BaseMessage]:
    """The messages after one; all of them where another middleware has taken it out of the state."""
    for number in range(len(messages) - 1, -1, -1):
        if until and messages[number].id == until:
            return messages[number + 1 :]
    return messages


def _named(message: Message, stored: Mapping[str, Message]) -> Message:
    """The message under an id that no other has: what was said otherwise on another branch keeps its own."""
    there = stored.get(message.id)
    if there is None:
        return message
    mine = masked(message)
    if (mine.role, mine.content, mine.tool_calls) == (there.role, there.content, there.tool_calls):
        return message
    words = json.dumps(
        [mine.role, mine.content, [c.id for c in mine.tool_calls]], default=str, sort_keys=True
    )
    return replace(message, id=f"{message.id}~{hashlib.sha256(words.encode()).hexdigest()[:8]}")


def _last(written: Sequence[Message]) -> str:
    return written[-1].id if written else ""
