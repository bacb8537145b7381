"""What a memory says about itself: a picture of the store, and the findings of a check."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .job_types import JobCounts
from .types import EmbedderHealth, SearchMode


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """A point-in-time picture of the store; making it never calls an embedder.

    `jobs` counts the work in the background by state.
    """

    files: int
    chunks: int
    dirty: bool
    workspace_dir: str
    db_path: str
    search_mode: SearchMode
    provider: str
    model: str
    fts_available: bool
    vector_available: bool
    vector_engine: str
    cache_entries: int
    cache_max_entries: int | None
    pending: int
    embedder: EmbedderHealth
    watcher_active: bool
    watcher_last_event: float | None
    read_only: bool
    sqlite: str
    notes: tuple[str, ...] = ()
    jobs: JobCounts = field(default_factory=JobCounts)


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of `doctor`: `level` is "ok", "note", "warning" or "error"; `fix` says what to do."""

    check: str
    level: Literal["ok", "note", "warning", "error"]
    detail: str
    fix: str = ""
