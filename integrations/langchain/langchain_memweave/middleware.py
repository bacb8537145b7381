"""Memory for agents of LangChain: recall before each model call, capture after each run, tools, a window."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NotRequired, TypeAlias
from urllib.parse import quote

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from memweave_core import Branch, ConfigError

from .captured import Conversation, Position, last_id
from .faces import Memory, apart, asynchronous, wait
from .origin import NameOf, Origin, calling, in_tool, session_of_run, thread_of_run, thread_stays, user_of_run
from .shown import asked, last_turns, with_memory
from .tools import TOOLS, ToolName, check_alone, memory_tools
from .turns import Opened, new_words, spoken, to_write

if TYPE_CHECKING:
    from langchain.agents.middleware import ToolCallRequest  # not there before LangChain 1.1

OnFork: TypeAlias = Literal["as_of", "shared", "branch"]
CHANNEL: Final = "memweave"
_POLICIES: Final = ("as_of", "shared", "branch")


class MemWeaveState(AgentState[Any]):
    """The state of an agent with, by the name of each middleware, where its thread stands in the memory."""

    memweave: NotRequired[Annotated[dict[str, dict[str, Any]], PrivateStateAttr]]


class MemWeaveMiddleware(AgentMiddleware[MemWeaveState, Any]):
    """Gives an agent of `create_agent` a memory that lasts from one thread to the next.

    Before each model call it adds what is known of the user, and the running summary, to the system message,
    and shows the last turns within `window` messages (None: all). The state keeps all messages. After a run
    it writes the completed turns to the transcript of the thread, and learns from them; with
    ``capture=False`` it does not. A run that is played again writes nothing twice. `tools` are the tools that
    the model gets; a conversation of nobody has none.

    `user` is a name, None for nobody, or a function from the run's context to one; by default ``user_id`` of
    the context or of ``config["configurable"]`` says whose memory it is. `session` is the same for the
    conversation, by default ``session_id`` or ``thread_id``; a run without one is a conversation of its own.

    `on_fork` says what is known after a thread was taken back to an earlier checkpoint: "as_of" what was
    known on that way and what other threads found out, "shared" all, "branch" as "as_of", and what the left
    branches had learnt moves to the history of the facts.

    Works with and without a checkpointer, with `invoke` and `ainvoke`. Two of them in one agent, for instance
    for a user and a team, need different names, which different `user` names give them.
    """

    state_schema = MemWeaveState

    def __init__(
        self,
        memory: Memory,
        *,
        user: str | NameOf | None = user_of_run,
        session: str | NameOf = session_of_run,
        tools: Sequence[ToolName] | ToolName = TOOLS,
        window: int | None = 20,
        capture: bool = True,
        on_fork: OnFork = "as_of",
        name: str | None = None,
    ) -> None:
        super().__init__()
        if on_fork not in _POLICIES:
            raise ConfigError(f"on_fork is one of {', '.join(_POLICIES)}, not {on_fork!r}.")
        if window is not None and window < 0:
            raise ConfigError(f"A window of {window} messages is not possible; None shows all.")
        self._memory = asynchronous(memory)
        self._user = thread_stays(user) if callable(user) else user
        self._session = session
        self._window = window
        self._capture = capture
        self._on_fork = on_fork
        scope = f"[{quote(user, safe='@.')}]" if isinstance(user, str) else ""
        self._name = name or f"{type(self).__name__}{scope}"
        self.tools = memory_tools(memory, user=user, only=() if user is None else tools)

    @property
    def name(self) -> str:
        """The name of this middleware in the graph; differs where a user is named."""
        return self._name

    # --- where a run stands ------------------------------------------------------------------------------

    def before_agent(self, state: MemWeaveState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Note whose run begins with which words, and where the thread stands."""
        return wait(self._started(state, self._conversation(state, runtime, begins=True)))

    async def abefore_agent(self, state: MemWeaveState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """See `before_agent`."""
        return await self._started(state, self._conversation(state, runtime, begins=True))

    async def _started(self, state: MemWeaveState, about: Conversation) -> dict[str, Any] | None:
        messages, values = state["messages"], self._values(state)
        known, opened = Position.read(values, about), Opened.read(values)
        position = known or await about.start(messages, values)
        said = new_words(messages, values, position.until, about.user)
        if known is not None and not said and (not opened or about.of(opened[-1]) == about):
            return None
        if said or opened:  # without words, too, the run is of this user
            since = last_id(await about.written())
            opened.append(Opened(about.user, about.session, since, tuple(said)))
        return self._update(state, position.written(values, about), opened)

    # --- recall ------------------------------------------------------------------------------------------

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any] | AIMessage:
        """Call the model with what is remembered and the last turns."""
        about = self._conversation(request.state, request.runtime)
        return handler(wait(self._recalled(request, about)))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any] | AIMessage:
        """See `wrap_model_call`."""
        about = self._conversation(request.state, request.runtime)
        return await handler(await self._recalled(request, about))

    async def _recalled(self, request: ModelRequest[Any], about: Conversation) -> ModelRequest[Any]:
        check_alone(self.tools, request.tools)
        branch = await self._branch(request.state, about)
        context = await self._memory.context(
            about.user, about.session, asked(request.messages), branch=branch
        )
        text = context.text
        if self._window is None:  # all that a summary could stand for is shown
            text = text.removesuffix(context.summary).rstrip()
        return request.override(
            system_message=with_memory(request.system_message, text),
            messages=last_turns(request.messages, self._window),
        )

    async def _branch(self, state: Any, about: Conversation) -> Branch | None:
        position = Position.read(self._values(state), about)
        if position is None or self._on_fork == "shared":
            return None
        branch = await about.branch(position, state["messages"])
        if self._on_fork == "branch" and about.user is not None and branch.left:
            facts = await self._memory.facts(about.user)
            if not all(map(branch.has, facts)):
                await self._memory.leave_branches(about.user, branch)
        return branch

    # --- tools -------------------------------------------------------------------------------------------

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Tell the tools of this middleware whose run it is, and which message called them."""
        own = self._is_own(request)
        about = self._conversation(request.state, request.runtime) if own else None
        with calling(wait(self._origin(request, about)) if about is not None else None):
            return handler(request)

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """See `wrap_tool_call`."""
        own = self._is_own(request)
        about = self._conversation(request.state, request.runtime) if own else None
        with calling(await self._origin(request, about) if about is not None else None):
            return await handler(request)

    def _is_own(self, request: ToolCallRequest) -> bool:
        return any(tool is request.tool for tool in self.tools)

    async def _origin(self, request: ToolCallRequest, about: Conversation) -> Origin:
        calling = [
            message.id or ""
            for message in request.state["messages"]
            if isinstance(message, AIMessage)
            and any(call["id"] == request.tool_call["id"] for call in message.tool_calls)
        ]
        branch = await self._branch(request.state, about)
        return Origin(about.user, about.session, calling[-1] if calling else "", branch)

    # --- capture -----------------------------------------------------------------------------------------

    def after_agent(self, state: MemWeaveState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Write down the completed turns."""
        if not self._capture or in_tool.get():
            return self._passed_over(state)
        return wait(self._captured(state, self._conversation(state, runtime)))

    async def aafter_agent(self, state: MemWeaveState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """See `after_agent`."""
        if not self._capture or in_tool.get():
            return self._passed_over(state)
        return await apart(self._captured(state, self._conversation(state, runtime)))

    async def _captured(self, state: MemWeaveState, about: Conversation) -> dict[str, Any]:
        """Write down whatever is complete, each turn for whom it is of."""
        messages, values = state["messages"], self._values(state)
        if not values:  # played from a checkpoint of before there was a memory
            values = (await about.start(messages, values)).written(values, about)
        turns = to_write(messages, values["until"], Opened.read(values))
        for owner, own in groupby(turns, lambda turn: about.of(turn.opened)):
            position = Position.read(values, owner) or await owner.start(messages, values)
            values = (await owner.write(position, list(own))).written(values, owner)
        unfinished = [turn.opened for turn in turns[-1:] if turn.opened and not turn.is_complete]
        values = {**values, "spoken": spoken(values, turns[: len(turns) - len(unfinished)])}
        return self._update(state, values, unfinished)

    def _passed_over(self, state: MemWeaveState) -> dict[str, Any] | None:
        """Note that what was said is not to be written down later either."""
        values, last = self._values(state), state["messages"][-1:]
        return self._update(state, {**values, "until": last[0].id or ""}, ()) if values and last else None

    # --- inside ------------------------------------------------------------------------------------------

    def _conversation(self, state: Any, runtime: Any, *, begins: bool = False) -> Conversation:
        """Whose run this is; asked in the run's own task, where its configuration can be seen."""
        context = getattr(runtime, "context", None)
        session = self._session(context) if callable(self._session) else self._session
        if not session:
            session = f"run-{next((one.id for one in state['messages'] if one.id), 'without-messages')}"
        about = Conversation(self._memory, None, session, thread_of_run())
        opened = Opened.read(self._values(state))
        if opened and not begins:  # a run that is under way is of whoever began it, whoever goes on with it
            return about.of(opened[-1])
        user = self._user(context, self._values(state)) if callable(self._user) else self._user
        return replace(about, user=user)

    def _values(self, state: Any) -> Mapping[str, Any]:
        """What the state says of where the thread stands."""
        values: Mapping[str, Any] = (state.get(CHANNEL) or {}).get(self._name) or {}
        return values

    def _update(self, state: Any, values: Mapping[str, Any], opened: Sequence[Opened]) -> dict[str, Any]:
        mine = {**values, "open": [one.written() for one in opened]}
        return {CHANNEL: {**(state.get(CHANNEL) or {}), self._name: mine}}
