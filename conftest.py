"""What holds for every test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# Property tests are not timed: how fast something is, is measured in `benchmarks`.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


@pytest.fixture(autouse=True, scope="session")
def cache_of_programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The user's cache folder, also of programs that tests start: the embedder is unpacked there once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield
