"""Every setting with its default, validated when it is made. An unknown name is refused with the nearest one.

Configuration objects are frozen: derive a changed one with `dataclasses.replace`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, get_type_hints

from ._errors import ConfigError

BUNDLED = "bundled"
"""Name of the embedder that comes in the box."""


def nearest_name(name: str, known: Iterable[str]) -> str:
    """' Did you mean …?' for a mistyped name, or '' when nothing is near."""
    import difflib  # needed only on the way to an error

    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" Did you mean {close[0]!r}?" if close else ""


def _check(condition: bool, message: str) -> None:
    if not condition:
        raise ConfigError(message)


def _number(name: str, value: Any, *, low: float, high: float = float("inf"), open_low: bool = False) -> None:
    _check(
        isinstance(value, int | float) and not isinstance(value, bool),
        f"{name} must be a number, not {value!r}.",
    )
    inside = (low < value if open_low else low <= value) and value <= high
    bounds = f"{'above' if open_low else 'at least'} {low:g}" + (
        "" if high == float("inf") else f" and at most {high:g}"
    )
    _check(inside, f"{name} must be {bounds}, not {value!r}.")


def _whole(name: str, value: Any, *, low: int) -> None:
    _check(
        isinstance(value, int) and not isinstance(value, bool),
        f"{name} must be a whole number, not {value!r}.",
    )
    _check(value >= low, f"{name} must be at least {low}, not {value!r}.")


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
        _check(bool(self.model), "embedding.model must name a model; use 'none' for keywords only.")
        _number("embedding.timeout", self.timeout, low=0, open_low=True)
        _whole("embedding.batch_size", self.batch_size, low=1)
        _whole("embedding.batch_tokens", self.batch_tokens, low=1)
        if self.dimensions is not None:
            _whole("embedding.dimensions", self.dimensions, low=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkingConfig:
    """Size of a chunk and of the overlap between neighbours of one section, in estimated tokens."""

    tokens: int = 400
    overlap: int = 80

    def __post_init__(self) -> None:
        _whole("chunking.tokens", self.tokens, low=16)
        _whole("chunking.overlap", self.overlap, low=0)
        _check(self.overlap < self.tokens, "chunking.overlap must be smaller than chunking.tokens.")


@dataclass(frozen=True, slots=True, kw_only=True)
class HybridConfig:
    """How the two legs become one score.

    The weights are in [0, 1] and sum to 1. `fusion`: "linear" or "rrf". `candidate_multiplier` times
    `max_results` candidates are taken from each leg. `neighbour_weight` is the share that the chunks next
    to a hit lend to it (0 switches smoothing off). `file_weight` is the share of the text score that comes
    from the whole page.
    """

    vector_weight: float = 0.3
    text_weight: float = 0.7
    fusion: Literal["linear", "rrf"] = "linear"
    candidate_multiplier: int = 8
    neighbour_weight: float = 0.5
    file_weight: float = 0.2

    def __post_init__(self) -> None:
        _number("query.hybrid.vector_weight", self.vector_weight, low=0, high=1)
        _number("query.hybrid.text_weight", self.text_weight, low=0, high=1)
        total = self.vector_weight + self.text_weight
        _check(abs(total - 1) <= 1e-6, f"query.hybrid weights must sum to 1, not {total:g}.")
        _check(
            self.fusion in ("linear", "rrf"),
            f"query.hybrid.fusion must be 'linear' or 'rrf', not {self.fusion!r}.",
        )
        _whole("query.hybrid.candidate_multiplier", self.candidate_multiplier, low=1)
        _number("query.hybrid.neighbour_weight", self.neighbour_weight, low=0, high=1)
        _number("query.hybrid.file_weight", self.file_weight, low=0, high=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class MMRConfig:
    """Diversity. `lambda_param` 1 is pure relevance order, 0 the most diverse."""

    enabled: bool = False
    lambda_param: float = 0.7

    def __post_init__(self) -> None:
        _number("query.mmr.lambda_param", self.lambda_param, low=0, high=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class TemporalDecayConfig:
    """Ranking by age: a dated page keeps half its score after `half_life_days` days."""

    enabled: bool = False
    half_life_days: float = 30.0

    def __post_init__(self) -> None:
        _number("query.temporal_decay.half_life_days", self.half_life_days, low=0, open_low=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryConfig:
    """Defaults of a search; each can be overridden per call.

    `strategy`: "hybrid", "keyword", "vector" or a registered name. `min_score` in [0, 1] is the noise gate.
    `snippet_max_chars` bounds the text of a result.
    """

    strategy: str = "hybrid"
    max_results: int = 6
    min_score: float = 0.35
    snippet_max_chars: int = 700
    hybrid: HybridConfig = field(default_factory=HybridConfig)
    mmr: MMRConfig = field(default_factory=MMRConfig)
    temporal_decay: TemporalDecayConfig = field(default_factory=TemporalDecayConfig)

    def __post_init__(self) -> None:
        _check(bool(self.strategy), "query.strategy must name a strategy.")
        _whole("query.max_results", self.max_results, low=1)
        _number("query.min_score", self.min_score, low=0, high=1)
        _whole("query.snippet_max_chars", self.snippet_max_chars, low=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheConfig:
    """Vectors of text that is no longer in any file are kept for its return, least recently used go first.

    `enabled=False` keeps none. `max_entries=None` sets no bound.
    """

    enabled: bool = True
    max_entries: int | None = 20_000

    def __post_init__(self) -> None:
        if self.max_entries is not None:
            _whole("cache.max_entries", self.max_entries, low=0)


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
        _whole("sync.embed_on_search", self.embed_on_search, low=0)
        _whole("sync.watch_debounce_ms", self.watch_debounce_ms, low=0)
        _number("sync.interval_minutes", self.interval_minutes, low=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorConfig:
    """Which engine answers vector questions: "auto", "sqlite-vec" or "numpy". All give the same answers."""

    engine: Literal["auto", "sqlite-vec", "numpy"] = "auto"

    def __post_init__(self) -> None:
        known = ("auto", "sqlite-vec", "numpy")
        _check(self.engine in known, f"vector.engine must be one of {known}, not {self.engine!r}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryConfig:
    """All settings of one memory.

    `workspace_dir` holds `memory_dir` (use "." for a whole vault of notes) and, derived, ``.memweave/``.
    `db_path` moves the index elsewhere. `timezone` (IANA name) decides what "today" is. `extra_paths` are
    files or folders outside `memory_dir`; `ignore` are glob patterns of files that are not memory;
    `evergreen_patterns` are globs of dated files that should not age. `progress` shows a bar on stderr
    during long work when stderr is a terminal.
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "workspace_dir", str(self.workspace_dir))
        if self.db_path is not None:
            object.__setattr__(self, "db_path", str(self.db_path))
        for name in ("extra_paths", "ignore", "evergreen_patterns"):
            value = getattr(self, name)
            _check(not isinstance(value, str), f"{name} must be a list of strings, not the string {value!r}.")
            object.__setattr__(self, name, tuple(str(item) for item in value))
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
        """The workspace as an absolute path with ``~`` resolved."""
        return Path(self.workspace_dir).expanduser().absolute()

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> MemoryConfig:
        """Settings from nested mappings, as in ``memweave.toml``. Raises `ConfigError` naming the key."""
        made: MemoryConfig = _build(cls, data, "")
        return made


def _build(cls: type, data: Mapping[str, Any], prefix: str) -> Any:
    _check(isinstance(data, Mapping), f"{prefix.rstrip('.') or 'settings'} must be a table, not {data!r}.")
    hints = get_type_hints(cls)
    known = {f.name for f in fields(cls)}
    values: dict[str, Any] = {}
    for key, value in data.items():
        _check(key in known, f"Unknown setting {prefix}{key!s}.{nearest_name(str(key), known)}")
        hint = hints[key]
        nested = isinstance(hint, type) and is_dataclass(hint) and not isinstance(value, hint)
        values[key] = (
            _build(hint, value, f"{prefix}{key}.") if nested else _checked(f"{prefix}{key}", value, hint)
        )
    return cls(**values)


def _checked(name: str, value: Any, hint: Any) -> Any:
    if hint is bool:
        _check(isinstance(value, bool), f"{name} must be true or false, not {value!r}.")
    elif hint is str:
        _check(isinstance(value, str | Path), f"{name} must be a string, not {value!r}.")
    return value
