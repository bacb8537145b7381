"""Opens the records of a root when they are first needed: their database, their folder, their embedder."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from .._errors import ConfigError
from ..config import MemoryConfig
from ..text.names import encode_segment
from ..workers import WorkerPool
from .embedding import Immediate, immediate
from .plan import RecordsConfig

if TYPE_CHECKING:
    from ..adapters.embedders.resilience import ResilientEmbedder
    from ..assembly import Runtime
    from .keeper import Keeper

_THREADS = 4


@dataclass(frozen=True, slots=True)
class Parts:
    """What does the work, what makes vectors, and a quicker way to these for who may be blocked."""

    keeper: Keeper
    embedder: ResilientEmbedder | None
    now: Immediate | None


_TAKEN = ("users", "sessions")


class Opener:
    """One root of one memory; `ready` gives what the memory itself has open, its embedder above all.

    `embedder` is a model as `MemWeave` takes it, "none" for no vectors, None for that of the memory.
    """

    def __init__(
        self,
        root: str,
        config: RecordsConfig,
        memory: MemoryConfig,
        embedder: object | str | None,
        ready: Callable[[], Coroutine[Any, Any, Runtime]],
        clock: Callable[[], datetime],
    ) -> None:
        if root in _TAKEN or encode_segment(root) != root:
            raise ConfigError(f"{root!r} cannot be a folder of records; choose a plain lower-case name.")
        self.root = root
        self.config = config
        self._memory = memory
        self._embedder = embedder
        self._ready = ready
        self._clock = clock
        self._begin()

    def _begin(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._parts: Parts | None = None
        self._pool: WorkerPool | None = None

    def opened(self) -> Parts | None:
        """What is open in this process."""
        if self._pid != os.getpid():  # threads and locks do not survive a fork
            self._begin()
        return self._parts

    async def parts(self) -> Parts:
        """Open it if it is not. Raises `ConfigError`, `StorageError`."""
        found = self.opened()
        if found is not None:
            return found
        runtime = await self._ready()
        return await self.pool().run(lambda: self._assemble(runtime))

    def pool(self) -> WorkerPool:
        """The threads that the asynchronous face waits for."""
        self.opened()
        with self._lock:
            if self._pool is None:
                self._pool = WorkerPool("memweave-records", _THREADS)
            return self._pool

    def close(self) -> None:
        """Close the database; blocks while somebody else is in it."""
        self.opened()
        with self._lock:
            parts, self._parts = self._parts, None
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()
        if parts is not None:
            parts.keeper.close()

    def _assemble(self, runtime: Runtime) -> Parts:
        from ..adapters.sqlite.state import StateDatabase
        from .disk import RecordFiles
        from .keeper import Keeper
        from .mirror import Mirror
        from .schema import FILE_NAME, KIND, MIGRATIONS

        with self._lock:
            if self._parts is None:
                embedder = self._model(runtime)
                path = runtime.location.db_path.with_name(FILE_NAME)
                database = StateDatabase(path, migrations=MIGRATIONS, kind=KIND)
                key = runtime.store.memory_key(self.root)
                files = RecordFiles(runtime.store.disk_path(key), key, self._memory.trash)
                mirror = Mirror(database, files, self.root, self._clock)
                identity = self.config.identity or _identity(embedder, self.config.dims)
                keeper = Keeper(database, mirror, self.config, identity, self._clock)
                now = immediate(self._embedder, embedder) if embedder is not None else None
                self._parts = Parts(keeper, embedder, now)
            return self._parts

    def _model(self, runtime: Runtime) -> ResilientEmbedder | None:
        if self._embedder is None:
            return runtime.embedder
        from ..adapters.embedders.duck import wrap
        from ..adapters.embedders.resolve import resolve

        named = self._embedder
        if not isinstance(named, str) and self.config.identity is not None:
            named = wrap(named, identity=self.config.identity)
        return resolve(self._memory.embedding, named)


def _identity(embedder: ResilientEmbedder | None, dims: int | None) -> str | None:
    """What vectors are known by: the same name with vectors of another length is another model."""
    if embedder is None or dims is None:
        return None if embedder is None else embedder.identity
    return f"{embedder.identity}/{dims}"
