"""Agent memory you can read, search and git diff.

Markdown files are the truth; a local SQLite index is derived from them. `MemWeave` is the memory,
`memweave_core.blocking.MemWeave` the same object for code without an event loop.
"""

from typing import TYPE_CHECKING, Any

from ._errors import (
    ConfigError,
    ConflictError,
    EmbedderMissingError,
    EmbeddingAuthError,
    EmbeddingError,
    EmbeddingInputError,
    EmbeddingRateLimitError,
    EmbeddingShapeError,
    EmbeddingUnavailableError,
    ImportFormatError,
    MemWeaveError,
    ModelAuthError,
    ModelError,
    ModelInputError,
    ModelMissingError,
    ModelRateLimitError,
    ModelUnavailableError,
    NameRefusedError,
    NotFoundError,
    ReadOnlyError,
    RerankerError,
    RerankerMissingError,
    StorageError,
    StrategyError,
    UsageError,
)
from ._version import __version__
from .config import (
    CacheConfig,
    ChunkingConfig,
    EmbeddingConfig,
    HybridConfig,
    MemoryConfig,
    MMRConfig,
    QueryConfig,
    RerankConfig,
    SyncConfig,
    TemporalDecayConfig,
    VectorConfig,
)
from .ports import ChatModel, Clock, Embedder, IndexReader, PostProcessor, Progress, Reranker, SearchStrategy
from .settings import load_config
from .types import (
    Calibration,
    Chunk,
    EmbedderHealth,
    EmbedLimits,
    FileInfo,
    Finding,
    IndexResult,
    KeywordHit,
    PageText,
    Problem,
    SearchResult,
    SearchResults,
    StoreStatus,
    Where,
    Why,
)

if TYPE_CHECKING:
    from .engine import MemWeave

__all__ = [
    "CacheConfig",
    "Calibration",
    "ChatModel",
    "Chunk",
    "ChunkingConfig",
    "Clock",
    "ConfigError",
    "ConflictError",
    "EmbedLimits",
    "Embedder",
    "EmbedderHealth",
    "EmbedderMissingError",
    "EmbeddingAuthError",
    "EmbeddingConfig",
    "EmbeddingError",
    "EmbeddingInputError",
    "EmbeddingRateLimitError",
    "EmbeddingShapeError",
    "EmbeddingUnavailableError",
    "FileInfo",
    "Finding",
    "HybridConfig",
    "ImportFormatError",
    "IndexReader",
    "IndexResult",
    "KeywordHit",
    "MMRConfig",
    "MemWeave",
    "MemWeaveError",
    "MemoryConfig",
    "ModelAuthError",
    "ModelError",
    "ModelInputError",
    "ModelMissingError",
    "ModelRateLimitError",
    "ModelUnavailableError",
    "NameRefusedError",
    "NotFoundError",
    "PageText",
    "PostProcessor",
    "Problem",
    "Progress",
    "QueryConfig",
    "ReadOnlyError",
    "RerankConfig",
    "Reranker",
    "RerankerError",
    "RerankerMissingError",
    "SearchResult",
    "SearchResults",
    "SearchStrategy",
    "StorageError",
    "StoreStatus",
    "StrategyError",
    "SyncConfig",
    "TemporalDecayConfig",
    "UsageError",
    "VectorConfig",
    "Where",
    "Why",
    "__version__",
    "load_config",
]


def __getattr__(name: str) -> Any:
    """`MemWeave` when it is first asked for: it needs asyncio, half the time of this import."""
    if name != "MemWeave":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .engine import MemWeave

    globals()[name] = MemWeave
    return MemWeave


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
