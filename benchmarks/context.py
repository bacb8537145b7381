"""How long a context takes, and of what: prints one JSON object.

    uv run python benchmarks/context.py                  # 10, 150 and 1,000 facts beside 1,000 messages
    uv run python benchmarks/context.py --facts 150

Elapsed milliseconds of `MemWeave.context` with the bundled embedder, each time with another message, after a
first call that reads the files; then of its parts alone, and of `record` with and without something to
remember. `slower_embedder` repeats the calls with an embedder that takes 30 ms more: in `added` it shows how
much of that the context takes. `cold` is the first context of a new process.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from memweave_core import MemoryConfig, MemWeave, Message
from memweave_core.adapters.embedders.bundled import BundledEmbedder

MESSAGES = 1_000
CALLS = 40
DELAY = 0.030

_THINGS = (
    "coffee",
    "tea",
    "bread",
    "cheese",
    "cycling",
    "chess",
    "piano",
    "hiking",
    "trains",
    "maps",
    "boats",
)
_PLACES = ("Bilbao", "Oslo", "Lisbon", "Quito", "Turin", "Kyoto", "Leeds", "Graz", "Lyon", "Porto", "Cork")
_COLD = """
import asyncio, sys, time
from memweave_core import MemWeave, MemoryConfig
async def main():
    began = time.perf_counter()
    async with MemWeave(MemoryConfig(workspace_dir=sys.argv[1])) as memory:
        await memory.context("ana", "talk", "What do I do at the weekend?")
    print((time.perf_counter() - began) * 1000)
asyncio.run(main())
"""


class Slower(BundledEmbedder):
    """The bundled embedder, which waits before it answers."""

    async def embed(self, texts: Sequence[str], *, kind: Any = "document") -> Any:
        await asyncio.sleep(DELAY)
        return await super().embed(texts, kind=kind)


def fact(number: int) -> str:
    """A fact like no other."""
    thing, place = _THINGS[number % len(_THINGS)], _PLACES[number // len(_THINGS) % len(_PLACES)]
    return f"In {1900 + number} the club of {place} gave a prize for {thing} to team {number}"


def question(number: int) -> str:
    """A message like no other."""
    return f"Who is good at {_THINGS[number % len(_THINGS)]}, and what should I do on day {number}?"


async def timed(call: Callable[[int], Awaitable[Any]], calls: int = CALLS) -> dict[str, float]:
    """p50 and p95 of a call, in milliseconds."""
    times = []
    for number in range(calls):
        began = time.perf_counter()
        await call(number)
        times.append((time.perf_counter() - began) * 1000)
    times.sort()
    return {
        "p50": round(statistics.median(times), 2),
        "p95": round(times[int(0.95 * (len(times) - 1))], 2),
    }


async def filled(folder: Path, facts: int) -> None:
    """A workspace with a conversation and facts."""
    config = MemoryConfig(workspace_dir=str(folder), facts=_facts(facts))
    async with MemWeave(config) as memory:
        said = [
            Message(
                "user" if number % 2 == 0 else "assistant",
                f"{question(number)} I think it is number {number}.",
            )
            for number in range(MESSAGES)
        ]
        await memory.chat("talk", "ana").append(said)
        lines = "".join(f"- {fact(number)}\n" for number in range(facts))
        await memory.write("users/ana/facts.md", f"# Facts\n\n{lines}")
        await memory.context("ana", "talk", "hello")


def _facts(count: int) -> Any:
    from memweave_core import FactsConfig

    return FactsConfig(limit=max(150, 2 * count))


async def measured(folder: Path, facts: int) -> dict[str, Any]:
    """All figures of one size."""
    config = MemoryConfig(workspace_dir=str(folder), facts=_facts(facts))
    found: dict[str, Any] = {"facts": facts, "messages": MESSAGES}
    async with MemWeave(config) as memory:
        await memory.context("ana", "talk", "hello")
        services = await memory._remembering(write=False)
        found["context"] = await timed(lambda n: memory.context("ana", "talk", question(n)))
        found["parts"] = {
            "embedding": await timed(lambda n: services.facts.vectors.query(f"{question(n)} again")),
            "facts": await timed(lambda n: services.facts.file("ana")),
            "transcript": await timed(
                lambda n: services.run(lambda: services.sessions.transcript("ana", "talk"))
            ),
        }
        found["record"] = await timed(lambda n: memory.record("ana", "talk", Message("user", question(n))))
        found["record_a_request"] = await timed(
            lambda n: memory.record("ana", "talk", Message("user", f"Remember that {fact(5_000 + n)}.")), 10
        )
    async with MemWeave(config, embedder=Slower()) as memory:
        await memory.context("ana", "talk", "hello")
        slower = await timed(lambda n: memory.context("ana", "talk", f"{question(n)} once more"))
    found["slower_embedder"] = {**slower, "added": round(slower["p50"] - found["context"]["p50"], 2)}
    return found


def cold(folder: str) -> float:
    """Milliseconds from opening the memory to the first context, in a new process."""
    command = [sys.executable, "-c", _COLD, folder]
    return round(float(subprocess.run(command, capture_output=True, text=True, check=True).stdout), 1)


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--facts", type=int, nargs="*", default=[10, 150, 1_000])
    sizes = []
    for facts in parser.parse_args().facts:
        with tempfile.TemporaryDirectory() as folder:
            await filled(Path(folder), facts)
            sizes.append(await measured(Path(folder), facts) | {"cold": cold(folder)})
    machine = {"python": platform.python_version(), "machine": platform.machine()}
    print(json.dumps({"machine": machine, "unit": "ms elapsed", "sizes": sizes}, indent=2))


if __name__ == "__main__":
    asyncio.run(main())
