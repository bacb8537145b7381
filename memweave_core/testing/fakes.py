"""Stand-ins for what lies outside: an embedder, the clock, a language model. Deterministic, no network."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..messages import Message
from ..types import Calibration, EmbedKind, EmbedLimits

if TYPE_CHECKING:
    from ..types import FloatArray

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class EmbedCall:
    """One request as the fake embedder saw it."""

    texts: tuple[str, ...]
    kind: EmbedKind


class FakeEmbedder:
    """Texts that share words have a positive cosine: each word has a fixed random direction.

    `failures` are raised, one per call, before anything else; None lets that call pass. `calls` logs every
    request, failed ones too. `down` set to an exception makes every call fail until it is None again.
    """

    def __init__(
        self,
        dimensions: int = 64,
        *,
        identity: str | None = None,
        failures: Iterable[Exception | None] = (),
        limits: EmbedLimits | None = None,
        calibration: Calibration | None = None,
    ) -> None:
        self._dimensions = dimensions
        self._identity = identity or f"fake:words:{dimensions}"
        self._limits = limits or EmbedLimits()
        self._calibration = calibration or Calibration()
        self.failures: deque[Exception | None] = deque(failures)
        self.down: Exception | None = None
        self.calls: list[EmbedCall] = []

    @property
    def identity(self) -> str:
        return self._identity

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def limits(self) -> EmbedLimits:
        return self._limits

    @property
    def calibration(self) -> Calibration:
        return self._calibration

    @property
    def texts(self) -> list[str]:
        """Every text asked for so far, in order."""
        return [text for call in self.calls for text in call.texts]

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind = "document") -> FloatArray:
        """Unit vectors, zeros for a text without words; raises what was scripted."""
        self.calls.append(EmbedCall(tuple(texts), kind))
        failure = self.failures.popleft() if self.failures else None
        if failure is not None or self.down is not None:
            raise failure or self.down or AssertionError
        import numpy as np

        vectors = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in _WORD.findall(text.casefold()):
                row += self._direction(word)
            row /= max(float(np.linalg.norm(row)), 1e-12)
        return vectors

    def _direction(self, word: str) -> FloatArray:
        import numpy as np

        seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", "replace")).digest()[:8], "big")
        return np.random.default_rng(seed).standard_normal(self._dimensions).astype(np.float32)


class FakeClock:
    """A clock that moves only when told to. Call it for the present moment, with a timezone."""

    def __init__(self, now: dt.datetime | None = None) -> None:
        self.now = now or dt.datetime(2026, 3, 21, 12, 0, tzinfo=dt.UTC)
        self._elapsed = 0.0
        self.slept: list[float] = []

    def __call__(self) -> dt.datetime:
        return self.now

    def advance(self, seconds: float = 0.0, *, days: float = 0.0) -> None:
        """Let time pass."""
        self._elapsed += seconds + 86_400 * days
        self.now += dt.timedelta(days=days, seconds=seconds)

    def monotonic(self) -> float:
        """Seconds since the clock was made."""
        return self._elapsed

    async def sleep(self, seconds: float) -> None:
        """Pass `seconds` at once and note them in `slept`."""
        self.slept.append(seconds)
        self.advance(seconds)


class ScriptedModel:
    """A language model that gives the scripted replies in order; an exception in the script is raised.

    `prompts` logs what it was asked as one text each, `requests` as the messages, `schemas` what the replies
    were to be held to. Asked more often than scripted, it raises AssertionError.
    """

    def __init__(self, replies: Iterable[str | Exception], *, identity: str = "scripted") -> None:
        self._replies = deque(replies)
        self._identity = identity
        self.prompts: list[str] = []
        self.requests: list[tuple[Message, ...]] = []
        self.schemas: list[Mapping[str, Any] | None] = []

    @property
    def identity(self) -> str:
        return self._identity

    async def complete(self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None) -> str:
        """The next reply."""
        self.requests.append(tuple(messages))
        self.schemas.append(schema)
        return await self("\n\n".join(message.text for message in messages))

    async def __call__(self, prompt: str) -> str:
        """The next reply."""
        self.prompts.append(prompt)
        if not self._replies:
            raise AssertionError(f"The scripted model was asked more often than scripted: {prompt[:200]!r}")
        reply = self._replies.popleft()
        if isinstance(reply, Exception):
            raise reply
        return reply
