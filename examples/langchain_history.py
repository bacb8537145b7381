"""A chat history of LangChain as a Markdown file.

Runs offline, in the folder of a clone: ``uv run python examples/langchain_history.py``
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import HumanMessage
from langchain_memweave import MemWeaveChatMessageHistory

from memweave_core import MemoryConfig
from memweave_core.blocking import MemWeave

SESSION = "ana@example.com/1"


def main(workspace: str) -> None:
    """Two turns; a second history object, as after a restart, has what the first one wrote."""
    model = FakeListChatModel(responses=["Hello Ana.", "You said that you are Ana."])
    with MemWeave(MemoryConfig(workspace_dir=workspace)) as memory:
        for text in ("I am Ana.", "Who am I?"):
            history = MemWeaveChatMessageHistory(SESSION, memory, user_id="ana", window=20)
            question = HumanMessage(text)
            history.add_messages([question, model.invoke([*history.messages, question])])
        for message in MemWeaveChatMessageHistory(SESSION, memory, user_id="ana").messages:
            print(f"{message.type}: {message.text}")
    for page in sorted(Path(workspace, "memory").rglob("*.md")):
        print(page.relative_to(workspace).as_posix())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(folder)
