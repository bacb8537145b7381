"""A vector store whose documents are pages.

Runs offline, in the folder of a clone: ``uv run python examples/langchain_vector_store.py``
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from langchain_core.documents import Document
from langchain_memweave import MemWeaveVectorStore

from memweave_core import MemoryConfig
from memweave_core.blocking import MemWeave

TIDES = {
    "vigo": ("In Vigo the highest tide of the year comes in March.", 2024),
    "brest": ("In Brest the tide rises by seven metres.", 2025),
    "izmir": ("Izmir has hardly any tide.", 2025),
}


def main(workspace: str) -> None:
    """Search with scores, with a filter, and after a person has edited a page."""
    with MemWeave(MemoryConfig(workspace_dir=workspace)) as memory:
        store = MemWeaveVectorStore(memory, collection="tides")
        store.add_documents(
            [
                Document(id=name, page_content=text, metadata={"year": year})
                for name, (text, year) in TIDES.items()
            ]
        )
        for found, score in store.similarity_search_with_relevance_scores("Where is the tide high?", k=2):
            print(f"{score:.2f}  {found.id}: {found.page_content}")
        for found in store.similarity_search("tide", k=3, filter={"year": {"$gte": 2025}}):
            print(f"since 2025  {found.id}")

        page = Path(workspace, "memory", "documents", "tides", "izmir.md")
        page.write_text(page.read_text(encoding="utf-8").replace("hardly any", "a small"), encoding="utf-8")
        print(f"edited  {store.get_by_ids(['izmir'])[0].page_content}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(folder)
