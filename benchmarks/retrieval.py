"""How well a memory finds what it holds, with its default settings; prints one JSON object.

    uv run python benchmarks/retrieval.py                         # our own questions, under a minute
    uv run python benchmarks/retrieval.py --locomo locomo10.json  # dialogues
    uv run python benchmarks/retrieval.py --xquad folder/         # English and Spanish paragraphs
    uv run python benchmarks/retrieval.py --set query.hybrid.fusion=rrf

Pages are written to a temporary folder as Markdown, indexed and asked through `MemWeave`. Rankings are taken
50 deep with the default noise gate, so that what the gate cuts is lost. The items that are ranked are turns
(dialogues), pages (paragraphs) or results (our own set: an answer is found when the lines of a result meet
its lines). "page" measures rank the distinct pages; of a dialogue these are its sessions. Questions that
nothing answers are asked with the default number of results: `answered` is the share of them that got any,
`confident` of those that got some without the mark of low confidence. `tokens` is an estimate of what the
first ten snippets would cost a model; `p50_ms` is the time of one search with the embedding of the question.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime as dt
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from question_sets import Place, Question, QuestionSet, locomo, own_set, xquad
from scoring import means, scores

from memweave_core import MemoryConfig, MemWeave, SearchResult

RAW = argparse.RawDescriptionHelpFormatter
DEPTH = 50
LANGUAGES = (("en", "en"), ("es", "es"), ("es", "en"), ("en", "es"))
"""(of the question, of the paragraphs)"""
CHARS_PER_TOKEN = 4


class Ranking:
    """The items that results stand for, in order."""

    def __init__(self, items: Sequence[Place], answers: Sequence[Place]) -> None:
        self._items = items or answers
        self._closed = bool(items)

    def of(self, results: Sequence[SearchResult]) -> list[Place]:
        ranked: list[Place] = []
        for result in results:
            lines = (result.path, result.start_line, result.end_line)
            met = [item for item in self._items if item.meets(*lines)]
            ranked += met if met or self._closed else [Place(*lines)]
        return list(dict.fromkeys(ranked))


def _write(questions: QuestionSet, folder: Path) -> None:
    for path, text in questions.pages.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


async def measure(questions: QuestionSet, settings: Mapping[str, Any], split: str) -> list[dict[str, Any]]:
    """One row per question."""
    with tempfile.TemporaryDirectory() as folder:
        _write(questions, Path(folder))
        now = [dt.datetime.now(dt.UTC)]
        config = MemoryConfig.from_dict(_nested({"workspace_dir": folder, **settings}))
        async with MemWeave(config, clock=lambda: now[0]) as memory:
            await memory.index()
            rows = []
            for question in questions.questions:
                if split in ("", question.split):
                    day = question.today or dt.datetime.now(dt.UTC).date()
                    now[0] = dt.datetime.combine(day, dt.time(12), dt.UTC)
                    rows.append(await _row(memory, questions, question))
            return rows


async def _row(memory: MemWeave, questions: QuestionSet, question: Question) -> dict[str, Any]:
    about = {"set": questions.name, "kind": question.kind, "question": question.text}
    row: dict[str, Any] = {**about, "plain": question.plain}
    if not question.answers:
        results = await memory.search(question.text)
        confident = bool(results) and not results.low_confidence
        return {**row, "answered": bool(results), "confident": confident}
    began = time.perf_counter()
    results = await memory.search(question.text, max_results=DEPTH)
    elapsed = time.perf_counter() - began
    ranked = Ranking(questions.items, question.answers).of(results)
    answers = question.wanted(ranked)
    pages = {item: item.path for item in (*ranked, *answers)}
    tokens = sum(len(result.snippet) for result in results[:10]) / CHARS_PER_TOKEN
    places = [f"{item.path}:{item.start}" for item in ranked[:10]]
    measures = scores(ranked, answers, pages)
    cost = {"tokens": tokens, "ms": 1000 * elapsed, "empty": float(not results)}
    wanted = [f"{place.path}:{place.start}" for place in question.answers]
    return {**row, "measures": measures, **cost, "wanted": wanted, "first": places}


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Means over questions, and by kind where there are several."""
    answerable = [row for row in rows if "measures" in row]
    others = [row for row in rows if "answered" in row]
    result: dict[str, Any] = {"questions": len(answerable)}
    if answerable:
        result |= means([row["measures"] for row in answerable])
        result["empty"] = round(statistics.mean(row["empty"] for row in answerable), 4)
        result["tokens"] = round(statistics.mean(row["tokens"] for row in answerable))
        result["p50_ms"] = round(statistics.median(row["ms"] for row in answerable), 1)
    if others:
        result["unanswerable"] = len(others)
        for name in ("answered", "confident"):
            result[name] = round(statistics.mean(row[name] for row in others), 4)
    kinds = sorted({row["kind"] for row in answerable})
    if len(kinds) > 1:
        of = {kind: [row["measures"] for row in answerable if row["kind"] == kind] for kind in kinds}
        result["by_kind"] = {kind: {"questions": len(of[kind]), **means(of[kind])} for kind in kinds}
    return result


def reports(name: str, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One summary; of our own set one of the plain questions with the unanswerable, and one of the hard."""
    plain = [row for row in rows if row["plain"]]
    if len(plain) == len(rows):
        return {name: summary(rows)}
    hard = [row for row in rows if not row["plain"]]
    return {f"{name}, plain": summary(plain), f"{name}, other words": summary(hard)}


def _sets(arguments: argparse.Namespace) -> Iterator[tuple[str, list[QuestionSet]]]:
    if arguments.locomo:
        yield "locomo", list(locomo(arguments.locomo))
    for asked, answered in (
        (("en", "en"), ("es", "es"), ("es", "en"), ("en", "es")) if arguments.xquad else ()
    ):
        yield f"xquad {asked}->{answered}", [xquad(arguments.xquad, asked, answered)]
    if not (arguments.locomo or arguments.xquad):
        yield "own", [own_set()]


def _nested(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Tables within tables from dotted names."""
    nested: dict[str, Any] = {}
    for name, value in settings.items():
        *tables, last = name.split(".")
        table = nested
        for part in tables:
            table = table.setdefault(part, {})
        table[last] = value
    return nested


def _setting(pair: str) -> tuple[str, Any]:
    """(dotted name, value) from ``name=value``; a value that is no JSON is a string."""
    name, _, value = pair.partition("=")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--locomo", type=Path, metavar="FILE", help="conversations in the format of LoCoMo")
    parser.add_argument("--xquad", type=Path, metavar="FOLDER", help="of xquad.en.json, xquad.es.json")
    parser.add_argument("--split", default="", choices=("", "dev", "test"), help="of our own set")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting")
    parser.add_argument("--rows", type=Path, metavar="FILE", help="write one JSON line per question")
    arguments = parser.parse_args()
    settings = dict(map(_setting, arguments.set))
    report: dict[str, Any] = {}
    kept: list[dict[str, Any]] = []
    for name, sets in _sets(arguments):
        runs = [asyncio.run(measure(one, settings, arguments.split)) for one in sets]
        rows = [row for run in runs for row in run]
        report |= reports(name, rows)
        kept += rows
    if arguments.rows:
        lines = [json.dumps(row, ensure_ascii=False) for row in kept]
        arguments.rows.write_text("\n".join(lines) + "\n", encoding="utf-8")
    json.dump(report, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
