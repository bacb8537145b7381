"""Filters as users write them, turned into a `Where`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, get_args

from .._errors import ConfigError
from ..checks import nearest_name
from ..text.names import stored_name
from ..types import Scalar, Tier, Where

KEYS = ("source", "tier", "since", "until", "date", "tags", "metadata", "path")
_METADATA = "metadata."


def parse_where(
    filters: Mapping[str, Any] | Where | None,
    *,
    user_id: str | None = None,
    source_filter: str | Iterable[str] | None = None,
) -> Where:
    """A checked `Where`. Raises `ConfigError` for an unknown key, with the nearest one, or a wrong value.

    Keys: `source`, `tier`, `path` (one or any of a list), `tags` (one or all of a list), `since` and `until`
    (both ends included), `date` (one day, or ``{"from": …, "to": …}``), ``metadata.<key>`` or `metadata`
    (a mapping) for other front matter. Days are dates or ISO 8601 strings.
    """
    where = filters if isinstance(filters, Where) else _parse(filters or {})
    if user_id is not None:
        if not isinstance(user_id, str) or not user_id:
            raise ConfigError(f"user_id must be a non-empty string, not {user_id!r}.")
        where = replace(where, user=stored_name(user_id))  # as its folder decodes
    if source_filter is not None:
        if where.source:
            raise ConfigError("Give either source_filter or where['source'], not both.")
        where = replace(where, source=_strings("source_filter", source_filter))
    return where


def _parse(filters: Mapping[str, Any]) -> Where:
    if not isinstance(filters, Mapping):
        raise ConfigError(f"where must be a mapping, not {filters!r}.")
    fields: dict[str, Any] = {}
    metadata: dict[str, tuple[Scalar, ...]] = {}
    for key, value in filters.items():
        if isinstance(key, str) and key.startswith(_METADATA) and key != _METADATA:
            metadata[key.removeprefix(_METADATA)] = _scalars(key, value)
        elif key == "metadata":
            metadata |= _metadata(value)
        elif key not in KEYS:
            raise ConfigError(f"Unknown filter {key!r}.{nearest_name(str(key), KEYS)}")
        elif key in ("since", "until", "date"):
            _add_days(fields, key, value)
        else:
            fields["paths" if key == "path" else key] = _strings(key, value)
    _check_tiers(fields.get("tier", ()))
    if fields.get("since") and fields.get("until") and fields["since"] > fields["until"]:
        raise ConfigError(f"where: since {fields['since']} is after until {fields['until']}.")
    return Where(metadata=tuple(metadata.items()), **fields)


def _metadata(value: Any) -> dict[str, tuple[Scalar, ...]]:
    if not isinstance(value, Mapping):
        raise ConfigError(f"where['metadata'] must be a mapping, not {value!r}.")
    return {str(key): _scalars(f"metadata.{key}", wanted) for key, wanted in value.items()}


def _add_days(fields: dict[str, Any], key: str, value: Any) -> None:
    """`date` sets both ends; an end that is given twice is an error rather than a guess."""
    if key != "date":
        ends = {key: _day(key, value)}
    elif isinstance(value, Mapping):
        unknown = [end for end in value if end not in ("from", "to")]
        if unknown or not value:
            raise ConfigError(f"where['date'] takes 'from' and 'to', not {unknown or value!r}.")
        names = {"from": "since", "to": "until"}
        ends = {names[end]: _day(f"date.{end}", day) for end, day in value.items()}
    else:
        day = _day(key, value)
        ends = {"since": day, "until": day}
    for end, day in ends.items():
        if end in fields:
            raise ConfigError(f"where: {end!r} is given twice, by 'date' and by itself.")
        fields[end] = day


def _day(name: str, value: Any) -> dt.date:
    if isinstance(value, dt.datetime):
        return value.date()
    if isinstance(value, dt.date):
        return value
    try:
        return dt.date.fromisoformat(value)
    except (TypeError, ValueError):
        raise ConfigError(f"where[{name!r}] must be a day such as '2026-03-21', not {value!r}.") from None


def _strings(name: str, value: Any) -> tuple[str, ...]:
    items = (value,) if isinstance(value, str) else value
    if not isinstance(items, list | tuple | set | frozenset) or not items:
        raise ConfigError(f"{name} must be a string or a non-empty list of strings, not {value!r}.")
    for item in items:
        if not isinstance(item, str) or not item:
            raise ConfigError(f"{name} must hold non-empty strings, not {item!r}.")
    return tuple(items) if isinstance(items, list | tuple) else tuple(sorted(items))


def _check_tiers(tiers: Iterable[str]) -> None:
    known = get_args(Tier)
    for tier in tiers:
        if tier not in known:
            raise ConfigError(f"Unknown tier {tier!r}.{nearest_name(tier, known)} Known: {', '.join(known)}.")


def _scalars(name: str, value: Any) -> tuple[Scalar, ...]:
    items = value if isinstance(value, list | tuple | set | frozenset) else (value,)
    if not items:
        raise ConfigError(f"where[{name!r}] needs at least one value.")
    return tuple(_scalar(name, item) for item in items)


def _scalar(name: str, value: Any) -> Scalar:
    if isinstance(value, dt.date):
        return value.isoformat()
    if value is None or isinstance(value, str | int | float):
        return value
    raise ConfigError(f"where[{name!r}] must be text, a number, true, false or none, not {value!r}.")
