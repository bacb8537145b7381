"""Models whose cosines are known to run high or low are put on one scale by their name."""

from __future__ import annotations

import pytest

from memweave_core.adapters.embedders.duck import wrap
from memweave_core.adapters.embedders.resilience import ResilientEmbedder
from memweave_core.adapters.embedders.resolve import resolve
from memweave_core.adapters.embedders.scales import _FAMILIES, RAW, scale_of
from memweave_core.config import EmbeddingConfig
from memweave_core.types import Calibration


class Foreign:
    """An embedding object of another library that says nothing of its scale."""

    model_name = "intfloat/multilingual-e5-large"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[1.0, 0.0] for _ in texts]

    def embed_query(self, text: str) -> list[float]:
        return [1.0, 0.0]


class Scaled(Foreign):
    """One that knows its own scale."""

    calibration = Calibration(0.5, 0.6, 0.7)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("fastembed:intfloat/multilingual-e5-large", 0.70, 0.90),
        ("fastembed:BAAI/bge-small-en-v1.5", 0.35, 0.80),
        ("fastembed:BAAI/bge-small-en", 0.65, 0.90),
        ("ollama/bge-m3", 0.35, 0.80),
        ("fastembed:thenlper/gte-large", 0.70, 0.90),
        ("text-embedding-3-large", 0.10, 0.60),
        ("azure/text-embedding-ada-002", 0.70, 0.88),
        ("ollama/nomic-embed-text:v1.5", 0.40, 0.80),
        ("fastembed:sentence-transformers/all-MiniLM-L6-v2", 0.15, 0.75),
        ("fastembed:sentence-transformers/paraphrase-multilingual-mpnet-base-v2", 0.05, 0.65),
        ("model2vec:someone/bge-base-en-v1.5-static", 0.05, 0.65),
        ("huggingface/intfloat/e5-mistral-7b-instruct", 0.40, 0.80),
    ],
)
def test_a_family_is_known_by_the_name(name: str, low: float, high: float) -> None:
    """A named model has the scale of its family."""
    found = resolve(EmbeddingConfig(model=name))
    assert found is not None
    assert (found.calibration.low, found.calibration.high) == (low, high)


@pytest.mark.parametrize(
    "name", ["", "mistral/mistral-embed", "case5", "e5x", "cabgeb", "gte-base-en-v1.5", "fake:words:64"]
)
def test_an_unknown_name_keeps_the_raw_cosine(name: str) -> None:
    """Nothing is guessed for other models, and a family is found as a whole word only."""
    assert scale_of(name) == RAW == Calibration(0.0, 1.0)


def test_a_scale_of_its_own_wins() -> None:
    """A foreign object gets the scale of its model's family unless it brings its own."""
    assert ResilientEmbedder(wrap(Foreign())).calibration.low == 0.70
    assert ResilientEmbedder(wrap(Scaled())).calibration == Calibration(0.5, 0.6, 0.7)
    assert ResilientEmbedder(wrap(Scaled(), identity="mine")).calibration.low == 0.5


def test_every_scale_is_a_scale() -> None:
    """In each row unrelated texts lie below answers, and answers below duplicates or beside them."""
    for name, scale in _FAMILIES:
        assert -1 <= scale.low < scale.high <= scale.duplicate <= 1, name
