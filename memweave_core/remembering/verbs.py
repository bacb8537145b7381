"""The verbs of conversations, facts and jobs, as `memweave_core.MemWeave` has them."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from .._errors import NotFoundError, UsageError

if TYPE_CHECKING:
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
    from ..ports import Progress
    from ..types import EmbedKind
    from .arguments import Given
    from .chat import Chat
    from .context_parts import Budget, Context
    from .services import Services


class Remembering:
    """Conversations of users and sessions, and what is known of users.

    Users and sessions are named by any string that is not empty; each has files of its own, and no verb that
    names a user ever sees anything of another. Raises `NameRefusedError` for other names, `ReadOnlyError`
    for what writes to a memory that was opened to be read.
    """

    read_only: bool

    async def _remembering(self, *, write: bool) -> Services:
        """The services of the open memory. Raises `ReadOnlyError`."""
        raise NotImplementedError

    def _reporter(self) -> Progress | None:
        raise NotImplementedError

    # --- around a model --------------------------------------------------------------------------------

    async def context(
        self,
        user_id: str | None,
        session_id: str,
        message: str = "",
        *,
        max_tokens: int | None = None,
        count_tokens: Callable[[Message], int] | None = None,
        branch: Branch | None = None,
    ) -> Context:
        """What to give a model before it answers `message`: `Context.messages` can be sent as they are.

        Facts about the user, the running summary and the last messages, read side by side; no language model
        is asked. Without a user there are no facts. `max_tokens` bounds all of it, counted by `count_tokens`,
        which is called on another thread; by default tokens are estimated. Afterwards give the message and
        the answer to `record`. Of a conversation that was taken back, `branch` leaves out what is not on it.
        Raises `UsageError` for a `max_tokens` below 1, a message that is no text, a failing `count_tokens`.
        """
        budget = self._budget(max_tokens, count_tokens)
        services, made = await self._context(user_id, session_id, message, budget, branch)
        if made.facts and not self.read_only:
            await services.contexts.note_shown(services.about(user_id, session_id), made.facts)
        return made

    async def preview(
        self,
        user_id: str | None,
        session_id: str,
        message: str = "",
        *,
        max_tokens: int | None = None,
        count_tokens: Callable[[Message], int] | None = None,
        branch: Branch | None = None,
    ) -> Context:
        """What `context` would give, for a person to look at: `Context.render` shows all of it as text."""
        budget = self._budget(max_tokens, count_tokens)
        return (await self._context(user_id, session_id, message, budget, branch))[1]

    async def record(
        self, user_id: str | None, session_id: str, messages: Given | Sequence[Given]
    ) -> Recorded:
        """Write down what was said, and learn from it; returns before any language model is asked.

        `messages` are of `Message`, or dictionaries as the APIs of models have them (``role``, ``content``).
        They are on the disk when this returns, and what a user said to remember or forget is done, if that
        takes no longer than five seconds. Summary and further facts follow in the background when there is a
        language model. Messages whose ids are there already add nothing, so a call can be repeated. Raises
        `UsageError` for what is no message.
        """
        from .arguments import as_messages

        services = await self._remembering(write=True)
        return await services.record(user_id, session_id, as_messages(messages))

    def chat(self, session_id: str, user_id: str | None = None) -> Chat:
        """One conversation: `append, messages, window, summary, delete, clear`. Nothing is made yet."""
        from .chat import Chat

        return Chat(
            lambda: self._remembering(write=not self.read_only),
            session_id,
            user_id,
            lambda: self._remembering(write=True),
        )

    async def sessions(self, user_id: str | None = None) -> tuple[SessionInfo, ...]:
        """The conversations of a user, or of nobody, those that changed last first."""
        services = await self._remembering(write=False)
        return await services.run(lambda: services.sessions.sessions(user_id))

    async def flush(
        self,
        conversation: str | Sequence[Given],
        *,
        user_id: str | None = None,
        model: object | str | None = None,
        instructions: str | None = None,
    ) -> str | None:
        """Ask the language model what of a conversation will matter later, and add it to the note of today.

        That is a page of the shared notes; with `user_id` one of that user's own, which nobody else finds.

        Returns the Markdown that was appended, None when there was nothing to keep. Raises `ConfigError`
        without a model, `ModelError` when it fails or gives no answer; then nothing is written.
        """
        from .arguments import as_messages
        from .flushing import flush
        from .places import user_folder

        services = await self._remembering(write=True)
        said = conversation if isinstance(conversation, str) else as_messages(conversation)
        folder = "" if user_id is None else f"{user_folder(user_id)}/"
        return await flush(
            said,
            model=services.flushing_model(model),
            settings=services.config.flush,
            append=lambda page, text: self.append(f"{folder}{page}", text),
            today=services.facts.today(),
            instructions=instructions,
        )

    async def summarise(self, conversation: Sequence[Given], *, previous: str = "") -> str:
        """The language model's summary of messages, going on from the summary `previous`; nothing is stored.

        Raises `ConfigError` without a model, `ModelError` when it fails or gives no summary.
        """
        from .arguments import as_messages
        from .summarising import summarise

        services = await self._remembering(write=False)
        return await summarise(services.model, as_messages(conversation), previous, services.config)

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind = "document") -> list[list[float]]:
        """Unit vectors of texts, in order, by the embedder of this memory; nothing is stored.

        One without words has zeros. Raises `EmbeddingError`, and `ConfigError` without an embedder.
        """
        from .embedding import embed

        services = await self._remembering(write=False)
        return await embed(services.runtime.embedder, texts, kind)

    async def append(self, path: str, text: str) -> str:
        """Add text at the end of a page."""
        raise NotImplementedError

    # --- facts -----------------------------------------------------------------------------------------

    async def remember(self, user_id: str, text: str, *, importance: int = 5, source: str = "") -> Remembered:
        """Keep a fact about a user; says what became of it: stored, merged, superseded or skipped.

        `importance` is 1 (a detail) to 5; from 4 on it is never dropped by a machine. `source` is
        ``session#message`` where that is known. Raises `UsageError` for more than 2,000 characters.
        """
        from ..messages import Fact
        from .fact_book import check_length

        if importance not in range(1, 6):
            raise UsageError(f"The importance of a fact is 1 to 5, not {importance!r}.")
        if not isinstance(text, str):
            raise UsageError(f"A fact is text, not {type(text).__name__}.")
        check_length(text)
        services = await self._remembering(write=True)
        fact = Fact(text, importance=importance, origin="explicit", source=source)
        return (await services.facts.remember(user_id, [fact]))[0]

    async def recall(
        self, user_id: str, query: str, *, top: int | None = None, branch: Branch | None = None
    ) -> Recalled:
        """The facts about a user nearest to `query`, these first; `facts.recall` of them, or all.

        With `branch` only those that are known on it.
        """
        from .fact_book import nearest_first

        services = await self._remembering(write=False)
        return nearest_first(await services.facts.recall(user_id, query, top=top, branch=branch))

    async def facts(self, user_id: str, *, branch: Branch | None = None) -> tuple[Fact, ...]:
        """What is known of a user now, in the order of the file; with `branch` what is known on it."""
        services = await self._remembering(write=False)
        return await services.facts.current(user_id, branch)

    async def leave_branches(self, user_id: str, branch: Branch) -> tuple[Fact, ...]:
        """Move facts that are not known on `branch` to the history, where they stay; returns them.

        What they had superseded holds again.
        """
        services = await self._remembering(write=True)
        return await services.facts.leave(user_id, branch)

    async def fact_history(self, user_id: str, fact_id: str | None = None) -> list[FactVersion]:
        """All wordings and values of one fact, newest first; without an id, all that is no longer current."""
        services = await self._remembering(write=False)
        return await services.facts.history(user_id, fact_id)

    async def edit_fact(
        self, user_id: str, fact_id: str, *, text: str | None = None, importance: int | None = None
    ) -> Fact:
        """Change the words or the importance of a fact. Raises `NotFoundError`, `UsageError`."""
        services = await self._remembering(write=True)
        return await services.facts.edit(user_id, fact_id, text=text, importance=importance)

    async def forget(self, user_id: str, fact_id: str, *, purge: bool = False) -> Forgotten:
        """Delete a fact from the file, the index, the vectors and the summaries.

        A copy stays in ``.memweave/trash`` for `restore`. With `purge` there is none, and the messages it
        was learnt from, or that say all of it, are deleted too. The answer says where the words still
        stand, in git above all.
        """
        services = await self._remembering(write=True)
        return await services.forget(user_id, fact_id, purge=purge)

    async def restore(self, user_id: str, kept_in: str) -> tuple[Fact, ...]:
        """Bring back what was forgotten, from the copy that `Forgotten.kept_in` names."""
        services = await self._remembering(write=True)
        return await services.restore(user_id, kept_in)

    # --- carrying over ---------------------------------------------------------------------------------

    async def export(self, user_id: str | None) -> dict[str, Any]:
        """All conversations and facts of a user as one JSON object, which `import_file` reads back.

        None stands for the conversations that belong to nobody.
        """
        services = await self._remembering(write=False)
        return await services.transfer().export(user_id, services.clock())

    async def import_file(
        self,
        path: str | os.PathLike[str],
        user_id: str | None,
        *,
        format: str = "auto",
        only_owner: bool = True,
    ) -> ImportReport:
        """Take in an export: of ours, ChatGPT, Claude, mem0, MCP memory, or plain transcripts.

        Original ids and dates are kept, and a second import adds nothing. What cannot be read is named in the
        report, and the rest is taken in. With `only_owner` what the file says to be of another user than
        `user_id` is left out. Raises `ImportFormatError`, `NotFoundError`.
        """
        services = await self._remembering(write=True)
        return await services.transfer().import_file(
            os.fspath(path), user_id, format=format, only_owner=only_owner, progress=self._reporter()
        )

    # --- jobs ------------------------------------------------------------------------------------------

    async def jobs(self, *, states: Collection[JobState] | None = None, limit: int = 100) -> list[Job]:
        """Work in the background, in the order in which it was asked for; `states` narrows it."""
        services = await self._remembering(write=False)
        return await services.run(lambda: services.background.jobs(states, limit))

    async def run_jobs(self, timeout: float = 60.0) -> bool:  # noqa: ASYNC109 - says how far it came, raises not
        """Work until nothing is due; False when `timeout` seconds were not enough.

        Without a language model only requests of users are seen to; the other jobs wait for a process that
        has one.
        """
        services = await self._remembering(write=True)
        return await services.background.drain(timeout)

    async def retry_job(self, job_id: int) -> None:
        """Let a parked job run again. Raises `NotFoundError` when no job of this id is parked."""
        services = await self._remembering(write=True)
        if not await services.run(lambda: services.background.revive(job_id)):
            raise NotFoundError(f"No job {job_id} is parked; list those that are with states=['parked'].")

    async def remove_jobs(self, job_ids: Collection[int]) -> int:
        """Delete jobs, whatever their state; returns how many were there."""
        services = await self._remembering(write=True)
        return await services.run(lambda: services.background.remove(job_ids))

    # --- inside ----------------------------------------------------------------------------------------

    def _budget(self, tokens: int | None, count: Callable[[Message], int] | None) -> Budget:
        from .counting import budget

        return budget(tokens, count)

    async def _context(
        self, user: str | None, session: str, message: str, budget: Budget, branch: Branch | None
    ) -> tuple[Services, Context]:
        if not isinstance(message, str):
            raise UsageError(f"A message is text, not {type(message).__name__}.")
        services = await self._remembering(write=False)
        return services, await services.contexts.make(services.about(user, session), message, budget, branch)
