"""The durable jobs that messages call for. They are stored before the messages are written.

So nothing said is lost to learning when the process dies in between: a job whose messages are not there has
nothing to do. A job names messages by id and holds none of their text.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ..facts.triggers import requests
from ..job_types import Job, JobQueue
from ..messages import Message
from .places import group_of

if TYPE_CHECKING:
    from .sessions import SessionFiles

HEED: Final = "heed"
EXTRACT: Final = "extract"
SUMMARISE: Final = "summarise"

INSURED: Final = dt.timedelta(seconds=30)
"""When a request is seen to by a job after all, because the process died before it was done."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Whose conversation a job is about, and which messages of it."""

    user: str | None
    session: str
    messages: tuple[str, ...] = ()

    @property
    def group(self) -> str:
        """A name that no other conversation has."""
        return group_of(self.user, self.session)


@dataclass(frozen=True, slots=True)
class Promised:
    """How many jobs were stored for some messages; `heed` is the one that insures what they ask for."""

    jobs: int = 0
    heed: int | None = None


def asks(messages: Sequence[Message]) -> bool:
    """Whether the user says in these messages that something is to be remembered or forgotten."""
    return any(message.role == "user" and requests(message.text) for message in messages)


def promise(queue: JobQueue, about: Conversation, kinds: Collection[str], now: dt.datetime) -> Promised:
    """Store one job of each kind, all or none. Those of a kind keep their order within a conversation."""
    payload = {"user": about.user, "session": about.session, "messages": list(about.messages)}
    stored = {}
    with queue.transaction():
        for kind in kinds:
            later = now + INSURED if kind == HEED else None
            stored[kind] = queue.enqueue(kind, payload, group=f"{kind}:{about.group}", now=now, run_at=later)
    return Promised(len(stored), stored.get(HEED))


def read(job: Job) -> Conversation:
    """What a job is about."""
    payload = job.payload
    return Conversation(payload["user"], payload["session"], tuple(payload.get("messages", ())))


def messages_of(sessions: SessionFiles, about: Conversation) -> tuple[Message, ...]:
    """The messages a job names that are there and that nobody wanted forgotten. Blocks.

    The job was stored before they were written: when they are not there it waits for whoever writes.
    """
    for attempt in range(2):
        transcript = sessions.transcript(about.user, about.session)
        wanted = set(about.messages)
        found = tuple(message for message in transcript.messages if message.id in wanted)
        if found or attempt:
            break
        sessions.wait_for_writer(about.user, about.session)
    return tuple(message for message in found if message.id not in transcript.withheld)
