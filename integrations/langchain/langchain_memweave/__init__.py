"""memweave-core for LangChain: memory in Markdown files, behind LangChain's own interfaces.

Built on `langchain-core` and the public names of `memweave_core` only. `MemWeaveMiddleware` needs `langchain`
besides, as whoever makes agents has it, and is imported when it is first asked for.
"""

from typing import TYPE_CHECKING, Any

from ._version import __version__
from .embeddings import MemWeaveEmbeddings, summariser
from .history import MemWeaveChatMessageHistory
from .messages import from_memweave, to_memweave
from .origin import session_of_run, user_of_run
from .retriever import MemWeaveRetriever
from .tools import ForgetTool, RecallTool, RememberTool, memory_tools
from .vectorstore import MemWeaveVectorStore

if TYPE_CHECKING:
    from .middleware import MemWeaveMiddleware

__all__ = [
    "ForgetTool",
    "MemWeaveChatMessageHistory",
    "MemWeaveEmbeddings",
    "MemWeaveMiddleware",
    "MemWeaveRetriever",
    "MemWeaveVectorStore",
    "RecallTool",
    "RememberTool",
    "__version__",
    "from_memweave",
    "memory_tools",
    "session_of_run",
    "summariser",
    "to_memweave",
    "user_of_run",
]


def __getattr__(name: str) -> Any:
    """The middleware, when it is first asked for."""
    if name != "MemWeaveMiddleware":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from .middleware import MemWeaveMiddleware
    except ModuleNotFoundError as error:
        raise ImportError(
            "MemWeaveMiddleware is for agents of langchain 1.1 or later: pip install langchain"
        ) from error
    globals()[name] = MemWeaveMiddleware
    return MemWeaveMiddleware
