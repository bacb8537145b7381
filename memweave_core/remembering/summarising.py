"""The running summary of a conversation, brought up to date in the background."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._errors import ConfigError, ConflictError, ModelError
from ..conversation import summary as summaries
from ..conversation.summary import Summary
from ..conversation.window import estimate_tokens, to_summarise
from ..facts.filters import is_refusal
from ..job_types import Job
from ..messages import Message
from ..text.secrets import mask
from . import promises

if TYPE_CHECKING:
    from ..adapters.models.checked import CheckedModel
    from ..config import MemoryConfig
    from ..ports import Clock
    from ..workers import WorkerPool
    from .sessions import SessionFiles

PART_TOKENS = 12_000
"""How much one request to a model may hold of a conversation; a longer stretch is summarised in parts."""

_NO_MODEL = (
    "A summary needs a language model and none is named. Set llm.model, for example to 'openai/gpt-4o-mini' "
    '(pip install "memweave-core[litellm]"), or give the memory a model of your own.'
)


@dataclass(frozen=True, slots=True)
class _Due:
    """A summary as it stands, and the messages that it does not cover yet and that are no longer shown."""

    old: Summary
    span: tuple[Message, ...]
    withheld: frozenset[str]


class Summariser:
    """Does the jobs of the kind "summarise": whatever a conversation needs at that moment."""

    def __init__(
        self,
        model: CheckedModel,
        sessions: SessionFiles,
        config: MemoryConfig,
        clock: Clock,
        threads: WorkerPool,
    ) -> None:
        self._model = model
        self._sessions = sessions
        self._config = config
        self._clock = clock
        self._threads = threads

    async def work(self, job: Job) -> None:
        """Summarise what precedes the window, if it is much. Raises `ModelError`, `ConflictError`."""
        about = promises.read(job)
        due = await self._threads.run(lambda: self._due(about))
        if due is None:
            return
        used = [message for message in due.span if message.id not in due.withheld]
        text = await summarise(self._model, used, due.old.text, self._config)
        today = self._config.day(self._clock())
        new = Summary(text, due.span[-1].id, due.old.count + len(due.span), today)
        kept = await self._threads.run(
            lambda: self._sessions.write_summary(about.user, about.session, new, due.old, used)
        )
        if not kept:
            raise ConflictError("The summary or its messages were changed meanwhile; it is made again.")

    def _due(self, about: promises.Conversation) -> _Due | None:
        settings = self._config.conversation
        promises.messages_of(self._sessions, about)  # which waits until they are written
        transcript = self._sessions.transcript(about.user, about.session)
        old = self._sessions.summary(about.user, about.session)
        span = to_summarise(transcript.messages, keep=settings.window, after_id=old.until)
        if not span or not self._worth_it(span, transcript.messages):
            return None
        return _Due(old, span, transcript.withheld)

    def _worth_it(self, span: Sequence[Message], messages: Sequence[Message]) -> bool:
        """Whether the messages not yet summarised are too much, and those to be summarised not too little.

        The second saves calls where the window alone is more than the threshold.
        """
        settings = self._config.conversation
        start = messages.index(span[0])
        size = sum(map(estimate_tokens, span))
        shown = sum(map(estimate_tokens, messages[start:])) - size
        enough = len(span) >= settings.window / 2 or size >= settings.summary_after / 4
        return enough and size + shown > settings.summary_after


async def summarise(
    model: CheckedModel | None, messages: Sequence[Message], previous: str, config: MemoryConfig
) -> str:
    """The summary of messages, going on from `previous`. Raises `ConfigError`, `ModelError`."""
    if model is None:
        raise ConfigError(_NO_MODEL)
    text = previous
    for part in _parts(messages):
        text = await _asked(model, text, part, config.conversation.summary_words)
    return text


async def _asked(model: CheckedModel, previous: str, messages: Sequence[Message], words: int) -> str:
    asked = summaries.prompt(previous, messages, words=words)
    text = mask(summaries.read_reply(await model.complete(asked))).text
    if not text or is_refusal(text):
        raise ModelError(f"Language model {model.identity!r} gave no summary.")
    return text


def _parts(messages: Sequence[Message]) -> list[list[Message]]:
    """Stretches of messages that a model can be asked about at once."""
    parts: list[list[Message]] = []
    tokens = 0
    for message in messages:
        size = min(estimate_tokens(message), summaries.MOST_CHARS)
        if not parts or tokens + size > PART_TOKENS:
            parts.append([])
            tokens = 0
        parts[-1].append(message)
        tokens += size
    return parts
