"""A process that records and learns is killed again and again, and nothing is lost or doubled."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from memweave_core import MemoryConfig
from memweave_core.blocking import MemWeave

INTERACTIONS = 1_000
USERS = 10
KILLS = 5

_PROGRAM = """
import asyncio, json, re, sys
from memweave_core import MemWeave
from memweave_core.config import assembled
from memweave_core.testing import FakeEmbedder

FOLDER, INTERACTIONS, USERS = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

async def model(prompt: str) -> str:
    await asyncio.sleep(0.001)
    numbers = re.findall(r"badge (\\d+)x", prompt)
    if '"facts"' in prompt:
        said = re.findall(r"I was given badge (\\d+x)", prompt.split("Messages:")[-1])
        facts = [{"text": f"User holds badge {n}", "quote": f"I was given badge {n}"} for n in said]
        return json.dumps({"facts": facts})
    return "Told of: " + " ".join(f"badge {n}x," for n in numbers)

async def main() -> None:
    config = assembled({
        "workspace_dir": FOLDER, "facts.limit": 10_000, "jobs.lease": 0.5, "conversation.summary_after": 300,
        "conversation.window": 4, "conversation.summary_words": 5_000,
    })
    async with MemWeave(config, llm=model, embedder=FakeEmbedder()) as memory:
        print("ready", flush=True)
        for number in range(INTERACTIONS):
            user = f"user {number % USERS}"
            said = [
                {"role": "user", "id": f"u{number}", "content": f"Hello. I was given badge {number}x today."},
                {"role": "assistant", "id": f"a{number}", "content": "Thank you, that is noted."},
            ]
            await memory.record(user, "day", said)
            print(number, flush=True)
        print("done" if await memory.run_jobs(90) else "late", flush=True)

asyncio.run(main())
"""


def _until(process: subprocess.Popen[str], wanted: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip() == wanted:
            return
    raise AssertionError(f"the process ended before it said {wanted}")


def _start(folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _PROGRAM, str(folder), str(INTERACTIONS), str(USERS)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.timeout(240)
def test_t19_t4_a_worker_killed_five_times(tmp_path: Path) -> None:
    """Of 1,000 interactions every message is there once, every fact once, and each summary counts once."""
    for kill in range(KILLS):
        with _start(tmp_path) as process:
            _until(process, str((kill + 1) * INTERACTIONS // (KILLS + 1)))
            time.sleep(0.05 * kill)
            process.kill()
    with _start(tmp_path) as process:
        _until(process, "done")
    with MemWeave(MemoryConfig(workspace_dir=str(tmp_path))) as memory:
        for index in range(USERS):
            user = f"user {index}"
            expected = list(range(index, INTERACTIONS, USERS))
            ids = [message.id for message in memory.chat("day", user).messages()]
            assert ids == [f"{who}{number}" for number in expected for who in "ua"]
            held = Counter(fact.text for fact in memory.facts(user))
            assert held == Counter(f"User holds badge {number}x" for number in expected)
            summary = memory.chat("day", user).summary()
            told = [int(number) for number in re.findall(r"badge (\d+)x", summary.text)]
            assert told == expected[: len(told)]
            assert summary.count == ids.index(summary.until) + 1 >= 2 * len(told) - 1
        assert memory.status().jobs.parked == 0
