"""What callers give as a token budget, and what of it is refused."""

from __future__ import annotations

from typing import Any

import pytest

from memweave_core import MemWeave, Message
from memweave_core._errors import UsageError


@pytest.mark.parametrize("tokens", [0, -1, float("nan"), "100", True])
async def test_a_budget_is_a_number_from_one_on(memory: MemWeave, tokens: Any) -> None:
    """Any other value is refused and named."""
    with pytest.raises(UsageError, match=f"max_tokens.*not {tokens!r}"):
        await memory.context("ana", "s", "Hi", max_tokens=tokens)


async def _later(message: Message) -> int:
    return len(message.text)


@pytest.mark.parametrize(
    ("count", "trouble"),
    [(lambda _: 1 / 0, "failed.*zero"), (_later, "async"), (lambda _: "7", "gave '7'"), (7, "function")],
)
async def test_what_counts_no_tokens_is_named(memory: MemWeave, count: Any, trouble: str) -> None:
    """A function that fails, is async or gives no number is the caller's mistake and is said to be."""
    with pytest.raises(UsageError, match=f"count_tokens.*{trouble}"):
        await memory.context("ana", "s", "Hi", max_tokens=100, count_tokens=count)


async def test_a_message_is_text(memory: MemWeave) -> None:
    """Anything else is refused."""
    message: Any = ["Hi"]
    with pytest.raises(UsageError, match="text, not list"):
        await memory.context("ana", "s", message)
