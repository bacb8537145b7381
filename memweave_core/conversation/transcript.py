"""The Markdown file of a session: front matter, then messages in the form of `message_form`.

It is only ever appended to. People may edit it: text changed or inserted by hand is read as it stands, a
message without an id gets one from its content, text before the first message belongs to none.
"""

from __future__ import annotations

import codecs
import datetime as dt
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ..messages import Message
from ..text.frontmatter import split, update
from .message_form import END, LABEL, ROLES, decode_id, derived_id, parse_message, serialise

__all__ = [
    "Reader",
    "Transcript",
    "decode_part",
    "header",
    "message_ids",
    "next_id",
    "number_of",
    "parse",
    "parse_added",
    "parse_tail",
    "serialise",
    "withheld",
]

_END_LINE: Final = re.compile(rf"^{re.escape(END)}[ \t]*\r?$", re.MULTILINE)
_APPENDED: Final = re.compile(r"(?:\r?\n)+\*\*")
_NUMBERED: Final = re.compile(r"m([1-9][0-9]{0,17})")


@dataclass(frozen=True, slots=True)
class Transcript:
    """A session read back.

    `problems` are sentences: a cut-off message, an id that stands twice, a block that cannot be read. From
    character `whole` on the text is the beginning of a message that was never written to its end (a crash):
    it is not among the messages, and is to be cut off before anything is appended. Otherwise `whole` is the
    length of the text. `preamble` is what stands before the first message.

    `withheld` are the ids of messages that stay in the file but that no summary and no fact may be made of
    any more. `last_id` is the last id ever given, where its message was deleted: none is given twice. `title`
    is what a person or another product called it.
    """

    messages: tuple[Message, ...] = ()
    problems: tuple[str, ...] = ()
    whole: int = 0
    session: str = ""
    user: str = ""
    date: dt.date | None = None
    preamble: str = ""
    withheld: frozenset[str] = frozenset()
    last_id: str = ""
    title: str = ""


def header(session: str, user: str = "", date: dt.date | None = None) -> str:
    """The beginning of a new transcript: its front matter. `date` is the day of the first message.

    Raises `UsageError` for names that cannot be written.
    """
    day = date.date() if isinstance(date, dt.datetime) else date
    entries = {"session": session, "user": user or None, "date": day}
    return update("", {key: value for key, value in entries.items() if value is not None})


def next_id(ids: Iterable[str]) -> str:
    """The id for a message after those with `ids`: "m" and one more than the largest such number."""
    return f"m{max(map(number_of, ids), default=0) + 1}"


def number_of(name: str) -> int:
    """The number of an id that `next_id` gave; 0 for any other."""
    match = _NUMBERED.fullmatch(name)
    return int(match[1]) if match else 0


def message_ids(text: str) -> list[str]:
    """The ids that stand in a transcript, in order, without reading the messages."""
    return [decode_id(label["id"]) for label in LABEL.finditer(text) if label["id"]]


def parse(text: str) -> Transcript:
    """A whole transcript. Never raises: what cannot be read is named in `problems`."""
    front = split(text)
    start = len(text) - len(front.body)
    labels = list(LABEL.finditer(text, start))
    first = labels[0].start() if labels else len(text)
    reader = Reader(text, labels)
    if front.problem:
        reader.problems.append(front.problem)
    if not labels:
        reader.look_for_torn_label(start)
    data = front.data
    day = data.get("date")
    if isinstance(day, dt.datetime):
        day = day.date()
    return Transcript(
        messages=tuple(reader.messages.values()),
        problems=tuple(reader.problems),
        whole=reader.whole,
        session=str(data.get("session") or ""),
        user=str(data.get("user") or ""),
        date=day if isinstance(day, dt.date) else None,
        preamble=text[start : min(first, reader.whole)].strip(),
        withheld=frozenset(withheld(data)),
        last_id=str(data.get("last_id") or ""),
        title=str(data.get("title") or ""),
    )


def parse_added(added: str, known: Container[str]) -> tuple[Message, ...] | None:
    """The messages in what was appended to a transcript that holds those of the ids `known`.

    Together with them it is what `parse` gives for the whole text, if that was whole. None where only reading
    it all tells, because `added` is not just messages as they are appended.
    """
    if not _APPENDED.match(added):
        return None
    more = parse(added)
    apart = not any(message.id in known for message in more.messages)
    return more.messages if apart and not more.problems and more.whole == len(added) else None


def withheld(data: Mapping[str, Any]) -> list[str]:
    """The ids that front matter says are withheld."""
    listed = data.get("withheld")
    return [decode_id(str(name)) for name in listed] if isinstance(listed, list) else []


def parse_tail(text: str) -> Transcript:
    """The messages that are wholly contained in the end of a transcript, cut anywhere.

    Read a long file backwards in growing parts until there are enough of them. The first line is never taken
    for the start of a message, for it may be half a line; `whole` counts from the start of `text`.
    """
    first_line = text.find("\n") + 1
    labels = list(LABEL.finditer(text, first_line)) if first_line else []
    reader = Reader(text, labels)
    if not labels:
        reader.look_for_torn_label(first_line)
    return Transcript(tuple(reader.messages.values()), tuple(reader.problems), reader.whole)


def decode_part(data: bytes) -> str:
    """UTF-8 text of a part of a file cut at any byte: half a character at either end is left out.

    Raises `UnicodeDecodeError` for what is no UTF-8.
    """
    start = 0
    while start < min(3, len(data)) and data[start] & 0xC0 == 0x80:
        start += 1
    return codecs.getincrementaldecoder("utf-8")().decode(data[start:], final=False)


class Reader:
    """Reads the messages between the matches of `LABEL`.

    `messages` are those by id, in order; `spans` tell where each of an id stands, as (id, start, end).
    """

    def __init__(self, text: str, labels: list[re.Match[str]]) -> None:
        self.text = text
        self.messages: dict[str, Message] = {}
        self.spans: list[tuple[str, int, int]] = []
        self.problems: list[str] = []
        self.whole = len(text)
        ends = [label.start() for label in labels[1:]]
        for label, end in zip(labels, [*ends, len(text)], strict=False):
            self._read(label, end)

    def _read(self, label: re.Match[str], end: int) -> None:
        last = end == len(self.text)
        mark = _END_LINE.search(self.text, label.end(), end)
        if mark is None and last and self._is_torn(label):
            self._cut_off(label.start())
            return
        body = self.text[label.end() : mark.start() if mark else end]
        message, problem = parse_message(label, body)
        message = self._named(message)
        self.spans.append((message.id, *self._span(label.start(), mark, end)))
        problems = [problem]
        if mark is None and label["id"] and not last:
            problems.append("has no end mark; it may have been cut off")
        if mark is not None:
            stray = self.text[mark.end() : end].strip()
            torn = last and self.look_for_torn_label(mark.end())
            problems.append(
                "has text below its end mark, which is not part of it" if stray and not torn else ""
            )
        self.problems += [f"Message {message.id} {problem}." for problem in problems if problem]

    def _blank_before(self, start: int) -> int:
        """Where the empty line before a line begins; `start` itself when there is none."""
        line_start = self.text.rfind("\n", 0, max(0, start - 1)) + 1
        return line_start if start and self.text[line_start : start - 1] in ("", "\r") else start

    def _span(self, start: int, mark: re.Match[str] | None, end: int) -> tuple[int, int]:
        """Where a message stands, with the empty line before it and the end of its last line."""
        if mark is not None:
            end = mark.end() + self.text.startswith("\n", mark.end())
        elif end < len(self.text):
            end = self._blank_before(end)
        return self._blank_before(start), end

    def _is_torn(self, label: re.Match[str]) -> bool:
        """True for one of ours without its end mark, or a label in the middle of which the text ends."""
        return bool(label["id"]) or label.end() == len(self.text)

    def _named(self, message: Message) -> Message:
        """`message` under an id of its own, put with the others unless it stands there already."""
        name = message.id or derived_id(message)
        if message.id and name in self.messages:
            if self.messages[name] == message:
                self.problems.append(f"Message {name} stands there twice; it was taken once.")
                return message
            self.problems.append(f"The id {name} stands at two messages; the later one got another.")
        free = next(free for free in _variants(name) if free not in self.messages)
        if free != message.id:
            message = replace(message, id=free)
        self.messages[message.id] = message
        return message

    def look_for_torn_label(self, start: int) -> bool:
        """Cut the text off at a last line without an ending that is the beginning of a label."""
        line_start = max(start, self.text.rfind("\n") + 1)
        line = self.text[line_start:]
        labels = [f"**{role}** ·" for role in ROLES]
        if line and any(label.startswith(line) or line.startswith(label) for label in labels):
            self._cut_off(line_start)
            return True
        return False

    def _cut_off(self, start: int) -> None:
        self.whole = start
        line = self.text.count("\n", 0, start) + 1
        self.problems.append(f"The message in line {line} was cut off before its end; it was not read.")


def _variants(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}-{number}"
        number += 1
