"""Memories as mem0 returns and exports them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._errors import ImportFormatError
from ..messages import Fact
from .imported import Imported, fact_id, merged
from .json_values import first_string, items, moment, objects, one_line
from .mcp_memory import relation_sentence


def parse(value: object, user: str | None = None) -> Imported:
    """A list of memories, or an object with one under "results" or "memories".

    Text, id and dates are kept; `metadata` and `categories` have no place in a fact. With `user` only the
    memories of that `user_id` are read, and those that name none. Raises `ImportFormatError` when several
    users have memories in it and `user` is None: one person's facts must not become another's.
    """
    entries = _entries(value)
    users = dict.fromkeys(name for entry in objects(entries) if (name := first_string(entry, ("user_id",))))
    if user is None and len(users) > 1:
        named = ", ".join(repr(name) for name in list(users)[:10])
        raise ImportFormatError(
            f"The file holds memories of {len(users)} users ({named}). Choose one of them."
        )
    facts, problems = [], []
    for number, entry in enumerate(entries, 1):
        text = one_line(first_string(entry, ("memory", "text", "data"))) if isinstance(entry, dict) else ""
        if not text:
            problems.append(f"Memory number {number} was not read: it has no text.")
        elif user is None or first_string(entry, ("user_id",)) in ("", user):
            facts.append(_fact(entry, text))
    facts += [_plain(text) for text in _relations(value)]
    return merged([Imported((), tuple(facts), tuple(problems))])


def _entries(value: object) -> list[Any]:
    if not isinstance(value, dict):
        return items(value)
    key = next((key for key in ("results", "memories") if isinstance(value.get(key), list)), "")
    return items(value[key]) if key else [value]


def _fact(entry: Mapping[str, Any], text: str) -> Fact:
    created, updated = moment(entry.get("created_at")), moment(entry.get("updated_at"))
    return Fact(
        text,
        id=first_string(entry, ("id", "memory_id")) or fact_id(text),
        origin="import",
        created=created.date() if created else None,
        updated=updated.date() if updated else None,
    )


def _plain(text: str) -> Fact:
    return Fact(text, id=fact_id(text), origin="import")


def _relations(value: object) -> list[str]:
    """The sentences of the graph that may stand beside the memories."""
    found = []
    for relation in objects(value.get("relations")) if isinstance(value, dict) else []:
        ends = first_string(relation, ("source",)), first_string(relation, ("target", "destination"))
        found.append(
            relation_sentence(ends[0], first_string(relation, ("relationship", "relation")), ends[1])
        )
    return [sentence for sentence in found if sentence]
