"""Two agents share one workspace; each writes to a folder of its own, which becomes its source label.

Runs offline, in the folder of a clone: ``uv run python examples/agents.py``
"""

from __future__ import annotations

import asyncio
import tempfile

from memweave_core import MemoryConfig, MemWeave

FINDINGS = {
    "soil.md": "# Soil\n\nThe north bed is heavy clay with a pH of 7.8; blueberries will not grow there.\n",
    "water.md": "# Water\n\nThe well gives 900 litres an hour in August, enough for the drip lines.\n",
    "frost.md": "# Frost\n\nThe last frost of the past ten years came on 9 May.\n",
}


async def main(workspace: str) -> None:
    """The researcher writes what it found; the writer asks, in the researcher's notes only."""
    config = MemoryConfig(workspace_dir=workspace)
    async with MemWeave(config) as researcher, MemWeave(config) as writer:
        for name, text in FINDINGS.items():
            await researcher.write(f"researcher_agent/{name}", text)
        await writer.write("writer_agent/draft.md", "# Draft\n\nA garden calendar: soil, water, frost.\n")

        for question in ("When is it safe from frost?", "How much water does the well give?"):
            print(question)
            for result in await writer.search(question, source_filter="researcher_agent", max_results=1):
                print(f"  {result.source}: {result.path}:{result.start_line}  {result.snippet.strip()}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(folder))
