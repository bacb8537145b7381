"""memweave-core for LlamaIndex: memory in Markdown files, behind LlamaIndex's own interfaces.

Built on `llama-index-core` and the public names of `memweave_core` only.
"""

from ._version import __version__

__all__ = ["__version__"]
