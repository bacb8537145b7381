"""The package stands on LlamaIndex's core package and on memweave-core, and on nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import requires, version

import llama_index.core
import llama_index_memweave

import memweave_core

_OTHERS = ["langgraph", "langchain_core"]


def test_stands_beside_its_framework_and_the_core() -> None:
    """LlamaIndex's core package, memweave-core and the adapter can be imported together."""
    assert llama_index.core.__name__ == "llama_index.core"
    assert memweave_core.__version__
    assert llama_index_memweave.__version__ == version("llama-index-memweave")


def test_brings_in_no_other_framework() -> None:
    """Importing the adapter imports no framework besides its own."""
    code = "import sys, llama_index_memweave; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(_OTHERS) & set(done.stdout.split())


def test_declares_only_its_framework_and_the_core() -> None:
    """The distribution requires memweave-core and `llama-index-core` and nothing else."""
    needs = sorted(re.split("[<>=]", line)[0] for line in requires("llama-index-memweave") or [])
    assert needs == ["llama-index-core", "memweave-core"]
