"""Cuts a list of texts into requests that a provider will take. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...text.tokens import estimate_tokens
from ...types import EmbedLimits


def smaller(first: EmbedLimits, second: EmbedLimits) -> EmbedLimits:
    """What both limits allow."""
    return EmbedLimits(
        max_batch_items=min(first.max_batch_items, second.max_batch_items),
        max_batch_tokens=min(first.max_batch_tokens, second.max_batch_tokens),
        max_text_tokens=min(first.max_text_tokens, second.max_text_tokens),
    )


def batches(texts: Sequence[str], limits: EmbedLimits) -> Iterator[tuple[int, Sequence[str]]]:
    """(index of the first text, texts) in order; only a text that is too large alone exceeds the limits."""
    start, size = 0, 0
    for i, text in enumerate(texts):
        tokens = min(estimate_tokens(text), limits.max_text_tokens)
        full = i - start >= limits.max_batch_items or size + tokens > limits.max_batch_tokens
        if i > start and full:
            yield start, texts[start:i]
            start, size = i, 0
        size += tokens
    if start < len(texts):
        yield start, texts[start:]


def shorten(text: str, tokens: int) -> str:
    """The longest beginning of `text` of at most `tokens` estimated tokens, cut at a space if one is near."""
    if estimate_tokens(text) <= tokens:
        return text
    low, high = 0, len(text)
    while low < high:  # the estimate of a beginning never falls as it grows
        middle = (low + high + 1) // 2
        if estimate_tokens(text[:middle]) <= tokens:
            low = middle
        else:
            high = middle - 1
    space = max(text.rfind(" ", 0, low), text.rfind("\n", 0, low))
    return text[:space] if space > low * 0.8 else text[:low]
