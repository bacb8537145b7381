"""``watch``: says what changed, after it was indexed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from .._errors import MemWeaveError
from .options import Common, common_options, embedding_option, open_memory
from .output import clean, counted, emit, emit_json_line, note, note_all, problem_lines

if TYPE_CHECKING:
    from ..blocking import MemWeave
    from ..status_types import StoreStatus

_LOOK_EVERY = 0.2
_LONGEST_WAIT = 10
"""In quiet periods: changes that never pause are reported after this many of them."""
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Change:
    """What one indexing run took in, and what the memory holds after it; JSON has the same fields.

    `time` is in local time, ISO 8601. `indexed` and `deleted` are paths; both are empty in the first one.
    """

    time: str
    files: int
    chunks: int
    pending: int
    indexed: Sequence[str] = ()
    deleted: Sequence[str] = ()


@click.command()
@common_options
@embedding_option
def watch(common: Common) -> None:
    """Index changes as they are saved, until interrupted."""
    with open_memory(common, read_only=False, background=True) as memory:
        memory.start_watching()
        for number, change in enumerate(_changes(memory, memory.config.sync.watch_debounce_ms / 1000)):
            if common.as_json:
                emit_json_line(change)
            elif number:
                emit(_line(change), flush=True)
            else:
                emit(f"watching {counted(change.files, 'file')}; Ctrl-C ends it", flush=True)
        note("the watcher has ended.")
        note_all(memory.status().notes)


def _changes(memory: MemWeave, quiet: float) -> Iterator[Change]:
    """The state at first, then each change once it is indexed, for as long as the watcher runs."""
    said: set[str] = set()
    _index(memory, said)
    known = _hashes(memory)
    status = memory.status()
    mark = _mark(status, status.watcher_last_event)
    yield _change(status, (), ())
    while status.watcher_active:
        time.sleep(_LOOK_EVERY)
        status = memory.status()
        if _mark(status, status.watcher_last_event) == mark:
            continue
        event = _when_quiet(memory, quiet)
        _index(memory, said)  # with nothing left to do when the watcher itself was first
        before, known = known, _hashes(memory)
        status = memory.status()
        mark = _mark(status, event)
        indexed = [path for path, content in known.items() if before.get(path) != content]
        deleted = [path for path in before if path not in known]
        if indexed or deleted:
            yield _change(status, indexed, deleted)


def _index(memory: MemWeave, said: set[str]) -> None:
    """Index; what goes wrong is noted once, and the next change tries again."""
    try:
        problems = problem_lines(memory.index())
    except MemWeaveError as error:
        problems = [str(error)]
    note_all(problem for problem in problems if problem not in said)
    said.update(problems)


def _mark(status: StoreStatus, event: float | None) -> tuple[object, ...]:
    """Differs from the last one when there may be something to say."""
    return (event, status.files, status.chunks, status.dirty)


def _when_quiet(memory: MemWeave, quiet: float) -> float | None:
    """Wait until nothing has changed for so many seconds; the time of the last change seen."""
    began = time.time()
    while True:
        event = memory.status().watcher_last_event
        now = time.time()
        if now - max(event or 0.0, began) >= quiet or now - began >= quiet * _LONGEST_WAIT:
            return event
        time.sleep(min(_LOOK_EVERY, quiet))


def _hashes(memory: MemWeave) -> Mapping[str, str]:
    return {file.path: file.hash for file in memory.files()}


def _change(status: StoreStatus, indexed: Sequence[str], deleted: Sequence[str]) -> Change:
    moment = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    return Change(moment, status.files, status.chunks, status.pending, indexed, deleted)


def _line(change: Change) -> str:
    """``10:42:07  indexed memory/a.md; deleted memory/b.md; 12 files, 40 chunks``."""
    parts = [f"indexed {_named(change.indexed)}"] if change.indexed else []
    parts += [f"deleted {_named(change.deleted)}"] if change.deleted else []
    parts.append(f"{counted(change.files, 'file')}, {counted(change.chunks, 'chunk')}")
    return f"{change.time[11:19]}  {'; '.join(parts)}"


def _named(paths: Sequence[str]) -> str:
    more = len(paths) - _MOST_NAMED
    named = ", ".join(clean(path) for path in paths[:_MOST_NAMED])
    return f"{named} and {more} more" if more > 0 else named
