"""The SQLite index under the contract of every index; both vector engines answer alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from memweave_core import ConfigError
from memweave_core.adapters.sqlite import SqliteIndex, choose
from memweave_core.testing.index import IndexContract, VectorContract, WhereContract
from memweave_core.testing.index_pages import ANYONE, embed_hash, put
from memweave_core.types import Where

needs_sqlite_vec = pytest.mark.skipif(
    not choose().has_extension, reason="this SQLite library cannot load extensions"
)


class TestNumpyEngine(IndexContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> Iterator[SqliteIndex]:
        index = SqliteIndex(tmp_path / "index.sqlite", engine="numpy")
        yield index
        index.close()


@needs_sqlite_vec
class TestSqliteVecEngine(VectorContract, WhereContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> Iterator[SqliteIndex]:
        index = SqliteIndex(tmp_path / "index.sqlite", engine="sqlite-vec")
        yield index
        index.close()


class TestAutomaticEngine(VectorContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> Iterator[SqliteIndex]:
        index = SqliteIndex(tmp_path / "index.sqlite")
        yield index
        index.close()


@needs_sqlite_vec
def test_the_engines_give_the_same_answers(path: Path) -> None:
    """Both engines return the same chunks in the same order with the same cosines, filtered or not."""
    directions = np.random.default_rng(5).standard_normal((301, 12)).astype(np.float32)
    engines = [SqliteIndex(path, engine="numpy"), SqliteIndex(path, engine="sqlite-vec")]
    for index in engines:
        index.use_space("m")
    for place in range(300):
        put(engines[0], f"memory/{place}.md", f"text {place}", source=f"s{place % 7}")
    engines[0].store_vectors({embed_hash(f"text {place}"): directions[place] for place in range(300)})
    for where in (ANYONE, Where(source=("s3",))):
        one, other = (index.nearest(directions[300], where=where, limit=40) for index in engines)
        assert [chunk_id for chunk_id, _ in one] == [chunk_id for chunk_id, _ in other]
        assert np.allclose([c for _, c in one], [c for _, c in other], atol=1e-6)
    for index in engines:
        index.close()


def test_an_unknown_engine_is_refused(path: Path) -> None:
    """A mistyped engine is a configuration error and leaves no file."""
    with pytest.raises(ConfigError, match="must be one of"):
        SqliteIndex(path, engine="vec")  # type: ignore[arg-type]  # the mistake under test
    assert not path.exists()
