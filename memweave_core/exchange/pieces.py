"""An export read piece by piece: of a long list of conversations one is held at a time."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from itertools import chain
from typing import IO, Any, Final, TypeAlias

from .._errors import ImportFormatError
from . import chatgpt, claude, formats
from .document import BROKEN, MOST_BYTES, chosen, document, is_archive
from .imported import Conversation, Imported, gathered
from .json_list import NoListError, is_utf8, values

_Opened: TypeAlias = Callable[[], AbstractContextManager[IO[bytes]]]
_Parse: TypeAlias = Callable[[object], Conversation]

_LISTS: Final[dict[str, _Parse]] = {"chatgpt": chatgpt.conversation, "claude": claude.conversation}
"""The formats in which each item of a list is a conversation by itself."""


def pieces(
    name: str, file: IO[bytes], format: str = "auto", *, user: str | None = None, only_owner: bool = True
) -> Iterator[Imported]:
    """What `formats.read` gives, in pieces and from an open file that can be read from anywhere.

    A list of conversations of ChatGPT or Claude is one piece per conversation, every other document is one;
    without `only_owner` the memories of each user of mem0 are one (`Imported.user`).
    Of a list that breaks off in the middle the conversations before that are given. Raises
    `ImportFormatError` when nothing can be read.
    """
    formats.check_format(format)
    reader = _Reader(format, user, only_owner)
    archived = is_archive(file.read(4))
    for member, opened in _members(name, file) if archived else [(name, _again(file))]:
        try:
            yield from reader.pieces(member, opened)
        except ImportFormatError as error:
            if not archived:
                raise
            reader.damaged.append(str(error))
    if not reader.found:
        raise ImportFormatError(" ".join([formats.unknown(name), *reader.damaged[:3]]))
    if reader.damaged:
        yield Imported((), (), tuple(reader.damaged), len(reader.damaged))


class _Reader:
    """Reads one document after another; `found` counts the pieces, `damaged` are sentences."""

    def __init__(self, format: str, user: str | None, only_owner: bool) -> None:
        self._format = format
        self._user = user
        self._only_owner = only_owner
        self.found = 0
        self.damaged: list[str] = []

    def pieces(self, name: str, opened: _Opened) -> Iterator[Imported]:
        """The pieces of one document; none when it is of no known format and none was named."""
        with opened() as file:
            listed = is_utf8(_reading(name, file))
        if listed:
            with opened() as file:
                known, items = self._listed(values(_reading(name, file)))
                if known in _LISTS:
                    yield from self._conversations(name, known, items)
                    return
        with opened() as file:
            whole = document(name, _reading(name, file)(-1))
        parts = formats.parts(whole, self._format, self._user, self._only_owner)
        del whole
        self.found += len(parts)
        yield from parts

    def _listed(self, items: Iterator[Any]) -> tuple[str, Iterator[Any]]:
        """The format of a list and its items; "" for what is no list of a known format."""
        held: list[Any] = []
        try:
            for item in items:
                held.append(item)
                found = formats.format_of([item]) if self._format == "auto" else self._format
                if found is not None:
                    return found, chain(held, items)
                if len(held) >= formats.LOOKED_AT:
                    break
        except NoListError:
            pass  # reading it whole says what is wrong with it
        return "", iter(())

    def _conversations(self, name: str, format: str, items: Iterator[Any]) -> Iterator[Imported]:
        number = 0
        try:
            for number, item in enumerate(items, 1):
                self.found += 1
                read = gathered([item], _LISTS[format], number)
                yield Imported(read.conversations, (), read.problems, read.skipped, format=format)
        except (NoListError, ImportFormatError) as error:
            after = f"after {number} conversation{'' if number == 1 else 's'}"
            problem = f"The file {name!r} cannot be read any further {after}: {error}."
            yield Imported((), (), (problem,), 1, format=format)


def _again(file: IO[bytes]) -> _Opened:
    def opened() -> AbstractContextManager[IO[bytes]]:
        file.seek(0)
        return nullcontext(file)

    return opened


def _members(name: str, file: IO[bytes]) -> Iterator[tuple[str, _Opened]]:
    """The files of an archive to read, and how to open each."""
    with _unpacking(name):
        archive = zipfile.ZipFile(file)
    for info in chosen(name, archive.infolist(), MOST_BYTES):
        yield info.filename, partial(_member, archive, info)


@contextmanager
def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[IO[bytes]]:
    with _unpacking(info.filename):
        member = archive.open(info)
    with member:
        yield member


def _reading(name: str, file: IO[bytes]) -> Callable[[int], bytes]:
    """`file.read`. An archive gives no more of a file than its list says, whatever the file unpacks to."""

    def read(size: int) -> bytes:
        with _unpacking(name):
            return file.read(size)

    return read


@contextmanager
def _unpacking(name: str) -> Iterator[None]:
    try:
        yield
    except BROKEN as error:
        raise ImportFormatError(f"The file {name!r} cannot be unpacked: {error}.") from error
