"""Which fact is meant by the name of a thing."""

from __future__ import annotations

import pytest

from memweave_core.facts.subjects import about
from memweave_core.messages import Fact

FACTS = [
    Fact(text)
    for text in (
        "I have a dog called Rex",
        "My sister's name is Eva",
        "Mi número de teléfono es el 600 123 123",
        "User's phone number is 555 0100",
        "My bike is red",
        "My bike is in Lugo",
    )
]


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("my dog", [0]),
        ("mi numero de telefono", [2]),
        ("my phone number", [3]),
        ("the bike", [4, 5]),
        ("my name", []),
        ("my cat", []),
        ("the", []),
        ("dog", []),
        ("I have a dog", []),
    ],
)
def test_a_fact_is_known_by_its_subject(named: str, found: list[int]) -> None:
    """The facts that begin with the thing that is named are about it, or say that the user has it."""
    assert about(named, FACTS) == [FACTS[at] for at in found]
