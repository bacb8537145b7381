"""What a deletion does to the file of a running summary: only the sentences concerned change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..messages import Message
from ..text.frontmatter import split, update
from .message_form import encode_id
from .striking import strike
from .summary import parse_summary
from .window import after


def said(message: Message) -> str:
    """All that a message says in words: its text, and the words its calls are made with."""
    calls = (value for call in message.tool_calls for value in _strings(call.arguments))
    return "\n\n".join(filter(None, (message.text, *calls)))


def without_statements(text: str, deleted: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """(file of a summary without the sentences that say what one of `deleted` says, those sentences)."""
    body = split(text).body
    head = text[: len(text) - len(body)]
    sentences: list[str] = []
    for one in deleted:
        done = strike(body, one)
        body = done.text
        sentences += done.struck
    return (head + body if sentences else text), tuple(sentences)


def without_messages(text: str, messages: Sequence[Message], gone: Sequence[Message]) -> str:
    """The file of a summary as if `gone` had not been among the `messages` of the session.

    A message that no summary holds yet strikes nothing. Where the last one it stands for is gone, the one
    before takes its place. Raises `UsageError` when the front matter cannot be rewritten.
    """
    summary = parse_summary(text)
    names = {message.id for message in gone}
    held = messages[: after(messages, summary.until)]
    lost = [message for message in held or messages if message.id in names]
    made, _ = without_statements(text, (said(message) for message in lost))
    if not held or not lost:
        return made
    left = [message.id for message in held if message.id not in names]
    until = summary.until if summary.until not in names else (left[-1] if left else "")
    counted = sum(message.role != "system" for message in lost)
    body = split(made).body
    head = update(
        made[: len(made) - len(body)],
        {"summarised_until": encode_id(until) or None, "summarised_count": max(0, summary.count - counted)},
    )
    return head + body


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _strings(list(value.values()))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item)
