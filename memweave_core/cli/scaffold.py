"""``init``: the folders and the commented settings file of a new workspace."""

from __future__ import annotations

from pathlib import Path

import click

from .options import Common, common_options
from .output import emit, emit_json

TEMPLATE = """\
# Settings of this memory. Every line is a default: remove the "#" to change it. A name that is not a
# setting is refused. Variables such as MEMWEAVE_QUERY__MAX_RESULTS=10 win over this file.

# memory_dir = "memory"            # "." takes every Markdown file of the workspace
# extra_paths = []                 # files or folders outside memory_dir, such as ["AGENTS.md", "docs"]
# ignore = []                      # glob patterns of files that are not memory
# evergreen_patterns = ["MEMORY.md", "memory.md"]  # dated pages that do not age
# timezone = "UTC"                 # decides what "today" is
# progress = true                  # a bar on stderr during long work
# db_path = ""                     # another place for the index; default .memweave/index.sqlite

# [embedding]
# model = "bundled"                # "none", "local:minilm", "fastembed:...", or any litellm name
# api_base = ""
# api_key = ""                     # better in the variable MEMWEAVE_EMBEDDING__API_KEY than here
# timeout = 60.0                   # seconds per request
# batch_size = 64                  # texts per request
# batch_tokens = 100000            # tokens per request
# dimensions = 512                 # sent to the provider only when set

# [chunking]
# tokens = 400
# overlap = 80

# [query]
# strategy = "hybrid"              # or "keyword", "vector"
# max_results = 6
# min_score = 0.35                 # noise gate, 0 to 1
# snippet_max_chars = 700

# [query.hybrid]
# vector_weight = 0.35             # the two weights sum to 1
# text_weight = 0.65
# fusion = "linear"                # or "rrf"
# candidate_multiplier = 8
# neighbour_weight = 0.0
# file_weight = 0.2

# [query.mmr]
# enabled = false
# lambda_param = 0.7

# [query.temporal_decay]
# enabled = false
# half_life_days = 30.0

# [cache]
# enabled = true
# max_entries = 20000              # or "none" for no bound

# [sync]
# on_search = true                 # look for changed files before each search
# embed_on_search = 128
# watch = false
# watch_debounce_ms = 1500
# watch_polling = false
# interval_minutes = 0

# [vector]
# engine = "auto"                  # or "sqlite-vec", "numpy"
"""


@click.command()
@common_options
def init(common: Common) -> None:
    """Make memory/, a commented memweave.toml and .memweave/.gitignore; overwrite nothing."""
    root = Path(common.workspace).expanduser()
    root.mkdir(parents=True, exist_ok=True)
    memory_dir = common.config().memory_dir
    created: list[str] = []
    kept: list[str] = []
    for name, text in (
        (f"{memory_dir}/", None),
        ("memweave.toml", TEMPLATE),
        (".memweave/.gitignore", "*\n"),
    ):
        (created if _make(root / name, text) else kept).append(name)
    if common.as_json:
        emit_json({"workspace": str(root), "created": created, "kept": kept})
        return
    for word, names in (("created", created), ("kept", kept)):
        for name in names:
            emit(f"{word}  {root / name}")


def _make(path: Path, text: str | None) -> bool:
    """Make a folder (no text) or a file; False when something is there already."""
    if path.exists():
        return False
    if text is None:
        path.mkdir(parents=True)
        return True
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)
    return True
