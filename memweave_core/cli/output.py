"""How results look: JSON for programs, a table on a terminal, plain lines in a pipe. Notes go to stderr."""

from __future__ import annotations

import datetime as dt
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..types import IndexResult

_STEERING = re.compile(r"[\x7f-\x9f]")  # json.dumps escapes the others
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class ReaderGoneError(Exception):
    """Whoever read our stdout has closed it, as ``| head`` does: there is nothing more to say."""


def emit(text: str, *, end: str = "\n", flush: bool = False) -> None:
    """Text on stdout. Raises `ReaderGoneError`, which is not an error to anyone."""
    try:
        sys.stdout.write(f"{text}{end}")
        if flush:
            sys.stdout.flush()
    except BrokenPipeError as error:
        raise ReaderGoneError from error


def complain(text: str) -> None:
    """One line on stderr, with nothing in it that could steer a terminal."""
    sys.stderr.write(f"{clean(text)}\n")


def note(text: str) -> None:
    """Something a caller should know that is not a result."""
    complain(f"note: {text}")


def note_all(texts: Iterable[str]) -> None:
    """Several notes, each once."""
    for text in dict.fromkeys(texts):
        note(text)


def clean(text: str) -> str:
    """`text` without control characters: a note must not be able to steer the terminal it is shown on."""
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\t", " "))


def one_line(text: str) -> str:
    """`text` on a single line, runs of blanks as one."""
    return " ".join(clean(text).split())


def counted(number: int, noun: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def problem_lines(result: IndexResult) -> list[str]:
    """The problems of an indexing run, one sentence each, with the file where there is one."""
    return [
        f"{problem.path}: {problem.reason}" if problem.path else problem.reason for problem in result.problems
    ]


def plain(value: Any) -> Any:
    """A value as JSON has it: records as objects, dates as ISO text."""
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, dt.date | dt.datetime):
        return value.isoformat()
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def emit_json(value: Any) -> None:
    """`value` as JSON on stdout, in ASCII where the stream could not carry the rest."""
    emit(_json(value, indent=2))


def emit_json_line(value: Any) -> None:
    """`value` as JSON on a line of its own, at once: one of a stream."""
    emit(_json(value), flush=True)


def _json(value: Any, *, indent: int | None = None) -> str:
    """JSON with every character that could steer a terminal as an escape."""
    text = json.dumps(plain(value), indent=indent, ensure_ascii=not _carries_unicode())
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _carries_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


def emit_table(columns: Sequence[str], rows: Iterable[Sequence[object]], lines: Iterable[str]) -> None:
    """`rows` as a table on a terminal; the same facts as plain `lines` anywhere else."""
    if not sys.stdout.isatty():
        for line in lines:
            emit(line)
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        narrow = column not in ("Preview", "Path", "Detail")
        table.add_column(column, overflow="fold", no_wrap=narrow)
    for row in rows:
        table.add_row(*(Text(one_line(str(cell))) for cell in row))
    Console(highlight=False).print(table)


def numbers(stages: Mapping[str, Any]) -> str:
    """Pipeline stages on one line: ``vector=0.712 text=0.500 decay=0.917``."""
    return " ".join(_number(name, value) for name, value in stages.items())


def _number(name: str, value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{name}({numbers(value)})"
    return f"{name}={value:.3f}" if isinstance(value, float) else f"{name}={one_line(str(value))}"
