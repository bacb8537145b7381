"""Doing what a user asks for in so many words: "remember that …", "forget that …". No model is asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from ..facts.branches import Branch, ends_turn, facts_on
from ..facts.recall import STANDING
from ..facts.subjects import about
from ..facts.triggers import requests
from ..facts.verdict import restatement
from ..messages import Fact, Heeded, Message, Remembered

if TYPE_CHECKING:
    from .fact_book import FactBook


class Heeder:
    """Sees to the requests in messages. It may be done again: what is known is not stored twice.

    `said` gives the messages of a session of a user; `forget` takes a user and the id of a fact.
    """

    def __init__(
        self,
        facts: FactBook,
        said: Callable[[str, str], Awaitable[Sequence[Message]]],
        forget: Callable[[str, str], Awaitable[object]],
    ) -> None:
        self._facts = facts
        self._said = said
        self._forget = forget

    async def heed(self, user: str, session: str, messages: Sequence[Message]) -> Heeded:
        """Remember and forget, in the order in which it was said."""
        remembered: list[Remembered] = []
        forgotten: list[Fact] = []
        unknown: list[str] = []
        for message in messages:
            for request in requests(message.text) if message.role == "user" else ():
                if request.kind == "remember":
                    fact = Fact(
                        request.text,
                        importance=STANDING,
                        origin="explicit",
                        source=f"{session}#{message.id}",
                    )
                    remembered += await self._facts.remember(user, [fact])
                    continue
                branch = await self._branch(user, session, messages)
                gone = await self._forgotten(user, request.text, branch)
                forgotten += gone
                unknown += [] if gone else [request.text]
        return Heeded(tuple(remembered), tuple(forgotten), tuple(unknown))

    async def _branch(self, user: str, session: str, messages: Sequence[Message]) -> Branch | None:
        """The branch that the messages are on, of a conversation that has branches."""
        ends = [message.id for message in messages if ends_turn(message)]
        return Branch.of(session, await self._said(user, session), ends[-1]) if ends else None

    async def _forgotten(self, user: str, text: str, branch: Branch | None) -> list[Fact]:
        """Forget every fact that says the same as `text`, else the only one that is about what it names."""
        file = await self._facts.file(user)
        known = file.facts if branch is None else facts_on(file, branch)
        same = [fact for fact in known if restatement(text, fact.text) != "different"]
        if not same and len(named := about(text, known)) == 1:
            same = named
        for fact in same:
            await self._forget(user, fact.id)
        return same
