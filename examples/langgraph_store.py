"""A LangGraph program whose long-term memory is a folder of Markdown: written by a graph, edited by a person.

The graph's only node is a function, and the memory's own embedder comes with it.
Runs offline, in the folder of a clone: ``uv run python examples/langgraph_store.py``
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TypedDict

from langgraph.config import get_store
from langgraph.graph import START, StateGraph
from langgraph_memweave import MemWeaveStore, label_of


class State(TypedDict):
    """What one run of the graph is given and gives."""

    user: str
    message: str
    recalled: list[str]


def assistant(state: State) -> dict[str, list[str]]:
    """Look up what is known of the user, and remember what was said now."""
    store = get_store()
    namespace = (label_of(state["user"]), "memories")
    found = store.search(namespace, query=state["message"], limit=2)
    store.put(
        namespace, f"m{len(store.search(namespace, limit=1000))}", {"text": state["message"], "from": "chat"}
    )
    return {"recalled": [item.value["text"] for item in found]}


def main() -> None:
    """Three conversations, an edit by hand in between, and a question."""
    with tempfile.TemporaryDirectory() as folder, MemWeaveStore(folder) as store:
        graph = (
            StateGraph(State)
            .add_node("assistant", assistant)
            .add_edge(START, "assistant")
            .compile(store=store)
        )
        for message in ("I drink green tea in the morning.", "My bicycle is blue.", "I work in a bakery."):
            graph.invoke({"user": "ana@example.org", "message": message, "recalled": []})

        page = next(Path(folder).rglob("m0.md"))
        print("page:", page.relative_to(folder).as_posix())
        page.write_text(
            page.read_text(encoding="utf-8").replace("green tea", "black coffee"), encoding="utf-8"
        )

        asked = {"user": "ana@example.org", "message": "What do I drink in the morning?", "recalled": []}
        print("recalled:", graph.invoke(asked)["recalled"][0])
        for item in store.search((), filter={"text": {"$contains": "bakery"}}):
            print("filtered:", item.value["text"], "from", item.value["from"])


if __name__ == "__main__":
    main()
