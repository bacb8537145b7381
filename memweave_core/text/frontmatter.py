"""YAML front matter: the block between two ``---`` lines at the top of a Markdown file.

Reading never fails: a block that is not a YAML mapping makes the file plain text and `problem` says why.
Plain values are read as in YAML 1.2, so that ``12:30``, ``yes`` and ``007`` stay the strings a person typed.
Writing keeps order, comments, quotes, line endings and every byte of the body.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from memweave_core._errors import UsageError

MAX_CHARS: Final = 65_536
"""A longer block is not read."""

_MAX_NODES: Final = 20_000
_OPEN: Final = re.compile(r"\ufeff?---[ \t]*(\r\n|\n|\r)")
_CLOSE: Final = re.compile(r"(?<=[\r\n])(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|\Z)")
_KEY: Final = re.compile(r"[A-Za-z_][\w -]*:(?:[ \t\r\n]|$)")
_NEWLINE: Final = re.compile(r"\r\n|\n|\r")
_PLACEHOLDER_VALUE: Final = re.compile(
    r"^(\s*(?:- +)?[\w -]+:[ \t]+|\s*- +)([^\s'\"].*\{\{.*|\{\{.*)$", re.MULTILINE
)
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A file taken apart.

    `data` is the mapping ({} when there is none), its keys are strings. `raw` is the text between the marks,
    `body` what follows from line `body_start_line` (1-based) on. When `problem` is set, or there is no
    block, `raw` is empty and the body is the whole text (without a BOM).
    """

    data: Mapping[str, Any] = field(default_factory=dict)
    body_start_line: int = 1
    body: str = ""
    raw: str = ""
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class _Span:
    """Where the YAML between the marks starts and ends, and where the body starts."""

    start: int
    end: int
    body: int
    newline: str


class _UnreadableError(ValueError):
    """The block cannot be read; the message completes "Front matter ..."."""


def split(text: str) -> FrontMatter:
    """Take front matter and body apart. Any line endings; never raises."""
    opened = _OPEN.match(text)
    if opened is None:
        return FrontMatter(body=text.removeprefix("\ufeff"))
    span = _span(text, opened)
    if span is None:
        unclosed = _KEY.match(text, opened.end()) is not None
        problem = "Front matter is opened by '---' but never closed by another." if unclosed else None
        return FrontMatter(body=text.removeprefix("\ufeff"), problem=problem)
    raw = text[span.start : span.end]
    try:
        data, _ = _read(raw)
    except _UnreadableError as error:
        return FrontMatter(body=text.removeprefix("\ufeff"), problem=f"Front matter {error}")
    start_line = len(_NEWLINE.findall(text, 0, span.body)) + 1
    return FrontMatter(data, start_line, text[span.body :], raw)


def update(text: str, changes: Mapping[str, Any]) -> str:
    """`text` with some front matter keys set, or removed where the value is None.

    Only the lines of those keys change. A block is made where there is none; text that already says so comes
    back unchanged. Raises `UsageError` when the block there does not parse, repeats a key, or a value cannot
    be written.
    """
    wanted = {key: _plain(value) for key, value in changes.items()}
    opened = _OPEN.match(text)
    span = _span(text, opened) if opened else None
    try:
        if span is None:
            return _with_new_block(text, wanted)
        raw = text[span.start : span.end]
        before, exact = _read(raw)
        if not exact:
            raise _UnreadableError("holds template placeholders or tabs.")
        after = _changed(before, wanted)
        if repr(before) == repr(after):
            return text
        block = _rewrite(raw, wanted, span.newline)
        _check(block, after)
    except _UnreadableError as error:
        raise UsageError(f"Front matter {error} It is not rewritten; mend it by hand.") from error
    return text[: span.start] + block + text[span.end :]


def _span(text: str, opened: re.Match[str]) -> _Span | None:
    closed = _CLOSE.search(text, opened.end())
    return _Span(opened.end(), closed.start(), closed.end(), opened[1]) if closed else None


# --- reading -------------------------------------------------------------------------------------------


def _read(raw: str) -> tuple[dict[str, Any], bool]:
    """The mapping in `raw`, and whether it was read exactly as it stands. Raises `_UnreadableError`."""
    if len(raw) > MAX_CHARS:
        raise _UnreadableError(f"is longer than {MAX_CHARS} characters.")
    exact = True
    try:
        value = _load(raw)
    except _UnreadableError:
        mended = _mend(raw)
        if mended == raw:
            raise
        value, exact = _load(mended), False
    if value is None:
        return {}, exact
    if not isinstance(value, dict):
        raise _UnreadableError("is not a YAML mapping of keys to values.")
    if "*" in raw and _nodes(value, {}) > _MAX_NODES:
        raise _UnreadableError("has aliases that expand too far.")
    return {"" if key is None else str(key): item for key, item in value.items()}, exact


def _mend(raw: str) -> str:
    """`raw` with template placeholders quoted and tabs as spaces, which YAML itself would refuse."""

    def quoted(match: re.Match[str]) -> str:
        value = match[2].rstrip().replace("'", "''")
        return f"{match[1]}'{value}'"

    lines = _NEWLINE.sub("\n", raw).expandtabs(2)
    return _PLACEHOLDER_VALUE.sub(quoted, lines) if "{{" in lines else lines


def _load(raw: str) -> Any:
    import yaml

    try:
        # The loader is PyYAML's safe one, with fewer implicit types.
        return yaml.load(raw, Loader=_loader())  # noqa: S506
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f" in line {mark.line + 2}" if mark else ""
        raise _UnreadableError(f"does not parse as YAML{where}: {error.problem or error.context}.") from error
    except (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        # An explicit tag on a value that does not fit it (`!!int x`) leaves PyYAML with a bare exception.
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise _UnreadableError(f"does not parse as YAML: {reason}.") from error


@cache
def _loader() -> Any:
    """PyYAML's safe loader (in C where built) with the implicit types of YAML 1.2, made on first use."""
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    loader: Any = type("FrontMatterLoader", (base,), {"yaml_implicit_resolvers": {}})
    for tag, pattern, first in (
        ("bool", r"(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
        ("int", r"(?:[-+]?(?:0|[1-9][0-9]{0,99})|0x[0-9a-fA-F]{1,99})$", "-+0123456789"),
        ("float", r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?$", "-+.0123456789"),
        ("float", r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$", "-+."),
        ("merge", r"<<$", "<"),
        ("null", r"(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
        ("timestamp", _TIMESTAMP, "0123456789"),
    ):
        loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), list(first))
    loader.add_constructor("tag:yaml.org,2002:timestamp", _timestamp)
    return loader


_TIMESTAMP: Final = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}$"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?"
    r"(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?$"
)


def _timestamp(loader: Any, node: Any) -> Any:
    """A date or datetime; text that only looks like one (2026-02-30) stays text."""
    try:
        return loader.construct_yaml_timestamp(node)
    except (ValueError, OverflowError):
        return node.value


def _nodes(value: Any, known: dict[int, int]) -> int:
    """How many values `value` has once aliases are written out; more than the limit for a cycle."""
    if not isinstance(value, dict | list):
        return 1
    key = id(value)
    if key not in known:
        known[key] = _MAX_NODES + 1  # what a cycle back to this value finds
        items = value.values() if isinstance(value, dict) else value
        known[key] = min(1 + sum(_nodes(item, known) for item in items), _MAX_NODES + 1)
    return known[key]


# --- writing -------------------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    """`value` in the types that YAML and this module both know. Raises `UsageError` for any other."""
    if value is None or isinstance(value, bool | int | float | dt.date):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((_plain(item) for item in value), key=repr)
    raise UsageError(
        f"Front matter cannot hold a {type(value).__name__}; give text, numbers, dates or lists."
    )


def _changed(before: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    after = {**before, **wanted}
    return {key: value for key, value in after.items() if value is not None or key not in wanted}


def _check(block: str, after: Mapping[str, Any]) -> None:
    """Make sure that a block about to be written says exactly what it should."""
    written, exact = _read(block)
    if (
        not exact
        or repr(sorted(written.items())) != repr(sorted(after.items()))
        or _CLOSE.search("\n" + block)
    ):
        raise _UnreadableError("cannot be rewritten with these values without changing others.")


def _with_new_block(text: str, wanted: Mapping[str, Any]) -> str:
    if split(text).problem:
        raise _UnreadableError("is opened by '---' but never closed by another.")
    after = _changed({}, wanted)
    if not after:
        return text
    found = _NEWLINE.search(text)
    newline = found[0] if found else "\n"
    block = "".join(_dump(key, value, newline) for key, value in after.items())
    _check(block, after)
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    return f"{mark}---{newline}{block}---{newline}{text[len(mark) :]}"


def _rewrite(raw: str, wanted: Mapping[str, Any], newline: str) -> str:
    """`raw` with the lines of the keys in `wanted` replaced, taken out or added at its end."""
    import yaml

    root: Any = yaml.compose(raw, Loader=_loader())
    entries = root.value if root else []
    names = [str(key.value) for key, _ in entries]
    if len(set(names)) < len(names):
        raise _UnreadableError("repeats a key.")
    if any(key.start_mark.column for key, _ in entries) or (root and root.flow_style):
        raise _UnreadableError("is not written as one key a line.")
    starts = [key.start_mark.index for key, _ in entries]
    parts = [raw[: starts[0]] if starts else raw]
    for name, (_, value), start, stop in zip(names, entries, starts, [*starts[1:], len(raw)], strict=True):
        own, rest = _own_lines(raw[start:stop])
        if name in wanted:
            own = _replacement(name, wanted[name], value, own, raw, newline)
        parts += (own, rest)
    added = [(key, value) for key, value in wanted.items() if key not in names and value is not None]
    return "".join(parts) + "".join(_dump(key, value, newline) for key, value in added)


def _own_lines(lines: str) -> tuple[str, str]:
    """The lines of a key and its value, and the blank and comment lines after them, which are not its own."""
    parts = _LINE.findall(lines)
    end = len(parts)
    while end > 1 and (not parts[end - 1].strip() or parts[end - 1].startswith("#")):
        end -= 1
    return "".join(parts[:end]), "".join(parts[end:])


def _replacement(name: str, new: Any, old: Any, own: str, raw: str, newline: str) -> str:
    if new is None:
        return ""
    block_style = old.id != "scalar" and not old.flow_style
    made = _dump(name, new, newline, block_style=block_style)
    tail = raw[old.end_mark.index :].partition("\n")[0].strip()
    one_line = len(_NEWLINE.findall(own)) == 1 == len(_NEWLINE.findall(made))
    return f"{made.rstrip()}  {tail}{newline}" if one_line and tail.startswith("#") else made


def _dump(key: str, value: Any, newline: str, *, block_style: bool = False) -> str:
    """``key: value`` as YAML lines; a collection on one line, or an item a line in `block_style`."""
    import yaml

    def dumped(what: Any, *, flow: bool) -> str:
        made: str = yaml.safe_dump(
            what, allow_unicode=True, sort_keys=False, width=1_000_000, default_flow_style=flow
        )
        return made

    if block_style or not isinstance(value, dict | list):
        return dumped({key: value}, flow=False).replace("\n", newline)
    name = dumped({key: 0}, flow=False).removesuffix("0\n")
    return (name + dumped(value, flow=True)).replace("\n", newline)
