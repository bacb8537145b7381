"""Scales of well-known families of models, for embedders that bring no calibration of their own.

A cosine means different things with different models: unrelated texts stand near 0 with one family and above
0.7 with another, where `min_score` would let everything through. These are starting values, from what authors
and users of the models report, not measured here (the row of all-MiniLM is that of ``local:minilm``, which
is); an embedder's own `calibration` always wins.
"""

from __future__ import annotations

import re

from ...types import Calibration

RAW = Calibration()
"""The cosine as it is: for every model that the table does not know."""

_FAMILIES: tuple[tuple[str, Calibration], ...] = (
    # The first that matches counts. Static models first: their names may hold that of their teacher.
    (r"model2vec|m2v|potion", Calibration(0.05, 0.65, 0.85)),
    (r"e5-mistral", Calibration(0.40, 0.80, 0.92)),
    (r"e5", Calibration(0.70, 0.90, 0.95)),  # trained with a temperature of 0.01
    (r"bge-[a-z]+-(?:en|zh)-v1\.5|bge-m3", Calibration(0.35, 0.80, 0.90)),
    (r"bge-[a-z]+-(?:en|zh)", Calibration(0.65, 0.90, 0.95)),  # the first version, trained as e5
    (r"bge", Calibration(0.35, 0.80, 0.90)),
    (r"gte-(?:small|base|large)(?!-\w+-v1\.5)", Calibration(0.70, 0.90, 0.95)),
    (r"text-embedding-3", Calibration(0.10, 0.60, 0.85)),
    (r"ada-002", Calibration(0.70, 0.88, 0.95)),
    (r"nomic", Calibration(0.40, 0.80, 0.92)),
    (r"all-minilm", Calibration(0.15, 0.75, 0.90)),
    (r"minilm|mpnet", Calibration(0.05, 0.65, 0.85)),
)
_COMPILED = tuple((re.compile(rf"(?<![a-z0-9])(?:{name})(?![a-z0-9])"), scale) for name, scale in _FAMILIES)


def scale_of(identity: str) -> Calibration:
    """The scale of the family that a model's name or an embedder's identity tells, else `RAW`.

    A family is found as whole words of the name, in any case; "_" separates words as "-" does.
    """
    name = identity.lower().replace("_", "-")
    return next((scale for pattern, scale in _COMPILED if pattern.search(name)), RAW)
