"""The litellm embedder, against a stand-in for that package."""

from __future__ import annotations

import os
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from memweave_core import _errors as errors
from memweave_core.adapters.embedders.litellm import LiteLLMEmbedder
from memweave_core.config import EmbeddingConfig


class FakeLiteLLM(ModuleType):
    """Records what was asked; answers out of order, or raises what it was told to."""

    def __init__(self) -> None:
        super().__init__("litellm")
        self.asked: list[dict[str, Any]] = []
        self.error: Exception | None = None

    async def aembedding(self, **options: Any) -> Any:
        self.asked.append(options)
        if self.error is not None:
            raise self.error
        data = [{"index": i, "embedding": [float(i), 1.0]} for i in range(len(options["input"]))]
        return SimpleNamespace(data=data[::-1])


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeLiteLLM:
    """An installed litellm that needs no network."""
    module = FakeLiteLLM()
    monkeypatch.setitem(sys.modules, "litellm", module)
    monkeypatch.delenv("LITELLM_LOCAL_MODEL_COST_MAP", raising=False)
    return module


async def test_vectors_come_in_the_order_of_the_texts(fake: FakeLiteLLM) -> None:
    """Answers that arrive out of order are put right by their numbers."""
    embedder = LiteLLMEmbedder(EmbeddingConfig(model="m"))
    assert await embedder.embed(["a", "b", "c"]) == [[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]


async def test_only_what_is_set_is_sent(fake: FakeLiteLLM) -> None:
    """Address, key and dimensions are sent only when they are configured."""
    await LiteLLMEmbedder(EmbeddingConfig(model="m")).embed(["a"])
    full = EmbeddingConfig(model="m", api_base="http://here", api_key="secret", dimensions=2, timeout=5)
    await LiteLLMEmbedder(full).embed(["a"])
    bare, rich = fake.asked
    assert {"api_base", "api_key", "dimensions"}.isdisjoint(bare)
    assert (rich["api_base"], rich["api_key"], rich["dimensions"], rich["timeout"]) == (
        "http://here",
        "secret",
        2,
        5,
    )


async def test_the_price_list_is_not_fetched(fake: FakeLiteLLM) -> None:
    """The switch that keeps litellm off the network is set before it is imported."""
    await LiteLLMEmbedder(EmbeddingConfig(model="m")).embed(["a"])
    assert os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"


async def test_failures_name_model_and_address_but_not_the_key(fake: FakeLiteLLM) -> None:
    """An error says which model failed where, keeps its kind, and does not show the key."""
    fake.error = type("AuthenticationError", (Exception,), {"status_code": 401})("wrong key hunter2222")
    config = EmbeddingConfig(model="m/x", api_base="http://here", api_key="hunter2222")
    with pytest.raises(errors.EmbeddingAuthError, match=r"'m/x' at http://here") as caught:
        await LiteLLMEmbedder(config).embed(["a"])
    assert "hunter2222" not in str(caught.value)


async def test_refused_dimensions_come_with_advice(fake: FakeLiteLLM) -> None:
    """A model that takes no `dimensions` is answered with what to change."""
    fake.error = type("UnsupportedParamsError", (Exception,), {"status_code": 400})(
        "dimensions not supported"
    )
    with pytest.raises(errors.EmbeddingError, match="leave it unset"):
        await LiteLLMEmbedder(EmbeddingConfig(model="m", dimensions=3)).embed(["a"])


async def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing litellm names the pip command."""
    monkeypatch.setitem(sys.modules, "litellm", None)
    with pytest.raises(errors.EmbedderMissingError, match=r'pip install "memweave-core\[litellm\]"'):
        await LiteLLMEmbedder(EmbeddingConfig(model="m")).embed(["a"])
