"""Requests hold no more than a provider takes."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core.adapters.embedders.batching import batches, shorten, smaller
from memweave_core.text.tokens import estimate_tokens
from memweave_core.types import EmbedLimits

_texts = st.lists(st.text(max_size=60), max_size=30)


@settings(max_examples=80)
@given(_texts, st.integers(1, 6), st.integers(1, 60))
def test_batches_keep_order_and_bounds(texts: list[str], items: int, tokens: int) -> None:
    """All texts come in order, and only a batch of one exceeds the token bound."""
    limits = EmbedLimits(max_batch_items=items, max_batch_tokens=tokens)
    cut = list(batches(texts, limits))
    assert [text for _, batch in cut for text in batch] == texts
    for start, batch in cut:
        assert texts[start : start + len(batch)] == list(batch)
        assert 1 <= len(batch) <= items
        assert len(batch) == 1 or sum(map(estimate_tokens, batch)) <= tokens


@settings(max_examples=80)
@given(st.text(max_size=400), st.integers(1, 50))
def test_a_shortened_text_is_a_beginning_within_the_bound(text: str, tokens: int) -> None:
    """Shortening keeps a beginning of at most so many tokens, in any script."""
    short = shorten(text, tokens)
    assert text.startswith(short)
    assert estimate_tokens(short) <= tokens
    assert short == text or estimate_tokens(text) > tokens


def test_words_are_not_cut() -> None:
    """A cut falls between words where there are any."""
    assert shorten("alpha beta gamma delta " * 20, 30).split()[-1] in {"alpha", "beta", "gamma", "delta"}


def test_the_smaller_of_two_limits_holds() -> None:
    """Each bound is the tighter of the two."""
    assert smaller(EmbedLimits(10, 500, 8), EmbedLimits(20, 100, 9)) == EmbedLimits(10, 100, 8)
