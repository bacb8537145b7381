"""The page of a record: front matter, the main text as a person would write it, the rest as JSON. Pure.

```
---
created: 2026-03-21T10:30:00.000000+00:00
updated: 2026-03-21T10:30:00.000000+00:00
---
drinks green tea

~~~json record
{
  "importance": 4
}
~~~
```

The body is the field `field` of the value ("text" where it is not said); JSON that is not all of the value
stands in one fence at the end. A text that could not be told from what surrounds it goes into the JSON too,
so every value comes back as it was. `namespace` and `key` are written where the path cannot say them.
Front matter that is not ours is kept; a page without any of ours is a record as well.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from .._errors import UsageError
from ..text.frontmatter import split, update
from .fields import main_field
from .record import Index, Namespace

_FENCE: Final = "~~~json record"
_BLOCK: Final = re.compile(r"(?:\A|\n)~~~json record[ \t]*\n(.*?)\n?~~~[ \t]*\s*\Z", re.DOTALL)
_UNSAFE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_OURS: Final = frozenset(
    ["namespace", "key", "created", "updated", "ttl_minutes", "index", "field", "provenance"]
)
_COMMENT: Final = re.compile(r"""^(?:[^"'\n]*\s)?#""", re.MULTILINE)
_LONGEST_FIELD: Final = 200
_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class PageUnreadableError(UsageError):
    """The page holds no value; the message completes "The page ... "."""


@dataclass(frozen=True, slots=True)
class RecordPage:
    """What a page says. `namespace` and `key` only where it says them; `foreign` front matter not ours.

    Times are None on a page that a person made.
    """

    value: dict[str, Any]
    created: dt.datetime | None = None
    updated: dt.datetime | None = None
    ttl_minutes: float | None = None
    index: Index = None
    provenance: Mapping[str, Any] = field(default_factory=dict)
    namespace: Namespace | None = None
    key: str | None = None
    foreign: bool = False


def render(page: RecordPage) -> str:
    """The text of a new page."""
    body, name, rest = _parted(page.value)
    head = _front(page, name)
    return f"---\n{head}---\n{_content(body, rest)}"


def rerender(text: str, page: RecordPage) -> str:
    """The text of a page written over one that holds front matter of others, which stays.

    Raises `UsageError` where that cannot be changed without harm.
    """
    body, name, rest = _parted(page.value)
    wanted: dict[str, Any] = dict.fromkeys(_OURS)
    wanted |= split(f"---\n{_front(page, name)}---\n").data
    whole = update(text.replace("\r\n", "\n"), wanted)
    before = split(whole)
    return whole[: len(whole) - len(before.body)] + _content(body, rest)


def parse(text: str) -> RecordPage:
    """What a page says, whoever wrote it.

    Raises `PageUnreadableError` when its front matter is no YAML, or its JSON none.
    """
    front = split(text.replace("\r\n", "\n"))
    if front.problem is not None:
        raise PageUnreadableError(f"has front matter that says nothing: {front.problem}")
    data = front.data
    body, block = _opened(front.body)
    rest = block or {}
    said = data.get("field")
    name = said if isinstance(said, str) and said else "text"
    value = {**rest}
    if name not in rest and (body or isinstance(said, str) or block is None):
        value = {name: body, **rest}
    elif body:
        raise PageUnreadableError(f"has text and a field {name!r} in its JSON: one of them must go")
    return RecordPage(
        value,
        _moment(data.get("created")),
        _moment(data.get("updated")),
        _minutes(data.get("ttl_minutes")),
        _index(data.get("index")),
        data["provenance"] if isinstance(data.get("provenance"), dict) else {},
        _names(data.get("namespace")),
        data["key"] if isinstance(data.get("key"), str) else None,
        foreign=bool(data.keys() - _OURS) or bool(_COMMENT.search(front.raw)),
    )


# --- writing -------------------------------------------------------------------------------------------


def _parted(value: Mapping[str, Any]) -> tuple[str, str | None, Mapping[str, Any]]:
    """(text of the body, its field, what goes into the JSON)."""
    name = main_field(value)
    body = value[name] if name is not None else ""
    if not name or not body or body != body.strip() or _FENCE in body or _UNSAFE.search(body + name):
        return "", None, value
    if len(name) > _LONGEST_FIELD:  # the head of a page is to be short
        return "", None, value
    return body, name, {key: item for key, item in value.items() if key != name}


def _content(body: str, rest: Mapping[str, Any]) -> str:
    if body and not rest:
        return f"{body}\n"
    text = json.dumps(rest, ensure_ascii=False, indent=2)
    if _UNSAFE.search(text):  # what a reader of files may change or refuse
        text = json.dumps(rest, indent=2)
    return f"{body}\n\n{_FENCE}\n{text}\n~~~\n" if body else f"{_FENCE}\n{text}\n~~~\n"


def _front(page: RecordPage, name: str | None) -> str:
    lines = []
    if page.namespace is not None:
        lines.append(_entry("namespace", list(page.namespace)))
    if page.key is not None:
        lines.append(_entry("key", page.key))
    for label, moment in (("created", page.created), ("updated", page.updated)):
        if moment is not None:
            lines.append(f"{label}: {moment.isoformat(timespec='microseconds')}\n")
    if page.ttl_minutes is not None:
        lines.append(_entry("ttl_minutes", page.ttl_minutes))
    if page.index is not None:
        lines.append(_entry("index", False if page.index is False else list(page.index)))
    if name is not None and name != "text":
        lines.append(_entry("field", name))
    if page.provenance:
        lines.append(_entry("provenance", dict(page.provenance)))
    return "".join(lines)


def _entry(name: str, value: Any) -> str:
    """``name: value`` on one line: as JSON where YAML reads that alike, else by the YAML library."""
    if isinstance(value, bool | int | float):
        return f"{name}: {json.dumps(value)}\n"
    text = json.dumps(value, ensure_ascii=False)
    if text.isascii() and text.isprintable():
        return f"{name}: {text}\n"
    from ..text.yaml_values import dump_entry

    return dump_entry(name, value, "\n")


# --- reading -------------------------------------------------------------------------------------------


def _opened(body: str) -> tuple[str, dict[str, Any] | None]:
    """(text, value of the JSON block at the end, None when there is none)."""
    start = f"\n{body}".rfind(f"\n{_FENCE}")  # in JSON no line begins so
    found = _BLOCK.search(body, max(0, start - 1)) if start >= 0 else None
    if found is None:
        if start >= 0:
            raise PageUnreadableError(f"begins JSON by {_FENCE!r} and has no '~~~' as its last line")
        return body.strip(), None
    try:
        rest = json.loads(found[1])
    except ValueError as error:
        raise PageUnreadableError(f"has JSON that does not parse: {error}") from error
    if not isinstance(rest, dict):
        raise PageUnreadableError("has JSON that is no object")
    return body[: found.start()].strip(), rest


def _moment(value: Any) -> dt.datetime | None:
    if isinstance(value, str):
        try:
            value = dt.datetime.fromisoformat(value)
        except ValueError:
            return None
    if isinstance(value, dt.datetime):
        try:
            return (value if value.tzinfo else value.replace(tzinfo=dt.UTC)).astimezone(dt.UTC)
        except OverflowError:  # in the first or the last hours of all
            return None
    if isinstance(value, dt.date):
        return dt.datetime(value.year, value.month, value.day, tzinfo=dt.UTC)
    return None


def _minutes(value: Any) -> float | None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if number and 0 < value < math.inf else None


def _index(value: Any) -> Index:
    if value is False:
        return False
    return tuple(map(str, value)) if isinstance(value, list) else None


def _names(value: Any) -> Namespace | None:
    return tuple(map(str, value)) if isinstance(value, list) else None
