"""The token budget of a caller, checked before it is used."""

from __future__ import annotations

import math
from collections.abc import Callable, Coroutine
from numbers import Integral
from typing import SupportsFloat

from .._errors import UsageError
from ..messages import Message
from ..text.redaction import describe
from .context_parts import Budget


def budget(tokens: object, count: Callable[[Message], int] | None) -> Budget:
    """A budget of `tokens`, None for any number, counted by `count`, by default estimated.

    Raises `UsageError` for what is no number of tokens or no function, and does so later where `count` fails.
    """
    if tokens is not None and (not isinstance(tokens, Integral) or isinstance(tokens, bool) or tokens < 1):
        raise UsageError(f"max_tokens is a whole number from 1 on, or None for any number, not {tokens!r}.")
    most = None if tokens is None else int(tokens)
    if count is None:
        return Budget(most)
    if not callable(count):
        raise UsageError(f"count_tokens is a function of a message, not {count!r}.")
    return Budget(most, lambda message: _counted(message, count))


def _counted(message: Message, count: Callable[[Message], object]) -> int:
    try:
        found = count(message)
    except Exception as error:
        raise UsageError(f"count_tokens failed on a message of {message.role}: {describe(error)}") from error
    if isinstance(found, SupportsFloat) and 0 <= float(found) < math.inf:
        return math.ceil(float(found))
    if isinstance(found, Coroutine):
        found.close()  # or Python warns that nobody waited for it
        raise UsageError("count_tokens is async; give a plain function, for it is called on another thread.")
    raise UsageError(f"count_tokens gave {found!r}, which is no number of tokens.")
