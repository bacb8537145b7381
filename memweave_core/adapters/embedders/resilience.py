"""What the engine talks to in place of an embedder: nothing a provider does reaches it but our own errors."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from ..._errors import (
    EmbeddingError,
    EmbeddingInputError,
    EmbeddingRateLimitError,
    EmbeddingUnavailableError,
)
from ...ports import Calibrated, Embedder, Limited
from ...text.redaction import describe
from ...text.tokens import estimate_tokens
from ...types import Calibration, EmbedderHealth, EmbedKind, EmbedLimits
from .batching import batches, shorten, smaller
from .circuit import Circuit, PausedError
from .failures import classify, reworded
from .scales import scale_of

if TYPE_CHECKING:
    from ...types import FloatArray

Vector: TypeAlias = "FloatArray | None"
OnBatch: TypeAlias = "Callable[[int, list[FloatArray | None]], object]"

TRIES = 3
QUERY_TIMEOUT = 10.0
LONGEST_WAIT = 120.0
"""Seconds that one `documents` call spends waiting for a rate limit, in all."""
_LONGEST_BACKOFF = 30.0
_SHORTEST_TEXT = 8  # tokens; what is refused at this length is refused for another reason
_MOST_NOTES = 20


@dataclass(slots=True)
class _Patience:
    """How long one call may still wait for rate limits."""

    left: float = LONGEST_WAIT
    next_wait: float = 1.0


@dataclass(slots=True)
class _Split:
    """A batch that was refused and halved; both halves taken whole mean that its size was the reason."""

    size: int
    taken: int = 0


@dataclass(slots=True)
class _Part:
    start: int
    texts: Sequence[str]
    of: _Split | None = field(default=None)


class ResilientEmbedder:
    """Wraps an `Embedder`: batches, checks, normalises, waits, retries, and stops calling what is broken.

    `limits` narrows what the embedder says of itself; `timeout` is in seconds per request. `clock` is a
    monotonic clock in seconds and `sleep` an async one. Usable from several event loops and threads.
    """

    def __init__(
        self,
        embedder: Embedder,
        limits: EmbedLimits | None = None,
        timeout: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._embedder = embedder
        own = embedder.limits if isinstance(embedder, Limited) else None
        own = own if isinstance(own, EmbedLimits) else EmbedLimits()
        self._limits = smaller(own, limits) if limits is not None else own
        self._timeout = timeout
        self._sleep = sleep
        self._circuit = Circuit(clock)
        self._lock = threading.Lock()
        self._dimensions = embedder.dimensions
        self._batch_items = self._limits.max_batch_items
        self._notes: dict[str, None] = {}

    @property
    def identity(self) -> str:
        """The name of the vector space."""
        return self._embedder.identity

    @property
    def dimensions(self) -> int | None:
        """Length of the vectors; None until the first answer if the embedder does not say."""
        return self._dimensions

    @property
    def calibration(self) -> Calibration:
        """The embedder's own scale, else that of its family of models, else the raw cosine."""
        own = self._embedder.calibration if isinstance(self._embedder, Calibrated) else None
        return own if isinstance(own, Calibration) else scale_of(self.identity)

    @property
    def limits(self) -> EmbedLimits:
        """What one request may hold."""
        return self._limits

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done to texts that were too long or refused; the last twenty distinct ones."""
        with self._lock:
            return tuple(self._notes)

    def health(self) -> EmbedderHealth:
        """What is known without making a call."""
        return self._circuit.health()

    async def documents(self, texts: Sequence[str], on_batch: OnBatch | None = None) -> list[Vector]:
        """A unit vector per text, in order; None for a blank text and for one that the provider refuses.

        `on_batch(start, vectors)` is called after each finished batch, so that a later failure costs nothing
        already paid for; what it raises ends the call. Raises `EmbeddingError` when a batch fails for good.
        """
        found: list[Vector] = []
        patience = _Patience()
        for start, batch in batches(texts, self._limits):
            vectors = await self._batch(batch, patience)
            found.extend(vectors)
            if on_batch is not None:
                on_batch(start, vectors)
        return found

    async def query(self, text: str) -> Vector:
        """The unit vector of a question, None for a blank one. One attempt of at most ten seconds.

        Raises `EmbeddingError`; while the circuit is open it does so at once.
        """
        if not text.strip():
            return None
        shortened = shorten(text, self._limits.max_text_tokens)
        return (await self._call([shortened], "query"))[0]

    async def _batch(self, texts: Sequence[str], patience: _Patience) -> list[Vector]:
        found: list[Vector] = [None] * len(texts)
        rows = [i for i, text in enumerate(texts) if text.strip()]
        sent = [self._fitted(texts[i]) for i in rows]
        parts = [_Part(0, sent)] if sent else []
        while parts:
            part = parts.pop()
            if len(part.texts) > self._batch_items:
                parts.extend(_halves(part, None))
                continue
            try:
                vectors = await self._patient_call(part.texts, patience)
            except EmbeddingInputError as error:
                if len(part.texts) > 1:
                    parts.extend(_halves(part, _Split(len(part.texts))))
                    continue
                vectors = [await self._shortened(part.texts[0], error, patience)]
            else:
                self._learn(part)
            for i, vector in enumerate(vectors, part.start):
                found[rows[i]] = vector
        return found

    def _learn(self, part: _Part) -> None:
        """After a halved batch was taken in two, do not send one of its size again."""
        if part.of is None:
            return
        part.of.taken += 1
        if part.of.taken == 2:
            with self._lock:
                self._batch_items = min(self._batch_items, max(1, part.of.size // 2))

    def _fitted(self, text: str) -> str:
        fitted = shorten(text, self._limits.max_text_tokens)
        if len(fitted) < len(text):
            self._note(
                f"A text of {len(text)} characters was cut to {len(fitted)} for embedding: {text[:40]!r}…"
            )
        return fitted

    async def _shortened(self, text: str, error: EmbeddingError, patience: _Patience) -> Vector:
        """The vector of the longest beginning that is accepted; None when none is."""
        tokens = estimate_tokens(text) // 2
        while tokens >= _SHORTEST_TEXT:
            beginning = shorten(text, tokens)
            try:
                vectors = await self._patient_call([beginning], patience)
            except EmbeddingInputError as again:
                error = again
                tokens //= 2
                continue
            self._note(
                f"A text of {len(text)} characters was cut to {len(beginning)} for embedding: {text[:40]!r}…"
            )
            return vectors[0]
        self._note(f"A text was refused by the embedder and has no vector: {text[:40]!r}… ({error})")
        return None

    async def _patient_call(self, texts: Sequence[str], patience: _Patience) -> list[Vector]:
        """A call that waits for rate limits while patience lasts."""
        while True:
            try:
                vectors = await self._retried_call(texts)
            except EmbeddingRateLimitError as error:
                wait = error.retry_after if error.retry_after is not None else patience.next_wait
                if wait > patience.left:
                    self._circuit.pause(max(wait, 1.0), str(error))
                    raise
                patience.left -= wait
                patience.next_wait = min(2 * patience.next_wait, _LONGEST_BACKOFF)
                await self._sleep(wait)
            else:
                patience.next_wait = 1.0
                return vectors

    async def _retried_call(self, texts: Sequence[str]) -> list[Vector]:
        from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random_exponential

        retrying = AsyncRetrying(
            retry=retry_if_exception(_may_pass),
            stop=stop_after_attempt(TRIES),
            wait=wait_random_exponential(multiplier=0.5, max=8),
            sleep=self._sleep,
            reraise=True,
        )
        return await retrying(self._call, texts, "document")

    async def _call(self, texts: Sequence[str], kind: EmbedKind) -> list[Vector]:
        """One request. Raises only `EmbeddingError` and what cancels a task."""
        seconds = self._timeout if kind == "document" else min(self._timeout, QUERY_TIMEOUT)
        self._circuit.enter()
        try:
            async with asyncio.timeout(seconds):
                raw = await self._embedder.embed(texts, kind=kind)
            vectors = self._checked(raw, len(texts))
        except Exception as error:
            ours = self._our_error(error, seconds)
            self._circuit.failed(ours)
            if ours is error:
                raise
            raise ours from error
        except asyncio.CancelledError as error:
            self._circuit.abandoned()
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise EmbeddingUnavailableError(f"{self.identity} cancelled its own call.") from error
        except BaseException as error:
            # SystemExit or KeyboardInterrupt out of an embedder would end the event loop of its host.
            self._circuit.abandoned()
            raise EmbeddingUnavailableError(f"{self.identity} ended with {type(error).__name__}.") from error
        self._circuit.succeeded()
        return vectors

    def _our_error(self, error: Exception, seconds: float) -> EmbeddingError:
        if isinstance(error, TimeoutError) and not str(error):
            return EmbeddingUnavailableError(f"{self.identity} did not answer within {seconds:g} s.")
        ours = classify(error)
        return ours if ours is error else reworded(ours, f"{self.identity} failed: {describe(error)}")

    def _checked(self, raw: object, count: int) -> list[Vector]:
        from .checking import unit_vectors

        vectors, length = unit_vectors(raw, count, self._dimensions, self.identity)
        with self._lock:
            if self._dimensions is None:
                self._dimensions = length
        return vectors

    def _note(self, note: str) -> None:
        with self._lock:
            self._notes.pop(note, None)
            self._notes[note] = None
            while len(self._notes) > _MOST_NOTES:
                del self._notes[next(iter(self._notes))]


def _may_pass(error: BaseException) -> bool:
    return isinstance(error, EmbeddingUnavailableError) and not isinstance(error, PausedError)


def _halves(part: _Part, split: _Split | None) -> list[_Part]:
    """Two parts, the later one first: they are taken from the end."""
    middle = len(part.texts) // 2
    return [
        _Part(part.start + middle, part.texts[middle:], split),
        _Part(part.start, part.texts[:middle], split),
    ]
