"""The one memory behind every face: given as either object, used from any thread, loop or task."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Coroutine
from typing import Any, TypeAlias, TypeVar

from memweave_core import MemWeave, UsageError, blocking

T = TypeVar("T")
Memory: TypeAlias = MemWeave | blocking.MemWeave


def asynchronous(memory: Any) -> MemWeave:
    """The asynchronous memory of either. Raises `UsageError` for anything else."""
    if isinstance(memory, blocking.MemWeave):
        return memory.asynchronous
    if isinstance(memory, MemWeave):
        return memory
    raise UsageError(f"Give a MemWeave, of memweave_core or of its blocking module, not {memory!r:.80}.")


def wait(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end and wait for it, whether or not this thread has a running loop.

    It runs apart from the run of the caller: see `apart`.
    """
    return contextvars.Context().run(blocking.wait, work)


async def apart(work: Coroutine[Any, Any, T]) -> T:
    """Await `work` apart from the run of the caller.

    What the memory asks a model, then or later in the background, is not traced into that run, and its tokens
    are not streamed to whoever watches it.
    """
    return await asyncio.create_task(work, context=contextvars.Context())
