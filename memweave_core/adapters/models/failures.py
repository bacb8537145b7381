"""The error of our tree that an exception of a model's client stands for."""

from __future__ import annotations

from ..._errors import (
    ModelAuthError,
    ModelError,
    ModelInputError,
    ModelMissingError,
    ModelRateLimitError,
    ModelUnavailableError,
)
from ...provider_trouble import Kind, Now, diagnose
from ...text.redaction import describe
from ...text.secrets import mask

_ERRORS: dict[Kind, type[ModelError]] = {
    "missing": ModelMissingError,
    "auth": ModelAuthError,
    "rate": ModelRateLimitError,
    "input": ModelInputError,
    "down": ModelUnavailableError,
    "other": ModelError,
}


def classify(
    error: BaseException, identity: str, *, key: str | None = None, now: Now | None = None
) -> ModelError:
    """The error that `error` stands for, with the model's name and without `key`; one of ours as it is.

    What is no error of a provider (cancellation, Ctrl-C, exit) is raised again.
    """
    if not isinstance(error, Exception):
        raise error
    if isinstance(error, ModelError):
        return error
    words = mask(describe(error)).text.rstrip(".")
    text = f"Language model {identity!r} failed: {words.replace(key, '…') if key else words}."
    trouble = diagnose(error, now=now)
    if trouble.kind == "rate":
        return ModelRateLimitError(text, trouble.retry_after)
    return _ERRORS[trouble.kind](text)
