"""Public names that are imported when they are first asked for, by module.

Importing the package is to cost little: asyncio alone takes half of that time.
"""

from __future__ import annotations

LATE = {
    ".conversation.masking": ("masked",),
    ".conversation.summary": ("Summary",),
    ".conversation.window": ("Window", "window"),
    ".engine": ("MemWeave",),
    ".facts.branches": ("Branch",),
    ".job_types": ("Job", "JobCounts"),
    ".messages": (
        "Fact",
        "FactVersion",
        "Forgotten",
        "ImportReport",
        "Message",
        "Recalled",
        "Recorded",
        "Remembered",
        "SessionInfo",
        "ToolCall",
    ),
    ".remembering.chat": ("Chat",),
    ".remembering.context_parts": ("Context",),
    ".status_types": ("Finding", "StoreStatus"),
}
