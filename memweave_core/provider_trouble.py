"""Tells what kind of trouble the provider of a model is in, from whatever exception its client raised.

Clients agree on little; so this looks at status codes, class names, headers and, last, at words of the
message. No client library is imported.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal["missing", "auth", "rate", "input", "down", "other"]
Now: TypeAlias = Callable[[], dt.datetime]

_QUOTA = re.compile(r"insufficient[_ ]quota|exceeded your current quota|billing|credit balance|budget", re.I)
_TOO_BIG = re.compile(
    r"context[_ ](?:length|window)|maximum (?:context|input|sequence|number of tokens)|"
    r"max(?:imum)?[_ ](?:input[_ ])?(?:tokens|length|batch|allowed)|"
    r"too (?:long|large|many (?:inputs|tokens|items|texts))|"
    r"exceeds? .{0,40}(?:limit|length|tokens|maximum|size)|"
    r"batch[_ ]size|array (?:length|size)|longer than|string_above_max",
    re.I,
)
_RATE = re.compile(r"rate.?limit|too many requests|throttl|resource.?exhausted", re.I)
_AUTH_NAMES = ("authentication", "permissiondenied", "unauthorized", "forbidden", "budgetexceeded")
_RATE_NAMES = ("ratelimit", "toomanyrequests", "throttl", "resourceexhausted")
_INPUT_NAMES = ("contextwindow", "contextlength", "requesttoolarge")
_DOWN_NAMES = ("timeout", "connect", "serviceunavailable", "internalserver", "badgateway", "remoteprotocol")
_LONGEST_CHAIN = 5


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong, and for "rate" the seconds to wait, None when the provider did not say.

    "missing" is a package that is not installed; "auth" a key, a permission or a quota, where retrying is
    useless; "input" a request that is refused for its length; "down" a time-out, a server error or no
    connection, which may pass.
    """

    kind: Kind
    retry_after: float | None = None


def diagnose(error: Exception, *, now: Now | None = None) -> Trouble:
    """The trouble that `error` and its causes tell of.

    `now` gives the moment against which a ``Retry-After`` date is measured, by default the real one.
    """
    if isinstance(error, ImportError):
        return Trouble("missing")
    kind = _kind(error)
    return Trouble(kind, _retry_after(error, now) if kind == "rate" else None)


def _kind(error: Exception) -> Kind:
    status = next((s for e in _chain(error) if (s := _status(e)) is not None), None)
    names = " ".join(c.__name__.lower() for e in _chain(error) for c in type(e).__mro__[:-3])
    message = " ".join(str(e)[:2000] for e in _chain(error))

    def named(parts: tuple[str, ...]) -> bool:
        return any(part in names for part in parts)

    if status in (401, 402, 403) or named(_AUTH_NAMES) or _QUOTA.search(message):
        return "auth"
    if status == 429 or named(_RATE_NAMES) or (status is None and _RATE.search(message)):
        return "rate"
    if status == 413 or named(_INPUT_NAMES):
        return "input"
    if status in (None, 400, 422, 500) and _TOO_BIG.search(message):
        return "input"  # local servers answer 500 to an input that is too long
    if (status is not None and status >= 500) or status in (408, 409, 425):
        return "down"
    local = isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError | NotADirectoryError)
    if status is None and not local and (isinstance(error, OSError) or named(_DOWN_NAMES)):
        return "down"
    return "other"


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    for _ in range(_LONGEST_CHAIN):
        if seen is None:
            return
        yield seen
        seen = seen.__cause__


def _status(error: BaseException) -> int | None:
    response = getattr(error, "response", None)
    for holder in (error, response):
        for name in ("status_code", "status", "http_status", "code"):
            value: Any = getattr(holder, name, None)
            if isinstance(value, str) and value.isdecimal():
                value = int(value)
            if isinstance(value, int) and 100 <= value <= 599:
                return int(value)
    return None


def _retry_after(error: BaseException, now: Now | None) -> float | None:
    """Seconds to wait: an attribute, or a header ``Retry-After-Ms`` or ``Retry-After`` (seconds or date)."""
    for item in _chain(error):
        for holder in (item, getattr(item, "response", None)):
            value = getattr(holder, "retry_after", None)
            if isinstance(value, int | float) and value >= 0:
                return float(value)
            headers = getattr(holder, "headers", None)
            seconds = _from_headers(headers, now) if headers is not None else None
            if seconds is not None:
                return seconds
    return None


def _from_headers(headers: Any, now: Now | None) -> float | None:
    try:
        found = {str(name).lower(): str(value).strip() for name, value in dict(headers).items()}
    except (TypeError, ValueError):
        return None
    if (seconds := _number(found.get("retry-after-ms"))) is not None:
        return seconds / 1000
    value = found.get("retry-after")
    if value is None or (seconds := _number(value)) is not None:
        return seconds if value is not None else None
    from email.utils import parsedate_to_datetime  # 10 ms that only such a refusal needs

    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.UTC)
    present = now() if now is not None else dt.datetime.now(dt.UTC)
    return max(0.0, (moment - present).total_seconds())


def _number(value: str | None) -> float | None:
    if value is None:
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None
