"""Paths into JSON values, and the texts that lie at them. Pure.

A path is written as ``a.b``, ``a[0]``, ``a[-1]`` or ``a[*].b`` (every element); in the texts to embed also
``*`` (every child) and ``{a,b.c}`` (several children). "$" is the value as a whole, as JSON with sorted keys.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias

EVERY: Final = "[*]"
WHOLE: Final = "$"
MAIN: Final = ""
"""The path of what a person would read of a value: its main text, or all of it where it has none."""

Step: TypeAlias = str | int
_PART: Final = re.compile(r"\[(-?\d+|\*)\]|\{([^{}]*)\}|([^.\[\]{}]+)|[.\[\]{}]")
_MAIN_FIELDS: Final = ("text", "content", "page_content", "memory", "summary")


@lru_cache(maxsize=4096)
def steps(path: str) -> tuple[Step, ...]:
    """The steps of a path: names, positions, `EVERY`, and ``{a,b}`` as it stands.

    Two steps cannot be told apart only where a name itself looks like one of the others.
    """
    found: list[Step] = []
    for match in _PART.finditer(path):
        place, several, name = match.groups()
        if place is not None:
            found.append(EVERY if place == "*" else int(place))
        elif several is not None:
            found.append("{" + several + "}")
        elif name is not None:
            found.append(name)
    return tuple(found)


def texts_at(value: Mapping[str, Any], path: str) -> list[str]:
    """The texts at a path: strings, numbers and truth values as text, lists and objects as JSON."""
    if path == MAIN:
        name = main_field(value)
        path = WHOLE if name is None else name
        return [_text(value)] if name is None else [value[name]]
    if path == WHOLE:
        return [_text(value)]
    return [_text(found) for found in _walk(value, steps(path)) if found is not None]


def texts_of(value: Mapping[str, Any], paths: Sequence[str]) -> list[str]:
    """The distinct texts at several paths, in order, blank ones left out."""
    found = dict.fromkeys(text for path in paths for text in texts_at(value, path))
    return [text for text in found if text.strip()]


def main_field(value: Mapping[str, Any]) -> str | None:
    """The field whose text a person would read first; None when there is none.

    One of the usual names, else the only field that is text.
    """
    for name in _MAIN_FIELDS:
        if isinstance(value.get(name), str):
            return name
    only = [name for name, item in value.items() if isinstance(item, str)]
    return only[0] if len(only) == 1 else None


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return str(value)
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _walk(value: Any, path: Sequence[Step]) -> Iterator[Any]:
    if not path:
        yield value
        return
    step, rest = path[0], path[1:]
    for child in _children(value, step):
        yield from _walk(child, rest)


def _children(value: Any, step: Step) -> Iterator[Any]:
    if isinstance(step, int):
        if isinstance(value, list) and -len(value) <= step < len(value):
            yield value[step]
    elif step == EVERY:
        yield from value if isinstance(value, list) else ()
    elif isinstance(value, dict) and step in value:
        yield value[step]
    elif step == "*":
        yield from value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    elif step.startswith("{"):
        for name in step[1:-1].split(","):
            yield from _walk(value, steps(name.strip()))
