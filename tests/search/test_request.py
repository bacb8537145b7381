"""What a search may be asked, and how a wrong question is refused."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from memweave_core import _errors
from memweave_core.config import HybridConfig, MMRConfig, QueryConfig, TemporalDecayConfig
from memweave_core.search.request import SearchRequest, make_request
from memweave_core.search.where import parse_where
from memweave_core.types import Where

DAY = dt.date(2026, 3, 21)


def make(**overrides: Any) -> SearchRequest:
    return make_request("q", QueryConfig(), DAY, **overrides)


def test_defaults_are_those_of_the_settings() -> None:
    """Without overrides every value comes from the configuration, and opt-in stages are off."""
    request = make_request("q", QueryConfig(max_results=3, min_score=0.1), DAY)
    assert (request.max_results, request.min_score, request.strategy) == (3, 0.1, "hybrid")
    assert request.mmr_lambda is None and request.half_life_days is None


def test_enabled_stages_come_from_the_settings() -> None:
    """MMR and decay that are switched on in the settings need no override."""
    config = QueryConfig(mmr=MMRConfig(enabled=True), temporal_decay=TemporalDecayConfig(enabled=True))
    request = make_request("q", config, DAY)
    assert (request.mmr_lambda, request.half_life_days) == (0.7, 30.0)


def test_overrides_of_one_call_win() -> None:
    """An override switches its stage on; None keeps the setting."""
    request = make(mmr_lambda=0, decay_half_life_days=7, explain=True, max_results=None, user_id="ana")
    assert (request.mmr_lambda, request.half_life_days, request.explain) == (0, 7, True)
    assert request.max_results == 6
    assert request.where.user == "ana"


def test_the_pool_grows_with_its_multiplier() -> None:
    """Every step of the multiplier asks for more; fewer than six results are gathered for like six."""
    pools = [
        make_request("q", QueryConfig(hybrid=HybridConfig(candidate_multiplier=n)), DAY).pool
        for n in (1, 2, 8, 20)
    ]
    assert pools == [6, 12, 48, 120]
    assert (make(max_results=1).pool, make(max_results=7).pool) == (48, 56)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_results", 0),
        ("max_results", -1),
        ("max_results", 2.5),
        ("max_results", True),
        ("min_score", 5),
        ("min_score", float("nan")),
        ("mmr_lambda", 9),
        ("mmr_lambda", "high"),
        ("decay_half_life_days", 0),
        ("decay_half_life_days", -3),
        ("snippet_max_chars", 0),
        ("strategy", ""),
        ("strategy", 3),
        ("explain", "yes"),
        ("user_id", ""),
        ("source_filter", []),
        ("where", ["source"]),
    ],
)
def test_overrides_are_checked_like_the_settings(name: str, value: Any) -> None:
    """A value out of range is refused for one call as it is in the configuration."""
    with pytest.raises(_errors.ConfigError):
        make(**{name: value})


def test_an_unknown_option_names_the_nearest() -> None:
    """A typo is an error, not a silent default."""
    with pytest.raises(_errors.ConfigError, match="max_results"):
        make(max_result=1)


def test_the_query_must_be_text() -> None:
    """Anything else than a string is refused."""
    with pytest.raises(_errors.ConfigError, match="query"):
        make_request(None, QueryConfig(), DAY)  # type: ignore[arg-type]  # the wrong type is the point


def test_filters_become_a_where() -> None:
    """Every key, as one value or a list."""
    where = parse_where(
        {
            "source": "researcher",
            "tier": ["semantic", "episodic"],
            "since": "2026-01-01",
            "until": dt.datetime(2026, 2, 1, 12),
            "tags": ("a", "b"),
            "metadata.status": ["open", None],
            "metadata": {"due": dt.date(2026, 5, 1), "size": 3},
            "path": "memory/notes.md",
        },
        user_id="ana",
    )
    assert where == Where(
        user="ana",
        source=("researcher",),
        tier=("semantic", "episodic"),
        since=dt.date(2026, 1, 1),
        until=dt.date(2026, 2, 1),
        tags=("a", "b"),
        metadata=(("status", ("open", None)), ("due", ("2026-05-01",)), ("size", (3,))),
        paths=("memory/notes.md",),
    )


@pytest.mark.parametrize(
    ("date", "since", "until"),
    [
        ("2026-03-21", DAY, DAY),
        (DAY, DAY, DAY),
        ({"from": "2026-03-21"}, DAY, None),
        ({"to": DAY}, None, DAY),
        ({"from": DAY, "to": DAY}, DAY, DAY),
    ],
)
def test_a_date_is_a_day_or_a_span(date: Any, since: dt.date | None, until: dt.date | None) -> None:
    """One day sets both ends, a mapping those it names."""
    assert parse_where({"date": date}) == Where(since=since, until=until)


@pytest.mark.parametrize(
    "filters",
    [
        {"tier": "semantics"},
        {"date": "21 March"},
        {"date": {"after": DAY}},
        {"date": {}},
        {"date": DAY, "since": DAY},
        {"since": "2026-02-02", "until": "2026-01-01"},
        {"tags": [1]},
        {"tags": ""},
        {"source": {"a": 1}},
        {"metadata": "status"},
        {"metadata.status": []},
        {"metadata.status": {"a": 1}},
        {"metadata.": 1},
        {3: 1},
    ],
)
def test_a_wrong_filter_is_refused(filters: dict[Any, Any]) -> None:
    """A filter that cannot mean anything is never taken as no filter."""
    with pytest.raises(_errors.ConfigError):
        parse_where(filters)


def test_an_unknown_filter_names_the_nearest() -> None:
    """`sources` is refused with `source`."""
    with pytest.raises(_errors.ConfigError, match="'source'"):
        parse_where({"sources": "a"})


def test_a_source_is_given_once() -> None:
    """`source_filter` is the short form of the filter, and both together are ambiguous."""
    assert make(source_filter=["a", "b"]).where.source == ("a", "b")
    with pytest.raises(_errors.ConfigError, match="both"):
        make(source_filter="a", where={"source": "b"})


def test_a_ready_where_is_taken_as_it_is() -> None:
    """A `Where` of one's own gets only the user added."""
    assert make(where=Where(tags=("x",)), user_id="ana").where == Where(user="ana", tags=("x",))


@pytest.mark.parametrize("given", [{"where": Where(superseded=True)}, {"include_superseded": True}])
def test_superseded_pages_are_asked_for_in_two_ways(given: dict[str, Any]) -> None:
    """A `Where` of one's own may bring them back as the option does; by default they stay out."""
    assert make(**given).where.superseded
    assert not make().where.superseded
