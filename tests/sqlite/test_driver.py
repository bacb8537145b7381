"""Which SQLite library is chosen, and that the index works without sqlite-vec."""

from __future__ import annotations

from pathlib import Path

import pytest

from memweave_core import ConfigError
from memweave_core.adapters.sqlite import SqliteIndex, choose
from memweave_core.adapters.sqlite.driver import ENVIRONMENT, has_wal_reset_bug

from .conftest import Start


@pytest.mark.parametrize(
    ("version", "affected"),
    [
        ("3.6.23", False), ("3.7.0", True), ("3.40.1", True), ("3.44.5", True), ("3.44.6", False),
        ("3.45.0", True), ("3.50.6", True), ("3.50.7", False), ("3.51.2", True), ("3.51.3", False),
        ("3.52", False),
    ],
)  # fmt: skip
def test_versions_with_the_wal_reset_bug(version: str, affected: bool) -> None:
    """3.7.0 to 3.51.2 have the bug, except the two lines it was mended in."""
    assert has_wal_reset_bug(version) is affected


def test_the_choice_is_made_once() -> None:
    """Every call gives the same library, and asking for another after the first use is refused."""
    driver = choose()
    assert choose() is driver
    assert choose(driver.name) is driver
    with pytest.raises(ConfigError, match="Did you mean 'pysqlite3'"):
        choose("pysqlite")
    with pytest.raises(ConfigError, match="already uses"):
        choose("sqlean" if driver.name != "sqlean" else "pysqlite3")


def test_everything_works_degraded(start: Start, path: Path) -> None:
    """Without sqlite-vec words and vectors are found, and the named engine says what is missing."""
    process = start(
        """
        from memweave_core import ConfigError
        index = SqliteIndex(path)
        index.use_space("m")
        put(index, "memory/a.md", "alpha")
        put(index, "memory/b.md", "beta")
        store(index, alpha=vector(1, 0), beta=vector(0, 1))
        assert index.driver.name == "stdlib" and not index.driver.has_extension
        assert found(index, "beta") == ["memory/b.md"]
        assert near(index, vector(0.2, 1)) == ["memory/b.md", "memory/a.md"]
        assert index.integrity() == [] and index.vector_engine == "numpy"
        index.close()
        try:
            SqliteIndex(path, engine="sqlite-vec")
        except ConfigError as error:
            print(error)
        """,
        **{ENVIRONMENT: "degraded"},
    )
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "pip install" in printed


def test_an_index_moves_between_libraries(start: Start, path: Path) -> None:
    """What one library wrote the other reads."""
    process = start(
        'index = SqliteIndex(path); put(index, "memory/a.md", "alpha"); index.close()',
        **{ENVIRONMENT: "degraded"},
    )
    process.communicate(timeout=60)
    index = SqliteIndex(path)
    assert [file.meta.path for file in index.files()] == ["memory/a.md"]
    assert (index.notes, index.integrity()) == ([], [])
    index.close()


def test_a_mistyped_library_is_refused(start: Start) -> None:
    """An unknown name in the environment is an error that lists the known ones."""
    process = start(
        """
        from memweave_core import ConfigError
        try:
            SqliteIndex(path)
        except ConfigError as error:
            print(error)
        """,
        **{ENVIRONMENT: "sqlite"},
    )
    assert "pysqlite3, stdlib, sqlean, degraded" in process.communicate(timeout=60)[0]
