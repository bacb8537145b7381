"""Imports litellm, which takes seconds and hundreds of megabytes: inside the first call that needs it."""

from __future__ import annotations

import os
from typing import Any

from ._errors import MemWeaveError


def import_litellm(needed_by: str, missing: type[MemWeaveError]) -> Any:
    """The package, quiet and without a look at the network. Raises `missing` when it is not installed."""
    # Without it litellm fetches a price list from the network when it is imported.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    try:
        import litellm
    except ImportError as error:
        raise missing(f'This {needed_by} needs litellm: pip install "memweave-core[litellm]"') from error
    litellm.suppress_debug_info = True  # it prints advice to stdout at every failure
    return litellm
