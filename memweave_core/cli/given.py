"""What a caller gives on a command line, in a file or on stdin: text, and messages as JSON."""

from __future__ import annotations

import io
import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import click

from .output import clean, note

_EXAMPLE = '[{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}]'


def at_terminal() -> bool:
    """Whether somebody may answer; Python has None for a stdin that is closed (``<&-``)."""
    return sys.stdin is not None and sys.stdin.isatty()


def text_or_stdin(given: str | None) -> str:
    """The argument, else stdin as UTF-8 whatever the terminal's own encoding is."""
    if given is not None:
        return given
    if at_terminal():
        note("type the text; end it with Ctrl-D.")
    return _decoded(bytes_of_stdin(), "What came in on stdin")


def text_or_piped(given: str | None) -> str:
    """The argument, else what another program pipes in; "" at a terminal, where nobody is waited for.

    ``-`` is stdin in any case.
    """
    if given is None:
        return "" if sys.stdin is None or not _is_piped() else text_or_stdin(None)
    return text_or_stdin(None) if given == "-" else given


def bytes_of_stdin() -> bytes:
    """All that comes in on stdin. Raises `click.UsageError` when it is closed."""
    if sys.stdin is None:
        raise click.UsageError("stdin is closed: give a file, or the text as an argument.")
    return sys.stdin.buffer.read()


def _is_piped() -> bool:
    """Whether stdin is a pipe or a file; neither a terminal, nor a device, nor the socket of a service."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, io.UnsupportedOperation):  # a stream that Python holds itself
        return not at_terminal()
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def text_of(file: Path | None) -> str:
    """The text of a file, or of stdin without one or for ``-``."""
    if file is None or str(file) == "-":
        return text_or_stdin(None)
    return _decoded(file.read_bytes(), clean(str(file)))


def _decoded(data: bytes, what: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{what} is not UTF-8 text.") from error


def messages_in(text: str) -> list[dict[str, Any]] | None:
    """Messages as the APIs of models have them: a list, one object, or one object on each line.

    None when the text is no JSON. Raises `click.UsageError` for JSON that is something else.
    """
    value = _json(text)
    if isinstance(value, dict):
        inner = value.get("messages")
        value = inner if isinstance(inner, list) else [value]
    if value is not None and (not isinstance(value, list) or not all(isinstance(one, dict) for one in value)):
        raise click.UsageError(f"This JSON holds no messages. Give a list of them: {_EXAMPLE}")
    return value


def needed_messages(text: str) -> list[dict[str, Any]]:
    """As `messages_in`; text that is no JSON raises `click.UsageError`."""
    found = messages_in(text)
    if found is None:
        raise click.UsageError(
            f"What was given is not JSON. Give messages like {_EXAMPLE}, or text with --message and --answer."
        )
    return found


def _json(text: str) -> Any:
    """The value of JSON or of JSON lines, as a list; None for text that is neither."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        lines = [line for line in text.splitlines() if line.strip()]
    try:
        return [json.loads(line) for line in lines] or None
    except (ValueError, RecursionError):
        return None
