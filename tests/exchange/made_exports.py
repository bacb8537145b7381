"""Exports made up for the tests, in the shapes that the products write."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

T0 = 1_700_000_000.5
"""2023-11-14 22:13:20.5 UTC."""


def node(name: str, parent: str | None, role: str = "", content: Any = None, **more: Any) -> dict[str, Any]:
    """A node of a ChatGPT tree; without a role its message is null. Text stands for text content."""
    message = None
    if role:
        body = {"content_type": "text", "parts": [content]} if isinstance(content, str) else content
        message = {"id": name, "author": {"role": role, "name": more.pop("author", None)}, "content": body}
        message |= {"create_time": more.pop("at", None), "metadata": more.pop("metadata", {}), **more}
    return {"id": name, "parent": parent, "message": message}


def tree(*nodes: dict[str, Any], current: str | None = None, **more: Any) -> dict[str, Any]:
    """A ChatGPT conversation of nodes, with child links, ending in `current` or in the last node."""
    for one in nodes:
        one["children"] = [other["id"] for other in nodes if other["parent"] == one["id"]]
    head = {"id": "conv-1", "title": "Tea", "create_time": T0, "current_node": current or nodes[-1]["id"]}
    return {**head, "mapping": {one["id"]: one for one in nodes}, **more}


def tea() -> dict[str, Any]:
    """A ChatGPT conversation of two messages."""
    return tree(
        node("root", None),
        node("q", "root", "user", "I drink green tea.", at=T0),
        node("a", "q", "assistant", "Noted.", at=T0 + 5, metadata={"model_slug": "gpt-4o"}),
    )


def claude_chat(*messages: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A Claude conversation."""
    head = {"uuid": "c-1", "name": "Boats", "created_at": "2024-05-01T08:00:00.000000Z"}
    return {**head, "chat_messages": list(messages), **more}


def said(name: str, sender: str, *blocks: Any, **more: Any) -> dict[str, Any]:
    """A message of a Claude conversation; text stands for a text block."""
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    head = {"uuid": name, "sender": sender, "created_at": "2024-05-01T08:01:00Z", "text": ""}
    return {**head, "content": content, **more}


def packed(value: Any) -> bytes:
    """A JSON document as bytes."""
    return json.dumps(value).encode()


def lines(*values: Any) -> bytes:
    """JSON lines as bytes."""
    return "\n".join(json.dumps(value) for value in values).encode()


def archive(**files: bytes) -> bytes:
    """A zip archive; in names, ``__`` stands for the dot and ``_to_`` for the slash."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files.items():
            made.writestr(name.replace("_to_", "/").replace("__", "."), data)
    return out.getvalue()
