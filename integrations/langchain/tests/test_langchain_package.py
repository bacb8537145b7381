"""The package stands on LangChain's core package and on memweave-core, and on nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import requires, version

import langchain_core
import langchain_memweave

import memweave_core

_OTHERS = ["langgraph", "llama_index"]


def test_stands_beside_its_framework_and_the_core() -> None:
    """LangChain's core package, memweave-core and the adapter can be imported together."""
    assert langchain_core.__name__ == "langchain_core"
    assert memweave_core.__version__
    assert langchain_memweave.__version__ == version("langchain-memweave")


def test_brings_in_no_other_framework() -> None:
    """Importing the adapter imports no framework besides its own."""
    code = "import sys, langchain_memweave; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(_OTHERS) & set(done.stdout.split())


def test_declares_only_its_framework_and_the_core() -> None:
    """The distribution requires memweave-core and `langchain-core` and nothing else."""
    needs = sorted(re.split("[<>=]", line)[0] for line in requires("langchain-memweave") or [])
    assert needs == ["langchain-core", "memweave-core"]


def test_agents_need_langchain_and_are_told_so() -> None:
    """Without `langchain` everything but the middleware works, and that says what to install."""
    code = (
        "import sys; sys.modules['langchain'] = sys.modules['langgraph'] = None\n"
        "import langchain_memweave as ours; print(ours.MemWeaveVectorStore.__name__)\n"
        "try: ours.MemWeaveMiddleware\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0] == "MemWeaveVectorStore"
    assert "pip install langchain" in done.stdout
