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
from typing import Any, Final

from .._errors import UsageError
from .yaml_values import UnreadableError, dump_entry, is_too_large, load, loader

MAX_CHARS: Final = 65_536
"""A longer block is not read."""

_MAX_KEY: Final = 100
_OPEN: Final = re.compile(r"\ufeff?---[ \t]*(\r\n|\n|\r)")
_CLOSE: Final = re.compile(r"(?<=[\r\n])(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|\Z)")
_KEY: Final = re.compile(r"[A-Za-z_][\w -]*:(?:[ \t\r\n]|$)")
_NEWLINE: Final = re.compile(r"\r\n|\n|\r")
_PLACEHOLDER_VALUE: Final = re.compile(
    r"^(\s*(?:- +)?[\w -]+:[ \t]+|\s*- +)([^\s'\"].*\{\{.*|\{\{.*)$", re.MULTILINE
)
_ITEM_INDENT: Final = re.compile(r"[\r\n]( +)- ")
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
    except UnreadableError as error:
        return FrontMatter(body=text.removeprefix("\ufeff"), problem=f"Front matter {error}")
    start_line = len(_NEWLINE.findall(text, 0, span.body)) + 1
    return FrontMatter(data, start_line, text[span.body :], raw)


def update(text: str, changes: Mapping[str, Any]) -> str:
    """`text` with some front matter keys set, or removed where the value is None.

    Only the lines of those keys change. A block is made where there is none; text that already says so comes
    back unchanged. Raises `UsageError` when the block there does not parse, repeats a key, or a value cannot
    be written.
    """
    wanted = {_key(key): _plain(value) for key, value in changes.items()}
    opened = _OPEN.match(text)
    span = _span(text, opened) if opened else None
    try:
        if span is None:
            return _with_new_block(text, wanted)
        raw = text[span.start : span.end]
        before, exact = _read(raw)
        if not exact:
            raise UnreadableError("holds template placeholders or tabs.")
        after = _changed(before, wanted)
        if repr(before) == repr(after):
            return text
        same = {key for key in after.keys() & before if repr(after[key]) == repr(before[key])}
        wanted = {key: value for key, value in wanted.items() if key not in same}
        block = _rewrite(raw, wanted, span.newline)
        _check(block, after)
    except UnreadableError as error:
        raise UsageError(f"Front matter {error} It is not rewritten; mend it by hand.") from error
    return text[: span.start] + block + text[span.end :]


def _span(text: str, opened: re.Match[str]) -> _Span | None:
    closed = _CLOSE.search(text, opened.end())
    return _Span(opened.end(), closed.start(), closed.end(), opened[1]) if closed else None


# --- reading -------------------------------------------------------------------------------------------


def _read(raw: str) -> tuple[dict[str, Any], bool]:
    """The mapping in `raw`, and whether it was read exactly as it stands. Raises `UnreadableError`."""
    if len(raw) > MAX_CHARS:
        raise UnreadableError(f"is longer than {MAX_CHARS} characters.")
    exact = True
    try:
        value = load(raw)
    except UnreadableError:
        mended = _mend(raw)
        if mended == raw:
            raise
        value, exact = load(mended), False
    if value is None:
        return {}, exact
    if not isinstance(value, dict):
        raise UnreadableError("is not a YAML mapping of keys to values.")
    if is_too_large(value):
        raise UnreadableError("is nested too deep, or its aliases expand too far.")
    return {"" if key is None else str(key): item for key, item in value.items()}, exact


def _mend(raw: str) -> str:
    """`raw` with template placeholders quoted and tabs as spaces, which YAML itself would refuse."""

    def quoted(match: re.Match[str]) -> str:
        value = match[2].rstrip().replace("'", "''")
        return f"{match[1]}'{value}'"

    lines = _NEWLINE.sub("\n", raw).expandtabs(2)
    return _PLACEHOLDER_VALUE.sub(quoted, lines) if "{{" in lines else lines


# --- writing -------------------------------------------------------------------------------------------


def _key(key: str) -> str:
    if not isinstance(key, str) or not key.isprintable() or not 0 < len(key) <= _MAX_KEY:
        raise UsageError(f"Front matter cannot have the key {key!r}; give a short text on one line.")
    return key


def _plain(value: Any) -> Any:
    """`value` in the types that YAML and this module both know. Raises `UsageError` for any other."""
    if isinstance(value, dt.datetime):
        return value.replace(fold=0)
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
        raise UnreadableError("cannot be rewritten with these values without changing others.")


def _with_new_block(text: str, wanted: Mapping[str, Any]) -> str:
    if split(text).problem:
        raise UnreadableError("is opened by '---' but never closed by another.")
    after = _changed({}, wanted)
    if not after:
        return text
    found = _NEWLINE.search(text)
    newline = found[0] if found else "\n"
    block = "".join(dump_entry(key, value, newline) for key, value in after.items())
    _check(block, after)
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    return f"{mark}---{newline}{block}---{newline}{text[len(mark) :]}"


def _rewrite(raw: str, wanted: Mapping[str, Any], newline: str) -> str:
    """`raw` with the lines of the keys in `wanted` replaced, taken out or added at its end."""
    import yaml

    root: Any = yaml.compose(raw, Loader=loader())
    entries = root.value if root and root.id == "mapping" else []
    if not entries:
        return raw + "".join(
            dump_entry(key, value, newline) for key, value in wanted.items() if value is not None
        )
    names = [str(key.value) for key, _ in entries]
    if len(set(names)) < len(names):
        raise UnreadableError("repeats a key.")
    if any(key.start_mark.column for key, _ in entries) or root.flow_style:
        raise UnreadableError("is not written as one key a line.")
    starts = [key.start_mark.index for key, _ in entries]
    parts = [raw[: starts[0]]]
    for name, (_, value), start, stop in zip(names, entries, starts, [*starts[1:], len(raw)], strict=True):
        own, rest = _own_lines(raw[start:stop])
        if name in wanted:
            own = _replacement(name, wanted[name], value, own, raw, newline)
        parts += (own, rest)
    added = [(key, value) for key, value in wanted.items() if key not in names and value is not None]
    return "".join(parts) + "".join(dump_entry(key, value, newline) for key, value in added)


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
    made = dump_entry(name, new, newline, block_style=block_style)
    nested = _ITEM_INDENT.search(own)
    if block_style and nested and isinstance(new, list):
        made = made.rstrip().replace(newline, newline + nested[1]) + newline
    tail = raw[old.end_mark.index :].partition("\n")[0].strip()
    one_line = len(_NEWLINE.findall(own)) == 1 == len(_NEWLINE.findall(made))
    return f"{made.rstrip()}  {tail}{newline}" if one_line and tail.startswith("#") else made
