"""Which memory a component works on: one that it was given, or the one of a workspace.

Components are pydantic models that LlamaIndex copies, pickles and stores between runs of a workflow. They
keep the name of the workspace, from which the memory is found again; a memory is opened once in a process.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any, TypeAlias
from weakref import WeakValueDictionary

from llama_index.core.bridge.pydantic import BaseModel, Field, PrivateAttr

import memweave_core
from memweave_core import MemWeave, blocking, load_config
from memweave_core.records import BlockingRecords

Given: TypeAlias = MemWeave | blocking.MemWeave | str | os.PathLike[str]
"""A memory, with or without an event loop, or the folder of a workspace."""

_given: WeakValueDictionary[str, MemWeave] = WeakValueDictionary()
_made: dict[str, MemWeave] = {}
_held: WeakValueDictionary[int, Opened] = WeakValueDictionary()
_finding = threading.Lock()


class Opened:
    """A memory as components hold it; a copy is the same one, and a pickle is the name of its workspace.

    `records` are the vector spaces that are open, by what names them.
    """

    def __init__(self, memory: MemWeave) -> None:
        self.memory = memory
        self.records: dict[str, BlockingRecords] = {}
        self.workspace = str(memory.config.workspace.expanduser().resolve())

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return opened, (self.workspace,)

    def __deepcopy__(self, _: Any) -> Opened:
        return self


def opened(given: Given) -> Opened:
    """The memory that is meant.

    For a folder it is the last one that some component was given there and that is still in use; else one
    is made with the settings of that folder and of the environment, and kept as long as the process lives.
    """
    if isinstance(given, blocking.MemWeave):
        given = given.asynchronous
    with _finding:
        if isinstance(given, memweave_core.MemWeave):
            held = _of(given)
            _given[held.workspace] = given
            return held
        folder = Path(given).expanduser().resolve()
        found = _given.get(str(folder)) or _made.get(str(folder))
        if found is None:
            config = load_config(folder, environ=os.environ, overrides={})
            found = _made[str(folder)] = memweave_core.MemWeave(config)
        return _of(found)


def _of(memory: MemWeave) -> Opened:
    """All components of one memory hold the same."""
    held = _held.get(id(memory))
    if held is None or held.memory is not memory:
        held = _held[id(memory)] = Opened(memory)
    return held


class OnMemory(BaseModel):
    """What every component has: the memory it works on.

    All fields are JSON. `memory` is a `MemWeave` or the folder of a workspace, by default the current one.
    """

    workspace: str = Field(default="", description="The folder of the workspace; found from `memory`.")
    _opened: Opened = PrivateAttr()

    def __init__(self, memory: Given | None = None, **data: Any) -> None:
        held = opened(memory if memory is not None else data.get("workspace") or ".")
        super().__init__(**{**data, "workspace": held.workspace})
        self._opened = held

    @property
    def memweave(self) -> MemWeave:
        """The memory, for code with an event loop; `memweave_core.blocking.MemWeave.of` gives the other."""
        return self._opened.memory


class InWorkspace(OnMemory):
    """A component that sees the conversations and facts of one user, or of nobody."""

    user_id: str | None = Field(default=None, description="Whose memory it is; None for nobody's.")

    def __init__(self, memory: Given | None = None, **data: Any) -> None:
        super().__init__(memory, **data)
