"""Messages in the form that model APIs share, and the text of whatever such an API returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...messages import Message

_DEPTH = 4


def as_dicts(messages: Sequence[Message]) -> list[dict[str, str]]:
    """Role and text of each message."""
    return [{"role": message.role, "content": message.text} for message in messages]


def as_prompt(messages: Sequence[Message]) -> str:
    """All messages as one text, for models that take a prompt."""
    return "\n\n".join(message.text for message in messages if message.text)


def text_of(reply: Any, depth: int = _DEPTH) -> str | None:
    """The text of a reply; None when there is none.

    Understood are strings, lists of content blocks, and objects or mappings with `choices`, `message`,
    `content` or `text`, as OpenAI, litellm, LangChain and LlamaIndex return them.
    """
    if isinstance(reply, str):
        return reply
    if reply is None or depth <= 0:
        return None
    if isinstance(reply, list | tuple):
        texts = [
            text for block in reply if _is_text(block) and (text := text_of(block, depth - 1)) is not None
        ]
        return "".join(texts) if texts else None
    choices = _field(reply, "choices")
    if isinstance(choices, list | tuple) and choices:
        return text_of(choices[0], depth - 1)
    for name in ("message", "content", "text"):
        value = _field(reply, name)
        if value is not None and not callable(value) and (text := text_of(value, depth - 1)) is not None:
            return text
    return None


def _is_text(block: Any) -> bool:
    return isinstance(block, str) or _field(block, "type") in (None, "text", "output_text")


def _field(holder: Any, name: str) -> Any:
    return holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)
