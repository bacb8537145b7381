"""Calendar dates in file names and in front matter. An impossible date is no date, never an error."""

from __future__ import annotations

import datetime as dt
import re
from typing import Final

_NAME: Final = re.compile(r"([0-9]{4})([-_])([0-9]{1,2})\2([0-9]{1,2})(?![0-9])")
_COMPACT: Final = re.compile(r"((?:19|20|21)[0-9]{2})([0-9]{2})([0-9]{2})")
_FOLDERS: Final = re.compile(r"(?:^|/)([0-9]{4})[/-]([0-9]{1,2})/([0-9]{1,2})(?: ?\([^/]*\))?$")
_VALUE: Final = re.compile(
    r"([0-9]{4})([-_/])([0-9]{1,2})\2([0-9]{1,2})(?:[Tt ]+[0-9]{1,2}:[0-9]{2}\S*(?: \S+)?)?"
)


def date_of_path(path: str) -> dt.date | None:
    """The date that the name of a file starts with, at any depth, or None.

    `path` is a posix path. These are dated: ``2026-03-21.md``, ``2026-03-21-1430.md``,
    ``2026-03-21 (conflict).md``, ``2026_03_21.md``, ``2026-3-1 idea.md``, ``20260321.md`` (the whole name,
    1900 to 2199), ``2026/03/21.md`` and ``2026-03/21.md``. An impossible date is undated.
    """
    folder, _, name = path.rpartition("/")
    match = _NAME.match(name)
    if match:
        return _date(match[1], match[3], match[4])
    stem = name.rpartition(".")[0] or name
    match = _COMPACT.fullmatch(stem) or _FOLDERS.search(f"{folder}/{stem}")
    return _date(*match.groups()) if match else None


def parse_date(value: object) -> dt.date | None:
    """The date of a front matter value: a date, a datetime (its own calendar day), or ISO text with or
    without a time, also as a wiki link ``[[2026-03-21]]``. Anything else, a template such as ``{{date}}``
    or an impossible date is None.
    """
    if isinstance(value, dt.datetime):
        return value.date()
    if isinstance(value, dt.date):
        return value
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    text = str(value)[:64].strip().removeprefix("[[").removesuffix("]]")
    match = _VALUE.fullmatch(text)
    if match:
        return _date(match[1], match[3], match[4])
    match = _COMPACT.fullmatch(text)
    return _date(*match.groups()) if match else None


def _date(year: str, month: str, day: str) -> dt.date | None:
    try:
        return dt.date(int(year), int(month), int(day))
    except ValueError:
        return None
