"""A message without the secrets that were said in it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from ..messages import Message, ToolCall
from ..text.secrets import mask

_BINARY: Final = re.compile(r"[A-Za-z0-9+/_=-]{4096,}")
"""A picture or recording in base64: no key is as long, and a mark in the midst would spoil it."""

_LONGEST_VALUE: Final = 4_096


def masked(message: Message) -> Message:
    """`message` with every secret replaced by a mark, wherever it stands: content, name, arguments, `extra`.

    The ids of calls stay, for calls and results are matched by them.
    """
    content = message.content
    return replace(
        message,
        content=_text(content) if isinstance(content, str) else tuple(_object(block) for block in content),
        name=_text(message.name) if message.name else message.name,
        tool_calls=tuple(
            ToolCall(call.id, _text(call.name), _value(call.arguments)) for call in message.tool_calls
        ),
        extra=_object(message.extra),
    )


def _text(text: str) -> str:
    return text if _BINARY.fullmatch(text) else mask(text).text


def _value(value: Any, name: str = "") -> Any:
    """`value` masked; `name` is the key it stands under, which may be what tells that it is a secret."""
    if isinstance(value, str):
        return _named(name, value)
    if isinstance(value, Mapping):
        return _object(value)
    if isinstance(value, list | tuple):
        return [_value(item, name) for item in value]
    return value


def _object(value: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, item in value.items():
        safe = _text(key) if isinstance(key, str) else key
        made[safe if safe not in made else key] = _value(item, key if isinstance(key, str) else "")
    return made


def _named(name: str, text: str) -> str:
    plain = _text(text)
    if plain != text or not name or len(text) > _LONGEST_VALUE:
        return plain
    found = mask(f"{json.dumps(name)}: {json.dumps(text, ensure_ascii=False)}").found
    return f"[secret: {found[0]}]" if found else text
