"""What a batch of operations comes to: checked, copied, and with the texts whose vectors it needs. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .._errors import UsageError
from .fields import texts_of
from .json_value import TextChange, checked
from .places import file_of, folder_of
from .record import Get, Index, Namespaces, Op, Put, Search
from .spaces import text_hash, unit

if TYPE_CHECKING:
    from ..types import FloatArray

_MOST = 2**48
_LONGEST_NAME = 8_000
_LONGEST_PROVENANCE = 16_000
_LONGEST_LIFE = 5_000_000_000  # minutes
_HALF = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class RecordsConfig:
    """How the records of a root are kept and found.

    `paths` are those of the texts to embed, "" the main text. `identity` names the vectors of an embedder
    that cannot name itself, or those that are given with the records; `dims` is the length they must have.
    With `omit_expired` what has outlived its time is not given out even before it is swept. With
    `mask_secrets` keys, passwords and tokens in texts are replaced by markers, as everywhere else in this
    library.
    """

    paths: tuple[str, ...] = ("",)
    identity: str | None = None
    dims: int | None = None
    omit_expired: bool = True
    mask_secrets: bool = True


@dataclass(frozen=True, slots=True)
class Change:
    """A record to write, or to delete when `value` is None.

    `texts` are to have vectors, by hash; `vectors` were given instead, None when there were none.
    """

    put: Put
    folder: str
    value: dict[str, Any] | None
    provenance: dict[str, Any] | None = None
    texts: dict[bytes, str] = field(default_factory=dict)
    vectors: tuple[tuple[bytes, FloatArray], ...] | None = None


@dataclass(slots=True)
class Plan:
    """Operations, the changes they ask for (the last of each record), and what must be embedded before.

    `missing` and `queries` are texts by what they are found again by. `late` are records of the database
    that lack vectors, with the texts these stand for.
    """

    ops: Sequence[Op]
    changes: dict[tuple[str, str], Change]
    missing: dict[bytes, str] = field(default_factory=dict)
    queries: tuple[str, ...] = ()
    late: dict[int, dict[bytes, str]] = field(default_factory=dict)
    vectors: dict[bytes, FloatArray | None] = field(default_factory=dict)
    asked: dict[str, FloatArray | None] = field(default_factory=dict)

    @property
    def waits(self) -> bool:
        """Whether an embedder has to be asked before it can be carried out."""
        return bool(self.missing or self.queries)


def make_plan(ops: Sequence[Op], config: RecordsConfig, mask: TextChange | None) -> Plan:
    """Check and copy what was asked for. Raises `UsageError`s; then nothing has been done."""
    ops = [_bounded(op) for op in ops]
    changes: dict[tuple[str, str], Change] = {}
    queries: dict[str, None] = {}
    for op in ops:
        match op:
            case Put():
                change = _change(op, config, mask)
                changes.pop((change.folder, op.key), None)
                changes[change.folder, op.key] = change
            case Search():
                if op.query is not None and op.vector is None and op.query.strip():
                    queries[op.query] = None
            case Namespaces() | Get():
                pass
            case _:
                raise UsageError(f"{op!r} is no operation on records.")
    return Plan(ops, changes, queries=tuple(queries))


def _bounded(op: Op) -> Op:
    """The operation, with a page that a database can count to where more than that is asked for."""
    if not isinstance(op, Search | Namespaces):
        return op
    if not isinstance(op.limit, int) or not isinstance(op.offset, int):
        raise PageRefusedError(f"limit and offset are whole numbers, not {op.limit!r} and {op.offset!r}.")
    if op.limit < 0 or op.offset < 0:
        raise PageRefusedError(f"limit and offset must not be negative: {op.limit}, {op.offset}.")
    if op.limit <= _MOST and op.offset <= _MOST:
        return op
    return replace(op, limit=min(op.limit, _MOST), offset=min(op.offset, _MOST))


class PageRefusedError(UsageError, ValueError):
    """A limit, offset, time to live, index or name that cannot be."""


def _change(put: Put, config: RecordsConfig, mask: TextChange | None) -> Change:
    folder = folder_of(tuple(put.namespace))
    file_of(folder, put.key)  # raises for what cannot be a key
    if sum(map(len, (*put.namespace, put.key))) > _LONGEST_NAME:
        raise PageRefusedError(f"A namespace and key of more than {_LONGEST_NAME} characters cannot be kept.")
    if put.value is None:
        return Change(put, folder, None)
    _check_kinds(put)
    value = checked(put.value, change=mask)
    provenance = None
    if put.provenance is not None:
        provenance = checked(put.provenance, change=mask, what="provenance")
        _check_head("The provenance", provenance)
    if put.index:
        _check_head("The index", put.index)
    if put.vectors is not None:
        return Change(put, folder, value, provenance, vectors=_given(put, config))
    return Change(put, folder, value, provenance, texts_to_embed(value, put.index, config))


def _check_kinds(put: Put) -> None:
    """Refuse what a caller's type checker would have refused, where it would come out as something else."""
    ttl, index = put.ttl_minutes, put.index
    number = isinstance(ttl, int | float) and not isinstance(ttl, bool)
    if ttl is not None and not (number and 0 < ttl < _LONGEST_LIFE):
        raise PageRefusedError(f"A time to live is a positive number of minutes, not {ttl!r}.")
    listed = isinstance(index, list | tuple) and all(isinstance(path, str) for path in index)
    if index is not None and index is not False and not listed:
        raise PageRefusedError(f"An index is a list of paths such as ['text'], or False, not {index!r}.")


def _check_head(what: str, value: object) -> None:
    """Refuse what the head of a page cannot hold."""
    text = json.dumps(value, ensure_ascii=False)
    if len(text) > _LONGEST_PROVENANCE:
        raise PageRefusedError(f"{what} of a record must be short: it stands in the head of its page.")
    if _HALF.search(text):
        raise PageRefusedError(f"{what} holds half a surrogate pair, which is not text.")


def texts_to_embed(value: dict[str, Any], index: Index, config: RecordsConfig) -> dict[bytes, str]:
    """The texts of a value that are to have vectors, by hash."""
    if index is False:
        return {}
    return {text_hash(text): text for text in texts_of(value, config.paths if index is None else index)}


def _given(put: Put, config: RecordsConfig) -> tuple[tuple[bytes, FloatArray], ...]:
    name = config.identity or "this space"
    found = [unit(vector, config.dims, name) for vector in put.vectors or ()]
    return tuple((b"", vector) for vector in found if vector is not None)
