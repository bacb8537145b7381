"""``export`` and ``import``: conversations and facts of a user, out of the memory and into it."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._errors import ConflictError, NotFoundError
from .given import bytes_of_stdin
from .options import Common, common_options, embedding_option, open_memory, owner_options
from .output import clean, counted, emit, emit_json, note_all, one_line

if TYPE_CHECKING:
    from ..messages import ImportReport

FORMATS = ("auto", "chatgpt", "claude", "mcp-memory", "mem0", "memweave", "transcript")
"""Written out here, because the parsers are no part of the start of the program."""


@click.command()
@click.option("--output", "-o", type=click.Path(path_type=Path), metavar="FILE", help="Instead of stdout.")
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
@common_options
@owner_options
def export(common: Common, owner: str | None, *, output: Path | None, force: bool) -> None:
    """Write all conversations and facts of the user as one JSON document, which import reads back."""
    if output is not None and output.exists() and not force:
        raise ConflictError(f"{output} is there already; name another file, or replace it with --force.")
    if output is not None and not output.absolute().parent.is_dir():
        raise NotFoundError(
            f"There is no folder {output.parent} to write into; make it, or name another file."
        )
    with open_memory(common, read_only=True) as memory:
        document = memory.export(owner)
    counts = {name: len(document[name]) for name in ("facts", "conversations")}
    if output is None:
        emit_json(document)
    else:
        _save(output, document)
        if common.as_json:
            emit_json({"path": str(output), **counts})
        else:
            emit(f"{clean(str(output))}: {_both(**counts)}")
    note_all(document.get("problems", ()))


def _both(facts: int, conversations: int) -> str:
    return f"{counted(facts, 'fact')}, {counted(conversations, 'conversation')}"


def _save(path: Path, document: dict[str, Any]) -> None:
    """Write all or nothing, readable by its owner only: it holds what people said."""
    import tempfile  # slow to import, and no other command needs it

    handle, name = tempfile.mkstemp(prefix=".export-", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            # A lone half of a surrogate pair, which JSON may hold, has no UTF-8.
            file.write(json.dumps(document, indent=2, ensure_ascii=True))
            file.write("\n")
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()
        raise


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="auto", show_default=True, help="What FILE is."
)
@click.option(
    "--all-owners",
    is_flag=True,
    help="Also what FILE says to be of other users: mem0's memories go to each of them.",
)
@common_options
@embedding_option
@owner_options
def import_(common: Common, owner: str | None, file: Path, *, form: str, all_owners: bool) -> None:
    """Take in conversations and facts from FILE, an export of this program or of another product.

    Ids and dates are kept; a second import adds nothing. What cannot be read is named, and the rest taken.
    FILE is - for stdin.
    """
    with open_memory(common, read_only=False) as memory, _on_disk(file) as path:
        report = memory.import_file(path, owner, format=form, only_owner=not all_owners)
    if common.as_json:
        emit_json(report)
    else:
        emit(_sentence(report))
    note_all(report.problems)


@contextlib.contextmanager
def _on_disk(file: Path) -> Iterator[Path]:
    """`file`, or for ``-`` what comes in on stdin as a file, because an import looks at it twice."""
    if str(file) != "-":
        yield file
        return
    import tempfile  # slow to import

    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "stdin"
        copy.write_bytes(bytes_of_stdin())
        yield copy


def _sentence(report: ImportReport) -> str:
    known = [
        counted(number, noun)
        for number, noun in (
            (report.known_conversations, "conversation"),
            (report.known_messages, "message"),
            (report.known_facts, "fact"),
        )
        if number
    ]
    there = f"; there already: {', '.join(known)}" if known else ""
    shares = ", ".join(f"{one_line(user)}: {count}" for user, count in report.facts_of.items())
    of = f" ({shares})" if shares else ""
    skipped = f"; skipped: {report.skipped}" if report.skipped else ""
    new = f"{counted(report.conversations, 'conversation')} with {counted(report.messages, 'new message')}"
    return f"{report.format}: {new}, {counted(report.facts, 'new fact')}{of}{there}{skipped}"


CARRYING = (export, import_)
