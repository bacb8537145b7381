"""One conversation, for programs that hold one: append, show a model the last of it, delete."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from ..conversation.summary import Summary
from ..conversation.window import Window, estimate_tokens, window
from ..conversation_config import ConversationConfig
from ..messages import Message
from .arguments import Given, as_messages
from .sessions import SessionFiles

T = TypeVar("T")


class Services(Protocol):
    """What a chat needs of the engine it belongs to."""

    @property
    def sessions(self) -> SessionFiles: ...
    @property
    def settings(self) -> ConversationConfig: ...
    def run(self, call: Callable[[], T]) -> Awaitable[T]:
        """Make a blocking call on a thread for reading and writing files."""
        ...

    async def append(
        self, user: str | None, session: str, messages: Sequence[Message]
    ) -> tuple[Message, ...]:
        """`SessionFiles.append`, and what is to follow from it in the background."""
        ...


class Chat:
    """The conversation `session` of `user`, or of nobody; made by `MemWeave.chat`.

    Nothing is read or made before the first call. Raises `NameRefusedError` for names that are empty,
    `ReadOnlyError` for what writes to a memory that was opened to be read.
    """

    def __init__(
        self,
        ready: Callable[[], Awaitable[Services]],
        session: str,
        user: str | None,
        writing: Callable[[], Awaitable[Services]] | None = None,
    ) -> None:
        self.session = session
        self.user = user
        self._ready = ready
        self._writing = writing or ready  # the second refuses when the memory may only be read

    async def append(self, messages: Given | Sequence[Given]) -> tuple[Message, ...]:
        """Write down one message or several, all or none; they are on the disk when this returns.

        Returns them as stored: with ids and times, without secrets. A message whose id is there already was
        recorded before and adds nothing. Raises `UsageError` for what cannot be written.
        """
        said = as_messages(messages)
        services = await self._writing()
        return await services.append(self.user, self.session, said)

    async def messages(self) -> tuple[Message, ...]:
        """All messages, oldest first."""
        services = await self._ready()
        return await services.run(lambda: services.sessions.messages(self.user, self.session))

    async def window(
        self,
        count: int | None = None,
        max_tokens: int | None = None,
        count_tokens: Callable[[Message], int] | None = None,
    ) -> Window:
        """What to show a model beside the summary: the last `count` messages (setting `conversation.window`).

        See `conversation.window.window`. `count_tokens` is called on another thread. Raises `UsageError` for
        a negative `count`.
        """
        services = await self._ready()

        def shown() -> Window:
            until = services.sessions.summary(self.user, self.session).until
            return window(
                services.sessions.messages(self.user, self.session),
                count=services.settings.window if count is None else count,
                max_tokens=max_tokens,
                count_tokens=count_tokens or estimate_tokens,
                summarised_until=until,
            )

        return await services.run(shown)

    async def summary(self) -> Summary:
        """The running summary: what the messages up to the id `until` say; empty when there is none yet."""
        services = await self._ready()
        return await services.run(lambda: services.sessions.summary(self.user, self.session))

    async def delete(self, ids: str | Iterable[str], *, keep: bool = True) -> tuple[Message, ...]:
        """Take messages out of the transcript, the window and the summary; returns those that were there.

        With `keep` a copy goes into ``.memweave/trash``.
        """
        wanted = frozenset([ids] if isinstance(ids, str) else ids)
        services = await self._writing()
        files = services.sessions
        kept = files.trash if keep else None
        return await services.run(lambda: files.delete(self.user, self.session, wanted, keep_in=kept))

    async def rewrite(
        self, change: Callable[[tuple[Message, ...]], Sequence[Message]], *, keep: bool = True
    ) -> tuple[Message, ...]:
        """Give the conversation the messages that `change` makes of those it has, all or none; returns them.

        `change` is called on another thread while nobody else can write to the conversation. Messages that
        come back as they were keep ids, times and every byte. With `keep` a copy of those that are gone goes
        into ``.memweave/trash``; what they say is taken out of the summary.
        """
        services = await self._writing()
        files = services.sessions
        kept = files.trash if keep else None
        return await services.run(lambda: files.rewrite(self.user, self.session, change, keep_in=kept))

    async def clear(self, *, keep: bool = True) -> bool:
        """Delete the whole conversation with its summary; False when nothing was there.

        With `keep` both files are moved into ``.memweave/trash``.
        """
        services = await self._writing()
        files = services.sessions
        kept = files.trash if keep else None
        return await services.run(lambda: files.clear(self.user, self.session, keep_in=kept))
