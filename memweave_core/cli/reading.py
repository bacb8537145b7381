"""Commands that only read: they create nothing in the workspace."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import click

from .options import Common, common_options, embedding_option, open_memory, search_options
from .output import clean, emit, emit_json, emit_table, note, note_all, numbers, one_line, plain

if TYPE_CHECKING:
    from ..types import FileInfo, SearchResult, SearchResults, StoreStatus


@click.command()
@click.argument("query")
@search_options
@click.option("--explain", is_flag=True, help="Show what each stage of the pipeline made of a result.")
@click.option("--fail-if-empty", is_flag=True, help="Exit with 1 when nothing is found.")
@common_options
@embedding_option
def search(
    query: str, common: Common, overrides: Mapping[str, Any], *, explain: bool, fail_if_empty: bool
) -> None:
    """Find the passages that answer QUERY, best first, with file and lines."""
    with open_memory(common, read_only=True) as memory:
        results = memory.search(query, explain=explain, **overrides)
        if common.as_json:
            emit_json(results.items)
        else:
            _show_results(results, explain=explain)
        _note_state(results)
        if not results:
            note_all(memory.status().notes)
    if fail_if_empty and not results:
        click.get_current_context().exit(1)


PREVIEW = 240
"""Characters of a snippet in a table, where six of 700 would fill the screen."""


def _show_results(results: SearchResults, *, explain: bool) -> None:
    rows, lines = [], []
    for result in results:
        stages = numbers(result.stages) if explain else ""
        preview = f"{shorten(one_line(result.snippet), PREVIEW, placeholder='…')} {stages}".rstrip()
        span = f"{result.start_line}-{result.end_line}"
        rows.append((f"{result.score:.2f}", result.path, span, result.source, preview))
        lines.append(_hit_line(result))
        lines += [f"      {stages}"] if stages else []
    if results:
        emit_table(("Score", "Path", "Lines", "Source", "Preview"), rows, lines)


def _hit_line(result: SearchResult) -> str:
    place = f"{clean(result.path)}:{result.start_line}-{result.end_line}"
    return f"{result.score:.2f}  {place}  ({clean(result.source)})  {one_line(result.snippet)}"


def _note_state(results: SearchResults) -> None:
    if not results:
        below = f" {results.dropped} candidates scored below --min-score." if results.dropped else ""
        note(f"no results.{below}")
    if results.degraded:
        note(results.degraded)
    if results.pending:
        note(f"{results.pending} chunks have no vector yet; they are found by keywords.")
    note_all(results.warnings)


@click.command()
@click.argument("query")
@click.argument("path")
@search_options
@common_options
@embedding_option
def why(query: str, path: str, common: Common, overrides: Mapping[str, Any]) -> None:
    """Say why PATH is, or is not, among the results of QUERY."""
    with open_memory(common, read_only=True) as memory:
        answer = memory.why(query, path, **overrides)
    if common.as_json:
        emit_json(answer)
        return
    emit(f"{clean(answer.path)}: {answer.verdict}. {one_line(answer.detail)}".rstrip())
    if answer.result is not None and answer.result.stages:
        emit(f"      {numbers(answer.result.stages)}")


@click.command()
@click.option("--source", metavar="LABEL", help="Only files with this source label.")
@common_options
def files(common: Common, source: str | None) -> None:
    """List the files of the memory."""
    with open_memory(common, read_only=True) as memory:
        found = memory.files(source=source)
        status = memory.status()
    if common.as_json:
        emit_json(found)
    else:
        rows = [(f.path, f.source, f.tier, _age(f), f.chunks) for f in found]
        lines = (
            f"{clean(f.path)}  ({clean(f.source)})  {f.tier}, {_age(f)}, {f.chunks} chunks" for f in found
        )
        emit_table(("Path", "Source", "Tier", "Date", "Chunks"), rows, lines)
    _note_index(status)


def _age(file: FileInfo) -> str:
    return "evergreen" if file.is_evergreen else str(file.date)


@click.command()
@common_options
@embedding_option
def stats(common: Common) -> None:
    """Show the state of the index: counts, search mode, embedder, what is out of date."""
    with open_memory(common, read_only=True) as memory:
        status = memory.status()
    if common.as_json:
        emit_json(status)
    else:
        facts = {name: value for name, value in plain(status).items() if name not in ("embedder", "notes")}
        health = status.embedder
        facts["embedder"] = f"{health.state}{f': {health.reason}' if health.reason else ''}"
        rows = [(name.replace("_", " "), _fact(value)) for name, value in facts.items()]
        emit_table(("What", "Detail"), rows, (f"{name}: {value}" for name, value in rows))
    _note_index(status)


def _note_index(status: StoreStatus) -> None:
    note_all(status.notes)
    if status.dirty:
        note("the index is behind the files; the next search or index takes them in.")


def _fact(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else one_line(str(value))


@click.command()
@click.option("--repair", is_flag=True, help="Mend what can be mended; this writes to the index.")
@common_options
@embedding_option
def doctor(common: Common, repair: bool) -> None:
    """Check driver, index, files and embedder. Exits with 1 when it finds an error."""
    with open_memory(common, read_only=not repair) as memory:
        findings = memory.doctor(repair=repair)
    if common.as_json:
        emit_json(findings)
    else:
        rows = [(f.level, f.check, f"{f.detail} {f.fix}".strip()) for f in findings]
        lines = (f"{level}: {check}: {one_line(detail)}" for level, check, detail in rows)
        emit_table(("Level", "Check", "Detail"), rows, lines)
    if any(finding.level == "error" for finding in findings):
        click.get_current_context().exit(1)


@click.command()
@click.argument("path")
@common_options
def get(common: Common, path: str) -> None:
    """Print the Markdown of the page PATH, exactly."""
    with open_memory(common, read_only=True) as memory:
        page = memory.get(path)
    if common.as_json:
        emit_json(page)
    else:
        emit(page.text, end="")


READING = (search, why, files, stats, doctor, get)
