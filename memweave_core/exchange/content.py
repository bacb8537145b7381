"""Content of a message as model APIs have it, and tool calls in their several spellings."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..messages import Message, Role, ToolCall
from .json_values import items, mapping, objects, string


def content_of(value: object) -> str | tuple[Mapping[str, Any], ...]:
    """Text, or blocks where there is more than text. Null is no text; anything else is shown as JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list):
        return as_content(_block(part) for part in value if part is not None)
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        return str(value["text"])
    return json.dumps(value, ensure_ascii=False)


def as_content(blocks: Iterable[Mapping[str, Any]]) -> str | tuple[Mapping[str, Any], ...]:
    """Blocks that are nothing but text as one text, joined by blank lines; others as they are."""
    kept = [block for block in blocks if not is_text(block) or block["text"].strip()]
    if all(is_text(block) for block in kept):
        return "\n\n".join(block["text"] for block in kept)
    return tuple(kept)


def is_text(block: Mapping[str, Any]) -> bool:
    """True for a block of plain text."""
    return block.get("type", "text") == "text" and isinstance(block.get("text"), str)


def tool_calls(value: object) -> tuple[ToolCall, ...]:
    """Calls as OpenAI has them (`function`), or LangChain and Anthropic (`name` with `args` or `input`)."""
    calls = []
    for call in objects(value):
        inner = mapping(call.get("function")) or call
        name = string(inner.get("name"))
        if name:
            given: object = next((inner[key] for key in ("arguments", "args", "input") if key in inner), {})
            calls.append(ToolCall(string(call.get("id")), name, arguments(given)))
    return tuple(calls)


def arguments(value: object) -> Mapping[str, Any] | str:
    """An object as it is, the text of one parsed, any other text as it is."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, str):
        return {} if value is None else json.dumps(value, ensure_ascii=False)
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return parsed if isinstance(parsed, dict) else value


def exchanges(role: Role, blocks: Sequence[Any], message_id: str, at: dt.datetime | None) -> list[Message]:
    """Anthropic blocks as messages: each run of tool results becomes messages of their own, in place.

    The first message has `message_id`, the ones after it that and a number. A result that names no call
    answers the last call that is still open.
    """
    made: list[Message] = []
    said: list[Mapping[str, Any]] = []
    calls: list[ToolCall] = []
    waiting: list[str] = []

    def close() -> None:
        content = as_content(said)
        if content or calls:
            made.append(Message(role, content, _numbered(message_id, made), at, tool_calls=tuple(calls)))
        said.clear()
        calls.clear()

    for k, block in enumerate(_block(part) for part in blocks if part is not None):
        if block.get("type") == "tool_use":
            call_id = string(block.get("id")) or f"{message_id or 'call'}.{k}"
            calls.append(
                ToolCall(call_id, string(block.get("name")) or "tool", arguments(block.get("input")))
            )
            waiting.append(call_id)
        elif block.get("type") == "tool_result":
            close()
            answers = string(block.get("tool_use_id")) or (waiting[-1] if waiting else "")
            waiting = [call for call in waiting if call != answers]
            made.append(_result(block, _numbered(message_id, made), answers or None, at))
        else:
            said.append(block)
    close()
    return made


def _result(block: Mapping[str, Any], name: str, answers: str | None, at: dt.datetime | None) -> Message:
    extra = {"is_error": True} if block.get("is_error") is True else {}
    return Message(
        "tool",
        content_of(block.get("content")),
        name,
        at,
        string(block.get("name")) or None,
        tool_call_id=answers,
        extra=extra,
    )


def _numbered(message_id: str, made: Sequence[Message]) -> str:
    return f"{message_id}.{len(made) + 1}" if message_id and made else message_id


def _block(part: object) -> Mapping[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if isinstance(part, dict):
        plain = part.get("type") in ("text", "input_text", "output_text") and isinstance(
            part.get("text"), str
        )
        return {"type": "text", "text": part["text"]} if plain else part
    return {"type": "text", "text": json.dumps(part, ensure_ascii=False)}


def holds_tools(value: object) -> bool:
    """True for a list of blocks with a tool call or its result among them."""
    return any(block.get("type") in ("tool_use", "tool_result") for block in objects(items(value)))
