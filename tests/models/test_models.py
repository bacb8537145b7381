"""Language models behind one port, whatever they are made of."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from memweave_core import _errors as errors
from memweave_core.adapters.models.options import ModelOptions
from memweave_core.adapters.models.replies import text_of
from memweave_core.adapters.models.resolve import resolve_model
from memweave_core.messages import Message
from memweave_core.testing import ScriptedModel

ASKED = [Message("system", "Be brief."), Message("user", "Hello there")]
DICTS = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello there"}]


class FakeLiteLLM(ModuleType):
    """Records what was asked; raises what it was told to, once each."""

    def __init__(self) -> None:
        super().__init__("litellm")
        self.asked: list[dict[str, Any]] = []
        self.errors: list[Exception] = []
        self.content: str | None = "reply"

    async def acompletion(self, **options: Any) -> Any:
        self.asked.append(options)
        if self.errors:
            raise self.errors.pop(0)
        return SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content=self.content))])


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeLiteLLM:
    """An installed litellm that needs no network."""
    module = FakeLiteLLM()
    monkeypatch.setitem(sys.modules, "litellm", module)
    return module


async def ask(model: object, **options: Any) -> str:
    """The reply of a model to two messages."""
    found = resolve_model(model, ModelOptions(**options))
    assert found is not None
    return await found.complete(ASKED)


def failure(name: str, message: str = "", **fields: Any) -> Exception:
    """An exception of some client."""
    error: Exception = type(name, (Exception,), {})(message)
    vars(error).update(fields)
    return error


async def test_only_what_is_set_is_sent(fake: FakeLiteLLM) -> None:
    """Address, key, temperature and length are sent only when they are given, and retries never."""
    assert await ask("m/x") == "reply"
    await ask("m/x", api_base="http://here", temperature=0.0, max_tokens=9, timeout=5)
    assert fake.asked[0] == {"model": "m/x", "messages": DICTS, "timeout": 60.0, "max_retries": 0}
    assert fake.asked[1]["temperature"] == 0.0
    assert (fake.asked[1]["api_base"], fake.asked[1]["max_tokens"]) == ("http://here", 9)


async def test_a_schema_is_asked_for(fake: FakeLiteLLM) -> None:
    """The reply is to be held to the schema that is given."""
    model = resolve_model("m/x")
    assert model is not None
    await model.complete(ASKED, schema={"type": "object"})
    assert fake.asked[0]["response_format"]["json_schema"]["schema"] == {"type": "object"}


async def test_a_model_that_knows_no_schema_is_asked_without(fake: FakeLiteLLM) -> None:
    """After the first refusal the schema is left out, also from later requests."""
    fake.errors = [failure("BadRequestError", "response_format is not supported", status_code=400)]
    model = resolve_model("m/x")
    assert model is not None
    assert [await model.complete(ASKED, schema={}) for _ in range(2)] == ["reply", "reply"]
    assert ["response_format" in options for options in fake.asked] == [True, False, False]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (failure("AuthenticationError", status_code=401), errors.ModelAuthError),
        (
            failure("RateLimitError", "You exceeded your current quota", status_code=429),
            errors.ModelAuthError,
        ),
        (failure("RateLimitError", status_code=429), errors.ModelRateLimitError),
        (failure("ContextWindowExceededError", status_code=400), errors.ModelInputError),
        (failure("ServiceUnavailableError", status_code=503), errors.ModelUnavailableError),
        (ConnectionResetError("gone"), errors.ModelUnavailableError),
        (failure("Timeout"), errors.ModelUnavailableError),
        (ValueError("odd"), errors.ModelError),
    ],
)
async def test_failures_have_a_kind(fake: FakeLiteLLM, error: Exception, kind: type[Exception]) -> None:
    """What a client raises becomes the error that says whether to try again, and names the model."""
    fake.errors = [error]
    with pytest.raises(errors.ModelError, match="'m/x'") as caught:
        await ask("m/x")
    assert type(caught.value) is kind


async def test_a_rate_limit_says_how_long(fake: FakeLiteLLM) -> None:
    """The seconds of a Retry-After header are in the error."""
    fake.errors = [failure("RateLimitError", status_code=429, headers={"Retry-After": "7"})]
    with pytest.raises(errors.ModelRateLimitError) as caught:
        await ask("m/x")
    assert caught.value.retry_after == 7


async def test_no_key_stands_in_a_message(fake: FakeLiteLLM) -> None:
    """Neither the configured key nor what looks like one is shown in an error."""
    other = "gh" + "p_" + "a1B2c3D4e5F6" * 3
    fake.errors = [failure("AuthenticationError", f"wrong key hunter2222 or {other}", status_code=401)]
    with pytest.raises(errors.ModelAuthError, match="at http://here") as caught:
        await ask("m/x", api_key="hunter2222", api_base="http://here")
    assert "hunter2222" not in str(caught.value)
    assert other not in str(caught.value)


async def test_a_reply_without_text_is_an_error(fake: FakeLiteLLM) -> None:
    """A model that calls a tool instead of answering has not answered."""
    fake.content = None
    with pytest.raises(errors.ModelError, match="no text"):
        await ask("m/x")


async def test_without_litellm_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A named model without the package says what to install."""
    monkeypatch.setitem(sys.modules, "litellm", None)
    with pytest.raises(errors.ModelMissingError, match=r"memweave-core\[litellm\]"):
        await ask("m/x")


async def test_functions_are_models() -> None:
    """A function gets messages, or one text when its argument says so, and the schema if it has a place."""
    seen: list[Any] = []

    def blocking(messages: list[dict[str, str]]) -> str:
        seen.append((messages, threading.current_thread() is threading.main_thread()))
        return "a"

    async def on_the_loop(prompt: str) -> str:
        seen.append(prompt)
        return "b"

    def with_schema(text, schema):  # type: ignore[no-untyped-def]  # as a user may write it
        seen.append((text, schema))
        return {"choices": [{"message": {"content": "c"}}]}

    assert [await ask(call) for call in (blocking, on_the_loop, with_schema)] == ["a", "b", "c"]
    assert seen == [(DICTS, False), "Be brief.\n\nHello there", ("Be brief.\n\nHello there", None)]


async def test_objects_that_are_called_are_models() -> None:
    """An object with an async call, and a function that returns something to await, are awaited."""

    class Callable:
        async def __call__(self, messages: object) -> str:
            return "called"

    async def later() -> str:
        return "later"

    assert await ask(Callable()) == "called"
    assert await ask(lambda messages: later()) == "later"


async def test_models_of_langchain() -> None:
    """A chat model, a model of texts and a runnable of LangChain answer, and are named by their class."""
    fakes = pytest.importorskip("langchain_core.language_models.fake_chat_models")
    texts = pytest.importorskip("langchain_core.language_models.fake")
    runnables = pytest.importorskip("langchain_core.runnables")
    assert await ask(fakes.FakeListChatModel(responses=["one"])) == "one"
    assert await ask(texts.FakeListLLM(responses=["two"])) == "two"
    assert await ask(runnables.RunnableLambda(lambda messages: messages[1]["content"])) == "Hello there"
    found = resolve_model(fakes.FakeListChatModel(responses=["one"]))
    assert found is not None and "FakeListChatModel" in found.identity


async def test_models_of_llama_index() -> None:
    """A model of LlamaIndex gets messages of its own class and answers."""
    llms = pytest.importorskip("llama_index.core.llms")
    assert "Hello there" in await ask(llms.MockLLM())


async def test_methods_decide_not_libraries() -> None:
    """The methods alone make a model, an async one that awaits nothing runs its sync twin in a thread."""

    class Llama:
        def chat(self, messages: Sequence[Any]) -> Any:
            on_main = threading.current_thread() is threading.main_thread()
            return SimpleNamespace(message=SimpleNamespace(content=f"{messages[1].content} {on_main}"))

        async def achat(self, messages: Sequence[Any]) -> Any:
            return self.chat(messages)

    class Chain:
        def invoke(self, messages: Any) -> Any:
            return SimpleNamespace(
                content=[{"type": "thinking", "text": "hm"}, {"type": "text", "text": "yes"}]
            )

    assert await ask(Llama()) == "Hello there False"
    assert await ask(Chain()) == "yes"


async def test_a_model_that_hangs_is_given_up() -> None:
    """After its time a call is an error that may pass, and a hanging thread does not hold up the next."""
    stop = threading.Event()

    def hangs(prompt: str) -> str:
        stop.wait(20)
        return ""

    for _ in range(6):
        with pytest.raises(errors.ModelUnavailableError, match=r"within 0\.05 s"):
            await ask(hangs, timeout=0.05)
    assert await ask(lambda prompt: "next") == "next"
    stop.set()


async def test_cancelling_is_no_error_of_the_model() -> None:
    """A cancelled call is cancelled."""

    async def slow(prompt: str) -> str:
        await asyncio.sleep(20)
        return ""

    task = asyncio.create_task(ask(slow))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_what_comes_back_must_be_text() -> None:
    """Something in which no text can be found is an error that says what it was."""
    with pytest.raises(errors.ModelError, match="gave int"):
        await ask(lambda prompt: 7)


def test_no_model_is_a_choice() -> None:
    """None and "none" mean no model; a model that was resolved is taken as it is."""
    model = resolve_model("m/x")
    assert (resolve_model(None), resolve_model("none")) == (None, None)
    assert resolve_model(model) is model


@pytest.mark.parametrize("wrong", ["", "  ", 7, object(), ScriptedModel])
def test_what_is_no_model_is_refused(wrong: object) -> None:
    """An empty name, an object without the methods and a class are refused at once."""
    with pytest.raises(errors.ConfigError):
        resolve_model(wrong)


def test_time_is_needed() -> None:
    """A time of nothing is refused."""
    with pytest.raises(errors.ConfigError, match="0 seconds"):
        resolve_model("m/x", ModelOptions(timeout=0))


async def test_the_scripted_model_fits_the_port() -> None:
    """The shipped stand-in answers in order and keeps what it was asked."""
    model = ScriptedModel(["first", errors.ModelUnavailableError("down")])
    assert await ask(model) == "first"
    with pytest.raises(errors.ModelUnavailableError):
        await ask(model)
    assert model.requests == [tuple(ASKED)] * 2
    assert model.prompts[0] == "Be brief.\n\nHello there"


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("a", "a"),
        ({"content": "a"}, "a"),
        ({"choices": [{"text": "a"}]}, "a"),
        ([{"type": "text", "text": "a"}, {"type": "image", "text": "b"}, "c"], "ac"),
        (SimpleNamespace(text="a"), "a"),
        ({"content": None}, None),
        (None, None),
        ({"content": {"content": {"content": {"content": {"content": "deep"}}}}}, None),
    ],
)
def test_text_is_found_in_what_models_return(reply: object, text: str | None) -> None:
    """Strings, blocks, mappings and objects give their text, and what has none gives None."""
    assert text_of(reply) == text
