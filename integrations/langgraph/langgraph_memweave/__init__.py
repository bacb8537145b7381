"""memweave-core for LangGraph: memory in Markdown files, behind LangGraph's own interfaces.

Built on `langgraph-checkpoint` and the public names of `memweave_core` only.
"""

from ._version import __version__

__all__ = ["__version__"]
