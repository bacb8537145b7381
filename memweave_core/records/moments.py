"""Moments as whole microseconds since 1970, as the database keeps them. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STEP = timedelta(microseconds=1)


def micros(when: datetime) -> int:
    """Microseconds since 1970; a moment without a timezone is taken as UTC."""
    return ((when if when.tzinfo else when.replace(tzinfo=UTC)) - EPOCH) // _STEP


LATEST = (datetime.max.replace(tzinfo=UTC) - EPOCH) // _STEP


def end_of(ttl_minutes: float | None, now: int) -> int | None:
    """When what lives so long from `now` on is over; None for what has no end."""
    return None if ttl_minutes is None else min(LATEST, now + round(ttl_minutes * 60_000_000))


def moment(micros: int) -> datetime:
    """The moment in UTC."""
    return EPOCH + timedelta(microseconds=micros)
