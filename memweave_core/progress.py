"""A progress bar on stderr for long work; nothing at all where stderr is not a terminal."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from .ports import Progress

PATIENCE = 0.5
"""Seconds of silence before a bar appears: short work shows none."""


def terminal_progress() -> Progress | None:
    """A bar if stderr is a terminal, else None."""
    stream = sys.stderr
    return TerminalProgress() if stream is not None and stream.isatty() else None


class TerminalProgress:
    """One bar per kind of work, shown when the work lasts and taken away when it is done."""

    def __init__(self) -> None:
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._what = ""
        self._since = 0.0
        self._lock = threading.Lock()

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show that `done` of `total` are done; `done` == `total` takes the bar away."""
        with self._lock:
            if what != self._what:
                self._stop()
                self._what, self._since = what, time.monotonic()
            if done >= total:
                self._stop()
            elif time.monotonic() - self._since >= PATIENCE:
                self._show(what, done, total)

    def _show(self, what: str, done: int, total: int) -> None:
        from rich.console import Console
        from rich.progress import Progress as Bar

        if self._bar is None:
            self._bar = Bar(console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(what, total=total)
        if self._task is not None:
            self._bar.update(self._task, completed=done, total=total)

    def _stop(self) -> None:
        if self._bar is not None:
            self._bar.stop()
        self._bar, self._task, self._what = None, None, ""
