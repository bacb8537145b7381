"""Conversations as files: a transcript that is appended to, and beside it its running summary.

All calls block and may come from any thread or process. Who else writes to a page waits for its lock, which
is never held across anything slow. A transcript is the truth; people may edit it at any time.
"""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from .._errors import NotFoundError, UsageError
from ..config import DERIVED
from ..conversation.masking import masked
from ..conversation.removal import release, rewritten, withhold, without
from ..conversation.summary import Summary, parse_summary
from ..conversation.summary import rewritten as with_summary
from ..conversation.summary_edits import without_messages, without_statements
from ..conversation.transcript import Transcript, header, number_of, parse, serialise
from ..messages import Message, SessionInfo
from ..ports import Clock, HeldPage, MarkdownStore
from ..text.frontmatter import update
from ..text.secrets import mask
from .places import summary_path, transcript_path
from .session_cache import TranscriptCache
from .session_list import listed

BeforeWrite: TypeAlias = Callable[[tuple[Message, ...]], None]
Change: TypeAlias = Callable[[tuple[Message, ...]], Sequence[Message]]
"""From the messages of a session to those it is to have."""


class SessionFiles:
    """The conversations of one memory. `user` is None everywhere for those that belong to nobody.

    Any string that is not empty names a user or a session; each has files of its own. Raises
    `NameRefusedError` for other names, `StorageError` for files that cannot be read or written.
    """

    def __init__(self, store: MarkdownStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._cache = TranscriptCache()

    @property
    def trash(self) -> Path:
        """The folder in which a copy of what is taken away is kept."""
        return self._store.disk_path(DERIVED) / "trash"

    # --- reading ---------------------------------------------------------------------------------------

    def transcript(self, user: str | None, session: str) -> Transcript:
        """A session read back; an empty one when nothing was said yet. Cheap while the file is unchanged."""
        key = self._key(transcript_path(user, session))
        # Taken before the text is read: at worst what is read is newer, and is read again the next time.
        stamp = self._store.stamp(key)
        try:
            return self._cache.of(key).transcript(stamp, lambda: self._store.get(key).text)
        except NotFoundError:  # deleted between the two
            return Transcript()

    def messages(self, user: str | None, session: str) -> tuple[Message, ...]:
        """The messages of a session, oldest first."""
        return self.transcript(user, session).messages

    def summary(self, user: str | None, session: str) -> Summary:
        """The running summary of a session; an empty one when there is none."""
        try:
            return parse_summary(self._store.get(self._key(summary_path(user, session))).text)
        except NotFoundError:
            return Summary()

    def sessions(self, user: str | None = None) -> tuple[SessionInfo, ...]:
        """The sessions of this user, or of nobody; those that changed last come first."""
        return listed(self._store, user)

    # --- appending -------------------------------------------------------------------------------------

    def append(
        self,
        user: str | None,
        session: str,
        messages: Sequence[Message],
        *,
        before_write: BeforeWrite | None = None,
    ) -> tuple[Message, ...]:
        """Write messages at the end of a session: all or none, in one write that reaches the disk.

        One without an id gets the next, one without a time the present second; secrets are masked.
        A message whose id is there already was recorded before and is left as it is. The end of a
        message that a crash cut off goes into the trash first. `before_write` is called, under the
        lock of the page, with what will be written. Returns the messages as they are stored now, in
        the order given. Raises `UsageError` for what cannot be written: an unknown role, values
        that are not JSON.
        """
        if not messages:
            return ()
        said_now = [masked(message) for message in messages]
        path = self._key(transcript_path(user, session))
        with self._store.hold(path) as page:
            known, stamp = self._cache.of(path), page.stamp
            largest, whole = known.end(stamp, page.read)
            named = _named(said_now, largest, self._clock, lambda name: known.message(name) is not None)
            stored = {one.id: found for one in named if (found := known.message(one.id)) is not None}
            first = {one.id: one for one in reversed(named) if one.id not in stored}
            new = tuple(one for one in named if first.get(one.id) is one)
            if not new:
                return tuple(stored[one.id] for one in named)
            text = "".join(map(serialise, new))
            if before_write is not None:
                before_write(new)
            if stamp is None or not stamp.size:  # at once, so that no crash leaves half of the front matter
                page.replace(header(session, user or "", new[0].at) + text)
            elif whole:
                known.append(stamp, *page.append(text))
            else:
                self._mend(page, text)
            stored |= {message.id: message for message in parse(text).messages}
            return tuple(stored.get(one.id, one) for one in named)

    def _mend(self, page: HeldPage, text: str) -> None:
        """Put `text` in the place of a message that was never written to its end."""
        before = page.read()
        cut = parse(before).whole
        page.keep(self.trash, before[cut:])
        gap = "" if not cut or before[:cut].endswith("\n") else "\n"
        page.replace(before[:cut] + gap + text)

    def wait_for_writer(self, user: str | None, session: str) -> None:
        """Come back when nobody is writing to the transcript: what was being written is there then."""
        with self._store.hold(self._key(transcript_path(user, session))):
            pass

    def entitle(self, user: str | None, session: str, title: str) -> None:
        """Put a title into the front matter of a transcript; one that is there stays.

        Raises `UsageError` when the front matter was broken by hand.
        """
        with self._store.hold(self._key(transcript_path(user, session))) as page:
            before = page.read()
            if before and not parse(before).title:
                page.replace(update(before, {"title": mask(title).text}))

    # --- summary ---------------------------------------------------------------------------------------

    def write_summary(
        self,
        user: str | None,
        session: str,
        new: Summary,
        expected: Summary,
        used: Sequence[Message] = (),
    ) -> bool:
        """Put a summary in the place of `expected`, which it was made of, and of the messages `used`.

        False, and nothing is written, when the summary there is another one by now, or when one of those
        messages was deleted, withheld or changed since: then it may say what it no longer should.
        """
        with self._store.hold(self._key(summary_path(user, session))) as page:
            before = page.read()
            if parse_summary(before) != expected:
                return False
            if used:
                now = self.transcript(user, session)
                usable = {m.id: m for m in now.messages if m.id not in now.withheld}
                if any(usable.get(message.id) != message for message in used):
                    return False
            page.replace(with_summary(before, new))
            return True

    def strike(self, user: str | None, session: str, text: str) -> tuple[str, ...]:
        """Take out of the summary what says the same as `text`; the sentences that were struck.

        Withhold the messages that say it first, or a summary under way may bring it back.
        """
        with self._store.hold(self._key(summary_path(user, session))) as page:
            after, sentences = without_statements(page.read(), [text])
            if sentences:
                page.replace(after)
            return sentences

    # --- taking away -----------------------------------------------------------------------------------

    def withhold(self, user: str | None, session: str, ids: Iterable[str]) -> None:
        """Mark messages, durably and readably, as such that no summary and no fact may be made of any more.

        Ids that are not in the session are passed over. Raises `UsageError` when the front matter of the
        transcript was broken by hand.
        """
        wanted = frozenset(ids)
        with self._store.hold(self._key(transcript_path(user, session))) as page:
            before = page.read()
            after = withhold(before, (m.id for m in parse(before).messages if m.id in wanted))
            if after != before:
                page.replace(after)

    def release(self, user: str | None, session: str, ids: Iterable[str]) -> None:
        """Undo `withhold` of these messages; ids that are not withheld are passed over."""
        with self._store.hold(self._key(transcript_path(user, session))) as page:
            before = page.read()
            after = release(before, ids) if before else before
            if after != before:
                page.replace(after)

    def delete(
        self, user: str | None, session: str, ids: Iterable[str], *, keep_in: Path | None
    ) -> tuple[Message, ...]:
        """Take whole messages out of a session and what they say out of its summary; those that were there.

        Every byte of the others stays. A copy goes into the folder `keep_in` first, if given. Interrupted,
        it can be repeated. Raises `UsageError` when the front matter was broken by hand.
        """
        wanted = frozenset(ids)
        before = self.messages(user, session)
        gone = tuple(message for message in before if message.id in wanted)
        if not gone:
            return ()
        # In this order no summary that is being made meanwhile can bring back what they say.
        self.withhold(user, session, wanted)
        with self._store.hold(self._key(summary_path(user, session))) as page:
            old = page.read()
            new = without_messages(old, before, gone) if old else old
            if new != old:
                page.replace(new)
        with self._store.hold(self._key(transcript_path(user, session))) as page:
            left, taken = without(page.read(), wanted)
            if taken and keep_in is not None:
                page.keep(keep_in, header(session, user or "", gone[0].at) + taken)
            if taken:
                page.replace(left)
        return gone

    def rewrite(
        self, user: str | None, session: str, change: Change, *, keep_in: Path | None
    ) -> tuple[Message, ...]:
        """Give a session the messages that `change` makes of those it has, in one step; returns them.

        `change` is called under the lock of the page, so that nothing is appended meanwhile. Messages that
        come back as they were keep every byte; new ones are treated as by `append`. What those say that are
        gone is taken out of the summary, and a copy of them goes into the folder `keep_in`, if given.
        """
        with self._store.hold(self._key(transcript_path(user, session))) as page:
            text = page.read()
            before = parse(text)
            known = {message.id: message for message in before.messages}
            asked = [m if known.get(m.id) == m else masked(m) for m in change(before.messages)]
            largest = max(map(number_of, (*known, before.last_id)))
            messages = _named(asked, largest, self._clock, {one.id for one in before.messages}.__contains__)
            if not text and not messages:
                return ()
            new, taken = rewritten(text or header(session, user or "", messages[0].at), messages)
            if new == text:
                return before.messages
            stay = {message.id for message in messages}
            if len(stay) < len(messages):
                raise UsageError("Two messages of one conversation cannot have the same id.")
            gone = [message for message in before.messages if message.id not in stay]
            if taken and keep_in is not None:
                page.keep(keep_in, header(session, user or "", (gone or messages)[0].at) + taken)
            with self._store.hold(self._key(summary_path(user, session))) as summary:
                old = summary.read()
                left = without_messages(old, before.messages, gone) if old and gone else old
                if left != old:
                    summary.replace(left)
                page.replace(new)
            return parse(new).messages

    def clear(self, user: str | None, session: str, *, keep_in: Path | None) -> bool:
        """Delete a session with its summary, or move both into the folder `keep_in`; False for none."""
        found = False
        for path in (transcript_path(user, session), summary_path(user, session)):
            with contextlib.suppress(NotFoundError):
                self._store.remove(self._key(path), keep_in=keep_in)
                found = True
        return found

    def _key(self, path: str) -> str:
        return self._store.memory_key(path)


def _named(
    messages: Sequence[Message], largest: int, clock: Clock, taken: Callable[[str], bool]
) -> list[Message]:
    """The messages with ids and times. Numbers that come with them are not given to others."""
    now: dt.datetime | None = None
    given = {message.id for message in messages}
    last = max([largest, *(number_of(message.id) for message in messages)])
    named = []
    for message in messages:
        if not message.id:
            last += 1
            while f"m{last}" in given or taken(f"m{last}"):  # an id too long to be read as a number
                last += 1
            message = replace(message, id=f"m{last}")
        if message.at is None:
            now = now or clock().replace(microsecond=0)  # for people to read; the order is that of the file
            message = replace(message, at=now)
        named.append(message)
    return named
