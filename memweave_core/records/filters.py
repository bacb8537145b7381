"""Conditions on JSON values: what they are, how they are written, and which values meet them. Pure.

As mappings: ``{"a": 1}``, ``{"a.b": {"$gt": 2, "$lte": 5}}``, ``{"a": {"b": "x"}}`` (the same as "a.b"),
``{"$or": [...]}``, ``{"$and": [...]}``, ``{"$not": {...}}``; several keys must all be met. A key is a path
(see `fields`); one that stands in the value as it is written, dots included, comes first.

Values are compared by type: numbers with numbers, text with text by code point; a truth value equals only
itself; any other pair is neither equal nor ordered, and never an error. A field that is missing meets nothing
but ``{"$exists": false}``, so neither ``$ne`` nor ``$nin``; ``$not`` is met by whatever its condition is not.
With ``[*]`` one element that meets the condition is enough.

``$contains`` is met by a list with an equal element and by text with that part; ``$text`` by text with that
part; ``$itext`` the same whatever the case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from .._errors import ConfigError
from ..checks import nearest_name
from .fields import EVERY, Step, steps

OPERATORS: Final = (
    "$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$exists", "$contains", "$text", "$itext",
)  # fmt: skip
_GROUPS: Final = ("$and", "$or", "$not")
_MISSING: Final = object()


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison. `names` are the steps of the path; each name may be one key with dots, or several."""

    names: tuple[str, ...]
    operator: str
    operand: Any

    @property
    def paths(self) -> tuple[tuple[Step, ...], ...]:
        """The ways to read the names, the literal one first; the first that leads to anything counts."""
        literal: tuple[Step, ...] = self.names
        walked = tuple(step for name in self.names for step in steps(name))
        return (literal,) if walked == literal else (literal, walked)


@dataclass(frozen=True, slots=True)
class All:
    """Met when all parts are."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Met when one part is."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """Met when the part is not."""

    part: Filter


Filter: TypeAlias = Condition | All | AnyOf | Not


def parse(where: Filter | Mapping[str, Any] | None) -> Filter:
    """The condition that a mapping stands for. Raises `ConfigError`, a ValueError, for one that is none."""
    if where is None:
        return All(())
    if isinstance(where, Condition | All | AnyOf | Not):
        return where
    if not isinstance(where, Mapping):
        raise ConfigError(f"A filter is a mapping of fields to conditions, not {where!r}.")
    return _fields(where, ())


def _fields(where: Mapping[str, Any], names: tuple[str, ...]) -> Filter:
    parts: list[Filter] = []
    for name, wanted in where.items():
        if not isinstance(name, str) or not name:
            raise ConfigError(f"The fields of a filter are named by text, not {name!r}.")
        if name.startswith("$"):
            parts.append(_group(name, wanted, names))
        else:
            parts.append(_field((*names, name), wanted))
    return parts[0] if len(parts) == 1 else All(tuple(parts))


def _group(name: str, wanted: Any, names: tuple[str, ...]) -> Filter:
    if names or name not in _GROUPS:
        raise ConfigError(
            f"Unknown operator {name} in a filter.{nearest_name(name, (*OPERATORS, *_GROUPS))} "
            f"Known are {', '.join(OPERATORS)} on a field, and {', '.join(_GROUPS)} outside of one."
        )
    if name == "$not":
        return Not(parse(wanted))
    if isinstance(wanted, str | Mapping) or not isinstance(wanted, Sequence):
        raise ConfigError(f"{name} takes a list of filters, not {wanted!r}.")
    parts = tuple(parse(part) for part in wanted)
    return All(parts) if name == "$and" else AnyOf(parts)


def _field(names: tuple[str, ...], wanted: Any) -> Filter:
    if not isinstance(wanted, Mapping):
        return Condition(names, "$eq", wanted)
    if not any(isinstance(name, str) and name.startswith("$") for name in wanted):
        return _fields(wanted, names) if wanted else Condition(names, "$exists", True)
    parts = tuple(_operation(names, operator, operand) for operator, operand in wanted.items())
    return parts[0] if len(parts) == 1 else All(parts)


def _operation(names: tuple[str, ...], operator: str, operand: Any) -> Condition:
    if operator not in OPERATORS:
        _group(str(operator), None, names)
    if operator in ("$in", "$nin"):
        if isinstance(operand, set | frozenset | tuple):
            operand = list(operand)
        if not isinstance(operand, list):
            raise ConfigError(f"{operator} takes a list of values, not {operand!r}.")
    if operator == "$exists" and not isinstance(operand, bool):
        raise ConfigError(f"$exists takes True or False, not {operand!r}.")
    if operator in ("$text", "$itext") and not isinstance(operand, str):
        raise ConfigError(f"{operator} takes text, not {operand!r}.")
    return Condition(names, operator, operand)


# --- in Python -----------------------------------------------------------------------------------------


def matches(where: Filter, value: Mapping[str, Any]) -> bool:
    """Whether a value meets a condition: what the SQL of `filter_sql` says too."""
    match where:
        case All(parts):
            return all(matches(part, value) for part in parts)
        case AnyOf(parts):
            return any(matches(part, value) for part in parts)
        case Not(part):
            return not matches(part, value)
        case Condition():
            return _met(where, value)


def _met(condition: Condition, value: Mapping[str, Any]) -> bool:
    found: list[Any] = []
    for path in condition.paths:
        found = _at(value, path)
        if found:
            break
    if condition.operator == "$exists":
        return bool(found) is condition.operand
    return any(_holds(condition.operator, item, condition.operand) for item in found)


def _at(value: Any, path: Sequence[Step]) -> list[Any]:
    for number, step in enumerate(path):
        if step == EVERY:
            items = value if isinstance(value, list) else []
            return [found for item in items for found in _at(item, path[number + 1 :])]
        value = _child(value, step)
        if value is _MISSING:
            return []
    return [value]


def _child(value: Any, step: Step) -> Any:
    if isinstance(step, int):
        inside = isinstance(value, list) and -len(value) <= step < len(value)
        return value[step] if inside else _MISSING
    return value.get(step, _MISSING) if isinstance(value, dict) else _MISSING


def _holds(operator: str, item: Any, operand: Any) -> bool:
    match operator:
        case "$eq":
            return same(item, operand)
        case "$ne":
            return not same(item, operand)
        case "$in":
            return any(same(item, one) for one in operand)
        case "$nin":
            return not any(same(item, one) for one in operand)
        case "$contains":
            inside = isinstance(item, list) and any(same(one, operand) for one in item)
            return inside or (isinstance(item, str) and isinstance(operand, str) and operand in item)
        case "$text":
            return isinstance(item, str) and operand in item
        case "$itext":
            return isinstance(item, str) and operand.casefold() in item.casefold()
        case _:
            return _ordered(operator, item, operand)


def _ordered(operator: str, item: Any, operand: Any) -> bool:
    both_text = isinstance(item, str) and isinstance(operand, str)
    if not both_text and not (is_number(item) and is_number(operand)):
        return False
    match operator:
        case "$gt":
            return bool(item > operand)
        case "$gte":
            return bool(item >= operand)
        case "$lt":
            return bool(item < operand)
        case _:
            return bool(item <= operand)


def is_number(value: Any) -> bool:
    """True for a number that is no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def same(one: Any, other: Any) -> bool:
    """Equality of JSON values by type: 1 equals 1.0 but not True."""
    if is_number(one) or is_number(other):
        return is_number(one) and is_number(other) and bool(one == other)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return type(one) is type(other) and bool(one == other)
