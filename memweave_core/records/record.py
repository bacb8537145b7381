"""The values of records: what is kept, what is asked, and what is found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from .filters import Filter

if TYPE_CHECKING:
    from ..types import FloatArray

Namespace: TypeAlias = tuple[str, ...]
Where: TypeAlias = Filter | Mapping[str, Any]
"""A condition, or the mapping that `filters.parse` takes."""

Index: TypeAlias = Sequence[str] | Literal[False] | None
"""Paths of the texts to embed, False for none, None for what the records were opened with."""


@dataclass(frozen=True, slots=True)
class Record:
    """A document: a JSON object under a key in a namespace. `value` is the caller's own copy.

    `created` stays when the record is written again. `expires` is None unless it was given a time to live.
    `score` is the cosine of its best text (or the share of words) where a search ranked it, else None;
    `vector` is the unit vector that scored, where a search was told to bring it.
    """

    namespace: Namespace
    key: str
    value: dict[str, Any]
    created: datetime
    updated: datetime
    expires: datetime | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)
    score: float | None = None
    vector: FloatArray | None = None


@dataclass(frozen=True, slots=True)
class Get:
    """One record by name. `refresh` begins its time to live anew."""

    namespace: Namespace
    key: str
    refresh: bool = False


@dataclass(frozen=True, slots=True)
class Put:
    """Write a record, or delete it when `value` is None.

    `ttl_minutes` is its time to live after it was last touched. `vectors` replace what the embedder would
    give: one or more rows of equal length, the best of which counts. `provenance` is JSON that says where
    it comes from; None keeps what is there.
    """

    namespace: Namespace
    key: str
    value: Mapping[str, Any] | None
    index: Index = None
    ttl_minutes: float | None = None
    vectors: Sequence[Any] | None = None
    provenance: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Search:
    """Records below a namespace, best first; those that changed last first when nothing ranks them.

    `where` narrows *before* the best are taken, so that pages of `offset` and `limit` are complete. Ranked
    by `vector` (of the space the records were opened with) or `query` (embedded, kind "query"), or by the
    `words` of a text; records without a vector, or without any of the words, are not found then.
    `keys` narrows to records of these keys. With `vectors` each result brings its own.
    """

    prefix: Namespace = ()
    where: Where | None = None
    query: str | None = None
    vector: Any = None
    words: str | None = None
    keys: Sequence[str] | None = None
    limit: int = 10
    offset: int = 0
    refresh: bool = False
    vectors: bool = False


@dataclass(frozen=True, slots=True)
class Namespaces:
    """The namespaces that hold records, in order. `max_depth` cuts them, `matches` narrows them."""

    matches: Callable[[Namespace], bool] | None = None
    max_depth: int | None = None
    limit: int = 100
    offset: int = 0


Op: TypeAlias = Get | Put | Search | Namespaces
Result: TypeAlias = Record | list[Record] | list[Namespace] | None
