"""A circuit breaker: after trouble that will not pass by itself, calls fail at once and cost nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ..._errors import (
    EmbedderMissingError,
    EmbeddingAuthError,
    EmbeddingError,
    EmbeddingInputError,
    EmbeddingRateLimitError,
    EmbeddingUnavailableError,
)
from ...types import EmbedderHealth

FAILURES_TO_OPEN = 3
FIRST_PAUSE = 30.0
LONGEST_PAUSE = 600.0


class PausedError(EmbeddingUnavailableError):
    """The circuit is open: no call was made."""


class Circuit:
    """Counts failures of one provider; safe to use from any thread. Times are seconds of `clock`.

    It opens for ten minutes after a refused key, spent quota or missing package, and after three failures in
    a row for 30 s, doubling up to ten minutes. After the pause one trial call is let through.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._pause = FIRST_PAUSE
        self._open_until: float | None = None
        self._trial = False
        self._reason: str | None = None

    def enter(self) -> None:
        """Ask to make a call; `succeeded`, `failed` or `abandoned` must follow.

        Raises `PausedError` while the circuit is open, or while its one trial call runs.
        """
        with self._lock:
            if self._open_until is None:
                return
            left = self._open_until - self._clock()
            if left > 0 or self._trial:
                when = f"next try in {left:.0f} s" if left > 0 else "a trial call is running"
                raise PausedError(f"The embedder is paused ({when}): {self._reason}")
            self._trial = True

    def succeeded(self) -> None:
        """The provider answered: all is forgotten."""
        with self._lock:
            self._close()

    def abandoned(self) -> None:
        """The call was cancelled and says nothing of the provider."""
        with self._lock:
            self._trial = False

    def failed(self, error: EmbeddingError) -> None:
        """Note a failure by its kind."""
        with self._lock:
            trial, self._trial = self._trial, False
            if isinstance(error, EmbeddingInputError):
                self._close()  # it answered, only not to this
                return
            self._reason = str(error)
            if isinstance(error, EmbeddingRateLimitError):
                return  # slow is not down; whoever gives up waiting calls `pause`
            self._failures += 1
            if isinstance(error, EmbeddingAuthError | EmbedderMissingError):
                self._open_until = self._clock() + LONGEST_PAUSE
            elif trial or self._failures >= FAILURES_TO_OPEN:
                self._open_until = self._clock() + self._pause
                self._pause = min(2 * self._pause, LONGEST_PAUSE)

    def pause(self, seconds: float, reason: str) -> None:
        """Make no call for a while, at most ten minutes."""
        with self._lock:
            self._reason = reason
            self._open_until = self._clock() + min(max(seconds, 0.0), LONGEST_PAUSE)

    def health(self) -> EmbedderHealth:
        with self._lock:
            if self._open_until is not None:
                left = max(0.0, self._open_until - self._clock())
                return EmbedderHealth("open", self._reason, left)
            if self._reason is not None:
                return EmbedderHealth("failing", self._reason)
            return EmbedderHealth()

    def _close(self) -> None:
        self._failures = 0
        self._pause = FIRST_PAUSE
        self._open_until = None
        self._trial = False
        self._reason = None
