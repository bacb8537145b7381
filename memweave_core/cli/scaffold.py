"""``init``: the folders and the commented settings file of a new workspace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from .options import Common, common_options
from .output import emit, emit_json

_HEAD = """\
# Settings of this memory. Every line shows a default, or an example where there is none: remove the first
# "#" to change it, and the "#" of the [table] above it. A name that is not a setting is refused.
# A variable such as MEMWEAVE_QUERY__MAX_RESULTS wins over this file, an argument over both.
"""

_REMARKS = {
    "memory_dir": '"." takes every Markdown file of the workspace',
    "extra_paths": 'files or folders outside memory_dir, such as ["AGENTS.md", "docs"]',
    "ignore": "glob patterns of files that are not memory",
    "evergreen_patterns": "dated pages that do not age",
    "timezone": 'decides what "today" is',
    "progress": "a bar on stderr during long work",
    "db_path": "another place for the index",
    "embedding.model": '"none" for keywords only, "local:minilm", ..., or a litellm name',
    "embedding.api_key": "better in the variable MEMWEAVE_EMBEDDING__API_KEY than here",
    "embedding.timeout": "seconds per request",
    "query.strategy": 'or "keyword", "vector"',
    "query.min_score": "noise gate, 0 to 1",
    "query.hybrid.vector_weight": "the two weights sum to 1",
    "query.hybrid.fusion": 'or "rrf"',
    "query.mmr.lambda_param": "1 is pure relevance, 0 the most diverse",
    "cache.max_entries": 'or "none" for no bound',
    "vector.engine": 'or "sqlite-vec", "numpy"',
}

_EXAMPLES = {
    "db_path": "~/indexes/notes.sqlite",
    "embedding.api_base": "http://localhost:11434",
    "embedding.api_key": "...",
    "embedding.dimensions": 512,
    "query.reranker.model": "fastembed:Xenova/ms-marco-MiniLM-L-6-v2",
}


def settings_template() -> str:
    """A settings file in which every setting stands as a comment with its default."""
    from ..config import MemoryConfig
    from ..settings import known_settings

    defaults, table, lines = MemoryConfig(), "", [_HEAD]
    names = sorted(
        known_settings(), key=lambda name: name.count(".") > 0
    )  # top-level keys come before tables
    for name in names:
        owner, _, key = name.rpartition(".")
        if owner != table:
            lines += ["", f"# [{owner}]"]
            table = owner
        value: Any = defaults
        for step in name.split("."):
            value = getattr(value, step)
        line = f"# {key} = {json.dumps(_EXAMPLES.get(name) if value is None else value)}"
        lines.append(f"{line:<42}  # {_REMARKS[name]}" if name in _REMARKS else line)
    return "\n".join(lines) + "\n"


@click.command()
@common_options
def init(common: Common) -> None:
    """Make memory/, a commented memweave.toml and .memweave/.gitignore; overwrite nothing."""
    from ..config import SETTINGS_FILE

    root = Path(common.workspace).expanduser()
    root.mkdir(parents=True, exist_ok=True)
    contents = {
        f"{common.config().memory_dir}/": None,
        SETTINGS_FILE: settings_template(),
        ".memweave/.gitignore": "*\n",
    }
    made = {name: _make(root / name, text) for name, text in contents.items()}
    if common.as_json:
        created = [name for name, new in made.items() if new]
        emit_json({"workspace": str(root), "created": created, "kept": [n for n in made if n not in created]})
        return
    for name, new in made.items():
        emit(f"{'created' if new else 'kept   '}  {root / name}")


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
