"""Moments as whole microseconds since 1970, as the database keeps them. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STEP = timedelta(microseconds=1)


def micros(when: datetime) -> int:
    """Microseconds since 1970; a moment without a timezone is taken as UTC."""
    return ((when if when.tzinfo else when.replace(tzinfo=UTC)) - EPOCH) // _STEP


def moment(micros: int) -> datetime:
    """The moment in UTC."""
    return EPOCH + timedelta(microseconds=micros)
