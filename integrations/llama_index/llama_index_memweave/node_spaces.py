"""In which vector space nodes are: one for each model and size of vectors."""

from __future__ import annotations

from typing import Final

from llama_index.core.base.embeddings.base import BaseEmbedding

from memweave_core import blocking
from memweave_core.records import BlockingRecords, Record, RecordsConfig

from .nodes import MODEL
from .opened import Opened

ROOT: Final = "nodes"
"""The folder of all nodes, below the folder of the memory."""

UNNAMED: Final = "unnamed"
"""The model of vectors of which nobody said what makes them."""


def model_name(model: BaseEmbedding | None) -> str:
    """What a model is called in a record."""
    return UNNAMED if model is None else f"{model.class_name()}:{model.model_name}"


def records_of(held: Opened, model: BaseEmbedding | None, size: int | None) -> BlockingRecords:
    """The records in the space of a model's vectors of one size; for None without vectors.

    With a model, vectors that are missing are made at the next search, from the text alone.
    """
    identity = None if size is None else f"{ROOT}:{model_name(model)}:{size}"
    name = identity or ROOT
    found = held.records.get(name)
    if found is None:
        config = RecordsConfig(identity=identity, dims=size)
        embedder = "none" if model is None or size is None else model
        memory = blocking.MemWeave.of(held.memory)
        found = held.records.setdefault(name, memory.records(ROOT, config, embedder=embedder))
    return found


def check(record: Record, model: BaseEmbedding | None, size: int) -> None:
    """Raise `ValueError` when a node is in another space than a query, which therefore finds nothing."""
    made = record.value.get(MODEL)
    name, own = (made.get("model"), made.get("size")) if isinstance(made, dict) else (None, None)
    if own is not None and (own, name) != (size, model_name(model)):
        raise ValueError(
            f"The nodes have vectors of {own} numbers by the embedding model {name}, and the query has one of"
            f" {size} by {model_name(model)}: use the model of the nodes as embed_model, or add them anew."
        )
