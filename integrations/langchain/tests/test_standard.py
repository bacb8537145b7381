"""LangChain's own suites for vector stores, retrievers and tools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import BaseTool
from langchain_core.vectorstores import VectorStore
from langchain_memweave import (
    ForgetTool,
    MemWeaveRetriever,
    MemWeaveVectorStore,
    RecallTool,
    RememberTool,
)
from langchain_tests.integration_tests import (
    RetrieversIntegrationTests,
    ToolsIntegrationTests,
    VectorStoreIntegrationTests,
)
from langchain_tests.unit_tests import ToolsUnitTests

from memweave_core.blocking import MemWeave


class _OfMemory:
    """A suite whose subject stands on a memory in which there is something."""

    memory: MemWeave

    @pytest.fixture(autouse=True)
    def _filled(self, memory: MemWeave) -> Iterator[None]:
        for number in range(4):
            memory.write(f"tea-{number}.md", f"Tea number {number} is green and from the hills.")
        memory.remember("ana", "Drinks green tea")
        type(self).memory = memory
        yield


class TestRetriever(_OfMemory, RetrieversIntegrationTests):
    """The retriever."""

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return MemWeaveRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"memory": self.memory}

    @property
    def retriever_query_example(self) -> str:
        return "green tea from the hills"


class TestVectorStore(VectorStoreIntegrationTests):
    """The vector store with embeddings of somebody else."""

    @pytest.fixture
    def vectorstore(self, memory: MemWeave) -> VectorStore:
        return MemWeaveVectorStore(memory, embedding=self.get_embeddings())


class TestVectorStoreWithOurs(VectorStoreIntegrationTests):
    """The vector store with the embedder of the memory."""

    @pytest.fixture
    def vectorstore(self, memory: MemWeave) -> VectorStore:
        return MemWeaveVectorStore(memory)


class _RememberSuite(_OfMemory):
    @property
    def tool_constructor(self) -> type[BaseTool]:
        return RememberTool

    @property
    def tool_constructor_params(self) -> dict[str, Any]:
        return {"memory": self.memory, "user": "ana"}

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"text": "Keeps bees behind the house", "importance": 3}


class _RecallSuite(_RememberSuite):
    @property
    def tool_constructor(self) -> type[BaseTool]:
        return RecallTool

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"query": "what tea?"}


class _ForgetSuite(_RememberSuite):
    @property
    def tool_constructor(self) -> type[BaseTool]:
        return ForgetTool

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"fact_id": "f000000"}


class TestRememberUnit(_RememberSuite, ToolsUnitTests):
    """The tool `remember`, without calls."""


class TestRemember(_RememberSuite, ToolsIntegrationTests):
    """The tool `remember`."""


class TestRecallUnit(_RecallSuite, ToolsUnitTests):
    """The tool `recall`, without calls."""


class TestRecall(_RecallSuite, ToolsIntegrationTests):
    """The tool `recall`."""


class TestForgetUnit(_ForgetSuite, ToolsUnitTests):
    """The tool `forget`, without calls."""


class TestForget(_ForgetSuite, ToolsIntegrationTests):
    """The tool `forget`."""
