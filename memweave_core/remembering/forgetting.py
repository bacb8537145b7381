"""Forgetting a fact: out of its file, the summaries, the index and this process, and undoing that.

In this order no summary or extraction that is under way can bring it back: the messages that say it are
withheld first, then the summaries are struck, then the fact goes.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from .._errors import MemWeaveError, NotFoundError, StorageError, UsageError
from ..assembly import Runtime
from ..config import DERIVED, MemoryConfig
from ..conversation.striking import Sought
from ..conversation.summary import Summary
from ..conversation.summary_edits import said
from ..facts.bullets import Changes, Entry, FactFile, write
from ..facts.by_words import forget_words
from ..facts.upkeep import same_words, with_history
from ..messages import Fact, Forgotten, Message
from ..text.passages import embed_hash
from .fact_book import FactBook, found_by_id
from .fact_trash import Kept, lines_of_entries
from .places import summary_path, transcript_path
from .sessions import SessionFiles
from .still_held import Left, listed, still_held

logger = logging.getLogger(__name__)


class Parts(Protocol):
    """What forgetting needs of an open memory."""

    @property
    def config(self) -> MemoryConfig: ...
    @property
    def runtime(self) -> Runtime: ...
    @property
    def facts(self) -> FactBook: ...
    @property
    def sessions(self) -> SessionFiles: ...


async def forget(parts: Parts, user: str, fact_id: str, *, purge: bool = False) -> Forgotten:
    """Forget a fact of a user with its earlier wordings, and all that says the very same.

    Sentences of summaries that say it are struck; messages that say it are withheld from summaries and from
    learning. A copy stays in the trash, from which `restore` puts it back. With `purge` there is no copy:
    messages that it was learnt from, or that say all of it, are deleted, copies in the trash that hold it
    too, and the index is rewritten without it.
    Raises `NotFoundError` and `UsageError` as `FactBook.resolve` does, `StorageError`.
    """
    entry = await parts.facts.resolve(user, fact_id)
    work = _Forgetting(parts, user, purge=purge)
    return await parts.runtime.readers.run(lambda: work.run(entry))


async def restore(parts: Parts, user: str, kept_in: str) -> tuple[Fact, ...]:
    """Put back what a copy in the trash holds; the facts that are in the file again.

    Summaries come back where nothing has changed them since, and messages may be learnt from again.
    Raises `NotFoundError` for a copy that is not there or is of another user, `StorageError`.
    """
    return await parts.runtime.readers.run(lambda: _restored(parts, user, kept_in))


@dataclass(slots=True)
class _Traces:
    """What was found and changed in the sessions of the user, by session.

    Of the messages `withheld`, those `stated` say all of it, or are what it was learnt from. `missed` are
    sentences that name what could not be gone through.
    """

    withheld: dict[str, tuple[str, ...]] = field(default_factory=dict)
    stated: dict[str, tuple[str, ...]] = field(default_factory=dict)
    newly: dict[str, tuple[str, ...]] = field(default_factory=dict)
    summaries: dict[str, tuple[str, str]] = field(default_factory=dict)
    struck: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    @property
    def places(self) -> tuple[str, ...]:
        """Every message that says it, as ``session#message``."""
        return tuple(f"{session}#{name}" for session, names in self.withheld.items() for name in names)


class _Forgetting:
    """Forgets one fact. Everything here blocks."""

    def __init__(self, parts: Parts, user: str, *, purge: bool) -> None:
        self._parts = parts
        self._user = user
        self._purge = purge
        self._store = parts.runtime.store

    def run(self, entry: Entry) -> Forgotten:
        gone = self._held(self._parts.facts.pages.read(self._user), entry.fact)
        texts = tuple(dict.fromkeys(one.fact.text for one in gone))
        traces = self._from_sessions(texts, gone)
        gone, kept_in = self._from_file(entry.fact, traces)
        deleted = self._messages(traces) if self._purge else ()
        still_in = self._from_index(texts, traces)
        if self._purge:
            still_in += self._from_trash(texts)
            still_in += self._from_database()
        still_in += still_held(self._parts, self._user, texts, Left(traces.places, deleted, kept_in))
        still_in += traces.missed
        facts = tuple(one.fact for one in gone)
        return Forgotten(
            entry.fact, facts, tuple(traces.struck), traces.places, deleted, kept_in, tuple(still_in)
        )

    # --- out of the Markdown ---------------------------------------------------------------------------

    def _held(self, file: FactFile, fact: Fact) -> tuple[Entry, ...]:
        """The entries that go. Raises `NotFoundError` when the fact has gone meanwhile."""
        return with_history(file, found_by_id(file, self._user, fact.id))

    def _from_sessions(self, texts: Sequence[str], gone: Sequence[Entry]) -> _Traces:
        """Withhold the messages that say it or that it was learnt from, then strike the summaries.

        A conversation that cannot be read or marked, for a person has broken it, does not keep the fact.
        """
        traces = _Traces()
        sought = [Sought(text) for text in texts]
        learnt_from = [one.fact.source.rpartition("#") for one in gone]
        for info in self._parts.sessions.sessions(self._user):
            sources = {name for told, _, name in learnt_from if told == info.session}
            try:
                self._from_session(info.session, sought, sources, traces)
            except (StorageError, UsageError) as error:
                traces.missed.append(f"Conversation {info.session!r} may say it, unmarked: {error}")
        return traces

    def _from_session(
        self, session: str, texts: Sequence[Sought], sources: set[str], traces: _Traces
    ) -> None:
        sessions, user = self._parts.sessions, self._user
        transcript = sessions.transcript(user, session)
        messages = [
            message for message in transcript.messages if message.id in sources or _mentions(message, texts)
        ]
        names = tuple(message.id for message in messages)
        fresh = tuple(name for name in names if name not in transcript.withheld)
        if fresh:
            sessions.withhold(user, session, fresh)
            traces.newly[session] = fresh
        if names:
            traces.withheld[session] = names
            traces.stated[session] = tuple(
                one.id for one in messages if one.id in sources or _says_all(one, texts)
            )
        before = sessions.summary(user, session)
        struck = [sentence for text in texts for sentence in sessions.strike(user, session, text.deleted)]
        if struck:
            traces.struck += struck
            traces.summaries[session] = (before.text, sessions.summary(user, session).text)

    def _from_file(self, fact: Fact, traces: _Traces) -> tuple[tuple[Entry, ...], str]:
        """The entries that went, and the name of the copy, which is written first."""
        gone: list[Entry] = []
        kept_in: list[str] = []
        book = self._parts.facts

        def change(before: str) -> str:
            file = book.pages.parsed(self._user, before)
            gone[:] = self._held(book.pages.shown(self._user, file), fact)
            if not self._purge:
                lines = lines_of_entries(gone, book.today())
                kept_in[:] = [book.trash.keep(Kept(self._user, lines, traces.summaries, traces.newly))]
            return write(file, Changes(removed={one.line for one in gone}))

        book.pages.edit(self._user, change)
        book.pages.forget(self._user)
        return tuple(gone), "".join(kept_in)

    def _messages(self, traces: _Traces) -> tuple[str, ...]:
        deleted: list[str] = []
        for session, names in traces.stated.items():
            taken = self._parts.sessions.delete(self._user, session, names, keep_in=None)
            deleted += [f"{session}#{message.id}" for message in taken]
        return tuple(deleted)

    # --- out of what is derived ------------------------------------------------------------------------

    def _from_index(self, texts: Sequence[str], traces: _Traces) -> list[str]:
        """Take the changed pages in at once, so that no search finds what went, and forget its vectors."""
        user, runtime = self._user, self._parts.runtime
        self._parts.facts.vectors.forget(texts)
        forget_words()
        paths = [summary_path(user, session) for session in traces.summaries]
        paths += [transcript_path(user, session) for session in traces.withheld]
        keys = [self._parts.facts.pages.key(user), *map(self._store.memory_key, paths)]
        try:
            for key in keys:
                try:
                    runtime.indexer.add(key)
                except NotFoundError:
                    runtime.index.remove([key])
            runtime.index.forget_vectors(map(embed_hash, texts))
        except MemWeaveError as error:
            logger.warning("The index could not be brought up to date: %s", error)
            return [f"The index still holds it until the next search or index run: {error}"]
        return []

    def _from_database(self) -> list[str]:
        try:
            whole = self._parts.runtime.index.purge()
        except MemWeaveError as error:
            return [f"The files of the index could not be rewritten and may still hold it: {error}"]
        if whole:
            return []
        return ["The journal of the index may hold it while another process reads; purge again later."]

    def _from_trash(self, texts: Sequence[str]) -> list[str]:
        """Take it out of the copies of this user's facts; name other copies, which may be of anybody."""
        trash, left = self._parts.facts.trash, []
        for name in trash.names():
            try:
                kept = trash.read(name)
            except NotFoundError as error:
                left.append(str(error))
                continue
            if kept.user == self._user and (rest := _without(kept, texts)) != kept:
                if rest.lines:
                    trash.keep(rest)
                trash.remove(name)
        pages = trash.pages_with(texts)
        if pages:
            left.append(f"Copies of deleted pages hold it, in {DERIVED}/trash: {listed(pages)}.")
        return left


def _mentions(message: Message, texts: Sequence[Sought]) -> bool:
    words = said(message)
    return any(text.mentioned_in(words) for text in texts)


def _says_all(message: Message, texts: Sequence[Sought]) -> bool:
    words = said(message)
    return any(text.stated_in(words) for text in texts)


def _without(kept: Kept, texts: Sequence[str]) -> Kept:
    """A copy without the facts that say one of `texts`, and without summaries, which may say them."""
    file = kept.file
    lines = tuple(
        line
        for line, entry in zip(kept.lines, file.entries, strict=True)
        if not any(same_words(entry.fact.text, text) for text in texts)
    )
    return kept if lines == kept.lines else replace(kept, lines=lines, summaries={})


def _restored(parts: Parts, user: str, kept_in: str) -> tuple[Fact, ...]:
    trash, pages, today = parts.facts.trash, parts.facts.pages, parts.facts.today()
    kept = trash.read(kept_in)
    if kept.user != user:
        raise NotFoundError(f"There is no copy {kept_in} of facts of {user!r}.")
    back: list[Fact] = []

    def change(before: str) -> str:
        file = pages.parsed(user, before)
        there = {entry.fact.id for entry in pages.shown(user, file).entries}
        new = [entry for entry in kept.file.entries if entry.fact.id not in there]
        added = [entry.fact for entry in new if not entry.earlier]
        past = [(entry.fact, entry.until or today) for entry in new if entry.earlier]
        back[:] = added
        return write(file, Changes(added=added, past=past)) if new else before

    pages.edit(user, change)
    for session, ids in kept.withheld.items():
        parts.sessions.release(user, session, ids)
    for session, (before, after) in kept.summaries.items():
        now = parts.sessions.summary(user, session)
        if now.text == after:
            old = Summary(before, now.until, now.count, now.date)
            parts.sessions.write_summary(user, session, old, now)
    trash.remove(kept_in)
    return tuple(back)
