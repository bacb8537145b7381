"""The terminal: every command is a thin shell over one method of `memweave_core.blocking.MemWeave`."""

from .app import main

__all__ = ["main"]
