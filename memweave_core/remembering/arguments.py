"""What callers give as messages, as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from .._errors import UsageError
from ..exchange.transcripts import messages_of
from ..messages import Message

Given: TypeAlias = Message | Mapping[str, Any]
"""A message: our own, or a dictionary as the APIs of language models have it (``role``, ``content``, …)."""


def as_messages(given: Given | Sequence[Given]) -> tuple[Message, ...]:
    """One or several messages. Raises `UsageError` for what is none."""
    if isinstance(given, Message | Mapping):
        given = [given]
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise UsageError(
            f"A message has a role; give Message('user', text) or a dictionary, not {type(given).__name__}."
        )
    return tuple(message for item in given for message in _messages(item))


def _messages(item: object) -> list[Message]:
    if isinstance(item, Message):
        return [item]
    if not isinstance(item, Mapping):
        raise UsageError(f"A message is a Message or a dictionary with a role, not {type(item).__name__}.")
    try:
        return messages_of(dict(item))
    except ValueError as error:
        raise UsageError(f"A message could not be read: {error}.") from error
