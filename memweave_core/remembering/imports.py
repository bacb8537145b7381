"""A file that is imported: its conversations into transcripts, one step of work after the other."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from .._errors import ImportFormatError, NotFoundError, StorageError, UsageError
from ..exchange.imported import Conversation, Imported, label, named
from ..exchange.pieces import pieces
from ..messages import ImportReport, Message
from .sessions import SessionFiles


@dataclass(frozen=True, slots=True)
class ImportSource:
    """A file to import. `format` is one of `exchange.formats.FORMATS`; "auto" finds it out.

    Without `only_owner` what the file says to be of other users is taken, too.
    """

    path: str | os.PathLike[str]
    format: str = "auto"
    only_owner: bool = True


@dataclass(frozen=True, slots=True)
class Step:
    """A conversation was taken: `done` of about `total`. Or, when there is a `piece`, its facts are to be."""

    done: int
    total: int
    piece: Imported | None = None


class Importing:
    """The work of one import, in steps that block; one at a time, from any thread."""

    def __init__(self, sessions: SessionFiles, source: ImportSource, user: str | None) -> None:
        self._sessions = sessions
        self._path = Path(source.path)
        self._user = user
        self._format = source.format
        self._only_owner = source.only_owner
        self._steps = self._work()
        self._read_as = ""
        self._new: dict[str, int] = {}
        self._known: dict[str, int] = {}
        self._problems: dict[str, None] = {}
        self._skipped = 0
        self.done = 0

    def next(self) -> Step | None:
        """Do the next step; None when there is none left."""
        return next(self._steps, None)

    def report(self) -> ImportReport:
        """What became of the conversations until now."""
        return ImportReport(
            format=self._read_as,
            conversations=len(self._new),
            messages=sum(self._new.values()),
            known_conversations=len(self._known.keys() - self._new.keys()),
            known_messages=sum(self._known.values()),
            skipped=self._skipped,
            problems=tuple(self._problems),
        )

    def check_format(self, asked: str) -> None:
        """Raises `ImportFormatError` when the file looks like another format than the one asked for."""
        name = self._path.name
        with _opened(self._path) as file:
            try:
                looks = next(
                    (piece.format for piece in pieces(name, file, only_owner=False) if piece.format), ""
                )
            except ImportFormatError:
                looks = ""
        if looks != asked:
            like = f"of the format {looks!r}" if looks else "of no known format"
            raise ImportFormatError(f"Nothing in {name!r} can be read as {asked!r}; it is {like}.")

    def _work(self) -> Iterator[Step]:
        with _opened(self._path) as file:
            size = max(os.fstat(file.fileno()).st_size, 1)
            for piece in self._pieces(file):
                before, share = self.done, min(file.tell() / size, 1.0) or 1.0
                for conversation in piece.conversations:
                    self._take(conversation)
                    self.done += 1
                    guess = max(before + len(piece.conversations), round(self.done / share))
                    yield Step(self.done, max(guess, self.done + 1))
                if piece.facts or piece.earlier:
                    yield Step(self.done, self.done, piece)

    def _pieces(self, file: IO[bytes]) -> Iterator[Imported]:
        """The pieces of the file that may be taken; what may not, and what is damaged, is written down."""
        found = pieces(
            self._path.name,
            file,
            self._format,
            user=self._user,
            only_owner=self._only_owner and self._user is not None,
        )
        for piece in found:
            if self._only_owner and piece.format == "mem0":  # of others it has none, unless nobody was named
                piece = replace(piece, user="")
            self._read_as = self._read_as or piece.format
            self._skipped += piece.skipped
            self._problems |= dict.fromkeys(piece.problems)
            if self._only_owner and piece.user not in ("", self._user):
                self._skip(_of_another(piece.user, self._user), len(piece.conversations) + len(piece.facts))
            else:
                yield piece

    def _take(self, conversation: Conversation) -> None:
        """Write one conversation down, all of it or none."""
        called = label({"title": conversation.title, "id": conversation.id}, self.done + 1)
        try:
            there = {m.id: m for m in self._sessions.messages(self._user, conversation.id)}
            messages = named(_with_timezone(message) for message in conversation.messages)
            if any(_is_another(message, there.get(message.id)) for message in messages):
                self._skip(f"Conversation {called} was not taken: there is another one of this id here.", 1)
                return
            new = [message for message in messages if message.id not in there]
            self._write(conversation, new)
        except UsageError as error:
            self._skip(f"Conversation {called} was not taken: {error}", 1)
            return
        self._count(self._new if new else self._known, conversation.id, len(new))
        self._count(self._known, conversation.id, len(messages) - len(new))

    def _write(self, conversation: Conversation, new: list[Message]) -> None:
        self._sessions.append(self._user, conversation.id, new)
        if conversation.withheld:
            self._sessions.withhold(self._user, conversation.id, conversation.withheld)
        if new and conversation.title:
            self._sessions.entitle(self._user, conversation.id, conversation.title)

    def _skip(self, problem: str, count: int) -> None:
        self._problems[problem] = None
        self._skipped += count

    @staticmethod
    def _count(counts: dict[str, int], name: str, count: int) -> None:
        counts[name] = counts.get(name, 0) + count


def _is_another(message: Message, there: Message | None) -> bool:
    """Whether the message of this id here is one of another conversation: then this one would be lost.

    Edited by hand, a message still has the role and the time it had.
    """
    return there is not None and (there.role != message.role or (message.at or there.at) != there.at)


def _with_timezone(message: Message) -> Message:
    at = message.at
    return message if at is None or at.tzinfo is not None else replace(message, at=at.replace(tzinfo=dt.UTC))


def _of_another(owner: str, user: str | None) -> str:
    asked = f"only what is of {user!r} was asked for" if user is not None else "no user was named"
    return f"The export of the user {owner[:80]!r} was not read: {asked}."


def _opened(path: Path) -> IO[bytes]:
    """The file to import. A pipe is refused, for it cannot be read twice."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder; import the files in it, or a zip archive of them.")
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"{path} is not an ordinary file.")
        return path.open("rb")
    except FileNotFoundError as error:
        raise NotFoundError(f"There is no file {path}.") from error
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise UsageError(f"{str(path)!r} cannot be the name of a file: {error}.") from error
