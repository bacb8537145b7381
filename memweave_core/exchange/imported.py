"""What an export holds once it is read: conversations, facts, and what could not be read."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ..messages import Fact, FactVersion, Message

DAMAGE: Final = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""What a parser meets in a conversation of the wrong shape; none of it may reach those beside it."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation: `id` stays the same from export to export, `created` is in UTC, None if unknown.

    `withheld` are the ids of messages that nothing may be learnt from; only our own export has them.
    """

    id: str
    title: str = ""
    created: dt.datetime | None = None
    messages: tuple[Message, ...] = ()
    withheld: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """What was read. `problems` has a sentence for what could not be, by name: `skipped` entries in all.

    `earlier` are facts that hold no longer; only our own export has them. `user` is who it is all of, "" when
    that is not said.
    `format` is one of `formats.FORMATS`; of an archive, that of its first file.
    """

    conversations: tuple[Conversation, ...] = ()
    facts: tuple[Fact, ...] = ()
    problems: tuple[str, ...] = ()
    skipped: int = 0
    earlier: tuple[FactVersion, ...] = ()
    user: str = ""
    format: str = ""


def assembled(
    source_id: str, title: str, created: dt.datetime | None, messages: Iterable[Message]
) -> Conversation:
    """A conversation with every id in place.

    A message without a date gets that of the message before it, or of the conversation: an old message must
    not come in as one of today. Missing ids are made of the content, so that the same content read again has
    the same ids. Raises `ValueError` when there are no messages.
    """
    dated = _dated(messages, created)
    if not dated:
        raise ValueError("it holds no messages")
    name = source_id or _conversation_id(created, dated)
    return Conversation(name, title, created or dated[0].at, named(dated))


def gathered(items: Sequence[Any], parse: Callable[[Any], Conversation], first: int = 1) -> Imported:
    """Each item parsed on its own: what `parse` cannot read becomes a problem that names it.

    `first` is the number of the first item in its export.
    """
    found, problems = [], []
    for number, item in enumerate(items, first):
        try:
            found.append(parse(item))
        except DAMAGE as error:
            problems.append(f"Conversation {label(item, number)} was not read: {reason(error)}.")
    return merged([Imported(tuple(found), (), tuple(problems), len(problems))])


def merged(parts: Iterable[Imported]) -> Imported:
    """All parts as one. Of a conversation that comes twice the longer one stays; of a fact, the first."""
    conversations: dict[str, Conversation] = {}
    facts: dict[str, Fact] = {}
    earlier: dict[FactVersion, None] = {}
    problems: dict[str, None] = {}
    skipped, user, format = 0, "", ""
    for part in parts:
        for conversation in part.conversations:
            known = conversations.get(conversation.id)
            if known is None or len(known.messages) < len(conversation.messages):
                conversations[conversation.id] = conversation
        for fact in part.facts:
            facts.setdefault(fact.id or fact.text, fact)
        problems |= dict.fromkeys(part.problems)
        earlier |= dict.fromkeys(part.earlier)
        skipped, user, format = skipped + part.skipped, user or part.user, format or part.format
    return Imported(
        tuple(conversations.values()), tuple(facts.values()), tuple(problems), skipped, tuple(earlier), user,
        format,
    )  # fmt: skip


def label(item: Any, number: int) -> str:
    """How to call a conversation in a sentence: by title, else by id, else by its number in the export."""
    if isinstance(item, dict):
        for key in ("title", "name", "conversation_id", "id", "uuid"):
            value = item.get(key)
            if isinstance(value, str) and value.strip():
                return json.dumps(" ".join(value.split())[:80], ensure_ascii=False)
    return f"number {number}"


def reason(error: BaseException) -> str:
    """Why a conversation could not be read, to follow a colon."""
    return str(error) if type(error) is ValueError else "its values are not of the shape such an export has"


def digest(*parts: object) -> str:
    """16 hexadecimal digits that depend on `parts` only."""
    text = json.dumps(parts, ensure_ascii=True, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def fact_id(text: str) -> str:
    """The id of a fact that its source gave none: equal for equal text."""
    return "f" + digest(text.casefold())


def named(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Messages with ids, each once, that their content decides where they have none."""
    return tuple(_distinct(messages))


def _dated(messages: Iterable[Message], created: dt.datetime | None) -> list[Message]:
    dated, last = [], created
    for message in messages:
        last = message.at or last
        dated.append(message if message.at else replace(message, at=last))
    return dated


def _fingerprint(message: Message) -> str:
    calls = [(call.name, call.arguments) for call in message.tool_calls]
    at = message.at.isoformat() if message.at else ""
    return digest(message.role, message.name, at, message.content, calls, message.tool_call_id)


def _conversation_id(created: dt.datetime | None, messages: Sequence[Message]) -> str:
    """Made of the beginning when that is dated, so that the id stays as a conversation grows; else of all."""
    if created or messages[0].at:
        first = next((k for k, message in enumerate(messages) if message.role == "user"), 0)
        messages = messages[: first + 1]
    return "c" + digest(created, [_fingerprint(message) for message in messages])


def _distinct(messages: Iterable[Message]) -> Iterator[Message]:
    """Messages with ids, each once: a twin is left out, another message under a known id is renamed."""
    taken: dict[str, Message] = {}
    times: dict[str, int] = {}
    for message in messages:
        base = message.id or "h" + _fingerprint(message)
        if message.id and taken.get(base) == message:
            continue
        times[base] = times.get(base, 0) + 1
        name = base if times[base] == 1 else f"{base}~{times[base]}"
        while name in taken:
            name += "~"
        named = replace(message, id=name)
        taken[name] = named
        yield named
