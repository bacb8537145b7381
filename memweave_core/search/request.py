"""What one search asks for, checked before anything is looked up."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .._errors import ConfigError
from ..checks import nearest_name
from ..config import HybridConfig, QueryConfig
from ..text.timespans import TimeSpan, time_spans
from ..types import Where
from .where import parse_where

__all__ = ["OVERRIDES", "SearchRequest", "make_request", "parse_where"]

OVERRIDES = (
    "max_results",
    "min_score",
    "strategy",
    "source_filter",
    "mmr_lambda",
    "decay_half_life_days",
    "snippet_max_chars",
    "explain",
    "include_superseded",
    "rerank",
    "where",
    "user_id",
)
"""The keyword arguments of a search."""

_NO_RERANKER = (
    "rerank=True, but this memory has no reranker: set query.reranker.model, or pass `reranker` to MemWeave."
)

FEWEST = 6
"""Results that candidates are gathered for at least: who asks for one gets the first of those of six."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """A checked search. `mmr_lambda`, `half_life_days` and `rerank` are None where that stage is off.

    `rerank` is how many of the best hits the reranker reads. `spans` are the days that the query names.
    """

    query: str
    today: dt.date
    max_results: int = 6
    min_score: float = 0.29
    strategy: str = "hybrid"
    where: Where = field(default_factory=Where)
    mmr_lambda: float | None = None
    half_life_days: float | None = None
    snippet_max_chars: int = 700
    explain: bool = False
    rerank: int | None = None
    spans: tuple[TimeSpan, ...] = ()
    hybrid: HybridConfig = field(default_factory=HybridConfig)

    @property
    def pool(self) -> int:
        """How many candidates to ask of each leg."""
        return self.hybrid.candidate_multiplier * max(FEWEST, self.max_results)


def make_request(
    query: str, config: QueryConfig, today: dt.date, has_reranker: bool = False, /, **overrides: Any
) -> SearchRequest:
    """The settings with the overrides of one call; one that is None keeps the setting.

    Takes the names in `OVERRIDES`. Where there is a reranker, it is used unless `rerank` is False. Raises
    `ConfigError` for an unknown name, with the nearest one, for `rerank` without a reranker, and for a value
    that the settings would refuse too.
    """
    for name in overrides:
        if name not in OVERRIDES:
            raise ConfigError(f"Unknown search option {name!r}.{nearest_name(name, OVERRIDES)}")
    if not isinstance(query, str):
        raise ConfigError(f"query must be a string, not {query!r}.")
    given = {name: value for name, value in overrides.items() if value is not None}
    explain, rerank = _flag(given, "explain"), _flag(given, "rerank")
    superseded = bool(_flag(given, "include_superseded"))
    if rerank and not has_reranker:
        raise ConfigError(_NO_RERANKER)
    where = parse_where(
        given.pop("where", None),
        user_id=given.pop("user_id", None),
        source_filter=given.pop("source_filter", None),
    )
    settings = _settings(config, given)
    return SearchRequest(
        query=query,
        today=today,
        max_results=settings.max_results,
        min_score=settings.min_score,
        strategy=settings.strategy,
        where=replace(where, superseded=where.superseded or superseded),
        mmr_lambda=settings.mmr.lambda_param if settings.mmr.enabled else None,
        half_life_days=settings.temporal_decay.half_life_days if settings.temporal_decay.enabled else None,
        snippet_max_chars=settings.snippet_max_chars,
        explain=bool(explain),
        rerank=settings.reranker.candidates if has_reranker and rerank is not False else None,
        spans=tuple(time_spans(query, today)),
        hybrid=settings.hybrid,
    )


def _flag(given: dict[str, Any], name: str) -> bool | None:
    """Take a switch out of the overrides; None where it is not given."""
    value = given.pop(name, None)
    if value is None or isinstance(value, bool):
        return value
    raise ConfigError(f"{name} must be true or false, not {value!r}.")


def _settings(config: QueryConfig, given: Mapping[str, Any]) -> QueryConfig:
    """The settings with overrides put in, validated by the settings' own rules."""
    if not given:
        return config
    changes = dict(given)
    if not isinstance(changes.get("strategy", ""), str):
        raise ConfigError(f"strategy must be a name, not {changes['strategy']!r}.")
    if "mmr_lambda" in changes:
        changes["mmr"] = replace(config.mmr, enabled=True, lambda_param=changes.pop("mmr_lambda"))
    if "decay_half_life_days" in changes:
        days = changes.pop("decay_half_life_days")
        changes["temporal_decay"] = replace(config.temporal_decay, enabled=True, half_life_days=days)
    return replace(config, **changes)
