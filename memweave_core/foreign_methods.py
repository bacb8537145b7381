"""Looks at the methods of other libraries' objects."""

from __future__ import annotations

import dis
import inspect


def awaits(obj: object, name: str, *, not_of: tuple[str, ...] = ()) -> bool:
    """Whether `name` is a coroutine function of the object's class that awaits something.

    A coroutine without an await would hold up the event loop for as long as it computes. A method that a
    class of a module beginning with one of `not_of` defines does not count.
    """
    owner = next((cls for cls in type(obj).__mro__ if name in vars(cls)), None)
    if owner is None or owner.__module__.startswith(not_of):
        return False
    function = inspect.unwrap(inspect.getattr_static(owner, name))
    if not inspect.iscoroutinefunction(function):
        return False
    return any(step.opname == "GET_AWAITABLE" for step in dis.get_instructions(function))
