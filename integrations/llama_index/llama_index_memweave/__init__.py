"""memweave-core for LlamaIndex: memory in Markdown files, behind LlamaIndex's own interfaces.

Built on `llama-index-core` and the public names of `memweave_core` only.
"""

from ._version import __version__
from .async_chat_store import MemWeaveAsyncChatStore
from .chat_store import MemWeaveChatStore
from .embedding import MemWeaveEmbedding
from .facts_block import MemWeaveFactsBlock
from .memory import MemWeaveMemory
from .retriever import MemWeaveRetriever
from .vector_store import MemWeaveVectorStore

__all__ = [
    "MemWeaveAsyncChatStore",
    "MemWeaveChatStore",
    "MemWeaveEmbedding",
    "MemWeaveFactsBlock",
    "MemWeaveMemory",
    "MemWeaveRetriever",
    "MemWeaveVectorStore",
    "__version__",
]
