"""The knowledge graph of the MCP memory server, as sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from ..messages import Fact
from .imported import Imported, fact_id, merged
from .json_values import first_string, items, objects, one_line, string

_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def parse(value: object) -> Imported:
    """A list of lines of type "entity" and "relation", one of them, or an object with both lists.

    Each observation becomes a fact that begins with the entity, an entity without any says what it is, each
    relation becomes a sentence. The format has no dates.
    """
    if isinstance(value, dict) and "type" not in value:
        entities, relations = items(value.get("entities")), items(value.get("relations"))
        other: list[Any] = []
    else:
        lines = [value] if isinstance(value, dict) else items(value)
        entities = [line for line in objects(lines) if line.get("type") == "entity"]
        relations = [line for line in objects(lines) if line.get("type") == "relation"]
        other = [line for line in lines if _type(line) not in ("entity", "relation")]
    problems = [f"{_shown(line)} is neither an entity nor a relation." for line in other]
    sentences: list[str] = []
    for entity in entities:
        told = list(_told(entity)) if isinstance(entity, dict) else []
        sentences += told
        if not told:
            problems.append(f"{_shown(entity)} was not read: an entity has a name and observations.")
    for relation in relations:
        sentence = _related(relation)
        sentences += [sentence] if sentence else []
        if not sentence:
            problems.append(f"{_shown(relation)} was not read: a relation has from, to and relationType.")
    facts = tuple(Fact(text, id=fact_id(text), origin="import") for text in sentences)
    return merged([Imported((), facts, tuple(problems), len(problems))])


def relation_sentence(subject: str, relation: str, target: str) -> str:
    """``Ana works at Acme`` of ``Ana``, ``works_at`` or ``worksAt``, ``Acme``; "" when a part is missing."""
    parts = one_line(subject), _words(relation), one_line(target)
    return " ".join(parts) if all(parts) else ""


def _related(relation: object) -> str:
    if not isinstance(relation, dict):
        return ""
    ends = first_string(relation, ("from",)), first_string(relation, ("to",))
    return relation_sentence(ends[0], first_string(relation, ("relationType",)), ends[1])


def _told(entity: dict[str, Any]) -> Iterator[str]:
    """What is said of an entity. The type stands behind the name, unless the observation has the name."""
    name = one_line(string(entity.get("name")).replace("_", " "))
    kind = _words(string(entity.get("entityType")))
    if not name:
        return
    texts = [text for note in items(entity.get("observations")) if (text := one_line(_observed(note)))]
    subject = f"{name} ({kind})" if kind and kind.casefold() != name.casefold() else name
    for text in texts:
        yield text if re.match(rf"{re.escape(name)}\b", text, re.IGNORECASE) else f"{subject}: {text}"
    if not texts and kind:
        yield f"{name} is of the type {kind}"


def _observed(note: object) -> str:
    return first_string(note, ("content", "text")) if isinstance(note, dict) else string(note)


def _words(name: str) -> str:
    return (
        one_line(_CAMEL.sub(" ", name.replace("_", " "))).lower() if "_" in name or " " not in name else name
    )


def _type(line: object) -> object:
    return line.get("type") if isinstance(line, dict) else None


def _shown(item: object) -> str:
    name = first_string(item, ("name", "from")) if isinstance(item, dict) else ""
    return f"The entry {name[:80]!r}" if name else f"The entry {str(item)[:80]!r}"
