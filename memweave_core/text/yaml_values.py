"""YAML as front matter uses it: the safe types, with the plain values of YAML 1.2.

PyYAML by itself reads by the rules of YAML 1.1, where ``12:30`` is a number and ``yes`` a truth value. It is
imported on first use.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from typing import Any, Final

_MAX_PARTS: Final = 20_000
_MAX_DEPTH: Final = 50


class UnreadableError(ValueError):
    """The block cannot be read; the message completes "Front matter ..."."""


def load(raw: str) -> Any:
    """The value that `raw` stands for. Raises `UnreadableError` and nothing else."""
    import yaml

    try:
        # The loader is PyYAML's safe one, with fewer implicit types.
        return yaml.load(raw, Loader=loader())  # noqa: S506
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f" in line {mark.line + 2}" if mark else ""
        raise UnreadableError(f"does not parse as YAML{where}: {error.problem or error.context}.") from error
    except (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        # An explicit tag on a value that does not fit it (`!!int x`) leaves PyYAML with a bare exception.
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise UnreadableError(f"does not parse as YAML: {reason}.") from error


_TIMESTAMP: Final = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}$"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?"
    r"(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?$"
)
_PLAIN_VALUES: Final = (
    ("bool", r"(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"(?:[-+]?(?:0|[1-9][0-9]{0,99})|0x[0-9a-fA-F]{1,99})$", "-+0123456789"),
    ("float", r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?$", "-+.0123456789"),
    ("float", r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$", "-+."),
    ("merge", r"<<$", "<"),
    ("null", r"(?:~|null|Null|NULL|)$", ("~", "n", "N", "")),
    ("timestamp", _TIMESTAMP, "0123456789"),
)


@cache
def loader() -> Any:
    """PyYAML's safe loader (in C where built) with the implicit types of YAML 1.2."""
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    made: Any = type("FrontMatterLoader", (base,), {"yaml_implicit_resolvers": {}})
    _resolve_plain_values(made)
    made.add_constructor("tag:yaml.org,2002:timestamp", _timestamp)
    return made


@cache
def _dumper() -> Any:
    """PyYAML's safe dumper, quoting what YAML 1.1 or 1.2 would take for something else than text."""
    import yaml

    made: Any = type("FrontMatterDumper", (yaml.SafeDumper,), {})
    _resolve_plain_values(made)
    made.add_representer(str, _text)
    made.add_representer(datetime, _moment)
    return made


def _text(dumper: Any, value: str) -> Any:
    """Text with line breaks or control characters in double quotes, where they can be escaped."""
    style = None if value.isprintable() else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


def _moment(dumper: Any, value: datetime) -> Any:
    return dumper.represent_scalar("tag:yaml.org,2002:timestamp", value.isoformat())


def _resolve_plain_values(resolver: Any) -> None:
    for tag, pattern, first in _PLAIN_VALUES:
        resolver.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), list(first))


def _timestamp(loader: Any, node: Any) -> Any:
    """A date or datetime; text that only looks like one (2026-02-30) stays text."""
    try:
        return loader.construct_yaml_timestamp(node)
    except (ValueError, OverflowError):
        return node.value


def is_too_large(value: Any) -> bool:
    """True when `value`, with its aliases written out, is endless, too deep or has too many parts."""
    return _parts(value, {}, 0) > _MAX_PARTS


def _parts(value: Any, known: dict[int, int], depth: int) -> int:
    if not isinstance(value, dict | list):
        return 1
    if depth > _MAX_DEPTH:
        return _MAX_PARTS + 1
    key = id(value)
    if key not in known:
        known[key] = _MAX_PARTS + 1  # what a cycle back to this value finds
        items = value.values() if isinstance(value, dict) else value
        known[key] = 1 + sum(_parts(item, known, depth + 1) for item in items)
    return known[key]


def dump_entry(key: str, value: Any, newline: str, *, block_style: bool = False) -> str:
    """``key: value`` as YAML lines; a collection on one line, or an item a line in `block_style`."""
    import yaml

    def dumped(what: Any, *, flow: bool) -> str:
        options: Any = {"allow_unicode": True, "sort_keys": False, "width": 1_000_000}
        return str(yaml.dump(what, Dumper=_dumper(), default_flow_style=flow, **options))

    if block_style or not isinstance(value, dict | list):
        return dumped({key: value}, flow=False).replace("\n", newline)
    name = dumped({key: 0}, flow=False).removesuffix("0\n")
    return (name + dumped(value, flow=True)).replace("\n", newline)
