"""JSON values: checked and copied on their way in, so that what is kept is what comes back. Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from .._errors import UsageError

TextChange: TypeAlias = Callable[[str, str], str]
"""From the name that a text stands under, "" for none, and the text, to what is kept of it."""


class ValueRefusedError(UsageError, TypeError, ValueError):
    """A value that JSON cannot hold; the message names where it lies."""


def checked(value: Any, *, change: TextChange | None = None, what: str = "value") -> dict[str, Any]:
    """A copy of a JSON object; `change` is applied to every text in it, but not to names.

    Tuples become lists. Raises `ValueRefusedError` for what is no JSON: other types, NaN and infinities,
    names that are not text.
    """
    if not isinstance(value, Mapping):
        raise ValueRefusedError(f"The {what} must be a mapping of names to JSON, not {_named(value)}.")
    try:
        copy: dict[str, Any] = _copy(value, what, change)
    except RecursionError:
        raise ValueRefusedError(f"The {what} is nested too deep, or holds itself.") from None
    return copy


def _copy(value: Any, path: str, change: TextChange | None, name: str = "") -> Any:
    if isinstance(value, str):
        return change(name, value) if change is not None else str(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if math.isfinite(value):
            return float(value)
        raise ValueRefusedError(f"{path} is {value}, which JSON cannot hold; use None or text.")
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise ValueRefusedError(f"{path} has the name {key!r}; names must be text.")
        return {str(key): _copy(item, f"{path}.{key}", change, key) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_copy(item, f"{path}[{place}]", change, name) for place, item in enumerate(value)]
    raise ValueRefusedError(f"{path} is {_named(value)}, which JSON cannot hold; convert it first.")


def _named(value: Any) -> str:
    return f"a {type(value).__module__}.{type(value).__qualname__}".replace("builtins.", "")


def dumped(value: Any) -> str:
    """Compact JSON that any file and database can hold: letters as they are, half surrogates escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text
