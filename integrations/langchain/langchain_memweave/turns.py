"""The turns in the messages of an agent's state: whose each is, and which are to be written down. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from .messages import is_summary
from .shown import turn_start

_MOST_SPOKEN: Final = 50


@dataclass(frozen=True, slots=True)
class Opened:
    """What a run began with, until it is written down.

    `said` are the words of `user`, kept here in case that the state is summarised meanwhile; `since` is the
    last message that the transcript of `session` had then.
    """

    user: str | None
    session: str
    since: str
    said: tuple[BaseMessage, ...]

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> list[Opened]:
        """Those that the values of a state hold, oldest first."""
        return [
            cls(one["user"], one["session"], one["since"], tuple(one["said"]))
            for one in values.get("open", ())
        ]

    def written(self) -> dict[str, Any]:
        """As a state holds it."""
        return {"user": self.user, "session": self.session, "since": self.since, "said": list(self.said)}

    def began(self, turn: Sequence[BaseMessage]) -> bool:
        """Whether a turn begins with these words."""
        ids = {message.id for message in self.said}
        return any(message.id in ids for message in turn if isinstance(message, HumanMessage))


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn, and what it began with, None where that is not known."""

    messages: list[BaseMessage]
    opened: Opened | None
    last: bool

    @property
    def is_complete(self) -> bool:
        """Whether it has an answer and all tools that were called have answered.

        The last one of a run that has ended may end with a tool; one that others follow was broken off there.
        """
        if not self.last and not isinstance(self.messages[-1], AIMessage):
            return False
        asked = {call["id"] for one in self.messages if isinstance(one, AIMessage) for call in one.tool_calls}
        answered = {one.tool_call_id for one in self.messages if isinstance(one, ToolMessage)}
        return asked <= answered and any(isinstance(one, AIMessage) for one in self.messages)


def new_words(
    messages: Sequence[BaseMessage], values: Mapping[str, Any], until: str, user: str | None
) -> Sequence[BaseMessage]:
    """What `user` has said in the current turn that no run began with yet, by the `values` of a state.

    Where others speak in the thread, words before the last may be theirs, of a run that did not get so far.
    """
    begun = {message.id for one in Opened.read(values) for message in one.said}
    current = turns(_after(messages, until, begun))[-1:]
    said = [one for turn in current for one in turn if isinstance(one, HumanMessage)]
    new = [one for one in said if one.id not in begun and one.id not in values.get("spoken", ())]
    return new[-1:] if values.get("users", {}).keys() - {user or ""} else new


def spoken(values: Mapping[str, Any], given: Iterable[Turn]) -> list[str]:
    """The ids of the last words of users that need not be looked at again, after some turns."""
    words = [one.id or "" for turn in given for one in turn.messages if isinstance(one, HumanMessage)]
    return [*values.get("spoken", ()), *words][-_MOST_SPOKEN:]


def to_write(messages: Sequence[BaseMessage], until: str, opened: Sequence[Opened]) -> list[Turn]:
    """The turns after the message `until`, or from the first that a run of `opened` began with, oldest first.

    A turn whose beginning was taken out of the state during the run, summarised perhaps, begins with what
    `opened` has kept of it.
    """
    ids = {message.id for one in opened for message in one.said}
    rest = list(_after(messages, until, ids))
    if opened and not any(isinstance(one, HumanMessage) and not is_summary(one) for one in rest):
        rest = [*opened[-1].said, *rest]
    found = turns(rest, {message.id: one.user for one in opened for message in one.said})
    return [
        Turn(turn, next((one for one in reversed(opened) if one.began(turn)), None), turn is found[-1])
        for turn in found
    ]


def turns(
    messages: Iterable[BaseMessage], owners: Mapping[str | None, str | None] | None = None
) -> list[list[BaseMessage]]:
    """The messages in turns, each from what the user says to what precedes the next words of a user.

    `owners` tells whose words are whose, by id. System messages and summaries are nobody's and are left out.
    """
    found: list[list[BaseMessage]] = []
    answered, speaker = True, object()
    for message in messages:
        if isinstance(message, SystemMessage) or is_summary(message):
            continue
        if isinstance(message, HumanMessage):
            says: object = (owners or {}).get(message.id, speaker)
            if answered or says != speaker:
                found.append([])
            answered, speaker = False, says
        else:
            answered = True
        if found:
            found[-1].append(message)
    return found


def facts_in(messages: Iterable[BaseMessage]) -> list[str]:
    """The facts that the tool `remember` was told in these messages."""
    found: list[str] = []
    for message in messages:
        if isinstance(message, ToolMessage) and message.name == "remember":
            artifact = message.artifact
            found += map(str, artifact.get("facts", ())) if isinstance(artifact, Mapping) else ()
    return found


def _after(messages: Sequence[BaseMessage], until: str, ids: set[str | None]) -> Sequence[BaseMessage]:
    """From the first message with one of `ids` on, else what follows `until`.

    Where neither is there, because somebody has taken it out of the state, the current turn.
    """
    for number, message in enumerate(messages):
        if message.id in ids:
            return messages[number:]
    for number in range(len(messages) - 1, -1, -1):
        if until and messages[number].id == until:
            return messages[number + 1 :]
    return messages[turn_start(messages) :] if until else messages
