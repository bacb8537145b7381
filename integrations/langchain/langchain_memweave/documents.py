"""Between LangChain's documents and the records of a memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from langchain_core.documents import Document

from memweave_core import UsageError
from memweave_core.records import Record

Scored: TypeAlias = list[tuple[Document, float]]
Metadata: TypeAlias = Mapping[str, Any]


def document(record: Record) -> Document:
    """A record as a document of LangChain."""
    metadata = record.value.get("metadata")
    return Document(
        id=record.key,
        page_content=str(record.value.get("text", "")),
        metadata=metadata if isinstance(metadata, dict) else {},
    )


def scored(records: Iterable[Record]) -> Scored:
    """Found records as documents with their cosines."""
    return [(document(record), record.score or 0.0) for record in records]


def where(filter: Metadata | None) -> dict[str, Any] | None:
    """A condition on metadata as one on the value that holds it. Raises `UsageError` for no mapping."""
    if not filter:
        return None
    if not isinstance(filter, Mapping):
        raise UsageError(f"A filter is a mapping of metadata to conditions, not {filter!r:.80}.")
    own = {key: value for key, value in filter.items() if not key.startswith("$")}
    groups = {
        key: [where(one) or {} for one in value] if isinstance(value, list | tuple) else where(value)
        for key, value in filter.items()
        if key.startswith("$")
    }
    return {**({"metadata": own} if own else {}), **groups}
