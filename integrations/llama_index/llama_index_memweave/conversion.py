"""Chat messages of LlamaIndex as messages of a transcript, and back, without loss.

Text stands in the transcript as text and tool calls as tool calls, so that people and other frameworks can
read them. What only LlamaIndex knows stands in ``extra["llama_index"]``, and is left out when there is
nothing. Nothing that is passed in is changed, and nothing that is returned shares anything with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock, ToolCallBlock

from memweave_core import Message, ToolCall

from .blocks import OURS, Block, from_neutral, jsonable, neutral

ARCHIVED: Final = "archived"
"""In what a transcript holds for LlamaIndex: the message has left the queue of its `Memory`."""

_ROLES: Final[dict[MessageRole, str]] = {
    MessageRole.SYSTEM: "system",
    MessageRole.DEVELOPER: "system",
    MessageRole.USER: "user",
    MessageRole.ASSISTANT: "assistant",
    MessageRole.CHATBOT: "assistant",
    MessageRole.MODEL: "assistant",
    MessageRole.TOOL: "tool",
    MessageRole.FUNCTION: "tool",
}


def to_message(message: ChatMessage) -> Message:
    """A chat message as a transcript holds it. Values that JSON does not have become their text."""
    role = _ROLES[message.role]
    kept: dict[str, Any] = {} if message.role.value == role else {"role": message.role.value}
    kwargs = {str(key): jsonable(value) for key, value in message.additional_kwargs.items()}
    name, answers = _taken(kwargs, "name"), _taken(kwargs, "tool_call_id") if role == "tool" else None
    calls, positions = _calls(message.blocks, kwargs)
    if positions is not None:
        kept["calls_at"] = positions
    rest = [block for block in message.blocks if not isinstance(block, ToolCallBlock)]
    content = _content(rest)
    if isinstance(content, str) and bool(rest) == (bool(calls) and not content):
        kept["blocks"] = len(rest)  # with calls "" stands for no block, without for an empty one
    if kwargs:
        kept["additional_kwargs"] = kwargs
    return Message(
        role=role,  # type: ignore[arg-type]  # the values of _ROLES are roles
        content=content,
        name=name,
        tool_calls=calls,
        tool_call_id=answers,
        extra={OURS: kept} if kept else {},
    )


def _taken(kwargs: dict[str, Any], key: str) -> str | None:
    return kwargs.pop(key) if isinstance(kwargs.get(key), str) else None


def _content(blocks: Sequence[Block]) -> str | tuple[Mapping[str, Any], ...]:
    if not blocks:
        return ""
    if len(blocks) == 1 and isinstance(blocks[0], TextBlock):
        return blocks[0].text
    return tuple(map(neutral, blocks))


def _calls(
    blocks: Sequence[Block], kwargs: Mapping[str, Any]
) -> tuple[tuple[ToolCall, ...], list[int] | None]:
    """The tool calls, and where their blocks stand unless after all others.

    Calls that only the additional arguments name, as older models have them, come last and have no block.
    """
    at = [k for k, block in enumerate(blocks) if isinstance(block, ToolCallBlock)]
    calls = [
        ToolCall(block.tool_call_id or "", block.tool_name, jsonable(block.tool_kwargs))
        for block in blocks
        if isinstance(block, ToolCallBlock)
    ]
    known = {call.id for call in calls}
    others = [call for call in _older_calls(kwargs.get("tool_calls")) if call.id not in known]
    trailing = at == list(range(len(blocks) - len(at), len(blocks)))
    return (*calls, *others), None if trailing and not others else at


def _older_calls(value: Any) -> Iterable[ToolCall]:
    for item in value if isinstance(value, list) else ():
        function = item.get("function") if isinstance(item, Mapping) else None
        if isinstance(function, Mapping) and isinstance(item.get("id"), str):
            given = function.get("arguments", "")
            yield ToolCall(
                item["id"], str(function.get("name", "")), given if isinstance(given, str | dict) else ""
            )


# --- and back ------------------------------------------------------------------------------------------


def from_message(message: Message) -> ChatMessage:
    """A message of a transcript as a chat message, whichever framework wrote it."""
    kept = ours(message)
    kwargs: dict[str, Any] = _copy(kept.get("additional_kwargs", {}))
    if message.name is not None:
        kwargs["name"] = message.name
    if message.role == "tool" and message.tool_call_id is not None:
        kwargs["tool_call_id"] = message.tool_call_id
    made = ChatMessage(role=kept.get("role", message.role), blocks=_blocks(message, kept))
    made.additional_kwargs = (
        kwargs  # not through the constructor, which would turn "images" into blocks again
    )
    return made


def ours(message: Message) -> Mapping[str, Any]:
    """What a message holds for LlamaIndex alone."""
    kept = message.extra.get(OURS)
    return kept if isinstance(kept, Mapping) else {}


def is_archived(message: Message) -> bool:
    """Whether the message has left the queue of its `Memory`."""
    return ours(message).get(ARCHIVED) is True


def archived(message: Message) -> Message:
    """The same message, marked as one that has left the queue."""
    return replace(message, extra={**message.extra, OURS: {**ours(message), ARCHIVED: True}})


def _blocks(message: Message, kept: Mapping[str, Any]) -> list[Block]:
    calls = {call.id: call for call in message.tool_calls}
    made: list[Block] = []
    if not isinstance(message.content, str):
        made = [
            from_neutral(block)
            for block in message.content
            if block.get("type") not in ("tool_call", "tool_use") or block.get("id") not in calls
        ]
    elif message.content or kept.get("blocks", 0 if calls else 1):
        made = [TextBlock(text=message.content)]
    positions = kept.get("calls_at")
    if positions is None:
        return [*made, *map(_call_block, message.tool_calls)]
    for position, call in zip(positions, message.tool_calls, strict=False):
        made.insert(position, _call_block(call))
    return made


def _call_block(call: ToolCall) -> ToolCallBlock:
    given = call.arguments if isinstance(call.arguments, str) else _copy(call.arguments)
    return ToolCallBlock(tool_call_id=call.id or None, tool_name=call.name, tool_kwargs=given)


def _copy(value: Any) -> Any:
    """A copy of JSON values that shares nothing with them."""
    return json.loads(json.dumps(value, default=dict))
