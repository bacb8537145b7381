"""The verb `records`, as `memweave_core.MemWeave` has it."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING

from ..config import MemoryConfig
from ..workers import run_apart

if TYPE_CHECKING:
    from ..assembly import Runtime
    from ..ports import Clock
    from .faces import Records
    from .opening import Opener
    from .plan import RecordsConfig


class RecordKeeping:
    """Documents with a namespace, a key and a JSON value, kept as pages like everything else."""

    config: MemoryConfig
    read_only: bool
    _clock: Clock
    _open_records: weakref.WeakSet[Records] | None = None
    _closing_records: set[threading.Thread] | None = None

    async def _ready(self) -> Runtime:
        raise NotImplementedError

    def records(
        self, root: str, config: RecordsConfig | None = None, *, embedder: object | str | None = None
    ) -> Records:
        """The records below the folder `root` of the memory; nothing is opened or made yet.

        `embedder` is a model as `MemWeave` takes it, "none" for no vectors; by default that of the memory.
        They are closed with the memory. Raises `ConfigError` for a name that is no plain folder.
        """
        from .faces import Records
        from .opening import Opener
        from .plan import RecordsConfig

        opener = Opener(
            root,
            config or RecordsConfig(),
            self.config,
            embedder,
            lambda: self._ready(),
            lambda: self._clock(),
        )
        made = Records(opener, read_only=self.read_only)
        if self._open_records is None or self._closing_records is None:
            self._open_records, self._closing_records = weakref.WeakSet(), set()
        self._open_records.add(made)
        # Whoever drops them without closing them or the memory leaves no thread behind.
        weakref.finalize(made, _close_aside, opener, self._closing_records).atexit = False
        return made

    async def _close_records(self) -> None:
        for records in list(self._open_records or ()):
            await records.close()
        for thread in list(self._closing_records or ()):
            if thread.is_alive():
                await run_apart(thread.join)


def _close_aside(opener: Opener, closing: set[threading.Thread]) -> None:
    """Close on a thread of its own: whoever collects garbage may hold the very lock this waits for."""

    def close() -> None:
        opener.close()
        closing.discard(threading.current_thread())

    thread = threading.Thread(target=close, name="memweave-closing", daemon=True)
    closing.add(thread)
    thread.start()
