"""Every exception this library raises on purpose.

MemWeaveError
├── UsageError                 the caller can fix it
│   ├── ConfigError            a setting, keyword or filter is unknown or out of range
│   ├── NameRefusedError       a name or path would leave the workspace or cannot be stored
│   ├── NotFoundError          the named page is not there
│   ├── ConflictError          the page exists already, or changed since it was read
│   ├── ReadOnlyError          a write was asked of a memory opened for reading
│   ├── StrategyError          an unknown search strategy, or one that broke its contract
│   └── ImportFormatError      a file to import is of no known format, or damaged as a whole
├── StorageError               the disk or the database failed
├── RerankerError              the reranker failed
│   └── RerankerMissingError       the package of a named reranker is not installed
├── ModelError                 the language model failed
│   ├── ModelAuthError             key, permission or quota: retrying is useless
│   ├── ModelRateLimitError        too many requests: wait `retry_after` seconds
│   ├── ModelUnavailableError      server error, time-out, no connection: may pass
│   ├── ModelInputError            the provider refuses this request for its length
│   └── ModelMissingError          the package of a named model is not installed
└── EmbeddingError             the embedder failed
    ├── EmbeddingAuthError         key, permission or quota: retrying is useless
    ├── EmbeddingRateLimitError    too many requests: wait `retry_after` seconds
    ├── EmbeddingUnavailableError  server error, time-out, no connection: may pass
    ├── EmbeddingInputError        the provider refuses this input (too long, too many)
    ├── EmbeddingShapeError        wrong number or length of vectors came back
    └── EmbedderMissingError       the package of a named embedder is not installed
"""

from __future__ import annotations


class MemWeaveError(Exception):
    """Base of all errors of this library. The message says what happened, to what, and what to do next."""


class UsageError(MemWeaveError):
    """The call was wrong; the caller can fix it."""


class ConfigError(UsageError, ValueError):
    """A setting, keyword or filter is unknown or out of range."""


class NameRefusedError(UsageError, ValueError):
    """A name or path would leave the workspace or cannot be stored."""


class NotFoundError(UsageError, FileNotFoundError):
    """The named page is not there."""


class ConflictError(UsageError):
    """The page exists already, or has changed since it was read."""


class ReadOnlyError(UsageError):
    """A write was asked of a memory that was opened for reading only."""


class StrategyError(UsageError):
    """An unknown search strategy, or one that broke its contract."""


class ImportFormatError(UsageError, ValueError):
    """A file to import is of no known format, or so damaged that nothing of it can be read."""


class StorageError(MemWeaveError):
    """The disk or the database failed."""


class RerankerError(MemWeaveError):
    """The reranker failed. A search says so in its warnings and does not raise it."""


class RerankerMissingError(RerankerError, ImportError):
    """The package of a named reranker is not installed; the message names the pip command."""


class ModelError(MemWeaveError):
    """The language model failed, or gave something that is no text."""


class ModelAuthError(ModelError):
    """Key, permission or quota: retrying is useless until a person acts."""


class ModelRateLimitError(ModelError):
    """Too many requests. `retry_after` is in seconds, None when the provider did not say."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelUnavailableError(ModelError):
    """A server error, a time-out or no connection: it may pass."""


class ModelInputError(ModelError):
    """The provider refuses this request for its length."""


class ModelMissingError(ModelError, ImportError):
    """The package of a named language model is not installed; the message names the pip command."""


class EmbeddingError(MemWeaveError):
    """The embedder failed."""


class EmbeddingAuthError(EmbeddingError):
    """Key, permission or quota: retrying is useless until a person acts."""


class EmbeddingRateLimitError(EmbeddingError):
    """Too many requests. `retry_after` is in seconds, None when the provider did not say."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class EmbeddingUnavailableError(EmbeddingError):
    """A server error, a time-out or no connection: it may pass."""


class EmbeddingInputError(EmbeddingError):
    """The provider refuses this input, for its length or for the size of the batch."""


class EmbeddingShapeError(EmbeddingError):
    """The wrong number or the wrong length of vectors came back."""


class EmbedderMissingError(EmbeddingError, ImportError):
    """The package of a named embedder is not installed; the message names the pip command."""
