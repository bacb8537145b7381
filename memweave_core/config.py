"""Every setting with its default, validated when it is made. An unknown name is refused with the nearest one.

Configuration objects are frozen: derive a changed one with `dataclasses.replace`.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, Literal

from ._errors import ConfigError
from .checks import check, check_range, check_types, is_table, kinds_of, nearest_name
from .conversation_config import ConversationConfig, FactsConfig, FlushConfig, JobsConfig, LLMConfig

BUNDLED = "bundled"
"""Name of the embedder that comes in the box."""

DERIVED = ".memweave"
"""Name of the folder, in the workspace, of everything that is not a person's Markdown."""

SETTINGS_FILE = "memweave.toml"
"""Name of the settings file in the workspace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingConfig:
    """Which model turns text into vectors.

    `model`: "bundled" (default, offline), "local:minilm", "fastembed:<name>", "model2vec:<name>", "none"
    (keywords only), or any litellm model name. `timeout` is in seconds per request.
    `batch_size` and `batch_tokens` bound one request; `dimensions` is sent only when set.
    """

    model: str = BUNDLED
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    timeout: float = 60.0
    batch_size: int = 64
    batch_tokens: int = 100_000
    dimensions: int | None = None

    def __post_init__(self) -> None:
        check_types(self, "embedding.")
        check(bool(self.model), "embedding.model must name a model; use 'none' for keywords only.")
        check_range("embedding.timeout", self.timeout, low=0, above=True)
        check_range("embedding.batch_size", self.batch_size, low=1)
        check_range("embedding.batch_tokens", self.batch_tokens, low=1)
        if self.dimensions is not None:
            check_range("embedding.dimensions", self.dimensions, low=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkingConfig:
    """Size of a chunk and of the overlap between neighbours of one section, in estimated tokens."""

    tokens: int = 400
    overlap: int = 80

    def __post_init__(self) -> None:
        check_types(self, "chunking.")
        check_range("chunking.tokens", self.tokens, low=16)
        check_range("chunking.overlap", self.overlap, low=0)
        check(self.overlap < self.tokens, "chunking.overlap must be smaller than chunking.tokens.")


@dataclass(frozen=True, slots=True, kw_only=True)
class HybridConfig:
    """How the two legs become one score.

    The weights are in [0, 1] and sum to 1; the defaults are those that measured best. `fusion`: "linear" or
    "rrf". `candidate_multiplier` times `max_results` (taken as 6 when it is less) candidates are asked of
    each leg. `neighbour_weight` is the share that the chunks next to a hit lend to it (0 switches smoothing
    off). `file_weight` is the share of the text score that comes from the whole page.
    """

    vector_weight: float = 0.3
    text_weight: float = 0.7
    fusion: Literal["linear", "rrf"] = "linear"
    candidate_multiplier: int = 8
    neighbour_weight: float = 0.6
    file_weight: float = 0.25

    def __post_init__(self) -> None:
        check_types(self, "query.hybrid.")
        check_range("query.hybrid.vector_weight", self.vector_weight, low=0, high=1)
        check_range("query.hybrid.text_weight", self.text_weight, low=0, high=1)
        total = self.vector_weight + self.text_weight
        check(abs(total - 1) <= 1e-6, f"query.hybrid weights must sum to 1, not {total:g}.")
        check_range("query.hybrid.candidate_multiplier", self.candidate_multiplier, low=1)
        check_range("query.hybrid.neighbour_weight", self.neighbour_weight, low=0, high=1)
        check_range("query.hybrid.file_weight", self.file_weight, low=0, high=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class MMRConfig:
    """Diversity. `lambda_param` 1 is pure relevance order, 0 the most diverse."""

    enabled: bool = False
    lambda_param: float = 0.7

    def __post_init__(self) -> None:
        check_types(self, "query.mmr.")
        check_range("query.mmr.lambda_param", self.lambda_param, low=0, high=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class TemporalDecayConfig:
    """Ranking by age: a dated page keeps half its score after `half_life_days` days."""

    enabled: bool = False
    half_life_days: float = 30.0

    def __post_init__(self) -> None:
        check_types(self, "query.temporal_decay.")
        check_range("query.temporal_decay.half_life_days", self.half_life_days, low=0, above=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankConfig:
    """A model that reads the question with each of the best hits and puts these in order.

    `model`: "fastembed:<name>", or None for none. `candidates` is how many of the hits above the noise gate
    it reads. `timeout` is in seconds per search; after it the order stays as it was.
    """

    model: str | None = None
    candidates: int = 30
    timeout: float = 30.0

    def __post_init__(self) -> None:
        check_types(self, "query.reranker.")
        check_range("query.reranker.candidates", self.candidates, low=1)
        check_range("query.reranker.timeout", self.timeout, low=0, above=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryConfig:
    """Defaults of a search; each can be overridden per call.

    `strategy`: "hybrid", "keyword", "vector" or a registered name. `min_score` in [0, 1] is the noise gate.
    `snippet_max_chars` bounds the text of a result.
    """

    strategy: str = "hybrid"
    max_results: int = 6
    min_score: float = 0.29
    snippet_max_chars: int = 700
    hybrid: HybridConfig = field(default_factory=HybridConfig)
    mmr: MMRConfig = field(default_factory=MMRConfig)
    temporal_decay: TemporalDecayConfig = field(default_factory=TemporalDecayConfig)
    reranker: RerankConfig = field(default_factory=RerankConfig)

    def __post_init__(self) -> None:
        check_types(self, "query.")
        check(bool(self.strategy), "query.strategy must name a strategy.")
        check_range("query.max_results", self.max_results, low=1)
        check_range("query.min_score", self.min_score, low=0, high=1)
        check_range("query.snippet_max_chars", self.snippet_max_chars, low=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheConfig:
    """Vectors of text that is no longer in any file are kept for its return, least recently used go first.

    `enabled=False` keeps none. `max_entries=None` sets no bound.
    """

    enabled: bool = True
    max_entries: int | None = 20_000

    def __post_init__(self) -> None:
        check_types(self, "cache.")
        if self.max_entries is not None:
            check_range("cache.max_entries", self.max_entries, low=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncConfig:
    """When the index catches up with the files.

    `on_search` looks for changed files before each search. `embed_on_search` is how many changed chunks a
    search embeds before it answers; the rest follows in the background. `watch` starts the watcher when the
    memory opens; `watch_debounce_ms` is the quiet time it waits for; `watch_polling` serves file systems
    without events. `interval_minutes` > 0 re-indexes on a timer while the memory is open.
    """

    on_search: bool = True
    embed_on_search: int = 128
    watch: bool = False
    watch_debounce_ms: int = 1500
    watch_polling: bool = False
    interval_minutes: float = 0

    def __post_init__(self) -> None:
        check_types(self, "sync.")
        check_range("sync.embed_on_search", self.embed_on_search, low=0)
        check_range("sync.watch_debounce_ms", self.watch_debounce_ms, low=0)
        check_range("sync.interval_minutes", self.interval_minutes, low=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorConfig:
    """Which engine answers vector questions: "auto", "sqlite-vec" or "numpy". All give the same answers."""

    engine: Literal["auto", "sqlite-vec", "numpy"] = "auto"

    def __post_init__(self) -> None:
        check_types(self, "vector.")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryConfig:
    """All settings of one memory.

    `workspace_dir` holds `memory_dir` (use "." for a whole vault of notes) and, derived, ``.memweave/``.
    `db_path` moves the index elsewhere; a relative one is taken from the workspace. `timezone` (IANA name)
    decides what "today" is. `extra_paths` are files or folders outside `memory_dir`; `ignore` are glob
    patterns of files that are not memory; `evergreen_patterns` are globs of dated files that should not age.
    `progress` shows a bar on stderr during long work when stderr is a terminal.
    """

    workspace_dir: str = "~/.memweave/default"
    memory_dir: str = "memory"
    db_path: str | None = None
    timezone: str = "UTC"
    progress: bool = True
    extra_paths: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    evergreen_patterns: tuple[str, ...] = ("MEMORY.md", "memory.md")
    embedding: EmbeddingConfig = field(default_factory=EmbeddingConfig)
    chunking: ChunkingConfig = field(default_factory=ChunkingConfig)
    query: QueryConfig = field(default_factory=QueryConfig)
    cache: CacheConfig = field(default_factory=CacheConfig)
    sync: SyncConfig = field(default_factory=SyncConfig)
    vector: VectorConfig = field(default_factory=VectorConfig)
    llm: LLMConfig = field(default_factory=LLMConfig)
    conversation: ConversationConfig = field(default_factory=ConversationConfig)
    facts: FactsConfig = field(default_factory=FactsConfig)
    flush: FlushConfig = field(default_factory=FlushConfig)
    jobs: JobsConfig = field(default_factory=JobsConfig)

    def __post_init__(self) -> None:
        for name in ("workspace_dir", "memory_dir", "db_path"):
            value = getattr(self, name)
            if isinstance(value, PurePath):
                object.__setattr__(self, name, str(value))
        for name in ("extra_paths", "ignore", "evergreen_patterns"):
            value = getattr(self, name)
            if isinstance(value, list | tuple):
                paths = (str(item) if isinstance(item, PurePath) else item for item in value)
                object.__setattr__(self, name, tuple(paths))
        check_types(self)
        _check_memory_dir(self.memory_dir)
        check(self.db_path is None or bool(self.db_path.strip()), "db_path must name a file, or be unset.")
        if self.timezone != "UTC":
            self._check_timezone()

    def _check_timezone(self) -> None:
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # 25 ms that the default does not need

        try:
            ZoneInfo(self.timezone)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ConfigError(
                f"timezone {self.timezone!r} is not an IANA name such as 'Europe/Madrid'."
            ) from error

    @property
    def workspace(self) -> Path:
        """The workspace as an absolute path, with ``~`` and ``..`` resolved."""
        path = Path(self.workspace_dir).expanduser().absolute()
        return path.resolve() if ".." in path.parts else path

    @property
    def index_path(self) -> Path:
        """Where `db_path`, taken from the workspace, puts the index; by default in ``.memweave/``."""
        if self.db_path is None:
            return self.workspace / DERIVED / "index.sqlite"
        return Path(os.path.normpath(self.workspace / Path(self.db_path).expanduser()))

    @property
    def state_path(self) -> Path:
        """Where jobs and what else is not derived from the Markdown are kept."""
        return self.workspace / DERIVED / "state.sqlite"

    @property
    def trash(self) -> Path:
        """The folder in which a copy of what is taken away is kept."""
        return self.workspace / DERIVED / "trash"

    def day(self, moment: dt.datetime) -> dt.date:
        """The day of a moment in `timezone`."""
        from zoneinfo import ZoneInfo

        return moment.astimezone(ZoneInfo(self.timezone)).date()

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> MemoryConfig:
        """Settings from nested mappings, as in ``memweave.toml``. Raises `ConfigError` naming the key."""
        check(isinstance(data, Mapping), f"The settings must be a table, not {data!r}.")
        return assembled(dict(leaves(data)))


def _check_memory_dir(memory_dir: str) -> None:
    parts = PurePosixPath(memory_dir.replace(os.sep, "/")).parts
    check(
        bool(memory_dir)
        and ".." not in parts
        and DERIVED not in parts
        and not PurePath(memory_dir).is_absolute(),
        f"memory_dir {memory_dir!r} must be a folder inside the workspace; use workspace_dir or "
        "extra_paths for a folder elsewhere.",
    )


# --- names ---------------------------------------------------------------------------------------------


def dotted_names(cls: type = MemoryConfig, prefix: str = "") -> Iterator[tuple[str, tuple[Any, ...]]]:
    """(dotted name, the types it may have) of every setting."""
    for name, kinds in kinds_of(cls):
        if is_table(kinds[0]):
            yield from dotted_names(kinds[0], f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", kinds


def leaves(data: Mapping[str, Any], prefix: str = "", where: str = "") -> Iterator[tuple[str, Any]]:
    """(dotted name, value) of every setting in nested tables.

    Raises `ConfigError` for what is not a setting, with the nearest name; `where` is added to its message.
    """
    known = {name for name, _ in dotted_names()}
    tables = {name[:end] for name in known for end, char in enumerate(name) if char == "."}
    place = f" in {where}" if where else ""
    for key, value in data.items():
        name = f"{prefix}{key}"
        if name in known:
            yield name, value
        elif name not in tables:
            raise ConfigError(f"Unknown setting {name}{place}.{_nearest(name, sorted(known | tables))}")
        elif isinstance(value, Mapping):
            yield from leaves(value, f"{name}.", where)
        else:
            raise ConfigError(f"{name} must be a table, not {value!r}{place}.")


def _nearest(name: str, known: list[str]) -> str:
    """The nearest full name, else the setting of another table whose last part is the same."""
    last = name.rpartition(".")[2]
    namesake = [full for full in known if full.rpartition(".")[2] == last]
    return nearest_name(name, known) or (f" Did you mean {namesake[0]!r}?" if namesake else "")


def assembled(values: Mapping[str, Any]) -> MemoryConfig:
    """The configuration of settings by dotted name. Raises `ConfigError` for a value that does not fit."""
    return MemoryConfig(**_fields(MemoryConfig, values, ""))


def _fields(cls: type, values: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    made = {}
    for name, kinds in kinds_of(cls):
        full = f"{prefix}{name}"
        if is_table(kinds[0]):
            made[name] = kinds[0](**_fields(kinds[0], values, f"{full}."))
        elif full in values:
            made[name] = values[full]
    return made
