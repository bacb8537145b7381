"""Values of a JSON document that may be missing, null or of another type than they should be."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ..messages import Role

_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_NUMBER: Final = re.compile(r"-?\d{1,20}(?:\.\d{1,20})?")
_ROLES: Final[dict[str, Role]] = {
    "user": "user", "human": "user", "humanmessage": "user", "humanmessagechunk": "user",
    "assistant": "assistant", "ai": "assistant", "gpt": "assistant", "chatgpt": "assistant",
    "model": "assistant", "bot": "assistant", "aimessage": "assistant", "aimessagechunk": "assistant",
    "function_call": "assistant",
    "system": "system", "developer": "system", "systemmessage": "system",
    "tool": "tool", "function": "tool", "observation": "tool", "toolmessage": "tool",
    "functionmessage": "tool",
}  # fmt: skip


def role_of(name: object) -> Role | None:
    """The role that a product calls `name`; None for a name that no product uses."""
    return _ROLES.get(name.strip().lower()) if isinstance(name, str) else None


def moment(value: object) -> dt.datetime | None:
    """A time in UTC: of ISO 8601 text, or of seconds, milliseconds or microseconds since 1970.

    Text without a timezone is taken for UTC. None for what is no time.
    """
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    try:
        if isinstance(value, str):
            read = dt.datetime.fromisoformat(value.strip().removesuffix(" UTC"))
            return read.replace(tzinfo=dt.UTC) if read.tzinfo is None else read.astimezone(dt.UTC)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            scale = 1e6 if abs(value) > 1e14 else 1e3 if abs(value) > 1e11 else 1
            return _EPOCH + dt.timedelta(seconds=value / scale)
    except (ValueError, OverflowError):
        return None
    return None


def string(value: object) -> str:
    """`value` if it is text, a whole number as text, else ""."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**40:
        return str(value)
    return value if isinstance(value, str) else ""


def first_string(item: Mapping[str, Any], keys: Iterable[str]) -> str:
    """The text under the first of `keys` that has any, else ""."""
    return next((text for key in keys if (text := string(item.get(key)).strip())), "")


def first_moment(item: Mapping[str, Any], keys: Iterable[str]) -> dt.datetime | None:
    """The time under the first of `keys` that has one."""
    return next((at for key in keys if (at := moment(item.get(key)))), None)


def mapping(value: object) -> dict[str, Any]:
    """`value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """`value` if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def objects(value: object) -> list[dict[str, Any]]:
    """The objects in `value` if it is a list, else none."""
    return [item for item in items(value) if isinstance(item, dict)]


def one_line(text: str) -> str:
    """`text` with each run of white space as one space: a fact is one line."""
    return " ".join(text.split())
