"""What a model is given before it answers: facts about the user, the summary, the last messages.

Reading files, embedding the message and looking for requests in it run side by side, so that a context takes
as long as its longest part. No language model is asked.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .._errors import StorageError
from ..conversation.summary import Summary
from ..conversation.transcript import Transcript
from ..conversation.window import after
from ..facts.triggers import requests
from ..messages import Fact, Recalled
from .context_parts import Budget, Context, Gathered, assemble

if TYPE_CHECKING:
    from ..config import MemoryConfig
    from ..facts.branches import Branch
    from ..workers import WorkerPool
    from .background import Background
    from .fact_book import FactBook
    from .promises import Conversation
    from .sessions import SessionFiles

logger = logging.getLogger(__name__)


class ContextMaker:
    """Makes contexts over the files of one memory."""

    def __init__(
        self,
        sessions: SessionFiles,
        facts: FactBook,
        background: Background,
        config: MemoryConfig,
        threads: WorkerPool,
    ) -> None:
        self._sessions = sessions
        self._facts = facts
        self._background = background
        self._config = config
        self._threads = threads
        self._shown: dict[str, set[str]] = {}

    async def make(
        self, about: Conversation, message: str, budget: Budget, branch: Branch | None = None
    ) -> Context:
        """The context of a message that is about to be answered; changes nothing.

        For `about.user` None there are no facts. A `message` of "" asks for what is remembered anyway. With
        `branch` messages and facts beside it are left out, and so is a summary that stands for such messages.
        """
        recalled, (transcript, summary), wanted = await asyncio.gather(
            self._recalled(about.user, message, branch),
            self._threads.run(lambda: _on_branch(*self._read(about), branch)),
            self._threads.run(lambda: tuple(requests(message))),
        )
        parts = Gathered(recalled, transcript, summary, message, wanted)
        return await self._threads.run(lambda: assemble(parts, self._config.conversation.window, budget))

    async def note_shown(self, about: Conversation, facts: Sequence[Fact]) -> None:
        """Remember what a conversation was shown, so that it is not taken for news when it comes back.

        Where that cannot be written, with a full disk for instance, the context is given all the same.
        """
        known = self._shown.setdefault(about.group, set())
        new = {fact.id for fact in facts} - known
        if not new:
            return
        try:
            await self._threads.run(lambda: self._background.shown().note(about.group, new))
        except StorageError as error:
            logger.warning("What was shown could not be noted: %s", error)
        else:
            known |= new

    async def _recalled(self, user: str | None, message: str, branch: Branch | None) -> Recalled:
        if user is None:
            return Recalled()
        standing = self._config.facts.standing
        asked = bool(message.strip())
        return await self._facts.recall(user, message, embed=asked, branch=branch, standing=standing)

    def _read(self, about: Conversation) -> tuple[Transcript, Summary]:
        return (
            self._sessions.transcript(about.user, about.session),
            self._sessions.summary(about.user, about.session),
        )


def _on_branch(transcript: Transcript, summary: Summary, branch: Branch | None) -> tuple[Transcript, Summary]:
    """The conversation as it is on a branch; without a summary where that says more."""
    if branch is None or not branch.left:
        return transcript, summary
    summarised = transcript.messages[: after(transcript.messages, summary.until)]
    if any(message.id in branch.left for message in summarised):
        summary = Summary()
    here = tuple(message for message in transcript.messages if message.id not in branch.left)
    return replace(transcript, messages=here), summary
