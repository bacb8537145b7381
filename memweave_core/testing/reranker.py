"""A stand-in for a reranker, and the contract of one as a test class: derive and say how to make yours.

class TestMine(RerankerContract):
    def make(self) -> Reranker:
        return MyReranker()
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..ports import Reranker

_WORD = re.compile(r"\w+")
_QUESTION = "When does Ana run database migrations?"
_ANSWER = "Ana runs database migrations on Tuesday morning."
_TEXTS = (_ANSWER, "The boat is eleven metres long.", "数据库连接池的大小是二十。", "🙂 C++ at 3 GB/s", "one")


@dataclass(frozen=True, slots=True)
class RerankCall:
    """One request as the fake reranker saw it."""

    query: str
    texts: tuple[str, ...]


class FakeReranker:
    """Scores a text by the share of the question's words that stand in it. Deterministic.

    `calls` logs every request, failed ones too. `down` set to an exception makes every call fail until it is
    None again.
    """

    def __init__(self, *, identity: str = "fake:shared-words") -> None:
        self._identity = identity
        self.down: Exception | None = None
        self.calls: list[RerankCall] = []

    @property
    def identity(self) -> str:
        return self._identity

    async def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """Numbers in [0, 1], 0 for a question without words; raises what `down` says."""
        self.calls.append(RerankCall(query, tuple(texts)))
        if self.down is not None:
            raise self.down
        asked = set(_WORD.findall(query.casefold()))
        shared = (asked & set(_WORD.findall(text.casefold())) for text in texts)
        return [len(words) / max(1, len(asked)) for words in shared]


class RerankerContract:
    """What every reranker must do. `tolerance` bounds how far the numbers of one text may differ."""

    tolerance = 1e-4

    def make(self) -> Reranker:
        """A new reranker, ready for use."""
        raise NotImplementedError

    def _scores(self, texts: Sequence[str]) -> list[float]:
        async def run() -> list[float]:
            return [float(number) for number in await self.make().rerank(_QUESTION, texts)]

        return asyncio.run(run())

    def test_identity_is_a_stable_name(self) -> None:
        """Two rerankers made alike have the same name."""
        assert self.make().identity
        assert self.make().identity == self.make().identity

    def test_one_number_per_text(self) -> None:
        """There is one finite number for each text, whatever its script."""
        scores = self._scores(_TEXTS)
        assert len(scores) == len(_TEXTS)
        assert all(map(math.isfinite, scores))

    def test_order_is_kept(self) -> None:
        """A text has the same number alone, among others and among others turned round."""
        scores = self._scores(_TEXTS)
        turned = self._scores(_TEXTS[::-1])[::-1]
        alone = [self._scores([text])[0] for text in _TEXTS]
        for first, second, third in zip(scores, turned, alone, strict=True):
            assert math.isclose(first, second, rel_tol=self.tolerance, abs_tol=self.tolerance)
            assert math.isclose(first, third, rel_tol=self.tolerance, abs_tol=self.tolerance)

    def test_the_answer_is_the_best(self) -> None:
        """The text that answers the question has the highest number."""
        scores = self._scores(_TEXTS)
        assert scores[0] == max(scores)
        assert scores[0] > scores[1]

    def test_one_object_serves_several_event_loops(self) -> None:
        """A reranker can be used again in a new event loop."""
        reranker = self.make()
        asyncio.run(_once(reranker))
        asyncio.run(_once(reranker))


async def _once(reranker: Reranker) -> None:
    await reranker.rerank(_QUESTION, [_ANSWER])
