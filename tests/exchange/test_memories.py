"""Facts from mem0 and from the MCP memory server."""

from __future__ import annotations

import datetime as dt

import pytest

from memweave_core import _errors as errors
from memweave_core.exchange import mcp_memory, mem0

ITEM = {
    "id": "a1", "memory": "Sails on\nSundays", "created_at": "2024-07-26T22:44:41.039788-07:00",
    "updated_at": None, "user_id": "ana", "metadata": {"x": 1}, "categories": ["hobbies"],
}  # fmt: skip


@pytest.mark.parametrize("value", [[ITEM], {"results": [ITEM]}, {"memories": [ITEM]}, ITEM])
def test_mem0_keeps_ids_and_dates(value: object) -> None:
    """In each wrapping a memory is one line with its id and its day in UTC."""
    (fact,) = mem0.parse(value).facts
    assert (fact.text, fact.id, fact.origin) == ("Sails on Sundays", "a1", "import")
    assert (fact.created, fact.updated) == (dt.date(2024, 7, 27), None)


def test_mem0_memories_without_text_are_named() -> None:
    """A memory without text becomes a problem, one without id gets one that its text decides."""
    found = mem0.parse([{"text": "Likes tea"}, {"id": "x"}, 7])
    assert [f.id for f in found.facts] == [mem0.parse([{"memory": "Likes tea"}]).facts[0].id]
    assert found.problems == (
        "Memory number 2 was not read: it has no text.",
        "Memory number 3 was not read: it has no text.",
    )


def test_mem0_never_mixes_users() -> None:
    """Memories of several users are refused until one of them is chosen."""
    both = [ITEM, ITEM | {"id": "b1", "memory": "Ben's", "user_id": "ben"}]
    with pytest.raises(errors.ImportFormatError, match="2 users"):
        mem0.parse(both)
    assert [f.id for f in mem0.parse(both, user="ben").facts] == ["b1"]


def test_mem0_relations_become_sentences() -> None:
    """The graph beside the memories comes in as sentences."""
    found = mem0.parse(
        {"results": [], "relations": [{"source": "ana", "relationship": "works_at", "target": "dock"}]}
    )
    assert [f.text for f in found.facts] == ["ana works at dock"]


ENTITY = {
    "type": "entity",
    "name": "Ana_Ruiz",
    "entityType": "person",
    "observations": ["Likes tea", "Ana Ruiz sails"],
}
RELATION = {"type": "relation", "from": "Ana", "to": "Puerto Sur", "relationType": "worksAt"}


def test_mcp_lines_become_sentences() -> None:
    """Observations name their entity once, relations read as sentences."""
    found = mcp_memory.parse([ENTITY, RELATION])
    assert [f.text for f in found.facts] == [
        "Ana Ruiz (person): Likes tea", "Ana Ruiz sails", "Ana works at Puerto Sur",
    ]  # fmt: skip


def test_mcp_in_one_object_is_the_same() -> None:
    """One object with entities and relations gives the same facts as the lines, under the same ids."""
    assert mcp_memory.parse({"entities": [ENTITY], "relations": [RELATION]}) == mcp_memory.parse(
        [ENTITY, RELATION]
    )


def test_mcp_entity_without_observations() -> None:
    """An entity of which nothing is observed still says what it is."""
    found = mcp_memory.parse(
        {"type": "entity", "name": "Alba", "entityType": "sailing_boat", "observations": []}
    )
    assert [f.text for f in found.facts] == ["Alba is of the type sailing boat"]


def test_mcp_entries_that_cannot_be_read_are_named() -> None:
    """An entry of another type or without its parts becomes a problem."""
    found = mcp_memory.parse(
        [{"type": "entity", "name": "X"}, {"type": "relation", "from": "Y"}, {"type": "z"}, 3]
    )
    assert found.facts == ()
    assert len(found.problems) == 4
    assert "'X'" in " ".join(found.problems)


def test_an_entity_told_twice_is_one_fact() -> None:
    """The same observation in two lines is one fact."""
    assert len(mcp_memory.parse([ENTITY, ENTITY]).facts) == 2
