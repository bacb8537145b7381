"""Foreign exceptions are told apart by what they carry."""

from __future__ import annotations

import asyncio
import datetime as dt
from types import SimpleNamespace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memweave_core import _errors as errors
from memweave_core.adapters.embedders.failures import classify


def failure(name: str, message: str = "", **attributes: object) -> Exception:
    """An exception of a class called `name`, as another library would raise it."""
    made: Exception = type(name, (Exception,), {})(message)
    for key, value in attributes.items():
        setattr(made, key, value)
    return made


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (failure("AuthenticationError", status_code=401), errors.EmbeddingAuthError),
        (failure("Odd", status_code=403), errors.EmbeddingAuthError),
        (failure("Odd", response=SimpleNamespace(status_code=402)), errors.EmbeddingAuthError),
        (failure("RateLimitError", "insufficient_quota", status_code=429), errors.EmbeddingAuthError),
        (failure("RateLimitError", "slow down", status_code=429), errors.EmbeddingRateLimitError),
        (failure("Throttled", "Rate limit reached"), errors.EmbeddingRateLimitError),
        (failure("ServiceUnavailableError", status_code=503), errors.EmbeddingUnavailableError),
        (failure("HTTPStatusError", response=SimpleNamespace(status=502)), errors.EmbeddingUnavailableError),
        (failure("Odd", status_code="500"), errors.EmbeddingUnavailableError),
        (failure("ReadTimeout"), errors.EmbeddingUnavailableError),
        (failure("ConnectError", "refused"), errors.EmbeddingUnavailableError),
        (TimeoutError(), errors.EmbeddingUnavailableError),
        (ConnectionResetError(), errors.EmbeddingUnavailableError),
        (
            failure("BadRequestError", "maximum context length is 8192", status_code=400),
            errors.EmbeddingInputError,
        ),
        (failure("ContextWindowExceededError", status_code=400), errors.EmbeddingInputError),
        (failure("Odd", status_code=413), errors.EmbeddingInputError),
        (
            failure("Odd", "at most 2048 items: array length exceeded", status_code=400),
            errors.EmbeddingInputError,
        ),
        (failure("Odd", "input exceeds the token limit", status_code=500), errors.EmbeddingInputError),
        (failure("BadRequestError", "no such model", status_code=400), errors.EmbeddingError),
        (failure("NotFoundError", status_code=404), errors.EmbeddingError),
        (ImportError("No module named 'boto3'"), errors.EmbedderMissingError),
        (FileNotFoundError("weights"), errors.EmbeddingError),
        (PermissionError("weights"), errors.EmbeddingError),
        (ValueError("anything"), errors.EmbeddingError),
    ],
)
def test_each_failure_has_its_kind(error: Exception, kind: type[errors.EmbeddingError]) -> None:
    """Status, class name and message decide the kind of a failure, and nothing more special is claimed."""
    assert type(classify(error)) is kind


def test_a_cause_is_looked_at() -> None:
    """A wrapper's cause tells the kind when the wrapper itself does not."""
    wrapper = RuntimeError("embedding failed")
    wrapper.__cause__ = failure("APIStatusError", status_code=503)
    assert type(classify(wrapper)) is errors.EmbeddingUnavailableError


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"Retry-After": "Sat, 21 Mar 2026 12:00:30 GMT"}, 30.0),
        ({"Retry-After": "Sat, 21 Mar 2026 11:00:00 GMT"}, 0.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-4"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read(headers: dict[str, str], seconds: float | None) -> None:
    """Seconds, milliseconds and dates are understood; nonsense counts as silence."""
    error = failure("Odd", response=SimpleNamespace(status_code=429, headers=headers))
    found = classify(error, now=lambda: dt.datetime(2026, 3, 21, 12, tzinfo=dt.UTC))
    assert isinstance(found, errors.EmbeddingRateLimitError)
    assert found.retry_after == seconds


@pytest.mark.parametrize("error", [asyncio.CancelledError(), KeyboardInterrupt(), SystemExit()])
def test_cancellation_is_no_failure(error: BaseException) -> None:
    """What ends a task or a program goes on its way."""
    with pytest.raises(type(error)):
        classify(error)


def test_an_error_of_ours_stays_as_it_is() -> None:
    """A classified error is not classified again."""
    ours = errors.EmbeddingRateLimitError("wait", retry_after=3)
    assert classify(ours) is ours


def test_keys_are_not_repeated() -> None:
    """What looks like a key does not reach the message."""
    text = str(classify(failure("AuthenticationError", "Incorrect API key provided: sk-abcdef123456")))
    assert "abcdef" not in text
    assert "Incorrect API key" in text


@settings(max_examples=60)
@example("", "²", {})
@given(st.text(), st.one_of(st.none(), st.integers(), st.text()), st.dictionaries(st.text(), st.text()))
def test_every_exception_becomes_one_of_ours(message: str, status: object, headers: dict[str, str]) -> None:
    """Whatever an exception carries, the answer is an embedding error."""
    assert isinstance(
        classify(failure("Odd", message, status_code=status, headers=headers)), errors.EmbeddingError
    )
