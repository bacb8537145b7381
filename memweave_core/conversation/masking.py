"""A message without the secrets that were said in it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from ..messages import Message, ToolCall
from ..text.secrets import mask, secret_under

_BINARY: Final = re.compile(r"[A-Za-z0-9+/_=-]{4096,}")
"""A picture or recording in base64: no key is as long, and a mark in the midst would spoil it."""

_IDS: Final = frozenset({"id", "tool_use_id", "tool_call_id", "call_id"})


def masked(message: Message) -> Message:
    """`message` with every secret replaced by a mark, wherever it stands: content, name, arguments, `extra`.

    An id that is a secret gets a mark of its own, the same wherever it comes again, for calls and results
    are matched by their ids.
    """
    content = message.content
    return replace(
        message,
        id=_identifier(message.id),
        tool_call_id=_identifier(message.tool_call_id) if message.tool_call_id else message.tool_call_id,
        content=_text(content) if isinstance(content, str) else tuple(_object(block) for block in content),
        name=_text(message.name) if message.name else message.name,
        tool_calls=tuple(
            ToolCall(_identifier(call.id), _text(call.name), _value(call.arguments))
            for call in message.tool_calls
        ),
        extra=_object(message.extra),
    )


def _text(text: str) -> str:
    return text if _BINARY.fullmatch(text) else mask(text).text


def _value(value: Any, name: str = "") -> Any:
    """`value` masked; `name` is the key it stands under, which may be what tells that it is a secret."""
    if isinstance(value, str):
        return _identifier(value) if name in _IDS else _named(name, value)
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


def _identifier(name: str) -> str:
    """An id masked; two that are different secrets stay different."""
    found = mask(name).found
    if not found:
        return name
    return f"[secret: {found[0]} {hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:12]}]"


def _decoded(text: str) -> str:
    """JSON in a string, such as the arguments of a call, masked by what it says, whatever it escapes."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        value = json.loads(text)
        safe = _value(value)
    except (ValueError, RecursionError):  # no JSON, or far deeper than any arguments: text like any other
        return text
    return text if safe == value else json.dumps(safe, ensure_ascii=False)


def _named(name: str, text: str) -> str:
    plain = _text(_decoded(text))
    kind = secret_under(name, text) if plain == text else None
    return f"[secret: {kind}]" if kind else plain
