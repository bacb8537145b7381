"""What callers give as messages, and what of it is refused."""

from __future__ import annotations

from typing import Any

import pytest

from memweave_core import MemWeave
from memweave_core._errors import UsageError


@pytest.mark.parametrize(
    ("broken", "trouble"),
    [
        ({"role": "assistant", "tool_calls": [{"id": "c"}]}, "1 of 1 tool calls"),
        ({"role": "assistant", "content": "Hm", "tool_calls": [{"id": "c"}]}, "1 of 1 tool calls"),
        ({"role": "assistant", "content": "Hm", "tool_calls": "f()"}, "no list but str"),
    ],
)
async def test_no_call_is_dropped_in_silence(memory: MemWeave, broken: dict[str, Any], trouble: str) -> None:
    """A dictionary of which something cannot be kept is refused, its place named, and nothing is written."""
    with pytest.raises(UsageError, match=f"Message 2 has .*{trouble}"):
        await memory.record("ana", "s", [{"role": "user", "content": "Hi"}, broken])
    assert await memory.chat("s", "ana").messages() == ()


async def test_a_tool_may_say_nothing(memory: MemWeave) -> None:
    """An empty result is kept, for a call without its result cannot be shown."""
    call = {"id": "c1", "function": {"name": "f", "arguments": "{}"}}
    said = [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "content": "", "tool_call_id": "c1"},
    ]
    await memory.record("ana", "s", said)
    assert [m.tool_call_id for m in await memory.chat("s", "ana").messages()] == [None, "c1"]
