"""How much of a conversation fits into a budget of tokens: whole turns, each begun by the user.

A turn is what the user said and all that followed from it. Model APIs refuse a conversation that begins with
an answer, a tool result without its call and a call without its result, so that cuts are between turns; only
a last turn that is too long by itself is cut within, between whole exchanges, and keeps the user's message.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from memweave_core import Message

from .conversion import ours

Tokenizer: TypeAlias = Callable[[str], Sequence[Any]]
Count: TypeAlias = Callable[[Message], int]

MEDIA_TOKENS: Final = 1_000
"""What a picture, recording or file counts: providers charge 85 to 1,600 tokens for a picture."""

_MEDIA: Final = frozenset(
    {"image", "image_url", "audio", "input_audio", "video", "video_url", "file", "document"}
)


def counted(tokenizer: Tokenizer) -> Count:
    """Counts the tokens of a message: text, reasoning, tool calls, and additional arguments that are sent."""

    def count(message: Message) -> int:
        total = len(tokenizer(message.content)) if isinstance(message.content, str) else 0
        if not isinstance(message.content, str):
            total = sum(_of_block(block, tokenizer) for block in message.content)
        kwargs = dict(ours(message).get("additional_kwargs", {}))
        if message.tool_calls:
            kwargs.pop("tool_calls", None)  # the same calls, as older models have them
        calls = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in message.tool_calls]
        return total + sum(len(tokenizer(_json(part))) for part in (calls, kwargs) if part)

    return count


def _of_block(block: Mapping[str, Any], tokenizer: Tokenizer) -> int:
    if block.get("type") in _MEDIA:
        return MEDIA_TOKENS
    if block.get("type") == "reasoning":
        extras = block.get("extras", {}).get("llama_index", {})
        return int(extras.get("num_tokens") or len(tokenizer(str(block.get("reasoning", "")))))
    text = block.get("text")
    return len(tokenizer(text if isinstance(text, str) else _json(block)))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=dict)


def fitting(
    messages: Sequence[Message], budget: int, count: Count, *, most: int | None = None
) -> list[Message]:
    """The last turns that are no more than `budget` tokens and `most` messages together.

    `messages` are whole exchanges without system messages. All of them when they fit, and of a last turn that
    does not: the user's message, and the last exchanges that fit, one at least.
    """
    turns = _split(messages, lambda message: message.role == "user" and not _answers(message))
    taken: list[list[Message]] = []
    left = budget
    for turn in reversed(turns):
        left -= sum(map(count, turn))
        size = sum(map(len, taken)) + len(turn)
        if left < 0 or (most is not None and size > most):
            break
        taken.append(turn)
    if turns and not taken:
        return _shortened(turns[-1], budget, count)
    if len(taken) < len(turns) and taken[-1][0].role != "user":
        taken.pop()
    return [message for turn in reversed(taken) for message in turn]


def _shortened(turn: Sequence[Message], budget: int, count: Count) -> list[Message]:
    first, *rest = _split(turn, lambda message: not _answers(message))
    left = budget - sum(map(count, first))
    kept: list[list[Message]] = []
    for exchange in reversed(rest):
        left -= sum(map(count, exchange))
        if kept and left < 0:
            break
        kept.append(exchange)
    return [*first, *(message for exchange in reversed(kept) for message in exchange)]


def _split(messages: Sequence[Message], begins: Callable[[Message], bool]) -> list[list[Message]]:
    """The messages in groups, each but the first begun by one of which `begins` is true."""
    groups: list[list[Message]] = []
    for message in messages:
        if not groups or begins(message):
            groups.append([])
        groups[-1].append(message)
    return groups


def _answers(message: Message) -> bool:
    """Whether a message is the result of a tool call."""
    if message.role == "tool":
        return True
    return not isinstance(message.content, str) and any(
        block.get("type") == "tool_result" for block in message.content
    )
