"""Conditions mean the same in SQL and in Python."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core.adapters.sqlite.driver import choose
from memweave_core.records import AnyOf, BlockingRecords, Condition, Not, matches, parse
from memweave_core.records.filter_sql import FOLD, compile_filter
from memweave_core.records.json_value import dumped

CONNECTION = choose().connect(":memory:")
CONNECTION.create_function(FOLD, 1, lambda text: text.casefold(), deterministic=True)

SCALARS = (
    st.none() | st.booleans() | st.integers(-3, 3)
    | st.sampled_from([0.5, 1.0, 2.5, 2**63, -(2**70), 2**53 + 1])
    | st.sampled_from(["", "a", "A", "ab", "ñ", "2026-01-01", "1", "\x00b"])
)  # fmt: skip
ITEMS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
VALUES = st.dictionaries(st.sampled_from(["a", "b", "a.b", "c", "it's"]), ITEMS, max_size=4)
PATHS = st.sampled_from(
    ["a", "b", "a.b", "a.b.c", "a[*]", "a[*].b", "a[0]", "a[-1]", "a[*].b[*]", "it's", "[*]", 'q"']
)
OPERATIONS = (
    st.tuples(st.sampled_from(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$contains"]), ITEMS)
    | st.tuples(st.sampled_from(["$in", "$nin"]), st.lists(ITEMS, max_size=3))
    | st.tuples(st.just("$exists"), st.booleans())
    | st.tuples(st.sampled_from(["$text", "$itext"]), st.sampled_from(["", "a", "AB", "Ñ"]))
)
CONDITIONS = st.builds(lambda path, operation: {path: dict([operation])}, PATHS, OPERATIONS)
FILTERS = st.recursive(
    CONDITIONS,
    lambda inner: (
        st.builds(lambda parts: {"$and": parts}, st.lists(inner, max_size=2))
        | st.builds(lambda parts: {"$or": parts}, st.lists(inner, max_size=2))
        | st.builds(lambda part: {"$not": part}, inner)
    ),
    max_leaves=4,
)


def in_sql(where: dict[str, Any], value: dict[str, Any]) -> bool | None:
    """What SQLite says; None where it is not asked."""
    compiled = compile_filter(parse(where), "v")
    if compiled is None:
        return None
    row = CONNECTION.execute(
        f"SELECT {compiled.text} FROM (SELECT ? AS v)", (*compiled.operands, dumped(value))
    )
    return bool(row.fetchone()[0])


@settings(max_examples=600, deadline=None)
@given(FILTERS, VALUES)
def test_sql_and_python_agree(where: dict[str, Any], value: dict[str, Any]) -> None:
    """Where SQLite can decide a condition it decides as Python does."""
    said = in_sql(where, value)
    assert said is None or said is matches(parse(where), value)


@pytest.mark.parametrize(
    ("where", "met"),
    [
        ({"n": 1}, True),
        ({"n": True}, False),
        ({"n": 1.0}, True),
        ({"n": {"$gt": "0"}}, False),
        ({"flag": True, "flag2": 1}, False),
        ({"none": None}, True),
        ({"missing": None}, False),
        ({"missing": {"$ne": 1}}, False),
        ({"$not": {"missing": 1}}, True),
        ({"o": {"p": {"q": 5}}}, True),
        ({"o.p.q": {"$gte": 5, "$lt": 6}}, True),
        ({"x.y": "literal"}, True),
        ({"l[*].k": 2}, True),
        ({"l[-1].k": 2}, True),
        ({"l[0].k": 2}, False),
        ({"tags": {"$contains": "red"}}, True),
        ({"s": {"$contains": "ell"}}, True),
        ({"s": {"$itext": "HELL"}}, True),
        ({"big": {"$gt": 2**60}}, True),
        ({"big": 2**60 + 1}, True),
        ({"big": 2**60 + 2}, False),
        ({"huge": 10**30 + 1}, True),
        ({"huge": 10**30}, False),
        ({"o": {}}, True),
        ({"$or": [{"n": 5}, {"s": "hello"}]}, True),
    ],
)
def test_what_conditions_mean(where: dict[str, Any], met: bool) -> None:
    """Each condition is met, or not, as its documentation says, in both evaluations."""
    value = {
        "n": 1, "flag": True, "flag2": True, "none": None, "o": {"p": {"q": 5}}, "x.y": "literal",
        "s": "hello",
        "l": [{"k": 1}, {"k": 2}], "tags": ["blue", "red"], "big": 2**60 + 1, "huge": 10**30 + 1,
    }  # fmt: skip
    assert matches(parse(where), json.loads(json.dumps(value))) is met
    assert in_sql(where, value) in (None, met)


@pytest.mark.parametrize(
    "where",
    [
        {"n": {"$near": 1}},
        {"$nand": []},
        {"n": {"$in": "abc"}},
        {"n": {"$exists": 1}},
        {"$or": {"a": 1}},
        {3: 1},
        [1],
    ],
)
def test_what_is_no_condition_is_refused(where: Any) -> None:
    """An unknown operator or a wrong operand is a ValueError."""
    with pytest.raises(ValueError, match=r"."):
        parse(where)


def test_conditions_can_be_made_of_parts() -> None:
    """The classes mean what the mappings do."""
    where = AnyOf((Condition(("n",), "$eq", 2), Not(Condition(("s",), "$exists", True))))
    assert matches(where, {"n": 2, "s": "x"})
    assert matches(where, {})
    assert not matches(where, {"n": 3, "s": "x"})


@pytest.mark.parametrize("many", [list(map(str, range(40_000))), list(range(40_000))])
def test_long_lists_are_no_error(records: BlockingRecords, many: list[Any]) -> None:
    """$in takes tens of thousands of values, and a filter thousands of parts."""
    records.put(("a",), "k", {"v": many[7]})
    assert len(records.search(where={"v": {"$in": many}})) == 1
    assert records.search(where={"v": {"$nin": many}}) == []
    assert len(records.search(where={"$or": [{"v": one} for one in many[:2_000]]})) == 1
