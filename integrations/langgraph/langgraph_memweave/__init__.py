"""memweave-core for LangGraph: memory in Markdown files, behind LangGraph's own interfaces.

Built on `langgraph-checkpoint` and the public names of `memweave_core` only.
"""

from ._version import __version__
from .store import MemWeaveStore
from .translation import label_of, name_of_label

__all__ = ["MemWeaveStore", "__version__", "label_of", "name_of_label"]
