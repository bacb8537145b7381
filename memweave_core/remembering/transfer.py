"""Conversations and facts of a user taken out into one document, and brought in from other products."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .._errors import StorageError
from ..exchange import exported
from ..exchange.imported import Conversation
from ..messages import FactVersion, ImportReport
from ..ports import Progress
from .fact_book import FactBook
from .fact_imports import FactImport, Run
from .imports import Importing, ImportSource
from .sessions import SessionFiles

_WHAT = "Importing conversations"


class Transfer:
    """Exports and imports the conversations and facts of one open memory. No model is asked anything."""

    def __init__(self, sessions: SessionFiles, facts: FactBook, run: Run) -> None:
        self._sessions = sessions
        self._facts = facts
        self._run = run

    async def export(self, user: str | None, at: dt.datetime | None = None) -> dict[str, Any]:
        """All conversations and facts of this user, with the history of the facts, to write as JSON.

        None stands for the conversations that belong to nobody. `at` is the time of the export. `import_file`
        brings all of it back, in another workspace too. What of the files could not be read is named under
        "problems", if anything.
        """
        conversations, problems = await self._run(lambda: _conversations(self._sessions, user))
        if user is None:
            document = exported.export(conversations, (), at=at)
        else:
            file = await self._facts.file(user)
            earlier = [FactVersion(entry.fact, entry.until) for entry in file.earlier]
            document = exported.export(conversations, file.facts, user, at, earlier)
            problems += [f"Facts: {problem}" for problem in file.problems]
        return document | ({"problems": problems} if problems else {})

    async def import_file(
        self,
        path: str | os.PathLike[str],
        user: str | None,
        *,
        format: str = "auto",
        only_owner: bool = True,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Bring in the export of another product, or our own, for this user; None for conversations alone.

        `format` is one of `exchange.formats.FORMATS`, or "auto". Conversations keep their ids and dates: done
        again, an import adds what is new and nothing else. With `only_owner` what the file says to be of
        another user is left out. Without it the memories of each user of mem0 go to that user, those that
        name none to `user`; our own export, which is of one person, comes to `user`. `progress` is called
        after each conversation; how many there are in all is estimated. Cancelled, it leaves whole
        conversations.

        Raises `ImportFormatError` when nothing in the file can be read, or it is of another format than
        `format` and nothing in it could be taken, `NotFoundError` when there is no
        file, `StorageError` when it or the memory cannot be read or written.
        """
        importing = Importing(self._sessions, ImportSource(path, format, only_owner), user)
        taking = {user: FactImport(self._facts, self._run, user)}
        # Each step is one call: once begun it is done to its end, whatever becomes of the task that waits.
        while (step := await self._run(importing.next)) is not None:
            if step.piece is not None:
                owner = step.piece.user if step.piece.format == "mem0" and step.piece.user else user
                if owner not in taking:
                    taking[owner] = FactImport(self._facts, self._run, owner)
                await taking[owner].take(step.piece)
            elif progress is not None:
                progress(_WHAT, step.done, step.total)
        for facts in taking.values():
            await facts.close()
        if importing.done and progress is not None:
            progress(_WHAT, importing.done, importing.done)
        report = importing.report()
        for facts in taking.values():
            report = facts.counted(report)
        if format != "auto" and not _took(report):
            await self._run(lambda: importing.check_format(format))
        return replace(report, facts_of=_shares(taking, user))


def _took(report: ImportReport) -> bool:
    new, known = report.conversations + report.facts, report.known_conversations + report.known_facts
    return new + known > 0


def _shares(taking: Mapping[str | None, FactImport], user: str | None) -> dict[str, int]:
    """How many facts each user got; {} when none but `user` got any."""
    got = {owner: facts.stored for owner, facts in taking.items() if owner is not None and facts.stored}
    return got if got.keys() - {user} else {}


def _conversations(sessions: SessionFiles, user: str | None) -> tuple[list[Conversation], list[str]]:
    """The conversations of a user, oldest first, and what could not be read of them."""
    found: list[Conversation] = []
    problems: list[str] = []
    for info in sessions.sessions(user):
        try:
            held = sessions.transcript(user, info.session)
        except StorageError as error:
            problems.append(f"Conversation {info.session!r}: {error}")
            continue
        problems += [f"Conversation {info.session!r}: {problem}" for problem in held.problems]
        if held.messages:
            withheld = tuple(message.id for message in held.messages if message.id in held.withheld)
            began = held.messages[0].at
            found.append(Conversation(info.session, held.title, began, held.messages, withheld))
    return sorted(found, key=_age), problems


def _age(conversation: Conversation) -> tuple[str, str]:
    began = conversation.created
    return (began.astimezone(dt.UTC).isoformat() if began is not None else "", conversation.id)
