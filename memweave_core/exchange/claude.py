"""Claude's export: conversations as lists of messages made of content blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..messages import Message
from .content import exchanges
from .imported import Conversation, Imported, assembled, gathered
from .json_values import first_string, items, moment, objects, role_of, string


def parse(value: object) -> Imported:
    """A list of conversations, an object with such a list, or one conversation.

    Calls of tools and their results become messages of their own. Text of an attached file is a block of
    type "document", as the person did not write it.
    """
    if isinstance(value, dict):
        value = value["conversations"] if isinstance(value.get("conversations"), list) else [value]
    return gathered(items(value), conversation)


def conversation(item: object) -> Conversation:
    """One conversation. Raises `ValueError` with the reason when there is nothing to read in it."""
    if not isinstance(item, dict):
        raise ValueError("it is not an object")
    if not isinstance(item.get("chat_messages"), list):
        raise ValueError('it has no list of messages ("chat_messages")')
    raw = _branch(objects(item["chat_messages"]), string(item.get("current_leaf_message_uuid")))
    return assembled(
        first_string(item, ("uuid", "id")),
        first_string(item, ("name", "title")),
        moment(item.get("created_at")),
        (message for entry in raw for message in _messages(entry)),
    )


def _branch(entries: list[dict[str, Any]], leaf: str) -> list[dict[str, Any]]:
    """The messages that lead to `leaf`, else to the last; all of them unless two have the same parent."""
    parents = [parent for entry in entries if (parent := string(entry.get("parent_message_uuid")))]
    if len(parents) == len(set(parents)):
        return entries
    by_name = {string(entry.get("uuid")): entry for entry in entries}
    current = leaf if leaf in by_name else string(entries[-1].get("uuid"))
    path: list[dict[str, Any]] = []
    while current in by_name:
        path.append(by_name.pop(current))
        current = string(path[-1].get("parent_message_uuid"))
    return path[::-1]


def _messages(entry: Mapping[str, Any]) -> Iterator[Message]:
    """One message of the export: more than one of ours when it used tools, none when it is empty."""
    role = role_of(entry.get("sender")) or role_of(entry.get("role"))
    if role is None:
        raise ValueError(f"a message is from {entry.get('sender')!r}, which is no known speaker")
    blocks = [block for block in items(entry.get("content")) if _says(block)]
    if all(_thinks(block) for block in blocks):
        blocks = [*blocks, {"type": "text", "text": string(entry.get("text"))}]
    blocks += _files(entry)
    name, at = string(entry.get("uuid")), moment(entry.get("created_at"))
    yield from exchanges(role, blocks, name, at)


def _says(block: object) -> bool:
    """False for what only the product's own display needs."""
    return isinstance(block, str) or (
        isinstance(block, dict) and block.get("type") not in ("token_budget", "flag")
    )


def _thinks(block: object) -> bool:
    """True beside which the plain text of the message says more: for thoughts and for empty text."""
    if not isinstance(block, dict):
        return not block
    empty = block.get("type", "text") == "text" and not string(block.get("text")).strip()
    return empty or block.get("type") == "thinking"


def _files(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Attached files: with their text where the export has it, else by name; each once."""
    attached = objects(entry.get("attachments"))
    found = [
        {"type": "document", "title": _name(file), "text": string(file.get("extracted_content"))}
        for file in attached
    ]
    names = {block["title"] for block in found}
    for file in [*objects(entry.get("files")), *objects(entry.get("files_v2"))]:
        if _name(file) and _name(file) not in names:
            names.add(_name(file))
            found.append({"type": "file", "title": _name(file)})
    return found


def _name(file: Mapping[str, Any]) -> str:
    return first_string(file, ("file_name", "name"))
