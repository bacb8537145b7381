"""What the engine talks to in place of a reranker: numbers that can be sorted, or one kind of error."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence, Set
from itertools import islice
from typing import Any

from ..._errors import RerankerError
from ...ports import Reranker
from ...text.redaction import describe


class CheckedReranker:
    """Wraps a `Reranker`: waits at most `timeout` seconds and checks the answer."""

    def __init__(self, reranker: Reranker, timeout: float = 30.0) -> None:
        self._reranker = reranker
        self._timeout = timeout

    @property
    def identity(self) -> str:
        return self._reranker.identity

    async def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """One finite number per text. Raises `RerankerError`, whose message names the reranker."""
        limit = asyncio.timeout(self._timeout)
        try:
            async with limit:
                raw = await self._reranker.rerank(query, texts)
            return _numbers(raw, len(texts))
        except RerankerError as error:
            raise RerankerError(self._said(str(error))) from error
        except Exception as error:
            if limit.expired():
                said = f"did not answer within {self._timeout:g} seconds (query.reranker.timeout)"
            else:
                said = f"failed: {describe(error)}"
            raise RerankerError(self._said(said)) from error

    def _said(self, what: str) -> str:
        name = self.identity
        return what if what.startswith(name) else f"{name} {what}"


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
