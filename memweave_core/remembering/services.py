"""The parts that remember, put together over one open memory."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from .._errors import MemWeaveError, StorageError
from ..adapters.models.options import ModelOptions
from ..adapters.models.resolve import resolve_model
from ..config import MemoryConfig
from ..conversation_config import ConversationConfig, LLMConfig
from ..job_types import Job
from ..messages import Fact, Forgotten, Heeded, Message, Recorded
from ..text.redaction import describe
from . import promises
from .background import Background
from .contexts import ContextMaker
from .extracting import Extractor
from .fact_book import FactBook
from .forgetting import forget, restore
from .heeding import Heeder
from .promises import Conversation, Promised
from .sessions import SessionFiles
from .summarising import Summariser
from .transfer import Transfer

if TYPE_CHECKING:
    from ..adapters.models.checked import CheckedModel
    from ..assembly import Runtime
    from ..ports import Clock

logger = logging.getLogger(__name__)

T = TypeVar("T")

PATIENCE = 5.0
"""Seconds that `record` waits for what was asked to be remembered; then it follows in the background."""


@dataclass(slots=True)
class Services:
    """Transcripts, facts, the language model and the jobs of one open memory.

    `llm` is the name of a model, a model, or a function; making this raises `ConfigError` for anything else.
    """

    config: MemoryConfig
    clock: Clock
    runtime: Runtime
    llm: object | str
    model: CheckedModel | None = field(init=False)
    sessions: SessionFiles = field(init=False)
    facts: FactBook = field(init=False)
    background: Background = field(init=False)
    contexts: ContextMaker = field(init=False)
    heeder: Heeder = field(init=False)

    def __post_init__(self) -> None:
        config, threads = self.config, self.runtime.readers
        self.model = resolve_model(self.llm, options_of(config.llm))
        handlers: dict[str, Callable[[Job], Awaitable[None]]] = {promises.HEED: self._heed}
        self.sessions = SessionFiles(self.runtime.store, self.clock)
        self.facts = FactBook(self.runtime, config, self.clock)
        self.background = Background(config.state_path, handlers, config.jobs, self.clock, threads)
        self.contexts = ContextMaker(self.sessions, self.facts, self.background, config, threads)
        self.heeder = Heeder(self.facts, self._said, self.forget)
        if self.model is not None:
            summariser = Summariser(self.model, self.sessions, config, self.clock, threads)
            handlers[promises.SUMMARISE] = summariser.work
            if config.facts.extract:
                extractor = Extractor(self.model, self.sessions, self.facts, self.background, threads)
                handlers[promises.EXTRACT] = extractor.work

    def about(self, user: str | None, session: str) -> Conversation:
        """One conversation of a user, or of nobody."""
        return Conversation(user, session)

    @property
    def settings(self) -> ConversationConfig:
        """How much of a conversation is shown."""
        return self.config.conversation

    async def run(self, call: Callable[[], T]) -> T:
        """Run a call that blocks on a thread."""
        return await self.runtime.readers.run(call)

    async def append(
        self, user: str | None, session: str, messages: Sequence[Message]
    ) -> tuple[Message, ...]:
        """Add messages to a transcript; the summary follows in the background."""
        stored, _, promised = await self._written(user, session, messages, {promises.SUMMARISE})
        if promised.jobs:
            await self.background.wake()
        return stored

    async def record(self, user: str | None, session: str, messages: Sequence[Message]) -> Recorded:
        """Add messages to a transcript, do what they ask for, and let the rest be learnt in background."""
        kinds = {promises.SUMMARISE}
        if user is not None:
            asked = await self.run(lambda: promises.asks(messages))  # of a pasted book it takes long to say
            kinds |= {promises.EXTRACT, *([promises.HEED] if asked else [])}
        stored, new, promised = await self._written(user, session, messages, kinds)
        heeded, note = Heeded(), ""
        if user is not None and promised.heed is not None:
            heeded, note = await self._heeded(user, session, new, promised.heed)
        jobs = promised.jobs - (promised.heed is not None and not note)
        if jobs:
            await self.background.wake()
        return Recorded(heeded.remembered, heeded.forgotten, heeded.unknown, stored, jobs, note)

    async def resume(self) -> None:
        """Go on with jobs that an earlier process left behind; a memory without jobs can be used, too."""
        try:
            waiting = await self.run(self.background.waiting)
        except StorageError as error:
            logger.warning("Jobs cannot be gone on with: %s", error)
            return
        if waiting:
            await self.background.wake()

    async def forget(self, user: str, fact_id: str, *, purge: bool = False) -> Forgotten:
        """Forget a fact everywhere; see `forgetting.forget`."""
        return await forget(self, user, fact_id, purge=purge)

    async def restore(self, user: str, kept_in: str) -> tuple[Fact, ...]:
        """Bring back what was forgotten; see `forgetting.restore`."""
        return await restore(self, user, kept_in)

    def transfer(self) -> Transfer:
        """What exports and imports."""
        return Transfer(self.sessions, self.facts, self.run)

    def flushing_model(self, model: object | str | None) -> CheckedModel | None:
        """The model that makes notes of a conversation: the given one, else that of the settings."""
        flush = self.config.flush
        own = model if model is not None else flush.model
        if own is None and flush.temperature is None and flush.max_tokens is None:
            return self.model
        changed = {
            name: value
            for name in ("temperature", "max_tokens")
            if (value := getattr(flush, name)) is not None
        }
        named = self.llm if own is None else own
        return resolve_model(named, replace(options_of(self.config.llm), **changed))

    async def close(self) -> None:
        """Give back what is under way and close the state database."""
        await self.background.stop()

    async def _written(
        self, user: str | None, session: str, messages: Sequence[Message], kinds: set[str]
    ) -> tuple[tuple[Message, ...], tuple[Message, ...], Promised]:
        """(messages as stored, those that are new, the jobs stored for these)."""
        kinds = {kind for kind in kinds if self.background.can(kind)}
        written: list[tuple[Message, ...]] = []
        made: list[Promised] = []

        def before_write(new: tuple[Message, ...]) -> None:
            about = Conversation(user, session, tuple(message.id for message in new))
            written.append(new)
            if kinds:
                made.append(promises.promise(self.background.queue(), about, sorted(kinds), self.clock()))

        stored = await self.run(
            lambda: self.sessions.append(user, session, messages, before_write=before_write)
        )
        return stored, written[0] if written else (), made[0] if made else Promised()

    async def _heeded(self, user: str, session: str, new: Sequence[Message], job: int) -> tuple[Heeded, str]:
        try:
            async with asyncio.timeout(PATIENCE):
                heeded = await self.heeder.heed(user, session, new)
        except TimeoutError:
            note = f"What was asked for follows in the background: it took more than {PATIENCE:g} s."
        except MemWeaveError as error:
            note = f"What was asked for is tried again in the background: {describe(error)}"
        else:
            note = ""
        if note:
            # Due at once, so that `run_jobs` sees to it; it insured against the end of the process until now.
            await self.run(lambda: self.background.queue().hasten(job, now=self.clock()))
            return Heeded(), note
        await self.run(lambda: self.background.queue().remove([job]))
        return heeded, ""

    async def _said(self, user: str, session: str) -> tuple[Message, ...]:
        return await self.run(lambda: self.sessions.messages(user, session))

    async def _heed(self, job: Job) -> None:
        about = promises.read(job)
        messages = await self.run(lambda: promises.messages_of(self.sessions, about))
        if about.user is not None:
            await self.heeder.heed(about.user, about.session, messages)


def options_of(settings: LLMConfig) -> ModelOptions:
    """How the model of these settings is called."""
    return ModelOptions(
        timeout=settings.timeout,
        api_base=settings.api_base,
        api_key=settings.api_key,
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
    )
