"""Between LangGraph's operations on a store and those on the records of a memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.runnables.config import ensure_config
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchItem,
    SearchOp,
)
from langgraph.store.base import Result as StoreResult

from memweave_core.records import Get, Namespace, Namespaces, Put, Record, Search
from memweave_core.records import Op as RecordOp
from memweave_core.records import Result as RecordResult


def to_records(ops: Sequence[Op]) -> list[RecordOp]:
    """The operations on records that do the same. Raises `InvalidNamespaceError`, `ValueError`."""
    run = run_of_now() if any(isinstance(op, PutOp) for op in ops) else None
    return [_to_record_op(op, run) for op in ops]


def run_of_now() -> dict[str, Any] | None:
    """Which thread and which node of a graph this is called in; None outside of a graph."""
    config = ensure_config()
    found = {
        "thread": (config.get("configurable") or {}).get("thread_id"),
        "node": (config.get("metadata") or {}).get("langgraph_node"),
    }
    told = {name: str(value) for name, value in found.items() if value not in (None, "")}
    return {name: text for name, text in told.items() if len(text) <= 200 and text.isprintable()} or None


def _to_record_op(op: Op, run: dict[str, Any] | None) -> RecordOp:
    match op:
        case GetOp():
            return Get(_namespace(op.namespace), op.key, refresh=bool(op.refresh_ttl))
        case PutOp():
            index = tuple(op.index) if isinstance(op.index, list) else op.index
            return Put(_own_namespace(op.namespace), op.key, op.value, index, op.ttl, provenance=run)
        case SearchOp():
            return Search(
                _namespace(op.namespace_prefix),
                op.filter,
                op.query or None,
                limit=op.limit,
                offset=op.offset,
                refresh=bool(op.refresh_ttl),
            )
        case ListNamespacesOp():
            matches = _matcher(op.match_conditions or ())
            return Namespaces(matches, op.max_depth, op.limit, op.offset)
        case _:
            raise ValueError(f"{op!r} is no operation of a LangGraph store.")


def to_store(op: Op, result: RecordResult) -> StoreResult:
    """What LangGraph expects as the result of an operation."""
    if isinstance(result, Record):
        return Item(**_fields(result))
    if isinstance(result, list) and isinstance(op, SearchOp):
        return [SearchItem(**_fields(one), score=one.score) for one in result if isinstance(one, Record)]
    if isinstance(result, list):
        return [one for one in result if isinstance(one, tuple)]
    return None


def _fields(record: Record) -> dict[str, Any]:
    return {
        "namespace": record.namespace,
        "key": record.key,
        "value": record.value,
        "created_at": record.created,
        "updated_at": record.updated,
    }


def _own_namespace(labels: Sequence[str]) -> Namespace:
    """A namespace that something may be stored in.

    "langgraph" as the first label is LangGraph's own: its methods refuse it, and its operations may use it.
    """
    namespace = _namespace(labels)
    if not namespace:
        raise InvalidNamespaceError("Namespace cannot be empty.")
    return namespace


def _namespace(labels: Sequence[str]) -> Namespace:
    """The labels as a tuple, by LangGraph's rules. Raises `InvalidNamespaceError`."""
    if isinstance(labels, str):
        raise InvalidNamespaceError(f"A namespace is a tuple of labels, not the text {labels!r}.")
    for label in labels:
        if not isinstance(label, str) or not label or "." in label or "\x00" in label:
            raise InvalidNamespaceError(
                f"The label {label!r} of the namespace {tuple(labels)} must be text that is not empty and "
                "has no dot in it; `label_of` makes one of any text, such as an address."
            )
    return tuple(labels)


def label_of(name: str) -> str:
    """A label for a namespace from any text that is not empty: an e-mail address, a number as text.

    Dots are written "=2e". No two texts share a label, and `name_of_label` gives the text back. Raises
    `ValueError` for other things.
    """
    if not isinstance(name, str) or not name:
        raise ValueError(f"A label is made of text that is not empty, not of {name!r}.")
    return name.replace("=", "=3d").replace(".", "=2e").replace("\x00", "=00")


def name_of_label(label: str) -> str:
    """The text that `label_of` made a label of."""
    return label.replace("=00", "\x00").replace("=2e", ".").replace("=3d", "=")


def _matcher(conditions: Sequence[MatchCondition]) -> Callable[[Namespace], bool] | None:
    if not conditions:
        return None
    for condition in conditions:
        if condition.match_type not in ("prefix", "suffix"):
            raise ValueError(f"Namespaces are matched by prefix or suffix, not {condition.match_type!r}.")
        _namespace(condition.path)
    return lambda namespace: all(_matches(condition, namespace) for condition in conditions)


def _matches(condition: MatchCondition, namespace: Namespace) -> bool:
    path = tuple(condition.path)
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return not path or all(wanted in ("*", label) for wanted, label in zip(path, part, strict=True))
