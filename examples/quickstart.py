"""Write two notes, ask a question, see file and line.

Runs offline, in the folder of a clone: ``uv run python examples/quickstart.py``
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from memweave_core import MemoryConfig, MemWeave


async def main(workspace: str) -> None:
    """A memory in `workspace`: written once through the library, once as an ordinary file."""
    async with MemWeave(MemoryConfig(workspace_dir=workspace)) as memory:
        await memory.write("preferences.md", "# Preferences\n\n- Likes dark mode and short answers.\n")

        # Any editor or program may write files too: the next search sees them.
        stack = Path(workspace) / "memory" / "stack.md"
        stack.write_text(
            "# Stack\n\nThe service runs on FastAPI with PostgreSQL behind it.\n", encoding="utf-8"
        )

        for question in ("What does the user like?", "Which database is behind the service?"):
            print(question)
            for result in await memory.search(question, max_results=1):
                print(f"  {result.score:.2f}  {result.path}:{result.start_line}  {result.snippet.strip()}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(folder))
