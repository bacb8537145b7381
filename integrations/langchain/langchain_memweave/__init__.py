"""memweave-core for LangChain: memory in Markdown files, behind LangChain's own interfaces.

Built on `langchain-core` and the public names of `memweave_core` only.
"""

from ._version import __version__

__all__ = ["__version__"]
