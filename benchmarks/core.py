"""How fast the core is, and how much it keeps: prints one JSON object.

    uv run python benchmarks/core.py                 # 1k, 11k and 60k chunks, a few minutes
    uv run python benchmarks/core.py --sizes 1000    # one size
    uv run python benchmarks/core.py --profile 11000 # where the time of indexing and of hybrid search goes

Text is generated from a fixed seed: words of a Zipf vocabulary, headings, one unique identifier per section.
The embedder is a stand-in of 512 dimensions whose own CPU time is measured and taken off, so that the
figures are those of this library. "cpu" is process CPU time over all threads, in milliseconds unless the
name says otherwise; "wall" is elapsed time.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import hashlib
import json
import os
import platform
import pstats
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

SECTIONS = 11
WORDS = 190
DIMENSIONS = 512
QUERIES = 40


class StandInEmbedder:
    """Mixes fixed vectors by the hash of the text; counts the CPU it uses itself."""

    identity = "benchmark:stand-in:512"
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        rng = np.random.default_rng(7)
        self._topics = rng.standard_normal((256, DIMENSIONS)).astype(np.float32)
        self._noise = rng.standard_normal((1024, DIMENSIONS)).astype(np.float32)
        self.cpu = 0.0

    async def embed(self, texts: Sequence[str], *, kind: str = "document") -> Any:
        began = time.thread_time()
        digests = [hashlib.blake2b(text.encode(), digest_size=4).digest() for text in texts]
        numbers = np.array([int.from_bytes(digest, "big") for digest in digests])
        vectors = self._topics[numbers % 256] + 0.7 * self._noise[numbers // 256 % 1024]
        self.cpu += time.thread_time() - began
        return vectors


def vocabulary(rng: random.Random, size: int = 20_000) -> tuple[list[str], list[float]]:
    """Pronounceable words and their Zipf weights, summed up for `random.choices`."""
    consonants, vowels = "bcdfghklmnprstvz", "aeiou"
    words: dict[str, None] = {}
    while len(words) < size:
        syllables = rng.choice((2, 2, 3, 3, 4))
        words["".join(rng.choice(consonants) + rng.choice(vowels) for _ in range(syllables))] = None
    total, weights = 0.0, []
    for rank in range(1, size + 1):
        total += 1 / (rank + 2.7)
        weights.append(total)
    return list(words), weights


def make_corpus(folder: Path, chunks: int) -> int:
    """Write about `chunks` sections of one chunk each; returns the number of text bytes."""
    rng = random.Random(11)
    words, weights = vocabulary(rng)
    memory = folder / "memory"
    written = 0
    for number in range(max(1, chunks // SECTIONS)):
        lines = [f"# Notes {number} on {' '.join(rng.choices(words, cum_weights=weights, k=3))}", ""]
        for section in range(SECTIONS):
            body = rng.choices(words, cum_weights=weights, k=WORDS)
            body.insert(rng.randrange(WORDS), f"REF-{number:05d}-{section:02d}")
            lines += [f"## {' '.join(body[:3])}", "", " ".join(body) + ".", ""]
        path = memory / f"area_{number % 20:02d}" / f"notes-{number:05d}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "\n".join(lines)
        path.write_text(text, encoding="utf-8")
        written += len(text.encode())
    return written


def make_queries(chunks: int) -> list[str]:
    """Half sentences of three to six words, half with an identifier in them."""
    rng = random.Random(23)
    words, weights = vocabulary(random.Random(11))
    queries = []
    for number in range(QUERIES):
        asked = " ".join(rng.choices(words, cum_weights=weights, k=rng.randint(3, 6)))
        if number % 2:
            asked += f" REF-{rng.randrange(max(1, chunks // SECTIONS)):05d}-{rng.randrange(SECTIONS):02d}"
        queries.append(f"what is the {asked}?")
    return queries


class Meter:
    """CPU (without the embedder's) and wall time of awaited calls, in milliseconds."""

    def __init__(self, embedder: StandInEmbedder) -> None:
        self._embedder = embedder

    async def __call__(self, call: Callable[[], Awaitable[Any]]) -> tuple[float, float, Any]:
        wall, cpu, theirs = time.perf_counter(), time.process_time(), self._embedder.cpu
        result = await call()
        used = time.process_time() - cpu - (self._embedder.cpu - theirs)
        return used * 1000, (time.perf_counter() - wall) * 1000, result


def spread(cpu: list[float], wall: list[float]) -> dict[str, float]:
    """Median and 95th percentile."""
    return {
        "cpu_p50": round(statistics.median(cpu), 2),
        "cpu_p95": round(statistics.quantiles(cpu, n=20)[-1], 2),
        "wall_p50": round(statistics.median(wall), 2),
        "wall_p95": round(statistics.quantiles(wall, n=20)[-1], 2),
    }


async def measure(chunks: int, folder: Path) -> dict[str, Any]:
    """Everything about one size, in a process of its own."""
    from memweave_core import MemoryConfig, MemWeave, SyncConfig

    text_bytes = make_corpus(folder, chunks)
    embedder = StandInEmbedder()
    meter = Meter(embedder)
    config = MemoryConfig(workspace_dir=str(folder), progress=False)
    report: dict[str, Any] = {"chunks_asked": chunks, "text_bytes": text_bytes}
    async with MemWeave(config, embedder=embedder) as memory:
        cpu, wall, result = await meter(memory.index)
        report["chunks"] = result.chunks_created
        report["index"] = {
            "cpu_s": round(cpu / 1000, 2),
            "wall_s": round(wall / 1000, 2),
            "chunks_per_cpu_s": round(result.chunks_created / (cpu / 1000)),
        }
        cpu, wall, _ = await meter(memory.index)
        report["reindex_nothing_changed"] = {"cpu": round(cpu, 1), "wall": round(wall, 1)}
        report["one_edit"] = await edit(memory, meter, folder)
        report["hybrid_with_stat_scan"] = await search(memory, meter, make_queries(chunks), "hybrid")
    still = replace(config, sync=SyncConfig(on_search=False))
    async with MemWeave(still, embedder=embedder) as memory:
        for strategy in ("hybrid", "keyword", "vector"):
            report[strategy] = await search(memory, meter, make_queries(chunks), strategy)
    memory = MemWeave(still, embedder=embedder)
    cpu, wall, _ = await meter(lambda: memory.search("what is the first answer?"))
    report["open_and_first_search"] = {"cpu": round(cpu, 1), "wall": round(wall, 1)}
    await memory.close()
    report["database"] = sizes(folder / ".memweave", text_bytes, report["chunks"] * DIMENSIONS * 4)
    report["rss_peak_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return report


def sizes(derived: Path, text_bytes: int, vector_bytes: int) -> dict[str, float]:
    """Bytes on disk: the database, what of it is not vectors per byte of text, and the vector sidecar."""
    database = (derived / "index.sqlite").stat().st_size
    return {
        "bytes": database,
        "per_text_byte_without_vectors": round((database - vector_bytes) / text_bytes, 2),
        "sidecar_bytes": sum(file.stat().st_size for file in derived.glob("*.bin")),
    }


async def edit(memory: Any, meter: Meter, folder: Path) -> dict[str, float]:
    """From a changed file on disk to the search that finds the change."""
    cpus, walls = [], []
    page = next((folder / "memory").rglob("*.md"))
    for number in range(20):
        marker = f"EDIT-{number:04d}-X"
        with page.open("a", encoding="utf-8") as file:
            file.write(f"\nA late remark {marker}.\n")
        cpu, wall, results = await meter(lambda marker=marker: memory.search(f"remark {marker}"))
        if not results or marker not in results[0].snippet:
            raise AssertionError(f"{marker} was not the first hit")
        cpus.append(cpu)
        walls.append(wall)
    return spread(cpus, walls)


async def search(memory: Any, meter: Meter, queries: list[str], strategy: str) -> dict[str, float]:
    """Searches after one warm-up."""
    await memory.search(queries[0], strategy=strategy)
    cpus, walls = [], []
    for query in queries:
        cpu, wall, _ = await meter(lambda query=query: memory.search(query, strategy=strategy))
        cpus.append(cpu)
        walls.append(wall)
    return spread(cpus, walls)


async def profile(chunks: int, folder: Path) -> None:
    """Print where the time goes, with all work on one thread, since the profiler sees only one."""
    import memweave_core.assembly
    from memweave_core import MemoryConfig, MemWeave, SyncConfig

    memweave_core.assembly.WorkerPool = OneThread  # type: ignore[misc]
    make_corpus(folder, chunks)
    config = MemoryConfig(workspace_dir=str(folder), progress=False, sync=SyncConfig(on_search=False))
    async with MemWeave(config, embedder=StandInEmbedder()) as memory:
        with cProfile.Profile() as indexing:
            await memory.index()
        queries = make_queries(chunks)
        await memory.search(queries[0])
        with cProfile.Profile() as searching:
            for query in queries:
                await memory.search(query)
    for name, found in (("indexing", indexing), (f"{len(queries)} hybrid searches", searching)):
        print(f"\n== {name}")
        pstats.Stats(found).sort_stats("tottime").print_stats(20)


class OneThread:
    """Stands in for the worker pool: runs each call where it is made."""

    def __init__(self, name: str, size: int = 1) -> None:
        pass

    def submit(self, call: Callable[[], Any]) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(call())
        return future

    async def run(self, call: Callable[[], Any]) -> Any:
        return call()

    def close(self) -> None:
        pass


def process_cpu(*command: str) -> float:
    """Least CPU milliseconds of five runs of a command."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}  # as after an ordinary installation
    best = float("inf")
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return round(best * 1000, 1)


def start_up() -> dict[str, float]:
    """CPU of whole processes, best of five; the bundled embedder answers the one-shot search."""
    bare = process_cpu(sys.executable, "-c", "pass")
    cli = [sys.executable, "-m", "memweave_core.cli"]
    workspace = str(Path(__file__).parent.parent / "examples" / "workspace")
    return {
        "bare_python": bare,
        "import_over_bare": round(process_cpu(sys.executable, "-c", "import memweave_core") - bare, 1),
        "cli_help": process_cpu(*cli, "--help"),
        "cli_search_example": process_cpu(*cli, "search", "which database did we choose?", "-w", workspace),
    }


def main() -> None:
    """Run each size in a process of its own and print one JSON object."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="1000,11000,60000", help="numbers of chunks, comma-separated")
    parser.add_argument("--profile", type=int, help="profile one number of chunks instead of timing")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.profile:
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(profile(options.profile, Path(folder)))
        return
    if options.one:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(asyncio.run(measure(options.one, Path(folder)))))
        return
    sizes = []
    for size in (int(part) for part in options.sizes.split(",")):
        command = [sys.executable, __file__, "--one", str(size)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
        sizes.append(json.loads(done.stdout))
    machine = {"python": platform.python_version(), "cpus": os.cpu_count(), "machine": platform.machine()}
    print(json.dumps({"machine": machine, "start_up_cpu_ms": start_up(), "sizes": sizes}, indent=2))


if __name__ == "__main__":
    main()
