"""Commands that write: to the index, or to the Markdown files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .._errors import ConflictError
from .given import at_terminal, text_or_stdin
from .options import Common, common_options, embedding_option, open_memory
from .output import clean, counted, emit, emit_json, note, note_all, problem_lines
from .places import name_of

if TYPE_CHECKING:
    from ..types import IndexResult


@click.command()
@click.option("--force", is_flag=True, help="Index every file anew, changed or not.")
@click.option("--quiet", "-q", is_flag=True, help="No progress and no summary.")
@common_options
@embedding_option
def index(common: Common, *, force: bool, quiet: bool) -> None:
    """Bring the index up to date with the files."""
    with open_memory(common, read_only=False, quiet=quiet) as memory:
        result = memory.index(force=force)
        _report(result, common, quiet=quiet)
        if not result.files_scanned:
            note_all(memory.status().notes)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Index it anew even when it has not changed.")
@click.option("--quiet", "-q", is_flag=True, help="No progress and no summary.")
@common_options
@embedding_option
def add(common: Common, file: Path, *, force: bool, quiet: bool) -> None:
    """Index one FILE now; a file from outside the workspace stays part of the memory."""
    with open_memory(common, read_only=False, quiet=quiet) as memory:
        _report(memory.add(file, force=force), common, quiet=quiet)


def _report(result: IndexResult, common: Common, *, quiet: bool) -> None:
    if common.as_json:
        emit_json(result)
    elif not quiet:
        emit(
            f"{counted(result.files_scanned, 'file')}: {result.files_indexed} indexed, "
            f"{result.files_skipped} unchanged, {result.files_deleted} gone; "
            f"{counted(result.chunks_created, 'chunk')}; embeddings: "
            f"{result.embeddings_computed} computed, {result.embeddings_cached} cached, "
            f"{result.embeddings_pending} pending; {result.duration_ms / 1000:.2f} s"
        )
    note_all(problem_lines(result))


@click.command()
@click.argument("path")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@common_options
def remove(common: Common, path: str, *, yes: bool) -> None:
    """Delete the page PATH, file and index; a file from outside is only forgotten."""
    common.config()
    if not yes and at_terminal() and not click.confirm(f"Delete {clean(path)}?", err=True):
        click.get_current_context().exit(1)
    with open_memory(common, read_only=False) as memory:
        name = name_of(memory, path)
        removed = memory.remove(path)
    if common.as_json:
        emit_json({"path": name, "removed": removed})
    elif removed:
        emit(f"removed {clean(name)}")
    if not removed:
        note(f"{path} is not in this memory; `memweave-core files` lists what is.")
        click.get_current_context().exit(1)


@click.command()
@click.argument("path")
@click.argument("text", required=False)
@click.option("--overwrite", is_flag=True, help="Replace a page that exists.")
@click.option("--expected-hash", metavar="HASH", help="Replace it only if it still has this content hash.")
@common_options
@embedding_option
def write(common: Common, path: str, text: str | None, *, overwrite: bool, expected_hash: str | None) -> None:
    """Write TEXT, or what comes in on stdin, as the page PATH."""
    with open_memory(common, read_only=False) as memory:
        name = name_of(memory, path)
        try:
            made = memory.write(name, text_or_stdin(text), overwrite=overwrite, expected_hash=expected_hash)
        except ConflictError as error:  # its advice is for Python
            raise ConflictError(str(error).replace("overwrite=True", "--overwrite")) from error
    _say_written(common, made)


@click.command()
@click.argument("path")
@click.argument("text", required=False)
@common_options
@embedding_option
def append(common: Common, path: str, text: str | None) -> None:
    """Append TEXT, or what comes in on stdin, to the page PATH."""
    with open_memory(common, read_only=False) as memory:
        made = memory.append(name_of(memory, path), text_or_stdin(text))
    _say_written(common, made)


def _say_written(common: Common, path: str) -> None:
    if common.as_json:
        emit_json({"path": path})
    else:
        emit(clean(path))


WRITING = (index, add, remove, write, append)
