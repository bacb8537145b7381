"""Nodes are pages that a person can read, and are found by meaning, words and metadata as they should be."""

from __future__ import annotations

import asyncio
import copy
import math
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.schema import BaseNode, ImageNode, IndexNode, MediaResource, Node, TextNode
from llama_index.core.schema import NodeRelationship as Relation
from llama_index.core.schema import RelatedNodeInfo as Related
from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)
from llama_index_memweave import MemWeaveEmbedding, MemWeaveVectorStore
from llama_index_memweave.conditions import condition_of
from llama_index_memweave.node_ranking import diverse, fused
from llama_index_memweave.nodes import node_of, value_of

from memweave_core import MemWeave, blocking
from memweave_core.records import matches

Operator = FilterOperator
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | text
)
json = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=5,
)


def node(name: str, vector: Sequence[float], said: str = "", doc: str = "d", **metadata: Any) -> TextNode:
    """A node of a document."""
    related = {Relation.SOURCE: Related(node_id=doc)}
    return TextNode(
        id_=name, text=said or name, embedding=list(vector), metadata=metadata, relationships=related
    )


def asked(store: MemWeaveVectorStore, *filters: Any, **kwargs: Any) -> list[str]:
    """The ids that a query finds."""
    given_filters = MetadataFilters(filters=list(filters)) if filters else None
    query = VectorStoreQuery(
        **{"query_embedding": [1.0, 0.0], "similarity_top_k": 9, "filters": given_filters, **kwargs}
    )
    return list(store.query(query).ids or [])


@pytest.fixture
def store(memory: MemWeave) -> MemWeaveVectorStore:
    """An empty store."""
    return MemWeaveVectorStore(memory)


# --- pages -------------------------------------------------------------------------------------------------


def test_a_node_is_a_page(store: MemWeaveVectorStore, tmp_path: Path) -> None:
    """The text of a node stands in a Markdown file under its id, and search finds it as a note."""
    store.add([node("owls", [1.0, 0.0], "Owls hunt at night.", year=2021)])
    page = (tmp_path / "memory" / "nodes" / "default" / "owls.md").read_text(encoding="utf-8")
    assert "\nOwls hunt at night.\n" in page
    assert '"year": 2021' in page
    assert len(blocking.MemWeave.of(store.memweave).search("When do owls hunt?")) == 1


def test_an_edited_page_is_the_node(store: MemWeaveVectorStore, tmp_path: Path) -> None:
    """What a person writes into the page is what the node says from then on."""
    store.add([node("owls", [1.0, 0.0], "Owls hunt at night.")])
    page = tmp_path / "memory" / "nodes" / "default" / "owls.md"
    page.write_text(page.read_text(encoding="utf-8").replace("at night", "at dusk"), encoding="utf-8")
    (found,) = store.get_nodes(["owls"])
    assert found.get_content() == "Owls hunt at dusk."


@pytest.mark.parametrize(
    "wrong",
    [
        {"node": 7},
        {"metadata": 5},
        {"type": "ImageNode", "node": {"image_resource": "x"}},
        {"node": {"relationships": {"1": "x"}}},
        {"type": "IndexNode", "node": {"obj": 3}, "embedding": "x"},
        {"type": "Node", "node": {"text_resource": "x"}},
    ],
)
def test_a_page_edited_wrongly_is_a_node_of_its_text(wrong: dict[str, Any]) -> None:
    """What is of no use in the JSON of a page keeps neither it nor the other nodes from being read."""
    made = node_of("owls", {"text": "Owls hunt.", "metadata": {"year": 2025}, "type": "TextNode", **wrong})
    assert made.get_content() == "Owls hunt."
    assert made.metadata == ({} if "metadata" in wrong else {"year": 2025})


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(text, json, max_size=4), text, st.lists(text, max_size=2))
def test_nodes_come_back_as_they_were(metadata: dict[str, Any], said: str, hidden: list[str]) -> None:
    """Class, text, metadata, relationships and all settings of a node survive, and it is not changed."""
    related = {
        Relation.SOURCE: Related(node_id="s", metadata=metadata),
        Relation.CHILD: [Related(node_id="c")],
    }
    common: dict[str, Any] = {
        "metadata": metadata,
        "excluded_llm_metadata_keys": hidden,
        "relationships": related,
        "embedding": [1.0],
    }
    made: list[BaseNode] = [
        TextNode(text=said, start_char_idx=3, text_template="{content}", **common),
        ImageNode(text=said, image="QUJD", image_mimetype="image/png", **common),
        IndexNode(text=said, index_id="other", **common),
        Node(text_resource=MediaResource(text=said), image_resource=MediaResource(data=b"QUJD"), **common),
        Document(text=said, **common),
    ]
    for one in made:
        before = copy.deepcopy(one)
        back = node_of(one.node_id, value_of(one, "m", 1))
        assert one == before
        assert type(back) is type(one)
        image = getattr(one, "image_resource", None)
        assert image is None or back.image_resource == image  # type: ignore[attr-defined]  # the same class
        assert {**back.to_dict(), "embedding": None} == {**one.to_dict(), "embedding": None}
        assert back.hash == one.hash


def test_collections_are_apart(memory: MemWeave) -> None:
    """What is in one collection is not found, read or deleted in another."""
    one, other = (MemWeaveVectorStore(memory, collection=name) for name in ("one", "other"))
    one.add([node("a", [1.0, 0.0])])
    other.clear()
    assert (asked(one), asked(other), other.get_nodes()) == (["a"], [], [])


def test_it_survives_being_stored(store: MemWeaveVectorStore) -> None:
    """As dictionary, pickle or copy it holds the same nodes."""
    store.add([node("a", [1.0, 0.0])])
    for one in (
        MemWeaveVectorStore.from_dict(store.to_dict()),
        pickle.loads(pickle.dumps(store)),
        copy.deepcopy(store),
    ):
        assert asked(one) == ["a"]


# --- spaces ------------------------------------------------------------------------------------------------


def test_a_query_of_another_model_is_told(store: MemWeaveVectorStore) -> None:
    """A vector of another length is refused with the name of what made those of the nodes."""
    store.add([node("a", [1.0, 0.0])])
    with pytest.raises(ValueError, match="vectors of 2 numbers by the embedding model unnamed"):
        asked(store, query_embedding=[1.0, 0.0, 0.0])


def test_vectors_are_made_again(memory: MemWeave, tmp_path: Path) -> None:
    """With the model at hand an edited page, or one without its index, is found by what it says now."""
    model = MemWeaveEmbedding(memory)
    store = MemWeaveVectorStore(memory, embed_model=model)
    said = ["Bread needs yeast.", "The train leaves at noon."]
    store.add(
        [
            TextNode(id_=str(k), text=one, embedding=model.get_text_embedding(one))
            for k, one in enumerate(said)
        ]
    )
    page = tmp_path / "memory" / "nodes" / "default" / "1.md"
    page.write_text(
        page.read_text(encoding="utf-8").replace("The train leaves at noon", "Wine needs grapes"),
        encoding="utf-8",
    )
    store.get_nodes(["1"])
    query = model.get_query_embedding("How is wine made?")
    found = store.query(VectorStoreQuery(query_embedding=query, similarity_top_k=1))
    assert [one.get_content() for one in found.nodes or []] == ["Wine needs grapes."]


# --- filters -----------------------------------------------------------------------------------------------

VALUES = [None, True, False, 0, 1, 2.5, "", "a", "Ab", [], ["a"], ["a", 1], [True]]
OPERANDS: list[Any] = [0, 1, 2.5, "", "a", "ab", ["a"], ["a", "b"], [1, 2], []]


def meant(operator: FilterOperator, value: Any, given_value: Any) -> bool:
    """What a filter means in Python, where a comparison that makes no sense is not met."""
    if operator == Operator.IS_EMPTY:
        return value is None or value in ("", [])
    if value is None:
        return operator in (Operator.NE, Operator.NIN)
    listed = given_value if isinstance(given_value, list) else [given_value]
    compare = {
        Operator.EQ: lambda: value == given_value,
        Operator.NE: lambda: value != given_value,
        Operator.IN: lambda: value in given_value,
        Operator.NIN: lambda: value not in given_value,
        Operator.GT: lambda: not isinstance(value, bool) and value > given_value,
        Operator.GTE: lambda: not isinstance(value, bool) and value >= given_value,
        Operator.LT: lambda: not isinstance(value, bool) and value < given_value,
        Operator.LTE: lambda: not isinstance(value, bool) and value <= given_value,
        Operator.CONTAINS: lambda: given_value in value,
        Operator.ANY: lambda: any(one in value for one in listed),
        Operator.ALL: lambda: all(one in value for one in listed),
        Operator.TEXT_MATCH: lambda: isinstance(value, str) and given_value in value,
        Operator.TEXT_MATCH_INSENSITIVE: lambda: (
            isinstance(value, str) and given_value.lower() in value.lower()
        ),
    }
    try:
        return bool(compare[operator]())
    except TypeError:
        return False


def refused(operator: FilterOperator, operand: Any) -> bool:
    """Whether an operator does not take an operand."""
    takes_lists = operator in (Operator.IN, Operator.NIN, Operator.ANY, Operator.ALL)
    takes_text = operator in (Operator.TEXT_MATCH, Operator.TEXT_MATCH_INSENSITIVE)
    return (takes_lists and not isinstance(operand, list)) or (takes_text and not isinstance(operand, str))


@pytest.mark.parametrize("operator", list(FilterOperator))
def test_every_operator_means_what_it_says(operator: FilterOperator, store: MemWeaveVectorStore) -> None:
    """For every kind of value and operand the database finds what the operator means in Python."""
    ordered = operator in (Operator.GT, Operator.GTE, Operator.LT, Operator.LTE)
    store.add([node(str(k), [1.0, k / 99], v=value) for k, value in enumerate(VALUES)])
    for operand in OPERANDS:
        one = MetadataFilter(key="v", value=operand, operator=operator)
        if refused(operator, operand):
            with pytest.raises(ValueError, match=operator.name if operator not in (Operator.NIN,) else "IN"):
                asked(store, one, similarity_top_k=99)
        elif not (ordered and isinstance(operand, list)):
            expected = {str(k) for k, value in enumerate(VALUES) if meant(operator, value, operand)}
            assert set(asked(store, one, similarity_top_k=99)) == expected, operand


trees = st.recursive(
    st.builds(
        MetadataFilter,
        key=st.sampled_from(["a", "b.c", "d"]),
        value=st.sampled_from([1, 2, "x", "y"]),
        operator=st.sampled_from([Operator.EQ, Operator.NE, Operator.GT, Operator.LTE]),
    ),
    lambda inner: st.builds(
        MetadataFilters,
        filters=st.lists(inner, max_size=3),
        condition=st.sampled_from([None, *FilterCondition]),
    ),
    max_leaves=6,
)
DOCUMENTS = [
    {},
    {"a": 1},
    {"a": 2, "b.c": "x"},
    {"a": "x", "d": 1},
    {"b": {"c": "x"}, "d": 2},
    {"a": 1, "b.c": "y", "d": "y"},
]


def met(tree: MetadataFilter | MetadataFilters, metadata: dict[str, Any]) -> bool:
    """What a tree of filters means in Python."""
    if isinstance(tree, MetadataFilter):
        names = tree.key.split(".")
        value = metadata.get(tree.key, metadata.get(names[0], {}).get(names[-1]) if len(names) > 1 else None)
        return meant(tree.operator, value, tree.value)
    parts = [met(part, metadata) for part in tree.filters]
    if tree.condition == FilterCondition.NOT:
        return not any(parts)
    return any(parts) or not parts if tree.condition == FilterCondition.OR else all(parts)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(trees, min_size=1, max_size=3), st.sampled_from([None, *FilterCondition]))
def test_trees_of_filters_are_evaluated_in_the_database(
    store: MemWeaveVectorStore, parts: list[Any], condition: FilterCondition | None
) -> None:
    """AND, OR and NOT, nested in any way, find what they mean in Python."""
    if not store.get_nodes(["0"]):
        store.add([node(str(k), [1.0, k / 9], **metadata) for k, metadata in enumerate(DOCUMENTS)])
    tree = MetadataFilters(filters=parts, condition=condition)
    expected = {str(k) for k, metadata in enumerate(DOCUMENTS) if met(tree, metadata)}
    assert set(asked(store, filters=tree)) == expected
    where = condition_of(tree)
    assert {str(k) for k, one in enumerate(DOCUMENTS) if matches(where, {"metadata": one})} == expected


def test_filters_narrow_before_the_best_are_taken(store: MemWeaveVectorStore) -> None:
    """A rare value far from the query is found, however many are nearer."""
    store.add([node(str(k), [1.0, k / 1000], kind="rare" if k == 99 else "common") for k in range(100)])
    assert asked(store, MetadataFilter(key="kind", value="rare"), similarity_top_k=1) == ["99"]


def test_documents_can_be_asked_for(store: MemWeaveVectorStore) -> None:
    """By nodes, by documents, and by the names of the document in filters; no documents are no nodes."""
    store.add([node("a", [1.0, 0.0], doc="d1"), node("b", [1.0, 0.1], doc="d2")])
    assert asked(store, node_ids=["b"]) == asked(store, doc_ids=["d2"]) == ["b"]
    assert asked(store, doc_ids=[]) == []
    for name in ("ref_doc_id", "doc_id", "document_id"):
        assert asked(store, MetadataFilter(key=name, value="d1")) == ["a"]


# --- modes -------------------------------------------------------------------------------------------------


def test_scores_come_with_every_mode(store: MemWeaveVectorStore) -> None:
    """Every mode gives as many scores as nodes, in order, none of them missing; cosines may be below 0."""
    store.add([node("a", [1.0, 0.0], "quokka rota"), node("b", [-1.0, 0.0], "quokka"), node("c", [0.0, 1.0])])
    for mode in ("default", "mmr", "hybrid", "text_search", "sparse"):
        query = VectorStoreQuery(
            query_embedding=[1.0, 0.0],
            query_str="quokka rota",
            similarity_top_k=3,
            mode=VectorStoreQueryMode(mode),
        )
        result = store.query(query)
        scores = result.similarities or []
        assert len(scores) == len(result.nodes or []) == len(result.ids or []) >= 2
        assert mode == "mmr" or scores == sorted(scores, reverse=True)
        if mode == "default":
            assert scores == pytest.approx([1.0, 0.0, -1.0], abs=1e-6)


def test_what_it_cannot_answer_it_says(store: MemWeaveVectorStore) -> None:
    """Other modes, and queries without what their mode needs, are errors."""
    for mode in ("svm", "logistic_regression", "linear_regression", "semantic_hybrid"):
        with pytest.raises(ValueError, match=mode):
            asked(store, mode=mode)
    with pytest.raises(ValueError, match="query_embedding"):
        asked(store, query_embedding=None)
    with pytest.raises(ValueError, match="query_str"):
        asked(store, mode="text_search")


@given(
    st.lists(st.integers(0, 9), max_size=6, unique=True),
    st.lists(st.integers(0, 9), max_size=6, unique=True),
    st.floats(0, 1),
)
def test_fusion_is_bounded_and_complete(near: list[int], worded: list[int], alpha: float) -> None:
    """What either leg found is there once, best first, with a score in [0, 1]."""
    cosines = {str(k): k / 5 - 1 for k in near}
    words = {str(k): k / 9 for k in worded}
    found = fused(cosines, words, alpha)
    assert sorted(key for key, _ in found) == sorted({*cosines, *words})
    scores = [score for _, score in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_diversity_leaves_out_what_says_the_same() -> None:
    """At 1 the order is that of the scores; at 0 the second is what is least like the first."""
    vectors = [np.array([math.cos(a), math.sin(a)], dtype=np.float32) for a in (0.1, 0.11, -0.9)]
    scores = [float(vector[0]) for vector in vectors]
    assert diverse(scores, vectors, 3, 1.0) == [0, 1, 2]
    assert diverse(scores, vectors, 2, 0.0) == [0, 2]
    assert diverse([], [], 3, 0.5) == []


# --- with LlamaIndex ---------------------------------------------------------------------------------------


def test_an_index_over_it_lasts(memory: MemWeave) -> None:
    """Documents are found, refreshed and deleted through an index, and by another index later."""
    model = MemWeaveEmbedding(memory)
    store = MemWeaveVectorStore(memory, embed_model=model)
    index = VectorStoreIndex.from_vector_store(store, embed_model=model)
    index.insert(Document(id_="bread", text="Bread needs yeast."))
    index.insert(Document(id_="train", text="The train leaves at noon."))
    index.insert_nodes([IndexNode(id_="other", text="Elsewhere.", index_id="x")])
    index.delete_ref_doc("train")
    again = VectorStoreIndex.from_vector_store(
        MemWeaveVectorStore(memory, embed_model=model), embed_model=model
    )
    found = again.as_retriever(similarity_top_k=5).retrieve("How is bread made?")
    assert [one.node.ref_doc_id for one in found] == ["bread", None]
    hybrid = again.as_retriever(similarity_top_k=1, vector_store_query_mode="hybrid", alpha=0.3)
    assert asyncio.run(hybrid.aretrieve("yeast"))[0].node.ref_doc_id == "bread"


def test_notes_are_found_beside_nodes(memory: MemWeave) -> None:
    """With notes included, passages of the workspace compete with nodes, and filters hold for them too."""
    blocking.MemWeave.of(memory).write("trains.md", "# Trains\n\nThe train to Oslo leaves at noon.\n")
    model = MemWeaveEmbedding(memory)
    store = MemWeaveVectorStore(memory, embed_model=model, include_notes=True)
    index = VectorStoreIndex.from_vector_store(store, embed_model=model)
    index.insert(Document(id_="bread", text="Bread needs yeast."))
    for mode in ("default", "hybrid", "text_search"):
        retriever = index.as_retriever(similarity_top_k=1, vector_store_query_mode=mode)
        assert retriever.retrieve("When does the train leave?")[0].node.metadata["path"] == "memory/trains.md"
        assert retriever.retrieve("What does bread need?")[0].node.ref_doc_id == "bread"
    semantic = MetadataFilters(filters=[MetadataFilter(key="tier", value="procedural")])
    assert index.as_retriever(filters=semantic).retrieve("When does the train leave?") == []


async def test_all_of_it_can_be_awaited(store: MemWeaveVectorStore) -> None:
    """The awaited methods do what the others do, many at once."""
    await asyncio.gather(*(store.async_add([node(str(k), [1.0, k / 9], doc=f"d{k % 2}")]) for k in range(8)))
    await store.adelete("d1")
    await store.adelete_nodes(["0"])
    assert sorted(one.node_id for one in await store.aget_nodes()) == ["2", "4", "6"]
    results = await asyncio.gather(
        *(store.aquery(VectorStoreQuery(query_embedding=[1.0, 0.0])) for _ in range(8))
    )
    assert all(result.ids == ["2"] for result in results)
    await store.aclear()
    assert await store.aget_nodes() == []
