"""ChatGPT's export: conversations as trees, of which the branch that was last shown is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..messages import Message, ToolCall
from .chatgpt_content import content_of
from .content import arguments
from .imported import Conversation, Imported, assembled, gathered
from .json_values import first_string, items, mapping, moment, objects, role_of, string


def parse(value: object) -> Imported:
    """A list of conversations, an object with such a list, or one conversation.

    Abandoned branches and messages that the product hides are left out. A conversation without a valid
    `current_node` is read up to its newest leaf.
    """
    if isinstance(value, dict):
        value = value["conversations"] if isinstance(value.get("conversations"), list) else [value]
    return gathered(items(value), conversation)


def conversation(item: object) -> Conversation:
    """One conversation. Raises `ValueError` with the reason when there is nothing to read in it."""
    if not isinstance(item, dict):
        raise ValueError("it is not an object")
    path: Sequence[Mapping[str, Any]]
    tree = item.get("mapping")
    if isinstance(tree, dict):
        nodes = {name: node for name, node in tree.items() if isinstance(node, dict)}
        path = _branch(nodes, string(item.get("current_node")))
    elif isinstance(item.get("linear_conversation"), list):
        path = objects(item["linear_conversation"])
    else:
        raise ValueError('it has no tree of messages ("mapping")')
    return assembled(
        first_string(item, ("conversation_id", "id")),
        first_string(item, ("title",)),
        moment(item.get("create_time")),
        _messages(path),
    )


def _branch(nodes: Mapping[str, Mapping[str, Any]], current: str) -> list[Mapping[str, Any]]:
    """The nodes from the root down to `current`; where parents are missing, those that name it a child."""
    parents = {
        child: name
        for name, node in nodes.items()
        for child in items(node.get("children"))
        if isinstance(child, str)
    }
    parents |= {name: node["parent"] for name, node in nodes.items() if isinstance(node.get("parent"), str)}
    if current not in nodes:
        current = _newest_leaf(nodes, set(parents.values()))
    path: list[Mapping[str, Any]] = []
    seen: set[str] = set()
    while current in nodes and current not in seen:
        seen.add(current)
        path.append(nodes[current])
        current = parents.get(current, "")
    return path[::-1]


def _newest_leaf(nodes: Mapping[str, Mapping[str, Any]], inner: set[str]) -> str:
    """The leaf with the latest message; of several, or where none is dated, the last in the export."""
    best, newest = "", None
    for name, node in nodes.items():
        at = moment(mapping(node.get("message")).get("create_time"))
        if name not in inner and (newest is None or (at is not None and at >= newest)):
            best, newest = name, at
    return best


def _messages(path: Sequence[Mapping[str, Any]]) -> Iterator[Message]:
    """What was said along a branch; an answer of a tool names the last call made before it."""
    open_call: ToolCall | None = None
    for node in path:
        raw = mapping(node.get("message"))
        if not raw or mapping(raw.get("metadata")).get("is_visually_hidden_from_conversation") is True:
            continue
        message = _message(raw, string(raw.get("id")) or string(node.get("id")), open_call)
        if message is None:
            continue
        if message.role == "user":
            open_call = None
        elif message.tool_calls:
            open_call = message.tool_calls[0]
        yield message


def _message(raw: Mapping[str, Any], name: str, open_call: ToolCall | None) -> Message | None:
    """One message; None when there is nothing in it."""
    author, body = mapping(raw.get("author")), mapping(raw.get("content"))
    said_by = string(author.get("role"))
    role = role_of(said_by) or "tool"
    if role == "user" and body.get("content_type") in ("user_editable_context", "model_editable_context"):
        role = "system"
    metadata = mapping(raw.get("metadata"))
    content = content_of(body, metadata)
    recipient = string(raw.get("recipient"))
    calls: tuple[ToolCall, ...] = ()
    if role == "assistant" and recipient not in ("", "all") and isinstance(content, str) and content:
        text = string(body.get("text")) if body.get("content_type") == "code" else content
        calls, content = (ToolCall(name or recipient, recipient, arguments(text or content)),), ""
    if not content and not calls:
        return None
    answers = open_call.id if role == "tool" and open_call else None
    return Message(
        role=role,
        content=content,
        id=name,
        at=moment(raw.get("create_time")),
        name=string(author.get("name")) or None,
        tool_calls=calls,
        tool_call_id=answers,
        extra=_extra(metadata, "" if role_of(said_by) else said_by),
    )


def _extra(metadata: Mapping[str, Any], said_by: str) -> dict[str, Any]:
    """The model, the names of attached files, and a role that is none of ours."""
    names = [string(file.get("name")) for file in objects(metadata.get("attachments"))]
    found = {
        "model": string(metadata.get("model_slug")),
        "attachments": [name for name in names if name],
        "role": said_by,
    }
    return {key: value for key, value in found.items() if value}
