"""How two legs become one score."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core.config import HybridConfig, QueryConfig
from memweave_core.search.fusion import (
    FAR,
    NAMED,
    SOLE_EVIDENCE,
    calibrated,
    fuse,
    leg_weights,
    linear,
    text_score,
)
from memweave_core.search.hits import Candidate
from memweave_core.search.retrieve import Gathered
from memweave_core.types import Calibration, KeywordHit

UNIT = st.floats(0, 1)
LEG = st.none() | UNIT
PLAIN = Calibration(0.0, 1.0)
FILE = 7 << 20


def hybrids() -> st.SearchStrategy[HybridConfig]:
    return st.builds(
        lambda weight, fusion, neighbour, file: HybridConfig(
            vector_weight=weight,
            text_weight=1 - weight,
            fusion=fusion,
            neighbour_weight=neighbour,
            file_weight=file,
        ),
        UNIT,
        st.sampled_from(["linear", "rrf"]),
        UNIT,
        UNIT,
    )


def candidate(position: int, cosine: float | None, share: float | None) -> Candidate:
    hit = None if share is None else KeywordHit(FILE + position, share, share)
    return Candidate(FILE + position, cosine, hit)


def gathered(*legs: tuple[float | None, float | None]) -> Gathered:
    found = [candidate(position, cosine, share) for position, (cosine, share) in enumerate(legs)]
    return Gathered(found, text=any(share is not None for _, share in legs), vector=True)


@pytest.mark.parametrize(
    ("cosine", "expected"),
    [(0.05, 0.0), (0.3, 0.5), (0.5, 1.0), (-1.0, 0.0), (1.0, 1.0)],
)
def test_a_cosine_is_read_on_the_scale_of_its_embedder(cosine: float, expected: float) -> None:
    """Linear between what is unrelated and what answers, cut off outside."""
    assert calibrated(cosine, Calibration(0.1, 0.5)) == pytest.approx(expected)


def test_a_calibration_without_span_is_a_step() -> None:
    """Equal ends divide by nothing."""
    assert [calibrated(cosine, Calibration(0.5, 0.5)) for cosine in (0.4, 0.6)] == [0.0, 1.0]


def test_the_page_lends_its_share_to_the_chunk() -> None:
    """`file_weight` of the text score comes from the whole page."""
    hybrid = HybridConfig(file_weight=0.2)
    assert text_score(KeywordHit(1, 0.5, 1.0), hybrid) == pytest.approx(0.6)
    assert text_score(None, hybrid) == 0


def test_neighbours_lend_the_terms_that_a_chunk_lacks() -> None:
    """A term next to a chunk counts `neighbour_weight`, one two away `FAR` of that."""
    hybrid = HybridConfig(file_weight=0, neighbour_weight=0.5)
    hit = KeywordHit(1, 0.4, 1.0, near=0.2, far=0.1)
    assert text_score(hit, hybrid) == pytest.approx(0.4 + 0.5 * (0.2 + FAR * 0.1))
    assert text_score(hit, replace(hybrid, neighbour_weight=0.0)) == pytest.approx(0.4)


def test_a_missing_leg_gives_its_weight_to_the_other() -> None:
    """No vector yet, or no known word, is not a score of 0."""
    hybrid = HybridConfig(vector_weight=0.7, text_weight=0.3)
    assert leg_weights(0.5, 0.5, hybrid) == (0.7, 0.3)
    assert linear(None, 0.6, hybrid) == pytest.approx(0.6)
    assert linear(0.6, None, hybrid) == pytest.approx(0.6)
    assert linear(None, None, hybrid) == 0


@pytest.mark.parametrize("weight", [0.1, 0.35, 0.7, 0.9])
@pytest.mark.parametrize(("vector", "text"), [(0.0, 1.0), (1.0, 0.0)])
def test_what_one_leg_vouches_for_passes_the_default_gate(weight: float, vector: float, text: float) -> None:
    """An exact identifier without a near vector, and an answer in another language, under any weights."""
    hybrid = HybridConfig(vector_weight=weight, text_weight=1 - weight)
    assert linear(vector, text, hybrid) >= max(QueryConfig().min_score, SOLE_EVIDENCE)


def test_a_leg_of_weight_zero_is_not_heard() -> None:
    """A user who switches a leg off by its weight gets the other alone."""
    assert linear(1.0, 0.2, HybridConfig(vector_weight=0, text_weight=1)) == pytest.approx(0.2)


@settings(max_examples=100)
@given(LEG, LEG, UNIT, hybrids())
def test_linear_fusion_is_bounded_and_monotone(
    vector: float | None, text: float | None, more: float, hybrid: HybridConfig
) -> None:
    """Scores lie in [0, 1] and more evidence in a leg never lowers one."""
    score = linear(vector, text, hybrid)
    assert 0 <= score <= 1
    if vector is not None:
        assert linear(max(vector, more), text, hybrid) >= score
    if text is not None:
        assert linear(vector, max(text, more), hybrid) >= score


@settings(max_examples=100)
@given(st.lists(st.tuples(LEG, LEG), min_size=1, max_size=8), hybrids())
def test_every_fusion_stays_in_bounds(
    legs: list[tuple[float | None, float | None]], hybrid: HybridConfig
) -> None:
    """Whatever the method, scores lie in [0, 1] and keep the order of the candidates."""
    scored = fuse(gathered(*legs), hybrid, PLAIN)
    assert all(0 <= one.score <= 1 for one in scored)
    assert [one.chunk_id for one in scored] == [FILE + position for position in range(len(legs))]


@settings(max_examples=60)
@given(st.lists(st.tuples(UNIT, UNIT), min_size=2, max_size=8), hybrids())
def test_a_chunk_better_in_both_legs_is_never_below(
    legs: list[tuple[float, float]], hybrid: HybridConfig
) -> None:
    """Dominance holds for linear fusion and for ranks."""
    scored = fuse(gathered(*legs), replace(hybrid, neighbour_weight=0.0), PLAIN)
    for (vector, text), one in zip(legs, scored, strict=True):
        for (other_vector, other_text), other in zip(legs, scored, strict=True):
            if vector >= other_vector and text >= other_text:
                assert one.score >= other.score - 1e-12


@settings(max_examples=60)
@given(st.tuples(UNIT, UNIT), st.lists(st.tuples(UNIT, UNIT), max_size=6))
def test_a_linear_score_does_not_depend_on_other_chunks(
    one: tuple[float, float], others: list[tuple[float, float]]
) -> None:
    """The same chunk scores the same in a small store and in a large one."""
    alone = fuse(gathered(one, (0.0, 0.0)), HybridConfig(), PLAIN)[0].score
    assert fuse(gathered(one, (0.0, 0.0), *others), HybridConfig(), PLAIN)[0].score == alone


def test_ranks_are_scaled_to_one() -> None:
    """First in both legs is 1, and what a leg gives nothing gets nothing from it."""
    hybrid = HybridConfig(vector_weight=0.5, text_weight=0.5, fusion="rrf")
    first, second, last = fuse(gathered((0.9, 0.9), (0.8, 0.0), (0.0, None)), hybrid, PLAIN)
    assert (first.score, last.score) == (1.0, 0.0)
    assert second.score == pytest.approx(0.5 * 61 / 62)


@given(st.lists(UNIT, min_size=1, max_size=5), st.sampled_from(["linear", "rrf"]))
@settings(max_examples=40)
def test_a_named_page_has_one_chunk_lifted(shares: list[float], method: Literal["linear", "rrf"]) -> None:
    """Its best chunk scores `NAMED` at least; no chunk loses, and no other one gains."""

    def scores(named: bool) -> list[float]:
        hits = [KeywordHit(FILE + at, share, share, named=float(named)) for at, share in enumerate(shares)]
        candidates = [Candidate(hit.chunk_id, keyword=hit) for hit in hits]
        gathered = Gathered(candidates, text=True, vector=False)
        return [one.score for one in fuse(gathered, HybridConfig(fusion=method), PLAIN)]

    before, after = scores(False), scores(True)
    best = before.index(max(before))
    assert after[best] == max(before[best], NAMED)
    assert after[:best] + after[best + 1 :] == before[:best] + before[best + 1 :]


def test_a_lift_is_always_explained() -> None:
    """Also where the words of a page in another language say nothing, its stages tell that it is named."""
    hit = KeywordHit(FILE, 0.0, 0.0, known=1.0, named=0.5)
    gathered = Gathered([Candidate(FILE, 0.2, hit, foreign=True)], text=True, vector=True)
    [scored] = fuse(gathered, HybridConfig(), PLAIN, explain=True)
    assert scored.text is None and scored.score == NAMED
    assert scored.stages is not None and scored.stages["text"] == {"named": 0.5}
    assert scored.stages["name"] == {"share": 0.5, "score": NAMED}


@pytest.mark.parametrize(("share", "evidence"), [(0.5, 0.14), (1.0, NAMED)])
def test_a_name_is_evidence_only_when_nothing_else_is_asked(share: float, evidence: float) -> None:
    """A lifted chunk keeps the score of its content as evidence, unless the name is the whole query."""
    hit = KeywordHit(FILE, 0.2, 0.2, named=share)
    [scored] = fuse(Gathered([Candidate(FILE, 0.0, hit)], text=True, vector=True), HybridConfig(), PLAIN)
    assert scored.score == NAMED
    assert scored.evidence == pytest.approx(evidence)


def test_a_misspelt_word_is_explained() -> None:
    """The stages tell what a word of the query was taken for."""
    hit = KeywordHit(FILE, 0.2, 0.2, taken={"croisant": ("croissant", "cross")})
    gathered = Gathered([Candidate(FILE, keyword=hit)], text=True, vector=False)
    [scored] = fuse(gathered, HybridConfig(), PLAIN, explain=True)
    assert scored.stages is not None
    assert scored.stages["text"]["taken_for"] == {"croisant": "croissant cross"}
