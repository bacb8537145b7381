"""Memories as mem0 returns and exports them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from .._errors import ImportFormatError
from ..messages import Fact
from .imported import Imported, fact_id, merged
from .json_values import first_string, items, moment, objects, one_line
from .mcp_memory import relation_sentence


def parse(value: object, user: str | None = None, *, only_owner: bool = True) -> Imported:
    """A list of memories, or an object with one under "results" or "memories".

    Text, id and dates are kept; `metadata` and `categories` have no place in a fact. With `user` only the
    memories of that `user_id` are read, and those that name none; how many there are of others stands in
    `problems`. Raises `ImportFormatError` when several users have memories in it and `user` is None: one
    person's facts must not become another's. Without `only_owner` those of all users are read; `by_owner`
    keeps them apart.
    """
    entries = _entries(value)
    users = Counter(name for entry in objects(entries) if (name := _owner(entry)))
    if only_owner and user is None and len(users) > 1:
        named = ", ".join(repr(name) for name in list(users)[:10])
        raise ImportFormatError(
            f"The file holds memories of {len(users)} users ({named}). Choose one of them."
        )
    facts, others = [], Counter[str]()
    owned, problems = _owned(entries)
    for owner, fact in owned:
        if not only_owner or user is None or owner in ("", user):
            facts.append(fact)
        else:
            others[owner] += 1
    facts += [_plain(text) for text in _relations(value)]
    skipped = len(problems) + others.total()
    problems += [_of_another(owner, count, str(user)) for owner, count in others.items()]
    return merged([Imported((), tuple(facts), tuple(problems), skipped)])


def by_owner(value: object) -> list[Imported]:
    """The memories of all users, each user's by themselves.

    `Imported.user` is "" where the memories name none; the first part has the problems and no facts.
    """
    owned, problems = _owned(_entries(value))
    facts: dict[str, list[Fact]] = {"": [_plain(text) for text in _relations(value)]}
    for owner, fact in owned:
        facts.setdefault(owner, []).append(fact)
    parts = [Imported((), (), tuple(problems), len(problems))]
    parts += [replace(merged([Imported((), tuple(those))]), user=owner) for owner, those in facts.items()]
    return parts


def _owned(entries: Iterable[Any]) -> tuple[list[tuple[str, Fact]], list[str]]:
    """The facts with their owners ("" for none), and a sentence for each entry that is none."""
    owned, problems = [], []
    for number, entry in enumerate(entries, 1):
        text = one_line(first_string(entry, ("memory", "text", "data"))) if isinstance(entry, dict) else ""
        if text:
            owned.append((_owner(entry), _fact(entry, text)))
        else:
            problems.append(f"Memory number {number} was not read: it has no text.")
    return owned, problems


def _owner(entry: Mapping[str, Any]) -> str:
    return first_string(entry, ("user_id",))


def _of_another(owner: str, count: int, user: str) -> str:
    memories = "1 memory" if count == 1 else f"{count} memories"
    return f"{memories} of the user {owner[:80]!r} not read: only those of {user[:80]!r} were asked for."


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
