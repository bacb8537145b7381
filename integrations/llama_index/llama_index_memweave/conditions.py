"""LlamaIndex's metadata filters as conditions on records, evaluated in SQL before the best are taken.

A field that is missing or null meets NE, NIN and IS_EMPTY and nothing else, NOT means that none is met. A
comparison of different types is no error: it is not met. Filters may be nested. A truth value in the metadata
is equal to 1 or 0, for a filter cannot hold one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
)

from memweave_core.records import All, AnyOf, Condition, Filter, Not

SOURCE: Final = "ref_doc_id"
"""The field of a record that holds the id of the document which a node is a part of."""

METADATA: Final = "metadata"
"""The field of a record that holds the metadata of a node."""

_OF_SOURCE: Final = frozenset({"ref_doc_id", "doc_id", "document_id"})
"""The names under which LlamaIndex lets filters ask for that id."""

_COMPARED: Final = {
    FilterOperator.EQ: "$eq",
    FilterOperator.GT: "$gt",
    FilterOperator.GTE: "$gte",
    FilterOperator.LT: "$lt",
    FilterOperator.LTE: "$lte",
    FilterOperator.IN: "$in",
    FilterOperator.CONTAINS: "$contains",
    FilterOperator.TEXT_MATCH: "$text",
    FilterOperator.TEXT_MATCH_INSENSITIVE: "$itext",
}
_OPPOSITE: Final = {FilterOperator.NE: FilterOperator.EQ, FilterOperator.NIN: FilterOperator.IN}


def condition_of(filters: MetadataFilters | None, doc_ids: Sequence[str] | None = None) -> Filter:
    """What nodes must meet to be found. Raises `ValueError` for a value that an operator does not take."""
    met = _together(filters) if filters is not None else All(())
    if doc_ids is None:
        return met
    return All((Condition((SOURCE,), "$in", list(doc_ids)), met))


def _together(filters: MetadataFilters) -> Filter:
    parts = tuple(
        _together(part) if isinstance(part, MetadataFilters) else _one(part) for part in filters.filters
    )
    if not parts or filters.condition in (None, FilterCondition.AND):
        return All(parts)
    either = AnyOf(parts)
    return Not(either) if filters.condition == FilterCondition.NOT else either


def _one(asked: MetadataFilter) -> Filter:
    names = (SOURCE,) if asked.key in _OF_SOURCE else (METADATA, asked.key)
    opposite = _OPPOSITE.get(asked.operator)
    if opposite is not None:
        return Not(_compared(names, opposite, asked.value))
    if asked.operator == FilterOperator.IS_EMPTY:
        nothing: tuple[Any, ...] = (None, "", [])
        empty = (Condition(names, "$eq", value) for value in nothing)
        return AnyOf((Condition(names, "$exists", False), *empty))
    if asked.operator in (FilterOperator.ANY, FilterOperator.ALL):
        each = tuple(
            _compared(names, FilterOperator.CONTAINS, value) for value in _listed(asked.operator, asked.value)
        )
        if asked.operator == FilterOperator.ANY:
            return AnyOf(each)
        return All((Condition(names, "$exists", True), Not(Condition(names, "$eq", None)), *each))
    return _compared(names, asked.operator, asked.value)


def _compared(names: tuple[str, ...], operator: FilterOperator, value: Any) -> Filter:
    if value is None:
        return AnyOf(())  # nothing is equal to nothing
    if operator == FilterOperator.IN:
        return Condition(names, "$in", [same for one in _listed(operator, value) for same in _equal(one)])
    if operator == FilterOperator.EQ:
        return AnyOf(tuple(Condition(names, "$eq", same) for same in _equal(value)))
    if operator == FilterOperator.CONTAINS:
        return AnyOf(tuple(Condition(names, "$contains", same) for same in _equal(value)))
    matching = operator in (FilterOperator.TEXT_MATCH, FilterOperator.TEXT_MATCH_INSENSITIVE)
    if matching and not isinstance(value, str):
        raise ValueError(f"{operator.name} takes text, not {value!r}.")
    return Condition(names, _COMPARED[operator], value)


def _equal(value: Any) -> list[Any]:
    """A value, and the truth value that counts as equal to it."""
    return [value, bool(value)] if value in (0, 1) and not isinstance(value, bool | list) else [value]


def _listed(operator: FilterOperator, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{operator.name} takes a list of values, not {value!r}.")
    return value
