"""``python -m memweave_core.cli`` is the same program as ``memweave-core``."""

from .app import main

main()
