"""Which format an export has, and what is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, Final

from .._errors import ImportFormatError
from . import chatgpt, claude, exported, mcp_memory, mem0, transcripts
from .document import MOST_BYTES, Document, documents
from .imported import Imported, merged
from .json_values import items, objects, role_of

_PARSERS: Final[dict[str, Callable[[object], Imported]]] = {
    "chatgpt": chatgpt.parse,
    "claude": claude.parse,
    "mcp-memory": mcp_memory.parse,
    "memweave": exported.parse,
    "transcript": transcripts.parse,
}
FORMATS: Final = (*sorted([*_PARSERS, "mem0"]),)
"""The names of the formats."""

LOOKED_AT: Final = 1000
"""Entries of a list that are looked at before it is given up."""


def detect(name: str, data: bytes) -> str:
    """The format of an export, one of `FORMATS`; of an archive that of the first file that has one.

    `name` is that of the file and only serves the message. Raises `ImportFormatError` when it is none.
    """
    for document in documents(name, data):
        found = format_of(document.value)
        if found is not None:
            return found
    raise ImportFormatError(unknown(name))


def read(
    name: str,
    data: bytes,
    format: str = "auto",
    *,
    user: str | None = None,
    only_owner: bool = True,
    most_bytes: int = MOST_BYTES,
) -> Imported:
    """What an export holds: JSON, JSON lines, or a zip archive with such files.

    `format` is one of `FORMATS`, or "auto". `user` is the `user_id` whose memories to take where a file has
    those of several; without `only_owner` those of all are taken. Facts that name no source have the source
    ``import:<format>``. `most_bytes` is the most an archive may unpack to; files in it that are of no known
    format are passed over. Read again, the same export has the same ids. Raises `ImportFormatError` when
    the file as a whole cannot be read; what is wrong with single conversations stands in `problems`.
    """
    check_format(format)
    parts, damaged = [], []
    for document in documents(name, data, most_bytes):
        if document.value is None and document.problems:
            damaged.append(Imported((), (), document.problems, document.skipped))
        else:
            parts.append(part(document, format, user, only_owner))
    known = [part for part in parts if part is not None]
    if not known:
        raise ImportFormatError(" ".join([unknown(name), *(part.problems[0] for part in damaged[:3])]))
    known += damaged
    return known[0] if len(known) == 1 else merged(known)


def check_format(format: str) -> None:
    """Raise `ImportFormatError` for what is neither "auto" nor one of `FORMATS`."""
    if format != "auto" and format not in FORMATS:
        names = ", ".join(("auto", *FORMATS))
        raise ImportFormatError(f"{format[:80]!r} is no format of an import; the formats are {names}.")


def part(document: Document, format: str, user: str | None, only_owner: bool) -> Imported | None:
    """One document read; None for one that is of no format."""
    found = format_of(document.value) if format == "auto" else format
    if found is None:
        return None
    parse = _PARSERS.get(found) or partial(mem0.parse, user=user, only_owner=only_owner)
    with _not_too_deep(document.name):
        return _finished(document, parse(document.value), found)


def parts(document: Document, format: str, user: str | None, only_owner: bool) -> list[Imported]:
    """As `part`, but without `only_owner` the memories of each user by themselves; [] for no format."""
    found = format_of(document.value) if format == "auto" else format
    if found != "mem0" or only_owner:
        whole = part(document, format, user, only_owner)
        return [] if whole is None else [whole]
    with _not_too_deep(document.name):
        first, *others = mem0.by_owner(document.value)
    bare = replace(document, problems=(), skipped=0)
    return [_finished(document, first, found), *(_finished(bare, read, found) for read in others)]


@contextmanager
def _not_too_deep(name: str) -> Iterator[None]:
    try:
        yield
    except RecursionError as error:
        raise ImportFormatError(f"The file {name!r} is nested too deeply.") from error


def _finished(document: Document, read: Imported, found: str) -> Imported:
    facts = read.facts
    if found != "memweave":
        facts = tuple(replace(fact, source=fact.source or f"import:{found}") for fact in facts)
    problems, skipped = document.problems + read.problems, document.skipped + read.skipped
    return replace(read, facts=facts, problems=problems, skipped=skipped, format=found)


def format_of(value: object) -> str | None:
    """The format of a document, by its shape."""
    if isinstance(value, list):
        return next((found for item in islice(value, LOOKED_AT) if (found := _format_in_list(item))), None)
    return _shape_of(value) if isinstance(value, dict) else None


def _format_in_list(item: object) -> str | None:
    if isinstance(item, dict):
        return _shape_of(item)
    return "transcript" if any(_is_message(entry) for entry in objects(item)[:LOOKED_AT]) else None


def _shape_of(item: Mapping[str, Any]) -> str | None:
    return next((name for name, holds in _SHAPES if holds(item)), None)


def _is_export(item: Mapping[str, Any]) -> bool:
    return item.get("format") == exported.FORMAT


def _is_chatgpt(item: Mapping[str, Any]) -> bool:
    return any(
        isinstance(one.get("mapping"), dict) or isinstance(one.get("linear_conversation"), list)
        for one in (item, *_conversations(item))
    )


def _is_claude(item: Mapping[str, Any]) -> bool:
    return any(isinstance(one.get("chat_messages"), list) for one in (item, *_conversations(item)))


def _is_graph(item: Mapping[str, Any]) -> bool:
    lists = [item[key] for key in ("entities", "relations") if key in item]
    line = item.get("type") == "entity" and "name" in item
    line = line or (item.get("type") == "relation" and "relationType" in item)
    return line or ("results" not in item and bool(lists) and all(isinstance(part, list) for part in lists))


def _is_memory(item: Mapping[str, Any]) -> bool:
    if any(isinstance(item.get(key), list) for key in ("results", "memories")):
        return True
    beside = ("id", "user_id", "agent_id", "created_at", "categories", "metadata", "hash")
    text = isinstance(item.get("text"), str) and any(key in item for key in beside)
    return isinstance(item.get("memory"), str) or (text and not _is_message(item))


def _is_transcript(item: Mapping[str, Any]) -> bool:
    return transcripts.message_list(item) is not None or _is_message(item)


def _is_message(item: Mapping[str, Any]) -> bool:
    speaker = next((item[key] for key in ("role", "from", "type", "sender") if key in item), None)
    return role_of(speaker) is not None or item.get("type") == "constructor"


_SHAPES: Final = (
    ("memweave", _is_export),
    ("chatgpt", _is_chatgpt),
    ("claude", _is_claude),
    ("mcp-memory", _is_graph),
    ("mem0", _is_memory),
    ("transcript", _is_transcript),
)
"""From the most particular shape to the least."""


def _conversations(item: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    return islice(iter(objects(items(item.get("conversations")))), LOOKED_AT)


def unknown(name: str) -> str:
    """The sentence about a file of no known format."""
    return f"The file {name!r} holds nothing of a known format ({', '.join(FORMATS)})."
