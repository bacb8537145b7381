"""The file of facts: Markdown in which one line is one fact.

``- Prefers Python to JavaScript {#f3a9c10 importance=4 seen=2 origin=automatic created=2026-03-01}``

People may edit it. A bullet without attributes is a fact of importance 3 that has no id yet. What stands
under the heading "Earlier", or has an ``until=``, is history: it is kept to be seen and is not recalled.
Writing changes the lines concerned and no others.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, get_args

from ..messages import Fact, Origin
from ..text.bullet_text import decode_value, encode_text, encode_value
from ..text.fact_lines import fact_lines, is_history_heading, read_fact
from ..text.frontmatter import split

TITLE: Final = "# Facts"
EARLIER: Final = "## Earlier"

_NEWLINE: Final = re.compile(r"\r\n|\n|\r")
_SOURCE: Final = "session:"


@dataclass(frozen=True, slots=True)
class Entry:
    """A fact and where it stands: line `line` (from 1) and the `lines` - 1 that continue it.

    `until` is the day it stopped being current; `earlier` says that it is history. `extra` are attributes
    that mean nothing here and are kept; `lead` is the bullet with its indentation.
    """

    fact: Fact
    line: int
    lines: int = 1
    until: dt.date | None = None
    earlier: bool = False
    extra: tuple[str, ...] = ()
    lead: str = "- "


@dataclass(frozen=True, slots=True)
class FactFile:
    """A file of facts as read. `problems` are sentences about attributes that could not be understood."""

    text: str = ""
    entries: tuple[Entry, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def current(self) -> tuple[Entry, ...]:
        """The entries that hold now, in the order of the file."""
        return tuple(entry for entry in self.entries if not entry.earlier)

    @property
    def earlier(self) -> tuple[Entry, ...]:
        """The entries that are history, in the order of the file."""
        return tuple(entry for entry in self.entries if entry.earlier)

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts that hold now."""
        return tuple(entry.fact for entry in self.current)

    @property
    def ids(self) -> frozenset[str]:
        """Every id in use, history included."""
        return frozenset(entry.fact.id for entry in self.entries if entry.fact.id)

    def entry(self, fact_id: str) -> Entry | None:
        """The entry with an id, or None."""
        return next((entry for entry in self.entries if fact_id and entry.fact.id == fact_id), None)

    def at(self, line: int) -> Entry:
        """The entry that begins on a line. Raises `KeyError`."""
        found = next((entry for entry in self.entries if entry.line == line), None)
        if found is None:
            raise KeyError(line)
        return found


@dataclass(frozen=True, slots=True)
class Changes:
    """What to do to a file of facts; entries are named by their line.

    `replaced` gives an entry another fact, `retired` moves one to the history as of a day (after replacing
    it, when it is in both), `removed` deletes one, `added` are new facts in order. `past` are new entries of
    the history: a fact and the day it stopped being current.
    """

    replaced: Mapping[int, Fact] = field(default_factory=dict)
    retired: Mapping[int, dt.date] = field(default_factory=dict)
    removed: Collection[int] = ()
    added: Sequence[Fact] = ()
    past: Sequence[tuple[Fact, dt.date | None]] = ()

    def __bool__(self) -> bool:
        return bool(self.replaced or self.retired or self.removed or self.added or self.past)


def new_id(text: str, taken: Collection[str] = ()) -> str:
    """A short id that depends on the text alone, unless it is taken: "f" and six hexadecimal digits."""
    plain = " ".join(text.casefold().split())
    for attempt in range(1 << 24):
        material = f"{plain}\0{attempt}" if attempt else plain
        found = "f" + hashlib.sha256(material.encode("utf-8", "surrogatepass")).hexdigest()[:6]
        if found not in taken:
            return found
    raise AssertionError("16 million ids are taken")


def parse(text: str) -> FactFile:
    """Read a file of facts. Never raises: every text is one, if perhaps without facts."""
    lines = _NEWLINE.split(text)
    entries: list[Entry] = []
    problems: list[str] = []
    seen: set[str] = set()
    for start, count, earlier in fact_lines(lines, _body_starts(text)):
        entry = _entry(lines[start : start + count], start + 1, earlier, problems)
        if not entry.fact.text:
            continue
        if entry.fact.id in seen:
            problems.append(f"Line {entry.line}: the id {entry.fact.id} stands twice; this one is ignored.")
            entry = replace(entry, fact=replace(entry.fact, id=""))
        seen |= {entry.fact.id} - {""}
        entries.append(entry)
    return FactFile(text, tuple(entries), tuple(problems))


def render(fact: Fact, *, extra: Iterable[str] = (), until: dt.date | None = None, lead: str = "- ") -> str:
    """The line of a fact, without a line ending. Whatever the text holds, it stays one line."""
    named = {
        "importance": str(fact.importance),
        "seen": str(fact.seen) if fact.seen != 1 else "",
        "origin": fact.origin if fact.origin != "person" else "",
        "created": fact.created.isoformat() if fact.created else "",
        "updated": fact.updated.isoformat() if fact.updated else "",
        "from": _SOURCE + encode_value(fact.source) if fact.source else "",
        "supersedes": encode_value(fact.supersedes),
        "until": until.isoformat() if until else "",
    }
    words = [f"#{encode_value(fact.id)}"] if fact.id else []
    words += [f"{key}={value}" for key, value in named.items() if value]
    return f"{lead}{encode_text(fact.text)} {{{' '.join([*words, *extra])}}}"


def identified(file: FactFile, today: dt.date) -> Changes:
    """The changes that give an id and a date to every current fact that a person wrote without one."""
    taken = set(file.ids)
    replaced = {}
    for entry in file.current:
        if not entry.fact.id:
            name = new_id(entry.fact.text, taken)
            taken.add(name)
            replaced[entry.line] = replace(entry.fact, id=name, created=entry.fact.created or today)
    return Changes(replaced=replaced)


def named(file: FactFile) -> FactFile:
    """The file as read, with the ids in it that `identified` would write."""
    found = identified(file, dt.date.min).replaced
    if not found:
        return file
    entries = tuple(
        replace(entry, fact=replace(entry.fact, id=found[entry.line].id)) if entry.line in found else entry
        for entry in file.entries
    )
    return replace(file, entries=entries)


def write(file: FactFile, changes: Changes) -> str:
    """The text of the file after `changes`: all other lines, line endings and the byte order mark as before.

    Raises `KeyError` for a line on which no entry begins.
    """
    newline = (_NEWLINE.search(file.text) or ["\n"])[0]
    lines = _NEWLINE.split(file.text)
    ends = [*_NEWLINE.findall(file.text), ""]
    whole = [line + end for line, end in zip(lines, ends, strict=True)]
    history: list[str] = []
    at = {entry.line: entry for entry in file.entries}
    for line in sorted({*changes.replaced, *changes.retired, *changes.removed}):
        entry = at[line]
        fact = changes.replaced.get(line, entry.fact)
        until = changes.retired.get(line, entry.until)
        last = entry.line + entry.lines - 2
        written = render(fact, extra=entry.extra, until=until, lead=entry.lead)
        for number in range(entry.line - 1, last + 1):
            whole[number] = ""
        whole[entry.line - 1] = "\ufeff" if entry.lead[0] == "\ufeff" else ""
        if line in changes.removed:
            continue
        if line in changes.retired and not entry.earlier:
            history.append(render(fact, extra=entry.extra, until=until) + newline)
        else:
            whole[line - 1] = written + ends[last]
    added = [render(fact) + newline for fact in changes.added]
    if added:
        _insert(
            whole, added, _place(file, earlier=False), "" if file.text.strip("\ufeff") else TITLE, newline
        )
    history += [render(fact, until=until) + newline for fact, until in changes.past]
    if history:
        title = "" if any(map(is_history_heading, lines)) else EARLIER
        _insert(whole, history, _place(file, earlier=True), title, newline)
    return "".join(whole)


def _insert(whole: list[str], added: list[str], at: int, title: str, newline: str) -> None:
    """Put lines after the `at` first ones; under a `title` of their own they get blank lines around."""
    before = next((i for i in range(at - 1, -1, -1) if whole[i]), None)
    opening = ""
    if before is not None and (before, whole[before]) != (0, "\ufeff") and not _NEWLINE.search(whole[before]):
        opening = newline
    if title:
        blank = before is None or whole[before].strip("\ufeff \t\r\n") == ""
        opening += ("" if blank else newline) + title + newline + newline
    block = opening + "".join(added)
    if at == 0:
        whole[0] = block + whole[0]
    else:
        whole[at - 1] += block


def _place(file: FactFile, *, earlier: bool) -> int:
    """After how many lines a new fact belongs: after the last of its kind, else at the end of its section."""
    lines = _NEWLINE.split(file.text)
    heading = next((i for i, line in enumerate(lines) if is_history_heading(line)), None)
    same = [entry for entry in file.entries if entry.earlier == earlier]
    if earlier:
        inside = [entry for entry in same if heading is not None and entry.line > heading]
        if inside:
            return inside[-1].line + inside[-1].lines - 1
        return len(lines) if heading is None else heading + 1
    if same:
        return same[-1].line + same[-1].lines - 1
    if heading is None:
        return len(lines)
    while heading > 0 and not lines[heading - 1].strip():
        heading -= 1
    return heading


def _body_starts(text: str) -> int:
    """The index of the first line after the front matter."""
    return split(text).body_start_line - 1


def _entry(lines: Sequence[str], number: int, earlier: bool, problems: list[str]) -> Entry:
    lead, text, values, extra = read_fact(lines)
    reader = _Reader(values, number, problems)
    fact = Fact(
        text,
        id=decode_value(values.get("#", "")),
        importance=reader.whole("importance", 3, 5),
        seen=reader.whole("seen", 1, None),
        origin=reader.origin(),
        created=reader.day("created"),
        updated=reader.day("updated"),
        source=decode_value(values.get("from", "").removeprefix(_SOURCE)),
        supersedes=decode_value(values.get("supersedes", "")),
    )
    until = reader.day("until")
    lead = ("\ufeff" if number == 1 and lines[0][:1] == "\ufeff" else "") + lead
    return Entry(fact, number, len(lines), until, earlier or until is not None, extra, lead)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads attributes that a person may have changed; what cannot be read is reported, not fatal."""

    values: Mapping[str, str]
    line: int
    problems: list[str]

    def whole(self, key: str, default: int, largest: int | None) -> int:
        written = self.values.get(key)
        if written is None:
            return default
        if not re.fullmatch(r"\d{1,9}", written, re.ASCII):
            self._problem(key, written, str(default))
            return default
        value = max(1, int(written) if largest is None else min(int(written), largest))
        if value != int(written):
            self._problem(key, written, str(value))
        return value

    def day(self, key: str) -> dt.date | None:
        written = self.values.get(key)
        if written is None:
            return None
        try:
            return dt.date.fromisoformat(written)
        except ValueError:
            self._problem(key, written, "no date")
            return None

    def origin(self) -> Origin:
        written = self.values.get("origin", "person")
        for known in get_args(Origin):
            if written == known:
                found: Origin = known
                return found
        self._problem("origin", written, "person")
        return "person"

    def _problem(self, key: str, written: str, taken: str) -> None:
        self.problems.append(f"Line {self.line}: {key}={written} is not understood; {taken} is taken.")
