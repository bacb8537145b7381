"""How well a memory finds what it holds: runs the library with its default settings and prints one JSON object.

    uv run python benchmarks/retrieval.py                                       # our own questions, < 1 minute
    uv run python benchmarks/retrieval.py --locomo locomo10.json                # dialogues
    uv run python benchmarks/retrieval.py --xquad folder/                       # English and Spanish paragraphs
    uv run python benchmarks/retrieval.py --set query.hybrid.vector_weight=0.7 --set query.hybrid.text_weight=0.3

Pages are written to a temporary folder as Markdown, indexed and asked through `MemWeave`. Rankings are taken
50 deep with the default noise gate, so that what the gate cuts is lost. The items that are ranked are turns
(dialogues), pages (paragraphs) or results (our own set: an answer is found when the lines of a result meet
its lines). "page" measures rank the distinct pages; of a dialogue these are its sessions. Questions that
nothing answers are asked with the default number of results: `answered` is the share of them that got any. `tokens` is an estimate of what the
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
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from question_sets import Place, Question, QuestionSet, locomo, own_set, xquad
from scoring import means, scores

from memweave_core import MemoryConfig, MemWeave, SearchResult

DEPTH = 50
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


async def measure(questions: QuestionSet, settings: dict[str, Any], split: str) -> list[dict[str, Any]]:
    """One row per question."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in questions.pages.items():
            target = Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        now = [dt.datetime.now(dt.UTC)]
        config = MemoryConfig.from_dict({"workspace_dir": folder, **settings})
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
    row: dict[str, Any] = {"set": questions.name, "kind": question.kind, "question": question.text}
    if not question.answers:
        results = await memory.search(question.text)
        return {**row, "answered": bool(results), "best": results[0].score if results else 0.0}
    began = time.perf_counter()
    results = await memory.search(question.text, max_results=DEPTH)
    elapsed = time.perf_counter() - began
    ranked = Ranking(questions.items, question.answers).of(results)
    pages = {item: item.path for item in (*ranked, *question.answers)}
    tokens = sum(len(result.snippet) for result in results[:10]) / CHARS_PER_TOKEN
    places = [f"{item.path}:{item.start}" for item in ranked[:10]]
    measures = scores(ranked, question.answers, pages)
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
        result["answered"] = round(statistics.mean(row["answered"] for row in others), 4)
    kinds = sorted({row["kind"] for row in answerable})
    if len(kinds) > 1:
        of = {kind: [row["measures"] for row in answerable if row["kind"] == kind] for kind in kinds}
        result["by_kind"] = {kind: {"questions": len(of[kind]), **means(of[kind])} for kind in kinds}
    return result


def _sets(arguments: argparse.Namespace) -> Iterator[tuple[str, list[QuestionSet]]]:
    if arguments.locomo:
        yield "locomo", list(locomo(arguments.locomo))
    for asked, answered in (
        (("en", "en"), ("es", "es"), ("es", "en"), ("en", "es")) if arguments.xquad else ()
    ):
        yield f"xquad {asked}->{answered}", [xquad(arguments.xquad, asked, answered)]
    if not (arguments.locomo or arguments.xquad):
        yield "own", [own_set()]


def _settings(pairs: Sequence[str]) -> dict[str, Any]:
    """Nested settings from ``table.name=value``."""
    settings: dict[str, Any] = {}
    for pair in pairs:
        name, _, value = pair.partition("=")
        *tables, last = name.split(".")
        table = settings
        for part in tables:
            table = table.setdefault(part, {})
        try:
            table[last] = json.loads(value)
        except ValueError:
            table[last] = value
    return settings


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--locomo", type=Path, metavar="FILE", help="conversations in the format of LoCoMo")
    parser.add_argument(
        "--xquad", type=Path, metavar="FOLDER", help="folder of xquad.en.json and xquad.es.json"
    )
    parser.add_argument("--split", default="", choices=("", "dev", "test"), help="of our own set")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting; repeatable"
    )
    parser.add_argument("--rows", type=Path, metavar="FILE", help="write one JSON line per question")
    arguments = parser.parse_args()
    report: dict[str, Any] = {}
    kept: list[dict[str, Any]] = []
    for name, sets in _sets(arguments):
        runs = [asyncio.run(measure(one, _settings(arguments.set), arguments.split)) for one in sets]
        rows = [row for run in runs for row in run]
        report[name] = summary(rows)
        kept += rows
    if arguments.rows:
        lines = [json.dumps(row, ensure_ascii=False) for row in kept]
        arguments.rows.write_text("\n".join(lines) + "\n", encoding="utf-8")
    json.dump(report, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
