"""The circuit breaker opens by kind of trouble, and lets one call through when it may have passed."""

from __future__ import annotations

import pytest

from memweave_core import _errors as errors
from memweave_core.adapters.embedders.circuit import Circuit, PausedError
from memweave_core.testing import FakeClock

DOWN = errors.EmbeddingUnavailableError("down")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def circuit(clock: FakeClock) -> Circuit:
    return Circuit(clock.monotonic)


def fail(circuit: Circuit, error: errors.EmbeddingError = DOWN, times: int = 1) -> None:
    """Calls that fail."""
    for _ in range(times):
        circuit.enter()
        circuit.failed(error)


def test_three_failures_in_a_row_open_it(circuit: Circuit) -> None:
    """Two failures are bad luck, three stop the calls for thirty seconds."""
    fail(circuit, times=2)
    assert circuit.health().state == "failing"
    fail(circuit)
    assert circuit.health().state == "open"
    assert circuit.health().retry_in == 30
    with pytest.raises(PausedError, match="down"):
        circuit.enter()


def test_a_success_in_between_closes_the_count(circuit: Circuit) -> None:
    """Only failures in a row count."""
    fail(circuit, times=2)
    circuit.enter()
    circuit.succeeded()
    fail(circuit, times=2)
    assert circuit.health().state == "failing"


@pytest.mark.parametrize("kind", [errors.EmbeddingAuthError, errors.EmbedderMissingError])
def test_what_only_a_person_can_mend_opens_it_at_once(
    circuit: Circuit, clock: FakeClock, kind: type[errors.EmbeddingError]
) -> None:
    """A refused key or a missing package stops calls for ten minutes, with the reason; then one is tried."""
    fail(circuit, kind("bad key"))
    assert (circuit.health().state, circuit.health().retry_in) == ("open", 600)
    assert circuit.health().reason == "bad key"
    clock.advance(601)
    circuit.enter()


def test_one_trial_call_is_let_through(circuit: Circuit, clock: FakeClock) -> None:
    """After the pause the first caller tries and the others are told to wait."""
    fail(circuit, times=3)
    clock.advance(31)
    circuit.enter()
    with pytest.raises(PausedError, match="trial"):
        circuit.enter()
    circuit.succeeded()
    circuit.enter()
    assert circuit.health().state == "ok"


def test_pauses_double_up_to_ten_minutes(circuit: Circuit, clock: FakeClock) -> None:
    """Each failed trial doubles the pause until it is ten minutes long."""
    fail(circuit, times=3)
    pauses = []
    for _ in range(7):
        pauses.append(circuit.health().retry_in)
        clock.advance(601)
        fail(circuit)
    assert pauses == [30, 60, 120, 240, 480, 600, 600]


def test_a_cancelled_trial_frees_the_place(circuit: Circuit, clock: FakeClock) -> None:
    """A trial that was cancelled does not block the next one."""
    fail(circuit, times=3)
    clock.advance(31)
    circuit.enter()
    circuit.abandoned()
    circuit.enter()


def test_refused_input_is_no_failure_of_the_provider(circuit: Circuit) -> None:
    """A provider that refuses a text is alive."""
    fail(circuit, errors.EmbeddingInputError("too long"), times=5)
    assert circuit.health().state == "ok"


def test_rate_limits_do_not_open_it(circuit: Circuit) -> None:
    """Being asked to slow down is not being down."""
    fail(circuit, errors.EmbeddingRateLimitError("slow"), times=5)
    assert circuit.health().state == "failing"
