"""Whole weeks, months and other stretches of the calendar around a day, cut off at `dt.date.min` and `max`.

A stretch is a pair of its first and its last day.
"""

from __future__ import annotations

import calendar
import datetime as dt
from typing import Final, TypeAlias

from .calendar_words import DAY, FORTNIGHT, HOUR, MONTH, QUARTER, WEEK, WEEKEND, YEAR

Days: TypeAlias = tuple[dt.date, dt.date]

_MONTHS_OF: Final = {MONTH: 1, QUARTER: 3, YEAR: 12}
_DAYS_OF: Final = {DAY: 1, WEEK: 7, WEEKEND: 7, FORTNIGHT: 14}
_FIRST_MONTH: Final = 12  # January of year 1, counted in months
_LAST_MONTH: Final = 9999 * 12 + 11


def day_of(year: int, month: int, day: int) -> dt.date | None:
    """The date, or None when the calendar has no such day."""
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None


def moved(day: dt.date, days: int) -> dt.date:
    """The date so many days later or, below 0, earlier."""
    try:
        return day + dt.timedelta(days)
    except OverflowError:
        return dt.date.max if days > 0 else dt.date.min


def months(year: int, month: int, count: int = 1) -> Days:
    """So many whole months from a month on, which may lie below 1 or above 12."""
    first = min(max(year * 12 + month - 1, _FIRST_MONTH), _LAST_MONTH)
    last = min(first + count - 1, _LAST_MONTH)
    end_year, end_month = last // 12, last % 12 + 1
    end = dt.date(end_year, end_month, calendar.monthrange(end_year, end_month)[1])
    return dt.date(first // 12, first % 12 + 1, 1), end


def unit_at(unit: int, offset: int, today: dt.date) -> Days:
    """The week, month, ... that lies `offset` of them after (below 0: before) the one `today` is in."""
    if unit in (WEEK, WEEKEND):
        monday = moved(today, 7 * offset - today.weekday())
        return (monday if unit == WEEK else moved(monday, 5)), moved(monday, 6)
    if unit in _MONTHS_OF:
        size = _MONTHS_OF[unit]
        return months(today.year, (today.month - 1) // size * size + 1 + offset * size, size)
    day = moved(today, offset)
    return day, day


def ago(unit: int, count: int, today: dt.date) -> Days | None:
    """The day, week, month or year so long before `today`; None for hours: a date has none."""
    if unit == HOUR:
        return None
    return unit_at(WEEK, -2 * count, today) if unit == FORTNIGHT else unit_at(unit, -count, today)


def stretch(unit: int, count: int, today: dt.date) -> Days:
    """From so many units before `today` (below 0) up to it, or from it to so many units after."""
    if unit == HOUR:
        other = moved(today, -(-abs(count) // 24) * (1 if count > 0 else -1))
    elif unit in _DAYS_OF:
        other = moved(today, count * _DAYS_OF[unit])
    else:
        first, last = months(today.year, today.month + count * _MONTHS_OF[unit])
        other = first.replace(day=min(today.day, last.day))
    return min(today, other), max(today, other)


def month_near(month: int, today: dt.date, relation: int | None, count: int = 1) -> Days:
    """So many months from `month` on: -1 the latest that are over, 0 this year's, 1 the next to begin, None
    the latest that have begun.
    """
    years = [months(today.year + shift, month, count) for shift in (1, 0, -1, -2)]
    if relation == 0:
        return years[2] if years[2][1] >= today else years[1]
    if relation == 1:
        return min((days for days in years if days[0] > today), default=years[0])
    return next(
        (days for days in years if days[relation == -1] < today or (relation is None and days[0] <= today)),
        years[3],
    )


def day_near(month: int, day: int, today: dt.date, *, ahead: bool) -> dt.date | None:
    """The latest such day not after `today`, or the first after it; None when no year has it."""
    years = range(today.year, today.year + 9) if ahead else range(today.year, today.year - 9, -1)
    dates = (day_of(year, month, day) for year in years)
    return next((date for date in dates if date and (date > today if ahead else date <= today)), None)


def weekday_near(weekday: int, today: dt.date, relation: int | None) -> dt.date:
    """-1 the latest before `today`, 0 that of its week, 1 the first after it, None the latest up to it."""
    if relation == 0:
        return moved(today, weekday - today.weekday())
    if relation == 1:
        return moved(today, (weekday - today.weekday() - 1) % 7 + 1)
    since = (today.weekday() - weekday) % 7
    return moved(today, -(since or 7) if relation == -1 else -since)


def third(days: Days, part: int) -> Days:
    """The first, middle or last third: ten days of a month (the rest at its end), four months of a year."""
    start, end = days
    if (end - start).days > 31:
        return months(start.year, start.month + 4 * part, 4)
    return moved(start, 10 * part), (end if part == 2 else moved(start, 10 * part + 9))
