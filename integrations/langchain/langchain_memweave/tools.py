"""Tools with which a model keeps, looks up and deletes what is known of a user."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, get_args

from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

from memweave_core import ConfigError, Fact, NotFoundError, UsageError

from .faces import Memory, apart, asynchronous, wait
from .messages import from_memweave
from .origin import NameOf, Origin, current, session_of_run, user_of_run
from .turns import facts_in

ToolName: TypeAlias = Literal["remember", "recall", "forget"]
TOOLS: Final[tuple[ToolName, ...]] = get_args(ToolName)
Reply: TypeAlias = tuple[str, dict[str, Any]]
"""What the model reads, and the ids of the facts it is about, for the program."""


class RememberInput(BaseModel):
    """What `remember` takes."""

    text: str = Field(description="One fact about the user, in one sentence that is clear by itself.")
    importance: int = Field(
        default=4, ge=1, le=5, description="1 for a detail, 5 for what must never be lost."
    )


class RecallInput(BaseModel):
    """What `recall` takes."""

    query: str = Field(description="What you want to know about the user.")


class ForgetInput(BaseModel):
    """What `forget` takes."""

    fact_id: str = Field(description="The id of the fact, as recall gives it.")


class _MemoryTool(BaseTool):
    """A tool over the facts of one user: of `user`, or of the run in which it is called."""

    memory: Any = Field(exclude=True)
    user: str | Callable[..., str | None] | None = Field(default=user_of_run, exclude=True)
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"

    def model_post_init(self, context: Any, /) -> None:
        """Refuse at once what is no memory."""
        super().model_post_init(context)
        asynchronous(self.memory)

    def _run(self, **kwargs: Any) -> Reply:
        return wait(self._reply(self._origin(), **kwargs))

    async def _arun(self, **kwargs: Any) -> Reply:
        return await apart(self._reply(self._origin(), **kwargs))

    def _origin(self) -> Origin:
        known = current.get()
        if known is not None:
            return known
        user = self.user() if callable(self.user) else self.user
        return Origin(user, session_of_run() or "")

    async def _reply(self, origin: Origin, **kwargs: Any) -> Reply:
        if origin.user is None:
            return "Nothing is kept or known here, because this conversation belongs to nobody.", {
                "facts": []
            }
        try:
            return await self._answer(origin.user, origin, kwargs)
        except (NotFoundError, UsageError) as error:  # the model can do something about it
            return str(error), {"facts": []}

    async def _answer(self, user: str, origin: Origin, given: dict[str, Any]) -> Reply:
        raise NotImplementedError


class RememberTool(_MemoryTool):
    """Keeps a fact about the user. Called again by a replay of the same message, it does nothing."""

    name: str = "remember"
    description: str = (
        "Keep a fact about the user for later conversations: preferences, people, plans, decisions. "
        "What takes the place of something known replaces it."
    )
    args_schema: Any = RememberInput

    async def _answer(self, user: str, origin: Origin, given: dict[str, Any]) -> Reply:
        memory = asynchronous(self.memory)
        text, importance = str(given["text"]), int(given.get("importance", 4))
        known = await self._done_before(user, text, origin.source)
        if known is not None:
            return f"Known already: {known.text}", {"facts": [known.id]}
        if await self._forgotten_since(user, text, origin):
            return "This was kept before, and was forgotten since.", {"facts": []}
        done = await memory.remember(user, text, importance=importance, source=origin.source)
        ids = [done.fact.id] if done.outcome != "skipped" else []
        if not ids:
            return f"Not kept: {done.reason}", {"facts": []}
        return f"{done.outcome.capitalize()}: {done.fact.text} ({done.reason})", {"facts": ids}

    async def _done_before(self, user: str, text: str, source: str) -> Fact | None:
        """The fact that an earlier run of this very call has kept, whatever became of it since."""
        if not source:
            return None
        memory = asynchronous(self.memory)
        now = await memory.facts(user)
        before = [version.fact for version in await memory.fact_history(user)]
        plain = " ".join(text.split())
        return next(
            (f for f in (*now, *before) if f.source == source and " ".join(f.text.split()) == plain), None
        )

    async def _forgotten_since(self, user: str, text: str, origin: Origin) -> bool:
        """Whether this very call, as the transcript has it, kept facts of which none is left."""
        if not origin.message:
            return False
        memory = asynchronous(self.memory)
        said = await memory.chat(origin.session, user).messages()
        same = {
            call.id
            for message in said
            if message.id == origin.message
            for call in message.tool_calls
            if isinstance(call.arguments, Mapping) and call.arguments.get("text") == text
        }
        kept = facts_in(from_memweave(message) for message in said if message.tool_call_id in same)
        if not kept:
            return False
        there = {fact.id for fact in await memory.facts(user)}
        return there.isdisjoint(kept) and all(
            version.fact.id not in kept for version in await memory.fact_history(user)
        )


class RecallTool(_MemoryTool):
    """Looks up what is known about the user: one fact a line, with its id and day."""

    name: str = "recall"
    description: str = "Look up what is known about the user from earlier conversations."
    args_schema: Any = RecallInput

    async def _answer(self, user: str, origin: Origin, given: dict[str, Any]) -> Reply:
        memory = asynchronous(self.memory)
        found = await memory.recall(user, str(given["query"]), branch=origin.branch)
        lines = [f"[{fact.id}] {' '.join(fact.text.split())}{_day(fact)}" for fact in found.facts]
        return "\n".join(lines) or "Nothing is known.", {"facts": [fact.id for fact in found.facts]}


class ForgetTool(_MemoryTool):
    """Deletes a fact about the user; a copy stays in the trash of the memory."""

    name: str = "forget"
    description: str = "Delete a fact about the user, when the user asks for it. Use recall to get its id."
    args_schema: Any = ForgetInput

    async def _answer(self, user: str, origin: Origin, given: dict[str, Any]) -> Reply:
        del origin  # what is forgotten is forgotten on every branch
        fact_id = str(given["fact_id"]).strip("[] ")
        try:
            gone = await asynchronous(self.memory).forget(user, fact_id)
        except NotFoundError:
            return f"There is no fact with the id {fact_id!r}; recall gives the ids.", {"facts": []}
        return f"Forgotten: {gone.fact.text}", {"facts": [gone.fact.id]}


_CLASSES: Final[dict[str, Callable[..., BaseTool]]] = {
    "remember": RememberTool,
    "recall": RecallTool,
    "forget": ForgetTool,
}


def memory_tools(
    memory: Memory,
    *,
    user: str | NameOf | None = user_of_run,
    only: Sequence[ToolName] | ToolName = TOOLS,
) -> list[BaseTool]:
    """The tools `remember`, `recall` and `forget`, or some of them, for any agent or model.

    `user` is whose facts they are about; by default ``user_id`` of the configuration of the run says so.
    Raises `UsageError` for other names than these three.
    """
    only = (only,) if isinstance(only, str) else only
    wrong = [name for name in only if name not in _CLASSES]
    if wrong:
        raise UsageError(f"There is no tool {wrong[0]!r}; there are {', '.join(_CLASSES)}.")
    return [_CLASSES[name](memory=memory, user=user) for name in only]


def check_alone(own: Sequence[BaseTool], given: Iterable[object]) -> None:
    """Raises `ConfigError` when an agent has another tool with the name of one of ours, which hides it."""
    names = {tool.name: tool for tool in own}
    for tool in given:
        if isinstance(tool, BaseTool) and names.get(tool.name, tool) is not tool:
            raise ConfigError(
                f"This agent has two tools called {tool.name!r}, and a model can call only one of them. Of"
                " several MemWeaveMiddleware give all but one tools=()."
            )


def _day(fact: Fact) -> str:
    day = fact.updated or fact.created
    return f" ({day.isoformat()})" if day else ""
