"""The example of the store runs offline as a program of its own."""

from __future__ import annotations

from collections.abc import Callable


def test_the_example_shows_what_it_says(run_example: Callable[..., str]) -> None:
    """The graph recalls what a person made of its page, and a filter finds another one."""
    page, recalled, filtered = run_example("langgraph_store.py").splitlines()
    assert page == "page: memory/store/ana@example=2eorg/memories/m0.md"
    assert recalled == "recalled: I drink black coffee in the morning."
    assert filtered == "filtered: I work in a bakery. from chat"
