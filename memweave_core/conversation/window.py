"""Which messages of a session a model is shown, and which go into its running summary.

A window is the last messages, word for word. It is made of exchanges: a message by itself, or an assistant
message that calls tools with the results of all its calls. Model APIs refuse a result without its call and a
call without its result, so an exchange is shown whole or not at all, and a broken one (a result that answers
nothing, calls that were given up) is never shown; only in the last one may results still be missing.

System messages belong to no exchange: all of them are always shown, and none is counted or summarised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .._errors import UsageError
from ..messages import Message
from ..text.tokens import estimate_tokens as estimate_text
from .transcript import number_of

MESSAGES: Final = 20
"""How many messages a model is shown unless told otherwise."""

MEDIA_TOKENS: Final = 1_000
"""What a picture, recording or file counts: providers charge 85 to 1,600 tokens for a picture."""

_FRAME_TOKENS: Final = 4  # role and separators of one message in common chat templates
_MEDIA: Final = frozenset(
    {"image", "image_url", "input_image", "audio", "input_audio", "video", "video_url"}
    | {"media", "file", "input_file", "base64"}
)
"""Types of content blocks, and of sources within them, that are not text."""

_NOTHING: Final[Counter[str]] = Counter()
"""No calls and no answers; never changed."""


@dataclass(frozen=True, slots=True)
class Window:
    """What a model is shown: `system` messages, then `messages`, each in their order.

    `left_out` are the other messages that no summary stands for either. `tokens` is the sum over all that is
    shown. `over_budget` says that even the system messages and the last exchange are more than `max_tokens`;
    they are shown whole nevertheless.
    """

    system: tuple[Message, ...] = ()
    messages: tuple[Message, ...] = ()
    left_out: tuple[Message, ...] = ()
    tokens: int = 0
    over_budget: bool = False


@dataclass(frozen=True, slots=True)
class _Exchange:
    """Messages that belong together, by their positions. `open` counts the calls without a result by id."""

    positions: list[int]
    open: Counter[str]


def estimate_tokens(message: Message) -> int:
    """About how many tokens a message is for a model: its content, tool calls and names, all block types.

    `extra` is not counted, for it is not said to the model.
    """
    named = sum(map(estimate_text, filter(None, (message.name, message.tool_call_id))))
    calls = sum(
        estimate_text(call.id) + estimate_text(call.name) + estimate_text(call.written)
        for call in message.tool_calls
    )
    if isinstance(message.content, str):
        return _FRAME_TOKENS + named + calls + estimate_text(message.content)
    known = {call.id for call in message.tool_calls}  # LangChain has such a call in both places
    blocks = (block for block in message.content if not (_is_call(block) and block.get("id") in known))
    return _FRAME_TOKENS + named + calls + sum(map(_tokens, blocks))


def window(
    messages: Sequence[Message],
    *,
    count: int = MESSAGES,
    max_tokens: int | None = None,
    count_tokens: Callable[[Message], int] = estimate_tokens,
    summarised_until: str = "",
    followed: bool = False,
) -> Window:
    """The last `count` messages of a session, and its system messages.

    There are fewer where whole exchanges do not make up `count`, or where they are more than `max_tokens`:
    then whole exchanges are dropped from the front. The last exchange is always shown, whatever its size;
    with `followed` another message comes after it, and calls that have no results are left out there too. The
    summary stands for the messages up to the id `summarised_until`. Raises `UsageError` for a negative
    `count`.
    """
    if count < 0:
        raise UsageError(f"A window of {count} messages is not possible; give 0 or more.")
    system = tuple(message for message in messages if message.role == "system")
    tokens = sum(map(count_tokens, system))
    exchanges = _exchanges(messages)
    if followed and exchanges and exchanges[-1].open:
        exchanges.pop()
    taken: list[list[int]] = []
    for positions in _last_exchanges(exchanges, count):
        cost = sum(count_tokens(messages[k]) for k in positions)
        if taken and max_tokens is not None and tokens + cost > max_tokens:
            break
        tokens += cost
        taken.append(positions)
    shown = [k for positions in reversed(taken) for k in positions]
    inside = set(shown)
    first_open = after(messages, summarised_until)
    return Window(
        system=system,
        messages=tuple(messages[k] for k in shown),
        left_out=tuple(
            messages[k]
            for k in range(first_open, len(messages))
            if k not in inside and messages[k].role != "system"
        ),
        tokens=tokens,
        over_budget=max_tokens is not None and tokens > max_tokens,
    )


def to_summarise(
    messages: Sequence[Message], *, keep: int = MESSAGES, after_id: str = ""
) -> tuple[Message, ...]:
    """The messages after `after_id` that precede the window of `keep` messages; no exchange is split.

    When the message `after_id` was deleted, its number says where it stood; an id that is neither there nor
    numbered stands for none, so that nothing is left out of the summary.
    """
    exchanges = _exchanges(messages)
    unfinished = bool(exchanges and exchanges[-1].open)
    kept = list(_last_exchanges(exchanges, max(keep, 1 if unfinished else 0)))
    start = kept[-1][0] if kept else len(messages)
    span = messages[after(messages, after_id) : start]
    return tuple(message for message in span if message.role != "system")


# --- exchanges -----------------------------------------------------------------------------------------


def _last_exchanges(exchanges: Sequence[_Exchange], count: int) -> Iterator[list[int]]:
    """The last exchanges with at most `count` messages together, the latest first; one at least if any."""
    left = count
    for exchange in reversed(exchanges):
        size = len(exchange.positions)
        if count == 0 or (size > left and left < count):
            return
        yield exchange.positions
        left -= size


def _exchanges(messages: Sequence[Message]) -> list[_Exchange]:
    """The exchanges that can be shown, in order: all but the last have the results of all their calls."""
    found: list[_Exchange] = []
    for k, message in enumerate(messages):
        if message.role == "system":
            continue
        if message.role != "tool" and isinstance(message.content, str) and not message.tool_calls:
            answers, calls = _NOTHING, _NOTHING  # most messages of a long conversation
        else:
            answers, calls = Counter(_answers(message)), Counter(_calls(message))
        if not answers:
            if found and found[-1].open:
                found.pop()  # given up before all results were there
            found.append(_Exchange([k], calls))
        elif found and answers <= found[-1].open:
            found[-1].positions.append(k)
            found[-1].open.subtract(answers)
            for name in answers:
                if not found[-1].open[name]:
                    del found[-1].open[name]
    return found


def _calls(message: Message) -> list[str]:
    """The ids of the tool calls in a message, whichever way its API writes them."""
    ids = [call.id for call in message.tool_calls]
    if isinstance(message.content, str):
        return ids
    blocks = [str(block.get("id") or "") for block in message.content if _is_call(block)]
    return ids + [name for name in blocks if name not in ids]


def _answers(message: Message) -> list[str]:
    """The ids of the calls that a message answers; "" for one that names none."""
    if message.role == "tool":
        return [message.tool_call_id or ""]
    if isinstance(message.content, str):
        return []
    return [
        str(block.get("tool_use_id") or "") for block in message.content if block.get("type") == "tool_result"
    ]


def _is_call(block: Mapping[str, Any]) -> bool:
    return block.get("type") == "tool_use"


def after(messages: Sequence[Message], name: str) -> int:
    """The position after the message `name`, or after those whose number is not above its own.

    There the messages begin that no summary holds; 0 for "" and for an unknown id without a number.
    """
    if not name:
        return 0
    for k in range(len(messages) - 1, -1, -1):
        if messages[k].id == name:
            return k + 1
    number = number_of(name)
    for k in range(len(messages) - 1, -1, -1):
        if 0 < number_of(messages[k].id) <= number:
            return k + 1
    return 0


# --- tokens --------------------------------------------------------------------------------------------


def _tokens(value: Any) -> int:
    """Tokens of a content block or a part of one, with `MEDIA_TOKENS` for what is not text."""
    if isinstance(value, str):
        return MEDIA_TOKENS if value.startswith("data:") else estimate_text(value)
    if isinstance(value, Mapping):
        if value.get("type") in _MEDIA:
            return MEDIA_TOKENS
        return sum(estimate_text(str(key)) + _tokens(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return sum(map(_tokens, value))
    return estimate_text(str(value))
