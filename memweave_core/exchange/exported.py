"""Our own export: one JSON object with the facts and the transcripts of a user, and back without loss."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, Final, get_args

from .._errors import ImportFormatError
from ..messages import Fact, FactVersion, Message, Origin, Role, ToolCall
from .imported import DAMAGE, Conversation, Imported, label, reason
from .json_values import items, string

FORMAT: Final = "memweave-core"
VERSION: Final = 1
_ROLES: Final = get_args(Role)
_ORIGINS: Final = get_args(Origin)
_DAYS: Final = ("created", "updated")


def export(
    conversations: Iterable[Conversation],
    facts: Iterable[Fact],
    user: str = "",
    at: dt.datetime | None = None,
    earlier: Iterable[FactVersion] = (),
) -> dict[str, Any]:
    """What to write with `json.dumps`. `at` is the time of the export, `earlier` what holds no longer.

    `parse` gives back equal conversations and facts, of a timezone its offset. What is left at its default
    is left out.
    """
    document: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    document |= {"user": user} if user else {}
    document |= {"exported": at.isoformat()} if at else {}
    document["facts"] = [_fact_out(fact) for fact in facts]
    past = [_earlier_out(old) for old in earlier]
    document |= {"earlier": past} if past else {}
    document["conversations"] = [_conversation_out(conversation) for conversation in conversations]
    return document


def parse(value: object) -> Imported:
    """The facts and conversations of an export.

    Raises `ImportFormatError` when it is none of ours, or of a version that this one does not know.
    """
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise ImportFormatError(f'The file is no export of ours: it has no "format": "{FORMAT}".')
    version = value.get("version")
    if not isinstance(version, int) or not 1 <= version <= VERSION:
        shown = str(version)[:40]
        raise ImportFormatError(f"The export has version {shown}; this release reads version {VERSION}.")
    facts, earlier, conversations, problems = [], [], [], []
    for number, item in enumerate(items(value.get("facts")), 1):
        try:
            facts.append(_fact_in(item))
        except DAMAGE as error:
            problems.append(f"Fact number {number} was not read: {reason(error)}.")
    for number, item in enumerate(items(value.get("earlier")), 1):
        try:
            earlier.append(FactVersion(_fact_in(item), _day(item.get("until"))))
        except DAMAGE as error:
            problems.append(f"Earlier fact number {number} was not read: {reason(error)}.")
    for number, item in enumerate(items(value.get("conversations")), 1):
        try:
            conversations.append(_conversation_in(item))
        except DAMAGE as error:
            problems.append(f"Conversation {label(item, number)} was not read: {reason(error)}.")
    return Imported(
        tuple(conversations), tuple(facts), tuple(problems), len(problems), tuple(earlier),
        string(value.get("user")),
    )  # fmt: skip


def _fact_out(fact: Fact) -> dict[str, Any]:
    values = {field.name: getattr(fact, field.name) for field in fields(fact)}
    kept = {key: value for key, value in values.items() if key == "text" or value != _FACT[key]}
    return {key: value.isoformat() if key in _DAYS else value for key, value in kept.items()}


def _earlier_out(old: FactVersion) -> dict[str, Any]:
    return _fact_out(old.fact) | ({"until": old.until.isoformat()} if old.until else {})


_FACT: Final = {field.name: getattr(Fact(""), field.name) for field in fields(Fact)}


def _fact_in(item: Mapping[str, Any]) -> Fact:
    values = {key: item[key] for key in _FACT if key in item}
    for key in _DAYS:
        if key in values:
            values[key] = dt.date.fromisoformat(values[key])
    for key, value in values.items():
        wanted = int if key in ("importance", "seen") else dt.date if key in _DAYS else str
        if not isinstance(value, wanted) or isinstance(value, bool):
            raise ValueError(f'"{key}" is {str(value)[:40]!r}')
    fact = Fact(**{"text": "", **values})
    if not fact.text or fact.origin not in _ORIGINS or not 1 <= fact.importance <= 5 or fact.seen < 0:
        raise ValueError("its text is empty, or its origin, importance or count is out of range")
    return fact


def _conversation_out(conversation: Conversation) -> dict[str, Any]:
    out: dict[str, Any] = {"id": conversation.id}
    out |= {"title": conversation.title} if conversation.title else {}
    out |= {"created": conversation.created.isoformat()} if conversation.created else {}
    out |= {"withheld": list(conversation.withheld)} if conversation.withheld else {}
    return out | {"messages": [_message_out(message) for message in conversation.messages]}


def _conversation_in(item: Mapping[str, Any]) -> Conversation:
    name, title, withheld = item["id"], item.get("title", ""), item.get("withheld", [])
    if not isinstance(name, str) or not isinstance(title, str) or not isinstance(item["messages"], list):
        raise TypeError("id")
    if not isinstance(withheld, list):
        raise TypeError("withheld")
    return Conversation(
        name,
        title,
        _time(item.get("created")),
        tuple(_message_in(entry) for entry in item["messages"]),
        tuple(map(_text, withheld)),
    )


def _message_out(message: Message) -> dict[str, Any]:
    content = message.content
    out: dict[str, Any] = {"role": message.role}
    out["content"] = content if isinstance(content, str) else [dict(block) for block in content]
    calls = [{"id": call.id, "name": call.name, "arguments": _plain(call)} for call in message.tool_calls]
    rest = {
        "id": message.id or None,
        "at": message.at.isoformat() if message.at else None,
        "name": message.name,
        "tool_calls": calls or None,
        "tool_call_id": message.tool_call_id,
        "extra": dict(message.extra) or None,
    }
    return out | {key: value for key, value in rest.items() if value is not None}


def _plain(call: ToolCall) -> dict[str, Any] | str:
    return call.arguments if isinstance(call.arguments, str) else dict(call.arguments)


def _message_in(item: Mapping[str, Any]) -> Message:
    content, extra = item.get("content", ""), item.get("extra", {})
    if item["role"] not in _ROLES or not isinstance(extra, dict):
        raise ValueError(f"a message has the role {str(item['role'])[:40]!r}")
    if isinstance(content, list) and not all(isinstance(block, dict) for block in content):
        raise TypeError("content")
    name, answers, own = item.get("name"), item.get("tool_call_id"), item.get("id", "")
    if not all(isinstance(value, str | None) for value in (name, answers)) or not isinstance(own, str):
        raise TypeError("name")
    return Message(
        role=item["role"],
        content=tuple(content) if isinstance(content, list) else _text(content),
        id=own,
        at=_time(item.get("at")),
        name=name,
        tool_calls=tuple(_call_in(call) for call in item.get("tool_calls", ())),
        tool_call_id=answers,
        extra=extra,
    )


def _call_in(call: Mapping[str, Any]) -> ToolCall:
    given = call["arguments"]
    if not isinstance(given, dict | str):
        raise TypeError("arguments")
    return ToolCall(_text(call["id"]), _text(call["name"]), given)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("text")
    return value


def _day(value: object) -> dt.date | None:
    return None if value is None else dt.date.fromisoformat(_text(value))


def _time(value: object) -> dt.datetime | None:
    return None if value is None else dt.datetime.fromisoformat(_text(value))
