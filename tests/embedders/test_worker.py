"""Threads for embedding hold up neither the event loop, nor later calls, nor the end of the program."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time

import pytest

from memweave_core.model_threads import call_blocking, compute

HANGING = """
import asyncio, time
from memweave_core import MemWeaveError
from memweave_core.adapters.embedders.resolve import resolve
from memweave_core.config import EmbeddingConfig

class Hanging:
    def embed_documents(self, texts):
        time.sleep(60)
    def embed_query(self, text):
        if text != "quick":
            time.sleep(60)
        return [1.0, 2.0]

async def main():
    embedder = resolve(EmbeddingConfig(timeout=0.5), Hanging())
    for number in range(2):
        try:
            await embedder.query("slow")
        except MemWeaveError as error:
            assert "did not answer" in str(error), error
    assert await embedder.query("quick") is not None

asyncio.run(main())
"""


def test_a_hanging_embedder_does_not_keep_the_program_alive() -> None:
    """Sync calls that hang time out, the next call is tried, and the program ends without them."""
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", HANGING], check=True, timeout=40)
    assert time.monotonic() - began < 20


async def test_many_calls_that_hang_hold_up_nobody() -> None:
    """More given-up calls than there are threads leave room for the next one."""
    go_on = threading.Event()
    for _ in range(6):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(call_blocking(lambda: go_on.wait(30)), 0.05)
    assert await asyncio.wait_for(call_blocking(lambda: 7), 5) == 7
    go_on.set()


async def test_calls_beside_a_hanging_one_are_finished() -> None:
    """A call that runs or waits while its neighbour is given up still answers."""
    go_on = threading.Event()
    hanging = asyncio.ensure_future(call_blocking(lambda: go_on.wait(30)))
    others = [asyncio.ensure_future(call_blocking(lambda: time.sleep(0.1))) for _ in range(8)]
    await asyncio.sleep(0.05)
    hanging.cancel()
    await asyncio.wait_for(asyncio.gather(*others), 10)
    go_on.set()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_embeds() -> None:
    """A child process gets threads of its own."""
    script = """
import asyncio, os
from memweave_core.model_threads import call_blocking, compute
async def both():
    return [await asyncio.wait_for(call(lambda: 1), 5) for call in (compute, call_blocking)]
asyncio.run(both())
child = os.fork()
if not child:
    os._exit(0 if asyncio.run(both()) == [1, 1] else 1)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=30)


async def test_arithmetic_runs_off_the_loop() -> None:
    """The embedding thread is not the one of the event loop, and is always the same."""
    first, second = await compute(threading.get_ident), await compute(threading.get_ident)
    assert first == second != threading.get_ident()
