"""Tools to remember, recall and forget.

Runs offline, in the folder of a clone: ``uv run python examples/langchain_tools.py``
"""

from __future__ import annotations

import tempfile

from langchain_memweave import memory_tools

from memweave_core import MemoryConfig
from memweave_core.blocking import MemWeave


def main(workspace: str) -> None:
    """What a model would call; give the list to any model's ``bind_tools`` or to a ``ToolNode``."""
    with MemWeave(MemoryConfig(workspace_dir=workspace)) as memory:
        remember, recall, forget = memory_tools(memory, user="ana")
        print(remember.invoke({"text": "Lives in Vigo", "importance": 4}))
        print(remember.invoke({"text": "Lives in Bilbao now", "importance": 4}))
        found = recall.invoke({"query": "where does she live?"})
        print(found)
        print(forget.invoke({"fact_id": found[1:8]}))
        print(recall.invoke({"query": "where does she live?"}))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(folder)
