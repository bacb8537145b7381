"""Facts that a language model finds in what was said, in the background."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from .._errors import ModelError
from ..facts import extraction, recall
from ..facts.bullets import FactFile
from ..facts.filters import Guard
from ..job_types import Job
from ..messages import Fact, Message
from . import promises

if TYPE_CHECKING:
    from ..adapters.models.checked import CheckedModel
    from ..workers import WorkerPool
    from .background import Background
    from .fact_book import FactBook
    from .sessions import SessionFiles

logger = logging.getLogger(__name__)

KNOWN_SHOWN = 60
"""Known facts that the model is shown, so that it does not find them again; more cost more than they save."""


class Extractor:
    """Does the jobs of the kind "extract": one interaction each."""

    def __init__(
        self,
        model: CheckedModel,
        sessions: SessionFiles,
        facts: FactBook,
        background: Background,
        threads: WorkerPool,
    ) -> None:
        self._model = model
        self._sessions = sessions
        self._facts = facts
        self._background = background
        self._threads = threads

    async def work(self, job: Job) -> None:
        """Find and store the facts of some messages. Raises `ModelError`; then the job is tried again."""
        about = promises.read(job)
        messages = await self._threads.run(lambda: promises.messages_of(self._sessions, about))
        if about.user is None or not messages:
            return
        file = await self._facts.file(about.user)
        guard = await self._guard(about, file)
        found = await self._asked(messages, file.facts, guard)
        if not found.facts:
            return
        # What was said may have been forgotten while the model was thinking.
        left = await self._threads.run(lambda: promises.messages_of(self._sessions, about))
        there = {message.id for message in left}
        new = [one.fact(about.session) for one in found.facts if one.message in there]
        await self._facts.remember(about.user, new)

    async def _asked(
        self, messages: Sequence[Message], known: Sequence[Fact], guard: Guard
    ) -> extraction.Extraction:
        shown = sorted(known, key=lambda fact: fact.importance, reverse=True)[:KNOWN_SHOWN]
        asked = await self._threads.run(lambda: extraction.prompt(messages, shown, guard=guard))
        found = extraction.Extraction()
        for _ in range(2 if asked else 0):
            reply = await self._model.complete(asked, schema=extraction.SCHEMA)
            read = partial(extraction.extract, reply, messages, guard=guard)
            found = await self._threads.run(read)  # repairing a reply takes long
            if not found.failed:
                break
        if found.failed:
            raise ModelError(f"No facts could be read in two replies: {' '.join(found.errors)}")
        if found.errors or found.dropped:
            logger.info("Facts not taken: %s %s", dict(found.dropped), " ".join(found.errors))
        return found

    async def _guard(self, about: promises.Conversation, file: FactFile) -> Guard:
        """What this conversation was shown of the memory is not news when it comes back."""
        shown = await self._threads.run(lambda: self._background.shown().of(about.group))
        injected = recall.fingerprints(entry.fact for entry in file.entries if entry.fact.id in shown)
        return Guard(recall.without_blocks, injected.covers)
