"""The cases of the contract for stores: each asks a new store a few things and compares the answers."""

from __future__ import annotations

import datetime as dt
from functools import partial
from typing import Any

from langgraph.store.base import GetOp, InvalidNamespaceError, MatchCondition, PutOp

from .contract_asking import CASES, NS, Asked, case, expect, refused

__all__ = ["CASES"]


@case
def same_text_in_a_batch(asked: Asked) -> None:
    """Items of equal text can be put in one batch, and the text is embedded once."""
    asked.batch(PutOp(NS, "a", {"text": "green tea"}), PutOp(NS, "b", {"text": "green tea"}))
    expect(sorted(asked.keys(query="tea")), ["a", "b"])
    expect(asked.embedding.texts.count("green tea"), 1)


@case
def created_at_is_kept(asked: Asked) -> None:
    """An update keeps the time of creation and moves that of the last change."""
    asked.put("a", {"text": "one"})
    first = asked.get("a")
    asked.put("a", {"text": "two"})
    second = asked.get("a")
    expect(second.created_at, first.created_at)
    expect(second.updated_at > first.updated_at, True)


@case
def an_update_replaces_vectors(asked: Asked) -> None:
    """An update without the text, or with index=False, leaves no vector of what was there before."""
    for key in ("a", "b", "c"):
        asked.put(key, {"text": "green tea"})
    asked.put("a", {"note": "no text"})
    asked.put("b", {"text": "green tea"}, index=False)
    found = {item.key: item.score for item in asked.search(query="green tea") if item.score is not None}
    expect(sorted(found), ["c"])


@case
def deleting_deletes_vectors(asked: Asked) -> None:
    """After a delete no vector is left that a later item at the same key would get."""
    asked.put("a", {"text": "green tea"})
    asked.put("a", None)
    asked.put("a", {"text": "green tea"}, index=False)
    expect([item for item in asked.search(query="green tea") if item.score is not None], [])


@case
def semantic_pages_are_complete(asked: Asked) -> None:
    """Pages of a search by meaning are full to the end and name each item once."""
    for number in range(30):
        asked.put(f"k{number}", {"text": f"tea number {number}"})
    pages = [asked.keys(query="tea", limit=5, offset=offset) for offset in range(0, 30, 5)]
    expect([len(page) for page in pages], [5] * 6)
    expect(len({key for page in pages for key in page}), 30)


@case
def several_vectors_are_one_item(asked: Asked) -> None:
    """An item with several indexed fields takes one place among the results, with its best score."""
    for key in ("a", "b", "c"):
        asked.put(key, {"x": "green tea", "y": f"tea {key}", "z": "tea"}, index=["x", "y", "z"])
    expect(sorted(asked.keys(query="tea", limit=3)), ["a", "b", "c"])


@case
def dates_are_compared(asked: Asked) -> None:
    """Texts are compared with texts, so $gt works on ISO dates."""
    asked.put("old", {"at": "2025-01-01"})
    asked.put("new", {"at": "2026-01-01"})
    expect(asked.keys(filter={"at": {"$gt": "2025-06-01"}}), ["new"])


@case
def a_missing_field_meets_nothing(asked: Asked) -> None:
    """$gt where the field is missing or of another type is no match and no error."""
    asked.put("a", {"n": 5})
    asked.put("b", {"text": "no number"})
    asked.put("c", {"n": "many"})
    asked.put("d", {"n": None})
    expect(asked.keys(filter={"n": {"$gt": 3}}), ["a"])


@case
def ne_excludes_a_missing_field(asked: Asked) -> None:
    """$ne does not match where the field is missing."""
    asked.put("a", {"colour": "red"})
    asked.put("b", {"colour": "blue"})
    asked.put("c", {"text": "none"})
    expect(asked.keys(filter={"colour": {"$ne": "red"}}), ["b"])


@case
def more_operators(asked: Asked) -> None:
    """$in, $nin, $exists and $contains are known, and an unknown operator is a ValueError."""
    asked.put("a", {"n": 1, "tags": ["x", "y"]})
    asked.put("b", {"n": 2, "tags": ["y"]})
    asked.put("c", {"other": 3})
    expect(sorted(asked.keys(filter={"n": {"$in": [1, 2]}})), ["a", "b"])
    expect(asked.keys(filter={"n": {"$nin": [1]}}), ["b"])
    expect(asked.keys(filter={"n": {"$exists": False}}), ["c"])
    expect(asked.keys(filter={"tags": {"$contains": "x"}}), ["a"])
    refused(lambda: asked.search(filter={"n": {"$near": 1}}), ValueError)


@case
def nested_and_dotted_fields(asked: Asked) -> None:
    """A filter reaches into objects by a nested mapping and by a key with dots."""
    asked.put("a", {"meta": {"lang": "es", "n": 4}})
    asked.put("b", {"meta": {"lang": "en", "n": 4}})
    expect(asked.keys(filter={"meta": {"lang": "es"}}), ["a"])
    expect(asked.keys(filter={"meta.lang": "es", "meta.n": {"$gte": 4}}), ["a"])


@case
def values_are_copied(asked: Asked) -> None:
    """Changing a value after it was put, or one that was given out, changes nothing in the store."""
    value = {"tags": ["x"]}
    asked.put("a", value)
    value["tags"].append("y")
    asked.get("a").value["tags"].append("z")
    expect(asked.get("a").value, {"tags": ["x"]})


@case
def only_indexed_items_are_ranked(asked: Asked) -> None:
    """A search by meaning gives indexed items only, so that offset counts what is found."""
    asked.put("a", {"text": "green tea"})
    asked.put("b", {"text": "black tea"})
    asked.put("c", {"text": "tea"}, index=False)
    expect(sorted(asked.keys(query="tea")), ["a", "b"])
    expect(asked.keys(query="tea", offset=2), [])


@case
def the_last_change_comes_first(asked: Asked) -> None:
    """Without a query the item that changed last comes first, even within one second."""
    for key in ("b", "a", "c"):
        asked.put(key, {"n": 1})
    asked.put("b", {"n": 2})
    expect(asked.keys(), ["b", "c", "a"])


@case
def reads_see_the_state_before_a_batch(asked: Asked) -> None:
    """In a batch reads see what was there before it, and of several puts of a key the last one wins."""
    asked.put("a", {"n": 1})
    first, second = PutOp(NS, "a", {"n": 2}), PutOp(NS, "a", {"n": 3})
    found = asked.batch(first, GetOp(NS, "a"), second, GetOp(NS, "b"))
    expect([item and item.value for item in found], [None, {"n": 1}, None, None])
    expect(asked.get("a").value, {"n": 3})


@case
def what_is_no_json_is_refused(asked: Asked) -> None:
    """A value that JSON cannot hold is refused, and the error names where it is."""
    for wrong in list[Any]([dt.datetime(2026, 1, 1), {1, 2}]):
        put = partial(asked.put, "a", {"deep": [{"when": wrong}]})
        error = refused(put, TypeError, ValueError)
        expect("deep" in str(error) and "when" in str(error), True)
    expect(asked.get("a"), None)


@case
def empty_namespaces_are_gone(asked: Asked) -> None:
    """A namespace is listed while it holds an item: not after its last delete, nor after a get."""
    asked.put("a", {"n": 1})
    asked.put("a", None)
    asked.get("x", ("ghosts",))
    expect(asked.namespaces(), [])


@case
def a_list_is_a_namespace_too(asked: Asked) -> None:
    """A namespace may be given as a list, and is found by a tuple."""
    asked.put("a", {"text": "green tea"}, namespace=list(NS))
    expect(asked.keys("users"), ["a"])
    expect(asked.get("a").namespace, NS)


@case
def a_negative_limit_is_refused(asked: Asked) -> None:
    """A limit or offset below 0 is a ValueError."""
    asked.put("a", {"n": 1})
    refused(lambda: asked.search(limit=-1), ValueError)
    refused(lambda: asked.search(offset=-1), ValueError)


@case
def fields_are_honoured(asked: Asked) -> None:
    """Only the texts of `fields` reach the embedder, or those of `index` where a put names them."""
    asked.put("a", {"text": "green tea", "secret": "hidden"})
    asked.put("b", {"text": "x", "parts": [{"t": "one"}, {"t": "two"}]}, index=["parts[*].t"])
    expect(sorted(asked.embedding.texts), ["green tea", "one", "two"])


@case
def labels_are_whole(asked: Asked) -> None:
    """A prefix is one of labels and not of text, whatever signs these hold."""
    for label in ("ana", "anabel", "an_", "a%", "a*", "Ana"):
        asked.put("k", {"n": 1}, namespace=("users", label))
    for label in ("ana", "an_", "a%", "a*", "Ana"):
        expect([item.namespace for item in asked.search("users", label)], [("users", label)])
    wild = MatchCondition("prefix", ("*", "ana"))
    expect(asked.namespaces(match_conditions=(wild,)), [("users", "ana")])


@case
def bad_namespaces_are_refused(asked: Asked) -> None:
    """Namespaces that LangGraph forbids are refused in a batch too, where its own methods do not look."""
    for wrong in ((), ("a.b",), ("",), (1,), ("a\x00b",)):
        refused(partial(asked.put, "a", {"n": 1}, namespace=wrong), InvalidNamespaceError)
    expect(asked.namespaces(), [])
