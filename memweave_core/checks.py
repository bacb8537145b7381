"""Checks of settings: the type of a field against its annotation, ranges, and the nearest known name.

Every refusal is a `ConfigError` that names the setting.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from ._errors import ConfigError


def nearest_name(name: str, known: Iterable[str]) -> str:
    """' Did you mean …?' for a mistyped name, or '' when nothing is near."""
    import difflib  # needed only on the way to an error

    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" Did you mean {close[0]!r}?" if close else ""


def check(condition: bool, message: str) -> None:
    """Refuse with `message` unless `condition` holds."""
    if not condition:
        raise ConfigError(message)


@cache
def kinds_of(cls: Any) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """(field, the types it may have) of a table; hints are read when the first such object is made."""
    hints = get_type_hints(cls)
    unions = {name: get_origin(hint) in (Union, UnionType) for name, hint in hints.items()}
    return tuple(
        (item.name, get_args(hints[item.name]) if unions[item.name] else (hints[item.name],))
        for item in fields(cls)
    )


def check_types(table: Any, prefix: str = "") -> None:
    """Refuse a value whose type is not that of its field, naming the setting."""
    for name, kinds in kinds_of(table.__class__):
        value = getattr(table, name)
        if not any(is_a(value, kind) for kind in kinds):
            raise ConfigError(f"{prefix}{name} must be {' or '.join(map(described, kinds))}, not {value!r}.")


def is_table(kind: Any) -> bool:
    """Whether a field of this type is a table of settings itself."""
    return isinstance(kind, type) and is_dataclass(kind)


def is_a(value: object, kind: Any) -> bool:
    """Whether a value is of a type: an int is a number too, a bool is not, nor is infinity."""
    origin = get_origin(kind)
    if origin is Literal:
        return isinstance(value, str) and value in get_args(kind)
    if origin is tuple:
        return isinstance(value, tuple) and all(isinstance(item, str) for item in value)
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def described(kind: Any) -> str:
    """A type in the words of an error message."""
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(map(repr, get_args(kind)))
    if get_origin(kind) is tuple:
        return "a list of strings"
    return _WORDS.get(kind) or f"a table ({kind.__name__})"


_WORDS = {bool: "true or false", str: "a string", int: "a whole number", float: "a number", NoneType: "unset"}


def check_range(
    name: str, value: float, *, low: float, high: float = float("inf"), above: bool = False
) -> None:
    """Refuse a number below `low` (with `above`, at it too) or beyond `high`."""
    inside = (low < value if above else low <= value) and value <= high
    bounds = f"{'above' if above else 'at least'} {low:g}" + (
        "" if high == float("inf") else f" and at most {high:g}"
    )
    check(inside, f"{name} must be {bounds}, not {value!r}.")
