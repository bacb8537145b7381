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
from .conversation_config import ConversationConfig, FactsConfig, FlushConfig, JobsConfig, LLMConfig
from .ports import ChatModel, Clock, Embedder, IndexReader, PostProcessor, Progress, Reranker, SearchStrategy
from .settings import load_config
from .types import (
    Calibration,
    Chunk,
    EmbedderHealth,
    EmbedLimits,
    FileInfo,
    IndexResult,
    KeywordHit,
    PageText,
    Problem,
    SearchResult,
    SearchResults,
    Where,
    Why,
)

if TYPE_CHECKING:
    from .conversation.masking import masked
    from .conversation.summary import Summary
    from .conversation.window import Window, window
    from .engine import MemWeave
    from .facts.branches import Branch
    from .job_types import Job, JobCounts
    from .messages import (
        Fact,
        FactVersion,
        Forgotten,
        ImportReport,
        Message,
        Recalled,
        Recorded,
        Remembered,
        SessionInfo,
        ToolCall,
    )
    from .remembering.chat import Chat
    from .remembering.context_parts import Context
    from .status_types import Finding, StoreStatus

__all__ = [
    "Branch",
    "CacheConfig",
    "Calibration",
    "Chat",
    "ChatModel",
    "Chunk",
    "ChunkingConfig",
    "Clock",
    "ConfigError",
    "ConflictError",
    "Context",
    "ConversationConfig",
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
    "Fact",
    "FactVersion",
    "FactsConfig",
    "FileInfo",
    "Finding",
    "FlushConfig",
    "Forgotten",
    "HybridConfig",
    "ImportFormatError",
    "ImportReport",
    "IndexReader",
    "IndexResult",
    "Job",
    "JobCounts",
    "JobsConfig",
    "KeywordHit",
    "LLMConfig",
    "MMRConfig",
    "MemWeave",
    "MemWeaveError",
    "MemoryConfig",
    "Message",
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
    "Recalled",
    "Recorded",
    "Remembered",
    "RerankConfig",
    "Reranker",
    "RerankerError",
    "RerankerMissingError",
    "SearchResult",
    "SearchResults",
    "SearchStrategy",
    "SessionInfo",
    "StorageError",
    "StoreStatus",
    "StrategyError",
    "Summary",
    "SyncConfig",
    "TemporalDecayConfig",
    "ToolCall",
    "UsageError",
    "VectorConfig",
    "Where",
    "Why",
    "Window",
    "__version__",
    "load_config",
    "masked",
    "window",
]


def __getattr__(name: str) -> Any:
    """What costs time to import, when it is first asked for."""
    from importlib import import_module

    from ._late import LATE

    module = next((module for module, names in LATE.items() if name in names), None)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(module, __name__), name)
    return found
