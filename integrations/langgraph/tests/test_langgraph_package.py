"""The package stands on LangGraph's core package and on memweave-core, and on nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import requires, version

import langgraph.checkpoint.base
import langgraph_memweave

import memweave_core

_OTHERS = ["llama_index", "langchain"]


def test_stands_beside_its_framework_and_the_core() -> None:
    """LangGraph's core package, memweave-core and the adapter can be imported together."""
    assert langgraph.checkpoint.base.__name__ == "langgraph.checkpoint.base"
    assert memweave_core.__version__
    assert langgraph_memweave.__version__ == version("langgraph-memweave")


def test_brings_in_no_other_framework() -> None:
    """Importing the adapter imports no framework besides its own."""
    code = "import sys, langgraph_memweave; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(_OTHERS) & set(done.stdout.split())


def test_declares_only_its_framework_and_the_core() -> None:
    """The distribution requires memweave-core and `langgraph-checkpoint` and nothing else."""
    needs = sorted(re.split("[<>=]", line)[0] for line in requires("langgraph-memweave") or [])
    assert needs == ["langgraph-checkpoint", "memweave-core"]
