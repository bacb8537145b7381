"""What the engine talks to in place of a reranker: numbers that can be sorted, or one kind of error."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Mapping, Sequence, Set
from itertools import islice
from typing import Any

from ..._errors import RerankerError
from ...ports import Reranker
from ...text.redaction import describe

PAUSE = 60.0
"""Seconds for which a reranker that did not answer in time is not asked again: a search should not take
`timeout` seconds each time while a model is downloaded or a server hangs."""


class CheckedReranker:
    """Wraps a `Reranker`: waits at most `timeout` seconds, then not at all for a while; checks the answer.

    `clock` is a monotonic clock in seconds. Usable from several event loops and threads.
    """

    def __init__(
        self, reranker: Reranker, timeout: float = 30.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._reranker = reranker
        self._timeout = timeout
        self._clock = clock
        self._resting_until: float | None = None

    @property
    def identity(self) -> str:
        return self._reranker.identity

    async def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """One finite number per text. Raises `RerankerError`, whose message names the reranker."""
        rest = 0.0 if self._resting_until is None else self._resting_until - self._clock()
        if rest > 0:
            raise RerankerError(
                self._said(f"did not answer in time before and is asked again in {math.ceil(rest)} seconds")
            )
        limit = asyncio.timeout(self._timeout)
        try:
            async with limit:
                raw = await self._reranker.rerank(query, texts)
            return _numbers(raw, len(texts))
        except RerankerError as error:
            raise RerankerError(self._said(str(error))) from error
        except BaseException as error:
            if _must_end(error):
                raise
            if limit.expired():
                self._resting_until = self._clock() + PAUSE
                said = f"did not answer within {self._timeout:g} seconds (query.reranker.timeout)"
            else:
                said = f"failed: {describe(error)}"
            raise RerankerError(self._said(said)) from error

    def _said(self, what: str) -> str:
        name = self.identity
        return what if what.startswith(name) else f"{name} {what}"


def _must_end(error: BaseException) -> bool:
    """Whether an exception is meant for us, not for the reranker: the user's Ctrl-C, or our task cancelled.

    A reranker may raise `CancelledError` or `SystemExit` too, which should end neither search nor process.
    """
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is not None and task.cancelling() > 0
    return isinstance(error, KeyboardInterrupt | GeneratorExit)


def _numbers(raw: Any, count: int) -> list[float]:
    """`count` finite floats. Raises `RerankerError` for anything else."""
    if isinstance(raw, str | bytes | Mapping | Set):
        raise RerankerError(f"returned a {type(raw).__name__}; expected one number for each of {count} texts")
    items = list(islice(raw, count + 1))  # no more: an iterator may have no end
    if len(items) != count:
        many = f"more than {count}" if len(items) > count else str(len(items))
        raise RerankerError(f"returned {many} numbers for {count} texts")
    if any(isinstance(item, str | bytes) for item in items):
        raise RerankerError("returned text in place of numbers")
    numbers = [float(item) for item in items]
    if not all(map(math.isfinite, numbers)):
        raise RerankerError("returned numbers that are not finite")
    return numbers
