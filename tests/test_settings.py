"""Settings: three sources in rising order, typed, and refused by name where they stand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core import settings as module
from memweave_core._errors import ConfigError
from memweave_core.config import (
    CacheConfig,
    ChunkingConfig,
    EmbeddingConfig,
    HybridConfig,
    MemoryConfig,
    MMRConfig,
    QueryConfig,
    SyncConfig,
    TemporalDecayConfig,
    VectorConfig,
)
from memweave_core.location import locate
from memweave_core.settings import known_settings, load_config


def load(folder: Path, *, toml: str = "", **environ: str) -> MemoryConfig:
    """Settings of a folder whose memweave.toml holds `toml`."""
    if toml:
        (folder / "memweave.toml").write_text(toml, encoding="utf-8")
    return load_config(folder, environ=environ, overrides={})


def test_defaults_without_any_source(tmp_path: Path) -> None:
    """With no file, no variable and no argument the settings are the documented defaults."""
    assert load(tmp_path) == MemoryConfig(workspace_dir=str(tmp_path))


def test_sources_rise(tmp_path: Path) -> None:
    """The environment beats the file and the arguments beat the environment, setting by setting."""
    (tmp_path / "memweave.toml").write_text(
        "[query]\nmax_results = 2\nmin_score = 0.1\nsnippet_max_chars = 50\n"
    )
    environ = {"MEMWEAVE_QUERY__MAX_RESULTS": "3", "MEMWEAVE_QUERY__MIN_SCORE": "0.2"}
    query = load_config(tmp_path, environ=environ, overrides={"query": {"max_results": 4}}).query
    assert (query.max_results, query.min_score, query.snippet_max_chars) == (4, 0.2, 50)


@pytest.mark.parametrize(
    ("variable", "raw", "name", "value"),
    [
        ("MEMWEAVE_QUERY__MMR__ENABLED", "true", "query.mmr.enabled", True),
        ("MEMWEAVE_PROGRESS", "0", "progress", False),
        ("MEMWEAVE_EMBEDDING__API_KEY", "12345", "embedding.api_key", "12345"),
        ("MEMWEAVE_EMBEDDING__MODEL", '"none"', "embedding.model", "none"),
        ("MEMWEAVE_EXTRA_PATHS", "AGENTS.md, docs", "extra_paths", ("AGENTS.md", "docs")),
        ("MEMWEAVE_IGNORE", '["a,b.md"]', "ignore", ("a,b.md",)),
        ("MEMWEAVE_EVERGREEN_PATTERNS", "[]", "evergreen_patterns", ()),
        ("MEMWEAVE_CACHE__MAX_ENTRIES", "none", "cache.max_entries", None),
        ("MEMWEAVE_SYNC__INTERVAL_MINUTES", "5", "sync.interval_minutes", 5),
        ("MEMWEAVE_VECTOR__ENGINE", "numpy", "vector.engine", "numpy"),
        ("MEMWEAVE_TIMEZONE", "Europe/Madrid", "timezone", "Europe/Madrid"),
    ],
)
def test_variables_are_typed(tmp_path: Path, variable: str, raw: str, name: str, value: object) -> None:
    """A variable becomes a value of its setting's own type."""
    got: object = load(tmp_path, **{variable: raw})
    for part in name.split("."):
        got = getattr(got, part)
    assert got == value


def test_none_in_the_file_unsets_a_bound(tmp_path: Path) -> None:
    """TOML has no null, so that "none" unsets a bound that is a number."""
    assert load(tmp_path, toml='[cache]\nmax_entries = "none"\n').cache.max_entries is None


def test_empty_and_reserved_variables_are_no_settings(tmp_path: Path) -> None:
    """An empty variable is unset, and the two reserved names are left alone."""
    environ = {"MEMWEAVE_QUERY__STRATEGY": "", "MEMWEAVE_SQLITE": "degraded", "MEMWEAVE_WORKSPACE": "x"}
    assert load(tmp_path, **environ) == MemoryConfig(workspace_dir=str(tmp_path))


@pytest.mark.parametrize(
    ("toml", "parts"),
    [
        ("[query]\nmax_result = 3\n", ["query.max_result", "query.max_results", "memweave.toml"]),
        ("max_results = 3\n", ["Unknown setting max_results", "query.max_results"]),
        ("[querry]\nmax_results = 3\n", ["querry", "'query'"]),
        ("query = 3\n", ["query must be a table", "memweave.toml"]),
        ("[query]\nmin_score = 5\n", ["query.min_score", "not 5", "memweave.toml"]),
        ('[query]\nmax_results = "many"\n', ["query.max_results", "'many'", "memweave.toml"]),
        ("[query\n", ["memweave.toml", "line 1"]),
        ('workspace_dir = "/elsewhere"\n', ["workspace_dir", "--workspace"]),
    ],
)
def test_a_wrong_file_is_refused_by_name(tmp_path: Path, toml: str, parts: list[str]) -> None:
    """A wrong key or value in the file is an error that names it, its place and the nearest known name."""
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, toml=toml)
    assert all(part in str(caught.value) for part in parts), str(caught.value)


@pytest.mark.parametrize(
    ("variable", "raw", "parts"),
    [
        ("MEMWEAVE_QUERY_MAX_RESULTS", "3", ["MEMWEAVE_QUERY__MAX_RESULTS"]),
        ("MEMWEAVE_WORKSPCE", "x", ["Did you mean 'MEMWEAVE_WORKSPACE'?"]),
        ("MEMWEAVE_WORKSPACE_DIR", "x", ["MEMWEAVE_WORKSPACE"]),
        ("MEMWEAVE_QUERY__MAX_RESULTS", "ten", ["query.max_results", "'ten'", "MEMWEAVE_QUERY__MAX_RESULTS"]),
        ("MEMWEAVE_PROGRESS", "maybe", ["progress", "'maybe'", "MEMWEAVE_PROGRESS"]),
    ],
)
def test_a_wrong_variable_is_refused_by_name(
    tmp_path: Path, variable: str, raw: str, parts: list[str]
) -> None:
    """A wrong variable is an error that names the variable and, for a slip, the right one."""
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, **{variable: raw})
    assert all(part in str(caught.value) for part in parts), str(caught.value)


@pytest.mark.parametrize(
    ("cls", "name", "value"),
    [
        (EmbeddingConfig, "model", 5),
        (EmbeddingConfig, "timeout", float("inf")),
        (EmbeddingConfig, "batch_size", True),
        (EmbeddingConfig, "api_key", b"x"),
        (ChunkingConfig, "tokens", 40.0),
        (HybridConfig, "fusion", "sum"),
        (MMRConfig, "enabled", 1),
        (TemporalDecayConfig, "half_life_days", "30"),
        (QueryConfig, "hybrid", {"fusion": "rrf"}),
        (CacheConfig, "enabled", "false"),
        (CacheConfig, "max_entries", "none"),
        (SyncConfig, "on_search", "no"),
        (VectorConfig, "engine", None),
        (MemoryConfig, "embedding", "bundled"),
        (MemoryConfig, "workspace_dir", None),
        (MemoryConfig, "db_path", 5),
        (MemoryConfig, "db_path", " "),
        (MemoryConfig, "memory_dir", "../x"),
        (MemoryConfig, "timezone", 5),
        (MemoryConfig, "extra_paths", 5),
        (MemoryConfig, "extra_paths", [5]),
        (MemoryConfig, "ignore", None),
        (MemoryConfig, "ignore", "drafts"),
    ],
)
def test_objects_made_by_hand_are_checked(cls: type, name: str, value: object) -> None:
    """A value of the wrong type is refused by name when the object is made, not when it is used."""
    with pytest.raises(ConfigError, match=rf"\b{name}\b"):
        cls(**{name: value})


def test_paths_and_lists_are_taken_as_text() -> None:
    """Path objects and lists of them become strings and tuples."""
    config = MemoryConfig(workspace_dir=Path("w"), db_path=Path("i.db"), extra_paths=[Path("docs"), "x"])  # type: ignore[arg-type]  # what people write
    assert (config.workspace_dir, config.db_path, config.extra_paths) == ("w", "i.db", ("docs", "x"))


@pytest.mark.parametrize(
    ("db_path", "place"),
    [
        (None, ".memweave/index.sqlite"),
        ("i.db", "i.db"),
        ("memory/../i.db", "i.db"),
        ("memory/i.db", "memory/i.db"),
    ],
)
def test_a_relative_db_path_lies_in_the_workspace(tmp_path: Path, db_path: str | None, place: str) -> None:
    """The current folder has no say in where the index is; an absolute path is taken as it is."""
    config = MemoryConfig(workspace_dir=str(tmp_path), db_path=db_path)
    assert config.index_path == tmp_path / place
    assert locate(config, read_only=False).db_path == tmp_path / place
    assert replace(config, db_path=str(tmp_path / "far.db")).index_path == tmp_path / "far.db"


def test_unknown_argument_is_refused(tmp_path: Path) -> None:
    """An argument of an unknown name is an error like any other."""
    with pytest.raises(ConfigError, match=r"embedding\.modell.*embedding\.model"):
        load_config(tmp_path, environ={}, overrides={"embedding": {"modell": "none"}})


def test_file_with_bom_is_read_and_latin_1_is_refused(tmp_path: Path) -> None:
    """A BOM is no fault of the file; another encoding is refused rather than guessed."""
    path = tmp_path / "memweave.toml"
    path.write_bytes(b"\xef\xbb\xbfmemory_dir = 'notes'\n")
    assert load(tmp_path).memory_dir == "notes"
    path.write_bytes("memory_dir = 'año'\n".encode("latin-1"))
    with pytest.raises(ConfigError, match="UTF-8"):
        load(tmp_path)


def test_every_setting_has_its_own_variable() -> None:
    """No two settings share a variable, and none is a reserved name."""
    variables = [setting.variable for setting in known_settings().values()]
    assert len(set(variables)) == len(variables)
    assert not set(variables) & module.RESERVED


@settings(max_examples=40, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20))
def test_any_text_in_a_text_variable_arrives_or_is_refused(raw: str) -> None:
    """Whatever a text variable holds, it arrives as text and never as another type."""
    config = load_config("nowhere", environ={"MEMWEAVE_EMBEDDING__API_KEY": raw}, overrides={})
    assert config.embedding.api_key is None or isinstance(config.embedding.api_key, str)
