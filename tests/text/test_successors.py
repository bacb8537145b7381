"""Which pages are replaced by others."""

from __future__ import annotations

import pytest

from memweave_core.text.successors import Replaceable, successors

NEW = "memory/plans/new.md"


@pytest.mark.parametrize(
    "named",
    [
        NEW, "plans/new.md", "plans/new", "new.md", "new", "NEW", "./new.md", "../plans/new.md", "New plan",
        "next", "plans\\new.md", "new#heading",
    ],
)  # fmt: skip
def test_a_successor_may_be_named_in_many_ways(named: str) -> None:
    """By its path from anywhere, its file name, its title or an alias."""
    new = Replaceable(NEW, None, ("New plan", "next"))
    assert successors([new, Replaceable("memory/plans/old.md", None, (), named)]) == {
        "memory/plans/old.md": NEW
    }


@pytest.mark.parametrize("named", ["memory/a.md", "a", "gone", "", None])
def test_what_names_no_other_page_replaces_nothing(named: str | None) -> None:
    """A page that names itself, or none, is not replaced."""
    assert successors([Replaceable("memory/a.md", None, (), named)]) == {}


def test_a_ring_is_not_lost() -> None:
    """Pages that replace each other all hold; one that leads into the ring is replaced."""
    pages = [Replaceable(f"{name}.md", None, (), after) for name, after in ("ab", "ba", "ca")]
    assert successors(pages) == {"c.md": "a.md"}


def test_a_private_page_replaces_only_those_of_its_user() -> None:
    """What others do not see takes nothing from them."""
    mine = Replaceable("memory/users/ana/new.md", "ana")
    shared, own = (
        Replaceable("memory/old.md", None, (), "new"),
        Replaceable("memory/users/ana/old.md", "ana", (), "new"),
    )
    assert successors([mine, shared, own]) == {own.path: mine.path}
