"""Copies of facts that went, from which they can be put back: small JSON files in the trash folder."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from .._errors import NotFoundError, StorageError
from ..facts.bullets import Entry, FactFile, parse, render
from ..messages import Fact

_SUFFIX: Final = "-facts.json"


@dataclass(frozen=True, slots=True)
class Kept:
    """What one copy holds: lines of the file of facts, and what forgetting did to the sessions.

    `summaries` are the texts before and after, by session; `withheld` the ids of messages, by session.
    """

    user: str
    lines: tuple[str, ...]
    summaries: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    withheld: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def file(self) -> FactFile:
        """The lines as a file of facts."""
        return parse("".join(line + "\n" for line in self.lines))


class FactTrash:
    """The copies in one folder. Its methods block. Raises `StorageError` when the disk fails."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, kept: Kept) -> str:
        """Write a copy, for its owner alone to read; returns its name."""
        name = f"{time.time_ns()}-{os.urandom(3).hex()}{_SUFFIX}"
        record = {
            "user": kept.user,
            "facts": kept.lines,
            "summaries": {session: list(texts) for session, texts in kept.summaries.items()},
            "withheld": {session: list(ids) for session, ids in kept.withheld.items()},
        }
        temporary = self._folder / f".{name}.tmp"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                json.dump(record, file, indent=1)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self._folder / name)
        except OSError as error:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise StorageError(f"No copy could be kept in {self._folder}: {error}.") from error
        return name

    def read(self, name: str) -> Kept:
        """The copy of that name. Raises `NotFoundError` when there is none that can be read."""
        if Path(name).name != name or not name.endswith(_SUFFIX):
            raise NotFoundError(f"{name!r} is not the name of a copy of facts.")
        try:
            record = json.loads((self._folder / name).read_text("utf-8"))
            return Kept(
                str(record["user"]),
                tuple(map(str, record["facts"])),
                {key: (str(texts[0]), str(texts[1])) for key, texts in record["summaries"].items()},
                {key: tuple(map(str, ids)) for key, ids in record["withheld"].items()},
            )
        except FileNotFoundError as error:
            raise NotFoundError(f"There is no copy {name} in {self._folder}.") from error
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise NotFoundError(f"The copy {name} in {self._folder} cannot be read: {error}.") from error

    def remove(self, name: str) -> None:
        """Delete a copy."""
        try:
            (self._folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(f"The copy {name} in {self._folder} could not be deleted: {error}.") from error

    def names(self) -> list[str]:
        """The names of all copies, the oldest first."""
        try:
            return sorted(path.name for path in self._folder.iterdir() if path.name.endswith(_SUFFIX))
        except FileNotFoundError:
            return []

    def pages_with(self, texts: Iterable[str]) -> list[str]:
        """The names of other copies in which one of `texts` stands, as far as they can be read."""
        wanted = [text.encode() for text in texts]
        found = []
        with contextlib.suppress(FileNotFoundError):
            for path in sorted(self._folder.iterdir()):
                if path.is_file() and not path.name.endswith(_SUFFIX):
                    with contextlib.suppress(OSError):
                        held = path.read_bytes()
                        found += [path.name] if any(text in held for text in wanted) else []
        return found


def lines_of_facts(facts: Iterable[Fact]) -> tuple[str, ...]:
    """Facts as they stand in a file."""
    return tuple(render(fact) for fact in facts)


def lines_of_entries(entries: Sequence[Entry], today: dt.date) -> tuple[str, ...]:
    """Entries as they stand in a file; those of the history have the day they stopped being current."""
    return tuple(
        render(one.fact, extra=one.extra, until=one.until or (today if one.earlier else None))
        for one in entries
    )
