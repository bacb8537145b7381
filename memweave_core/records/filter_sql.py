"""Conditions as SQL over a column of JSON text, with the meaning that `filters.matches` gives them. Pure.

A condition that SQLite could not decide exactly gives None: numbers beyond 64 bits, lists of numbers and
objects as operands, names that a JSON path cannot hold, and hundreds of conditions. Then Python decides.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from .fields import EVERY, Step
from .filters import All, AnyOf, Condition, Filter, Not, is_number

FOLD: Final = "memweave_fold"
"""The SQL function that `$itext` needs: `str.casefold`."""

_NAME: Final = re.compile(r'[^"\\\x00-\x1f]+')
_ORDER: Final = {"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}
_MOST: Final = 2**63
_MOST_CONDITIONS: Final = 200
_NEVER: Final = "0"


@dataclass(frozen=True, slots=True)
class Sql:
    """An expression that is 1 or 0, never NULL, and what its question marks stand for."""

    text: str
    operands: tuple[Any, ...] = ()


class _UndecidableError(Exception):
    """SQLite cannot decide this one."""


@dataclass(slots=True)
class _Compiler:
    column: str
    operands: list[Any] = field(default_factory=list)
    depth: int = 0
    conditions: int = 0

    def filter(self, where: Filter) -> str:
        match where:
            case All(parts):
                return self.joined(" AND ", parts, "1")
            case AnyOf(parts):
                return self.joined(" OR ", parts, "0")
            case Not(part):
                return f"NOT {self.filter(part)}"
            case Condition():
                return self.condition(where)

    def joined(self, word: str, parts: Sequence[Filter], empty: str) -> str:
        return "(" + word.join(self.filter(part) for part in parts) + ")" if parts else empty

    def condition(self, condition: Condition) -> str:
        self.conditions += 1
        if self.conditions > _MOST_CONDITIONS:
            raise _UndecidableError
        first, *others = condition.paths
        if not others:
            return self.along(self.column, first, condition)
        # The operands of each branch stand in the order of the text.
        there = self.along(self.column, first, Condition(condition.names, "$exists", True))
        literal = self.along(self.column, first, condition)
        walked = self.along(self.column, others[0], condition)
        return f"(CASE WHEN {there} THEN {literal} ELSE {walked} END)"

    def along(self, document: str, path: Sequence[Step], condition: Condition) -> str:
        """The condition on what lies at `path` of the JSON that `document` gives."""
        if EVERY in path:
            return self.every(document, path, condition)
        at = _json_path(path)
        kind, value = f"json_type({document},{at})", f"json_extract({document},{at})"
        return self.holds(kind, value, condition, f"{document},{at}")

    def every(self, document: str, path: Sequence[Step], condition: Condition) -> str:
        place = list(path).index(EVERY)
        at, rest = _json_path(path[:place]), path[place + 1 :]
        self.depth += 1
        row = f"e{self.depth}"
        if condition.operator == "$exists":
            condition, negated = Condition(condition.names, "$exists", True), not condition.operand
        else:
            negated = False
        if rest:
            inner = f"(CASE WHEN {row}.type IN ('object','array') THEN {row}.value ELSE 'null' END)"
            met = self.along(inner, rest, condition)
        else:
            inner = f"(CASE WHEN {row}.type IN ('object','array') THEN {row}.value ELSE '[]' END)"
            met = self.holds(f"{row}.type", f"{row}.value", condition, inner)
        listed = f"coalesce(json_type({document},{at})='array',0)"
        found = f"({listed} AND {_exists(f'{document},{at}', row, met)})"
        return f"NOT {found}" if negated else found

    def holds(self, kind: str, value: str, condition: Condition, place: str) -> str:
        operand = condition.operand
        match condition.operator:
            case "$exists":
                return f"({kind} IS {'NOT ' if operand else ''}NULL)"
            case "$eq":
                return self.equal(kind, value, operand)
            case "$ne":
                return f"({kind} IS NOT NULL AND NOT {self.equal(kind, value, operand)})"
            case "$in":
                return self.one_of(kind, value, operand)
            case "$nin":
                return f"({kind} IS NOT NULL AND NOT {self.one_of(kind, value, operand)})"
            case "$contains":
                return self.contains(kind, value, operand, place)
            case "$text":
                return f"coalesce({kind}='text' AND instr({value},{self.bound(operand)})>0,0)"
            case "$itext":
                part = self.bound(operand.casefold())
                return f"(CASE WHEN {kind}='text' THEN instr({FOLD}({value}),{part})>0 ELSE 0 END)"
            case _:
                return self.ordered(kind, value, condition)

    def equal(self, kind: str, value: str, operand: Any) -> str:
        self.conditions += 1
        if operand is None:
            return f"coalesce({kind}='null',0)"
        if isinstance(operand, bool):
            return f"coalesce({kind}='{str(operand).lower()}',0)"
        if is_number(operand):
            return f"coalesce({kind} IN ('integer','real') AND {value}={self.number(operand)},0)"
        if isinstance(operand, str):
            return f"coalesce({kind}='text' AND {value}={self.bound(operand)},0)"
        if isinstance(operand, list | tuple) and all(isinstance(i, str | bool | None) for i in operand):
            text = self.bound(json.dumps(list(operand), ensure_ascii=False, separators=(",", ":")))
            return f"coalesce({kind}='array' AND {value}={text},0)"
        raise _UndecidableError

    def one_of(self, kind: str, value: str, operands: Sequence[Any]) -> str:
        if not operands:
            return _NEVER
        if all(isinstance(one, str) for one in operands):
            if any("\x00" in one for one in operands):
                raise _UndecidableError
            listed = self.bound(json.dumps(list(operands), ensure_ascii=False))
            one_of_them = f"{value} IN (SELECT value FROM json_each({listed}))"  # noqa: S608 - values are bound
            return f"coalesce({kind}='text' AND {one_of_them},0)"
        if len(operands) > _MOST_CONDITIONS:
            raise _UndecidableError
        return "(" + " OR ".join(self.equal(kind, value, one) for one in operands) + ")"

    def contains(self, kind: str, value: str, operand: Any, place: str) -> str:
        self.depth += 1
        row = f"e{self.depth}"
        met = self.equal(f"{row}.type", f"{row}.value", operand)
        listed = f"(coalesce({kind}='array',0) AND {_exists(place, row, met)})"
        if not isinstance(operand, str):
            return listed
        return f"({listed} OR coalesce({kind}='text' AND instr({value},{self.bound(operand)})>0,0))"

    def ordered(self, kind: str, value: str, condition: Condition) -> str:
        sign, operand = _ORDER[condition.operator], condition.operand
        if is_number(operand):
            return f"coalesce({kind} IN ('integer','real') AND {value}{sign}{self.number(operand)},0)"
        if isinstance(operand, str):
            return f"coalesce({kind}='text' AND {value}{sign}{self.bound(operand)},0)"
        return _NEVER

    def number(self, operand: float) -> str:
        """A number as SQLite itself reads it from JSON, so that equal texts are equal numbers."""
        if not -_MOST <= operand < _MOST:
            raise _UndecidableError
        if isinstance(operand, int):
            return self.bound(operand)
        return f"json_extract({self.bound(json.dumps(operand))},'$')"

    def bound(self, operand: Any) -> str:
        if isinstance(operand, str) and ("\x00" in operand or not _encodable(operand)):
            raise _UndecidableError
        self.operands.append(operand)
        return "?"


def compile_filter(where: Filter, column: str) -> Sql | None:
    """The condition on the JSON in `column`; None when SQLite could not decide it exactly."""
    compiler = _Compiler(column)
    try:
        text = compiler.filter(where)
    except _UndecidableError:
        return None
    return Sql(text, tuple(compiler.operands))


def _exists(place: str, row: str, met: str) -> str:
    return f"EXISTS (SELECT 1 FROM json_each({place}) AS {row} WHERE {met})"  # noqa: S608 - values are bound


def _json_path(path: Sequence[Step]) -> str:
    parts = ["$"]
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]" if step >= 0 else f"[#{step}]")
        elif _NAME.fullmatch(step) and _encodable(step):
            parts.append(f'."{step}"')
        else:
            raise _UndecidableError
    return "'" + "".join(parts).replace("'", "''") + "'"


def _encodable(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)
