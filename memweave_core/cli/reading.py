"""Commands that only read: they create nothing in the workspace."""

from __future__ import annotations

import os
from collections.abc import Mapping
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import click

from .options import Common, common_options, embedding_option, open_memory, search_options
from .output import clean, counted, emit, emit_json, emit_table, note, note_all, numbers, one_line, plain
from .places import page_at

if TYPE_CHECKING:
    from ..blocking import MemWeave
    from ..config import SyncConfig
    from ..status_types import Finding, StoreStatus
    from ..types import FileInfo, SearchResult, SearchResults


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
        if not query.strip():
            note("the query is empty, so there is nothing to search for.")
        _note_state(results, memory.config.sync)
        if not results:
            _note_label(memory, overrides.get("source_filter"))
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
        path = f"{result.path}{_replaced(result)}"
        rows.append((f"{result.score:.2f}", path, span, result.source, preview))
        lines.append(_hit_line(result))
        lines += [f"      {stages}"] if stages else []
    if results:
        emit_table(("Score", "Path", "Lines", "Source", "Preview"), rows, lines)


def _hit_line(result: SearchResult) -> str:
    place = f"{clean(result.path)}:{result.start_line}-{result.end_line}"
    label = f"({clean(result.source)}){clean(_replaced(result))}"
    return f"{result.score:.2f}  {place}  {label}  {one_line(result.snippet)}"


def _replaced(result: SearchResult) -> str:
    """Says which page replaces that of a result; "" for one that holds."""
    return f" (superseded by {one_line(result.superseded_by)})" if result.superseded_by else ""


def _note_state(results: SearchResults, sync: SyncConfig) -> None:
    if not results:
        scored = f" {counted(results.dropped, 'candidate')} scored below --min-score."
        below = scored if results.dropped else ""
        note(f"no results.{below}")
    elif results.low_confidence:
        note("low confidence: no page answers this well; the results are the nearest there is.")
    if results.degraded:
        note(results.degraded)
    chosen_words = results.mode == "keyword-only" and not results.degraded
    if results.pending and not chosen_words:
        note(
            f"found by keywords only, because no vector is there yet: {counted(results.pending, 'chunk')}. "
            f"Each search embeds up to {sync.embed_on_search}; `memweave-core index` embeds all at once."
        )
    note_all(results.warnings)


def _note_label(memory: MemWeave, label: str | None) -> None:
    """Nothing was found: is it that no page has this source label?"""
    labels = sorted({file.source for file in memory.files()}) if label is not None else []
    if label is not None and label not in labels:
        note(f"no page has the source label {label!r}. Labels: {', '.join(labels) or 'none'}.")


@click.command()
@click.argument("query")
@click.argument("path")
@search_options
@click.option("--explain", is_flag=True, expose_value=False, help="As for search; here it is always on.")
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
            f"{clean(f.path)}  ({clean(f.source)})  {f.tier}, {_age(f)}, {counted(f.chunks, 'chunk')}"
            for f in found
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
        hidden = {"embedder", "notes", "read_only"}  # the last says how this command opened the memory
        facts = {name: value for name, value in plain(status).items() if name not in hidden}
        if not os.access(status.workspace_dir, os.W_OK):
            facts["read_only"] = True
        health = status.embedder
        counted_jobs = (f"{count} {state}" for state, count in facts["jobs"].items() if count)
        facts["jobs"] = ", ".join(counted_jobs) or None
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
        rows = [(f.level, f.check, _sentences(f)) for f in findings]
        lines = (f"{level}: {check}: {one_line(detail)}" for level, check, detail in rows)
        emit_table(("Level", "Check", "Detail"), rows, lines)
    if any(finding.level == "error" for finding in findings):
        click.get_current_context().exit(1)


def _sentences(finding: Finding) -> str:
    """What was found and, after a full stop, what to do."""
    detail = finding.detail
    if finding.fix and not detail.endswith((".", "!", "?")):
        detail += "."
    return f"{detail} {finding.fix}".strip()


@click.command()
@click.argument("path")
@common_options
def get(common: Common, path: str) -> None:
    """Print the Markdown of the page PATH, exactly."""
    with open_memory(common, read_only=True) as memory:
        page = page_at(memory, path)
    if common.as_json:
        emit_json(page)
    else:
        emit(page.text, end="")


READING = (search, why, files, stats, doctor, get)
