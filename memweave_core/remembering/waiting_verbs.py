"""The verbs of conversations, facts and jobs for code without an event loop: each waits for its answer."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Coroutine, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from ..conversation.summary import Summary
    from ..conversation.window import Window
    from ..facts.branches import Branch
    from ..job_types import Job, JobState
    from ..messages import (
        Fact,
        FactVersion,
        Forgotten,
        ImportReport,
        Message,
        Recalled,
        Recorded,
        Remembered,
        SessionInfo,
    )
    from ..types import EmbedKind
    from . import chat
    from .arguments import Given
    from .context_parts import Context
    from .verbs import Remembering

T = TypeVar("T")


class Wait(Protocol):
    """Runs a coroutine to its end."""

    def __call__(self, work: Coroutine[Any, Any, T], /) -> T: ...


class Chat:
    """One conversation, as `memweave_core.Chat`, without ``await``."""

    def __init__(self, conversation: chat.Chat, wait: Wait) -> None:
        self.session = conversation.session
        self.user = conversation.user
        self._chat = conversation
        self._wait = wait

    def append(self, messages: Given | Sequence[Given]) -> tuple[Message, ...]:
        """See `memweave_core.Chat.append`."""
        return self._wait(self._chat.append(messages))

    def messages(self) -> tuple[Message, ...]:
        """See `memweave_core.Chat.messages`."""
        return self._wait(self._chat.messages())

    def window(
        self,
        count: int | None = None,
        max_tokens: int | None = None,
        count_tokens: Callable[[Message], int] | None = None,
    ) -> Window:
        """See `memweave_core.Chat.window`."""
        return self._wait(self._chat.window(count, max_tokens, count_tokens))

    def summary(self) -> Summary:
        """See `memweave_core.Chat.summary`."""
        return self._wait(self._chat.summary())

    def delete(self, ids: str | Iterable[str], *, keep: bool = True) -> tuple[Message, ...]:
        """See `memweave_core.Chat.delete`."""
        return self._wait(self._chat.delete(ids, keep=keep))

    def rewrite(
        self, change: Callable[[tuple[Message, ...]], Sequence[Message]], *, keep: bool = True
    ) -> tuple[Message, ...]:
        """See `memweave_core.Chat.rewrite`."""
        return self._wait(self._chat.rewrite(change, keep=keep))

    def clear(self, *, keep: bool = True) -> bool:
        """See `memweave_core.Chat.clear`."""
        return self._wait(self._chat.clear(keep=keep))


class WaitingVerbs:
    """See `remembering.verbs.Remembering`: the same arguments, results and errors, without ``await``."""

    _memory: Remembering

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        raise NotImplementedError

    def chat(self, session_id: str, user_id: str | None = None) -> Chat:
        """See `memweave_core.MemWeave.chat`."""
        return Chat(self._memory.chat(session_id, user_id), self._wait)

    def context(
        self,
        user_id: str | None,
        session_id: str,
        message: str = "",
        *,
        max_tokens: int | None = None,
        count_tokens: Callable[[Message], int] | None = None,
        branch: Branch | None = None,
    ) -> Context:
        """See `memweave_core.MemWeave.context`."""
        return self._wait(
            self._memory.context(
                user_id, session_id, message, max_tokens=max_tokens, count_tokens=count_tokens, branch=branch
            )
        )

    def preview(
        self,
        user_id: str | None,
        session_id: str,
        message: str = "",
        *,
        max_tokens: int | None = None,
        count_tokens: Callable[[Message], int] | None = None,
        branch: Branch | None = None,
    ) -> Context:
        """See `memweave_core.MemWeave.preview`."""
        return self._wait(
            self._memory.preview(
                user_id, session_id, message, max_tokens=max_tokens, count_tokens=count_tokens, branch=branch
            )
        )

    def record(self, user_id: str | None, session_id: str, messages: Given | Sequence[Given]) -> Recorded:
        """See `memweave_core.MemWeave.record`."""
        return self._wait(self._memory.record(user_id, session_id, messages))

    def sessions(self, user_id: str | None = None) -> tuple[SessionInfo, ...]:
        """See `memweave_core.MemWeave.sessions`."""
        return self._wait(self._memory.sessions(user_id))

    def flush(
        self,
        conversation: str | Sequence[Given],
        *,
        user_id: str | None = None,
        model: object | str | None = None,
        instructions: str | None = None,
    ) -> str | None:
        """See `memweave_core.MemWeave.flush`."""
        return self._wait(
            self._memory.flush(conversation, user_id=user_id, model=model, instructions=instructions)
        )

    def summarise(self, conversation: Sequence[Given], *, previous: str = "") -> str:
        """See `memweave_core.MemWeave.summarise`."""
        return self._wait(self._memory.summarise(conversation, previous=previous))

    def embed(self, texts: Sequence[str], *, kind: EmbedKind = "document") -> list[list[float]]:
        """See `memweave_core.MemWeave.embed`."""
        return self._wait(self._memory.embed(texts, kind=kind))

    def remember(self, user_id: str, text: str, *, importance: int = 5, source: str = "") -> Remembered:
        """See `memweave_core.MemWeave.remember`."""
        return self._wait(self._memory.remember(user_id, text, importance=importance, source=source))

    def recall(
        self, user_id: str, query: str, *, top: int | None = None, branch: Branch | None = None
    ) -> Recalled:
        """See `memweave_core.MemWeave.recall`."""
        return self._wait(self._memory.recall(user_id, query, top=top, branch=branch))

    def facts(self, user_id: str, *, branch: Branch | None = None) -> tuple[Fact, ...]:
        """See `memweave_core.MemWeave.facts`."""
        return self._wait(self._memory.facts(user_id, branch=branch))

    def leave_branches(self, user_id: str, branch: Branch) -> tuple[Fact, ...]:
        """See `memweave_core.MemWeave.leave_branches`."""
        return self._wait(self._memory.leave_branches(user_id, branch))

    def fact_history(self, user_id: str, fact_id: str | None = None) -> list[FactVersion]:
        """See `memweave_core.MemWeave.fact_history`."""
        return self._wait(self._memory.fact_history(user_id, fact_id))

    def edit_fact(
        self, user_id: str, fact_id: str, *, text: str | None = None, importance: int | None = None
    ) -> Fact:
        """See `memweave_core.MemWeave.edit_fact`."""
        return self._wait(self._memory.edit_fact(user_id, fact_id, text=text, importance=importance))

    def forget(self, user_id: str, fact_id: str, *, purge: bool = False) -> Forgotten:
        """See `memweave_core.MemWeave.forget`."""
        return self._wait(self._memory.forget(user_id, fact_id, purge=purge))

    def restore(self, user_id: str, kept_in: str) -> tuple[Fact, ...]:
        """See `memweave_core.MemWeave.restore`."""
        return self._wait(self._memory.restore(user_id, kept_in))

    def export(self, user_id: str | None) -> dict[str, Any]:
        """See `memweave_core.MemWeave.export`."""
        return self._wait(self._memory.export(user_id))

    def import_file(
        self,
        path: str | os.PathLike[str],
        user_id: str | None,
        *,
        format: str = "auto",
        only_owner: bool = True,
    ) -> ImportReport:
        """See `memweave_core.MemWeave.import_file`."""
        return self._wait(self._memory.import_file(path, user_id, format=format, only_owner=only_owner))

    def jobs(self, *, states: Collection[JobState] | None = None, limit: int = 100) -> list[Job]:
        """See `memweave_core.MemWeave.jobs`."""
        return self._wait(self._memory.jobs(states=states, limit=limit))

    def run_jobs(self, timeout: float = 60.0) -> bool:
        """See `memweave_core.MemWeave.run_jobs`."""
        return self._wait(self._memory.run_jobs(timeout))

    def retry_job(self, job_id: int) -> None:
        """See `memweave_core.MemWeave.retry_job`."""
        return self._wait(self._memory.retry_job(job_id))

    def remove_jobs(self, job_ids: Collection[int]) -> int:
        """See `memweave_core.MemWeave.remove_jobs`."""
        return self._wait(self._memory.remove_jobs(job_ids))
