"""Reads a list of facts out of whatever a language model replied.

Models fence their JSON, talk around it, think aloud before it, stop in its middle, and write Python. What is
sound is read by the standard library; the rest is repaired by json-repair, which is small, needs nothing and
knows many more breakages than a parser of ours would. An object that the reply ends in the middle of is
never completed by guessing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

LONGEST = 60_000
"""Characters of a reply that are read; more than any list of facts of one turn has."""

_LONGEST_REPAIR = 20_000
_DEPTH = 4
_DEEPEST_REPAIR = 40
_WRAPPERS = ("facts", "memories", "memory", "items", "results", "hechos")
_TEXTS = ("text", "fact", "memory", "statement", "content", "hecho")
_THOUGHT_TAG = re.compile(r"<(/?)(think|thinking|thought|thoughts|reasoning|reflection)>", re.I)
_FENCED = re.compile(r"^[ \t]*(?:```|~~~)[^\n`]*\n", re.M)
_FENCE_END = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*$", re.M)
_OPENING = re.compile(r"\{(?=\s*(?:[\"'“}\\]|\w+\s*:|//))|\[(?=\s*(?:[\[{\"'\]]|//))")


@dataclass(frozen=True, slots=True)
class Items:
    """`items` are the statements as the model gave them (objects, or bare strings); `errors` what was lost.

    No items and no errors means that the model said expressly that there are none.
    """

    items: tuple[Mapping[str, Any] | str, ...] = ()
    errors: tuple[str, ...] = ()


def without_thoughts(output: str) -> str:
    """The reply without ``<think>`` blocks; of one that is never closed everything goes."""
    parts: list[str] = []
    at = depth = 0
    for tag in _THOUGHT_TAG.finditer(output):
        if tag[1]:
            if depth == 0:
                parts = []  # the opening was part of the prompt: all before this was thought
            depth = max(depth - 1, 0)
        else:
            if depth == 0:
                parts.append(output[at : tag.start()])
            depth += 1
        at = tag.end()
    return "".join(parts) + ("" if depth else output[at:])


def read(output: str) -> Items:
    """The facts of a reply. Never raises: what cannot be read is an error in the answer."""
    text = without_thoughts(output[:LONGEST]).strip()
    if not text:
        return Items(errors=("The model's reply is empty.",))
    found: Items | None = None
    for candidate in (*_fenced(text), text):
        found = _sound(candidate)
        if found is not None:
            break
    if found is None:
        found = _repaired(text)
    if len(output) > LONGEST:
        return Items(found.items, (*found.errors, "The reply is too long; its end was not read."))
    return found


def _fenced(text: str) -> Iterator[str]:
    """The bodies of fenced blocks, and the rest of the reply after a fence that is never closed."""
    at = 0
    while begin := _FENCED.search(text, at):
        end = _FENCE_END.search(text, begin.end())
        yield text[begin.end() : end.start() if end else len(text)].strip()
        if end is None:
            return
        at = end.end()


def _sound(text: str) -> Items | None:
    """What a strict parser reads; None unless that is a whole list of facts."""
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        values, whole = _values(text), False
    else:
        if isinstance(value, str):
            return _sound(value) if value.strip()[:1] in ("{", "[") else None
        values, whole = [value], True
    listed = [items for value in values if (items := _list_in(value, bare=whole)) is not None]
    if listed:
        return Items(tuple(item for items in listed for item in items))
    return None


def _values(text: str) -> list[Any]:
    """JSON values that stand in a text one after the other, outermost only; [] when a part looks broken."""
    decoder = json.JSONDecoder(strict=False)
    values, at = [], 0
    while opening := _OPENING.search(text, at):
        try:
            value, at = decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            return []
        values.append(value)
    singles = [value for value in values if isinstance(value, dict) and _text_of(value)]
    rest = [value for value in values if value not in singles] if singles else values
    return [*rest, singles] if singles else rest


def _list_in(value: Any, *, bare: bool, depth: int = _DEPTH) -> list[Any] | None:
    """The list of facts that a value is or holds; None when there is none. `bare` takes an empty list too."""
    if isinstance(value, list):
        kept = [
            item for item in value if isinstance(item, str) or (isinstance(item, dict) and _text_of(item))
        ]
        nested = [items for item in value if (items := _inner(item, depth)) is not None]
        if nested:
            return [item for items in nested for item in items]
        return (
            kept
            if (kept and (bare or any(isinstance(k, dict) for k in kept))) or (bare and not value)
            else None
        )
    if not isinstance(value, dict):
        return None
    if _text_of(value):
        return [value]
    return _inner(value, depth)


def _inner(value: Any, depth: int) -> list[Any] | None:
    """The list under a name such as "facts", or deeper."""
    if not isinstance(value, dict) or depth <= 0:
        return None
    for name, held in value.items():
        if str(name).casefold() in _WRAPPERS and isinstance(held, list | type(None)):
            return [item for item in held or () if isinstance(item, str | dict)]
    for held in value.values():
        if isinstance(held, str) and held.lstrip()[:1] == "{":
            try:
                held = json.loads(held)
            except (ValueError, RecursionError):
                continue
        if (items := _inner(held, depth - 1)) is not None:
            return items
    return None


def _text_of(item: Mapping[str, Any]) -> str:
    value = next((item[name] for name in _TEXTS if name in item), "")
    return value if isinstance(value, str) else ""


def _repaired(text: str) -> Items:
    """What can be saved of a broken reply; an error when that is nothing, or when its end is missing."""
    opening = _OPENING.search(text)
    if opening is None:
        return Items(errors=("The model's reply holds no JSON.",))
    body = text[opening.start() :]
    if '\\"' in body and not re.search(r"(?<!\\)\"", body):
        body = body.replace('\\"', '"')
    end = max(body.rfind("}"), body.rfind("]")) + 1
    rest = body[end:]
    cut = end == 0 or "{" in rest or _OPENING.search(rest) is not None or _open_ended(body[:end], rest)
    errors = ("The reply breaks off; its last fact was left out.",) if cut else ()
    ways = [_repair(body[:end]), *([_by_line(body)] if "\n" in body else []), _one_by_one(body)]
    best = max(ways, key=lambda items: -1 if items is None else len(items))
    if best is None:
        return Items(errors=("The model's reply is no list of facts.",))
    if not best and (cut or not _says_none(body, alone=opening.start() == 0)):
        return Items(errors=errors or ("The facts of the model's reply cannot be read.",))
    return Items(tuple(best), errors)


def _open_ended(body: str, rest: str) -> bool:
    """Whether the list is still open when the reply ends."""
    ends_in_item = body.rstrip()[-1:] == "}" and not rest.strip(" \t\r\n`~,")
    return ends_in_item and body.count("[") > body.count("]")


def _says_none(body: str, *, alone: bool) -> bool:
    """Whether it holds an empty list that stands for the facts, not one that prose mentions."""
    named = any(name in body.casefold() for name in _WRAPPERS)
    return (named or alone) and re.search(r"\[\s*(?://[^\n]*\s*|#[^\n]*\s*)*\]", body) is not None


def _repair(body: str) -> list[Any] | None:
    if _nesting(body[:_LONGEST_REPAIR]) > _DEEPEST_REPAIR:
        return None  # its time grows with the square of the depth, and no list of facts is deep
    import json_repair  # 50 ms to import, and most replies are sound

    try:
        value = json_repair.loads(body[:_LONGEST_REPAIR], skip_json_loads=True)
    except (ValueError, RecursionError):
        return None
    return _list_in(value, bare=True)


def _nesting(text: str) -> int:
    """How many brackets are open at once, at most."""
    steps = (1 if char in "[{" else -1 for char in text if char in "[]{}")
    return max(accumulate(steps), default=0)


def _by_line(body: str) -> list[Any] | None:
    """The objects of a reply with one on each line."""
    lines = [
        line for line in body.split("\n") if _OPENING.match(line.strip()) and line.rstrip(" ,").endswith("}")
    ]
    items = [item for line in lines for item in _repair(line.strip().rstrip(",")) or ()]
    return items or None


def _one_by_one(body: str) -> list[Any] | None:
    """The sound objects of a reply whose frame is broken."""
    decoder = json.JSONDecoder(strict=False)
    items = []
    at = 0
    while (at := body.find("{", at)) >= 0:
        close = body.find("}", at)
        if close < 0:
            break
        try:
            value = decoder.decode(body[body.rfind("{", at, close) : close + 1])
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict) and _text_of(value):
            items.append(value)
        at = close
    return items or None
