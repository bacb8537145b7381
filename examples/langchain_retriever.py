"""A chain of LangChain that answers from notes.

The model is a stand-in that repeats the notes it was given; put any chat model in its place.
Runs offline, in the folder of a clone: ``uv run python examples/langchain_retriever.py``
"""

from __future__ import annotations

import tempfile

from langchain_core.documents import Document
from langchain_core.prompt_values import PromptValue
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_memweave import MemWeaveRetriever

from memweave_core import MemoryConfig
from memweave_core.blocking import MemWeave

PROMPT = ChatPromptTemplate.from_template("Notes:\n{notes}\n\nQuestion: {question}")


def as_notes(documents: list[Document]) -> str:
    """The passages, each with the place it stands in."""
    return "\n".join(
        f"{found.page_content.strip()} ({found.metadata['path']}:{found.metadata['start_line']})"
        for found in documents
    )


def model(prompt: PromptValue) -> str:
    """Stands for a language model: answers with the first note."""
    return prompt.to_string().split("Notes:\n")[1].splitlines()[0]


def main(workspace: str) -> None:
    """Two notes, two questions."""
    with MemWeave(MemoryConfig(workspace_dir=workspace)) as memory:
        memory.write("stack.md", "The service runs on FastAPI with PostgreSQL behind it.\n")
        memory.write("people.md", "Ines looks after the tide gauges of Vigo.\n")
        recall = MemWeaveRetriever(memory=memory, k=1)
        chain = {"notes": recall | as_notes, "question": RunnablePassthrough()} | PROMPT | model
        for question in ("Which database is behind the service?", "Who takes care of the gauges?"):
            print(question)
            print(f"  {chain.invoke(question)}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(folder)
