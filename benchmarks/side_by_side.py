"""Stores measured side by side: what a call costs, and each store and size in a process of its own."""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

ROUNDS = 20


def timed(call: Callable[[int], object], rounds: int = ROUNDS) -> dict[str, float] | None:
    """{median CPU and wall time of a call in ms}, the first not counted; None for what cannot be done."""
    cpu, wall = [], []
    for number in range(rounds + 1):
        began, at = time.process_time(), time.perf_counter()
        try:
            call(number)
        except (NotImplementedError, ValueError, ImportError):
            return None
        cpu.append(time.process_time() - began)
        wall.append(time.perf_counter() - at)
    return {
        "cpu_ms": round(statistics.median(cpu[1:]) * 1e3, 3),
        "wall_ms": round(statistics.median(wall[1:]) * 1e3, 3),
    }


def since(began: float, at: float, calls: int = 1) -> dict[str, float]:
    """CPU and wall time in ms of each of some calls, from `process_time` and `perf_counter` then to now."""
    cpu, wall = time.process_time() - began, time.perf_counter() - at
    return {"cpu_ms": round(cpu * 1e3 / calls, 4), "wall_ms": round(wall * 1e3 / calls, 4)}


def side_by_side(
    script: str, about: str, stores: Sequence[str], measured: Callable[[str, int], dict[str, Any]]
) -> None:
    """The program of the file `script`: measures each store at each size and prints all of it as JSON.

    `measured` takes the name of a store and a number of items. What fails is named, and the rest is measured.
    """
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--stores", nargs="+", default=list(stores))
    parser.add_argument("--one", action="store_true", help="measure the first pair in this process")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measured(given.stores[0], given.sizes[0])))
        return
    results = []
    for size in given.sizes:
        for name in given.stores:
            command = [sys.executable, script, "--one", "--sizes", str(size), "--stores", name]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            lines = done.stdout.splitlines()
            failed = {"store": name, "size": size, "failed": done.stderr.strip().splitlines()[-1:]}
            results.append(json.loads(lines[-1]) if done.returncode == 0 else failed)
    print(json.dumps(results, indent=1))
