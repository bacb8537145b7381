"""A model of another library, loaded at the first call."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import Any

from ._errors import EmbedderMissingError, MemWeaveError


class LazyModel(ABC):
    """The model `name` of the optional package `library`, which is also the name of the extra.

    `missing` is the error for a package that is not installed.
    """

    library: str
    missing: type[MemWeaveError] = EmbedderMissingError

    def __init__(self, name: str) -> None:
        self._name = name
        self._model: Any = None
        self._lock = threading.Lock()

    @property
    def identity(self) -> str:
        return f"{self.library}:{self._name}"

    @abstractmethod
    def _import(self) -> Any:
        """The class of the library. An ImportError means that it is not installed."""

    @abstractmethod
    def _load(self, library_class: Any) -> Any:
        """The model itself; what it raises is passed on."""

    def _loaded(self) -> Any:
        """The model, loaded once. Raises `missing` without the package. Blocks."""
        with self._lock:
            if self._model is None:
                try:
                    library_class = self._import()
                except ImportError as error:
                    raise self.missing(
                        f'{self.identity} needs {self.library}: pip install "memweave-core[{self.library}]"'
                    ) from error
                self._model = self._load(library_class)
            return self._model
