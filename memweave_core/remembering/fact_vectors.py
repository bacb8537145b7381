"""Vectors of facts: from memory, from the index, and only then from the embedder.

The index keeps them under the hash of what a fact says, which is also what a search needs of the page of
facts: nothing is embedded twice.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from .._errors import EmbeddingError, MemWeaveError
from ..assembly import Runtime
from ..text.passages import embed_hash

if TYPE_CHECKING:
    from ..types import FloatArray

logger = logging.getLogger(__name__)

PATIENCE: Final = 10.0
"""Seconds that what was to be remembered or recalled waits for vectors of facts; then words must do."""

_MOST_KEPT: Final = 2_000
NO_EMBEDDER: Final = "There is no embedder."


@dataclass(frozen=True, slots=True)
class Found:
    """Unit float32 vectors by text; `note` says in a sentence why some texts have none, "" if all is well."""

    vectors: Mapping[str, FloatArray] = field(default_factory=dict)
    note: str = ""


class FactVectors:
    """The vectors of texts in the space of one open memory. Usable from several threads and event loops."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, FloatArray | None] = OrderedDict()

    async def of(self, texts: Iterable[str], *, embed: bool = True) -> Found:
        """The vectors of texts; without `embed` only those that are known already.

        A text has none when it is blank or refused, or when the embedder failed or took over ten seconds:
        that is in the note and is never raised.
        """
        keys = {text: embed_hash(text) for text in dict.fromkeys(texts)}
        known = self._recent(keys.values())
        if len(known) < len(keys):
            known |= await self._stored([key for key in keys.values() if key not in known])
        missing = {key: text for text, key in keys.items() if key not in known}
        note = ""
        if missing and embed:
            made, note = await self._made(missing)
            known |= made
        vectors = {text: one for text, key in keys.items() if (one := known.get(key)) is not None}
        return Found(vectors, note)

    async def query(self, text: str) -> tuple[FloatArray | None, str]:
        """The vector of what somebody asks or says, and why there is none; never raises for that."""
        embedder = self._runtime.embedder
        if embedder is None:
            return None, NO_EMBEDDER
        try:
            return await embedder.query(text), ""
        except EmbeddingError as error:
            return None, str(error)

    def forget(self, texts: Iterable[str]) -> None:
        """Drop the vectors of these texts from memory."""
        with self._lock:
            for text in texts:
                self._kept.pop(embed_hash(text), None)

    def _recent(self, keys: Iterable[str]) -> dict[str, FloatArray | None]:
        found = {}
        with self._lock:
            for key in keys:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    found[key] = self._kept[key]
        return found

    def _keep(self, vectors: Mapping[str, FloatArray | None]) -> None:
        with self._lock:
            self._kept.update(vectors)
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)

    async def _stored(self, keys: list[str]) -> dict[str, FloatArray | None]:
        if self._runtime.embedder is None:
            return {}
        index = self._runtime.index
        try:
            found = await self._runtime.read(lambda: index.vectors(keys))
        except MemWeaveError as error:
            logger.info("Vectors of facts cannot be read from the index: %s", error)
            return {}
        self._keep(found)
        return found

    async def _made(self, missing: Mapping[str, str]) -> tuple[dict[str, FloatArray | None], str]:
        """Ask the embedder; what it gave before it failed is kept."""
        embedder = self._runtime.embedder
        if embedder is None:
            return {}, NO_EMBEDDER
        keys, texts = list(missing), list(missing.values())
        made: dict[str, FloatArray | None] = {}

        def keep(start: int, vectors: list[FloatArray | None]) -> None:
            made.update(zip(keys[start : start + len(vectors)], vectors, strict=True))

        note = ""
        try:
            async with asyncio.timeout(PATIENCE):
                await embedder.documents(texts, keep)
        except TimeoutError:
            note = f"{embedder.identity} did not answer within {PATIENCE:g} s."
        except EmbeddingError as error:
            note = str(error)
        finally:
            if made:
                self._keep(made)
                self._store(made)
        return made, note

    def _store(self, made: dict[str, FloatArray | None]) -> None:
        """Put vectors into the index, without waiting for what else its writer has to do."""
        index = self._runtime.index

        def store() -> None:
            try:
                index.store_vectors(made)
            except MemWeaveError as error:  # they are embedded again when they are needed again
                logger.info("Vectors of facts cannot be kept in the index: %s", error)

        try:
            self._runtime.writer.submit(store)
        except MemWeaveError as error:
            logger.info("Vectors of facts cannot be kept in the index: %s", error)
