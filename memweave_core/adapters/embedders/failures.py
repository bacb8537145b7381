"""The error of our tree that an exception of an embedder's client stands for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

from ..._errors import (
    EmbedderMissingError,
    EmbeddingAuthError,
    EmbeddingError,
    EmbeddingInputError,
    EmbeddingRateLimitError,
    EmbeddingUnavailableError,
)
from ...provider_trouble import Kind, diagnose
from ...text.redaction import describe

_ERRORS: dict[Kind, type[EmbeddingError]] = {
    "missing": EmbedderMissingError,
    "auth": EmbeddingAuthError,
    "rate": EmbeddingRateLimitError,
    "input": EmbeddingInputError,
    "down": EmbeddingUnavailableError,
    "other": EmbeddingError,
}


def classify(error: BaseException, *, now: Callable[[], dt.datetime] | None = None) -> EmbeddingError:
    """The error of our tree that `error` stands for; one of ours is returned as it is.

    What is no error of a provider (cancellation, Ctrl-C, exit) is raised again. `now` gives the moment
    against which a ``Retry-After`` date is measured, by default the real one.
    """
    if not isinstance(error, Exception):
        raise error
    if isinstance(error, EmbeddingError):
        return error
    text, trouble = describe(error), diagnose(error, now=now)
    if trouble.kind == "rate":
        return EmbeddingRateLimitError(text, retry_after=trouble.retry_after)
    return _ERRORS[trouble.kind](text)


def reworded(error: EmbeddingError, text: str) -> EmbeddingError:
    """An error of the same kind with another message."""
    if isinstance(error, EmbeddingRateLimitError):
        return EmbeddingRateLimitError(text, retry_after=error.retry_after)
    return type(error)(text)
