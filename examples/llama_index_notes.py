"""A query engine over a folder of notes: LlamaIndex asks, the whole search of the memory answers.

The model only shows what it is given; put yours in its place.
Runs offline, in the folder of a clone: ``uv run python examples/llama_index_notes.py``
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index_memweave import MemWeaveRetriever

NOTES = {
    "deploy.md": "# Deployment\n\nWe deploy to Hetzner with Ansible, every Tuesday at ten.\n",
    "2026-03-02.md": "# Stand-up\n\nMarta moved the staging database to PostgreSQL 17.\n",
    "style.md": "# Style\n\nWelcome mails are short, warm and never shout.\n",
}


def main(workspace: Path) -> None:
    """Write three notes and ask two questions."""
    (workspace / "memory").mkdir()
    for name, text in NOTES.items():
        (workspace / "memory" / name).write_text(text, encoding="utf-8")

    engine = RetrieverQueryEngine.from_args(
        MemWeaveRetriever(workspace, similarity_top_k=1),
        llm=MockLLM(),  # put your model here
    )
    for question in ("Where do we deploy?", "Which database is used for staging?"):
        answer = engine.query(question)
        print(question)
        for found in answer.source_nodes:
            print(
                f"  {found.node.metadata['path']} ({found.score:.2f}): {found.node.get_content().strip()!r}"
            )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(Path(folder))
