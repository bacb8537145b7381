"""Which page a command line names, wherever the caller stands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .._errors import MemWeaveError, NameRefusedError, NotFoundError

if TYPE_CHECKING:
    from ..blocking import MemWeave
    from ..types import PageText


def page_at(memory: MemWeave, path: str) -> PageText:
    """The page `path` names from the memory, the workspace, or the current folder, tried in this order."""
    try:
        return memory.get(path)
    except (NotFoundError, NameRefusedError):
        if not Path(path).is_file():
            raise
        return memory.get(str(Path(path).absolute()))


def name_of(memory: MemWeave, path: str) -> str:
    """The name under which the memory has the page `path`, else `path` as it is: that of a new page."""
    try:
        return page_at(memory, path).path
    except MemWeaveError:  # gone, unreadable or refused: what is done with it next says so
        return path
