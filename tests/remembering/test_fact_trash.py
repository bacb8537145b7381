"""Copies of facts that went."""

from __future__ import annotations

from pathlib import Path

import pytest

from memweave_core._errors import NotFoundError, StorageError
from memweave_core.remembering.fact_trash import FactTrash, Kept


def test_a_copy_comes_back(tmp_path: Path) -> None:
    """What is kept is read back the same, and only its owner may read the file."""
    trash = FactTrash(tmp_path / "trash")
    kept = Kept("ana", ("- a {#f1}",), {"s#1": ("old", "new")}, {"s#1": ("m1",)})
    name = trash.keep(kept)
    assert trash.read(name) == kept and trash.names() == [name]
    assert (tmp_path / "trash" / name).stat().st_mode & 0o077 == 0
    trash.remove(name)
    assert trash.names() == []


@pytest.mark.parametrize("name", ["../x-facts.json", "x", "", "no-facts.json", "/etc/passwd"])
def test_names_of_no_copy(tmp_path: Path, name: str) -> None:
    """A name that is not one of a copy in the folder is refused."""
    with pytest.raises(NotFoundError):
        FactTrash(tmp_path).read(name)


@pytest.mark.parametrize(
    "held", ["", "{", "[]", '{"user": "ana"}', '{"user":1,"facts":[],"summaries":[],"withheld":{}}']
)
def test_broken_copies_are_refused(tmp_path: Path, held: str) -> None:
    """A copy that was cut short or changed is refused by name."""
    (tmp_path / "1-facts.json").write_text(held, encoding="utf-8")
    with pytest.raises(NotFoundError, match="1-facts"):
        FactTrash(tmp_path).read("1-facts.json")


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """Where no copy can be kept that is an error, so that nothing goes without one."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(StorageError, match="No copy"):
        FactTrash(tmp_path / "file").keep(Kept("ana", ()))
