"""What each part of the ranking is worth: the retrieval benchmark with one thing changed at a time.

    uv run python benchmarks/ablations.py --locomo locomo10.json --xquad folder/ > ablations.json

Without paths only our own questions are asked. One row per change; "default" is the library as it ships.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

from question_sets import QuestionSet, locomo, own_set, xquad
from retrieval import RAW, measure, reports

PACKAGE = "memweave_core"
HYBRID = "query.hybrid"

Change = Mapping[str, Any]

VARIANTS: Mapping[str, tuple[Change, Change]] = {
    "default": ({}, {}),
    "weights 0.7 vector, 0.3 words": ({f"{HYBRID}.vector_weight": 0.7, f"{HYBRID}.text_weight": 0.3}, {}),
    "weights 0.5, 0.5": ({f"{HYBRID}.vector_weight": 0.5, f"{HYBRID}.text_weight": 0.5}, {}),
    "words alone": ({"query.strategy": "keyword"}, {}),
    "vectors alone": ({"query.strategy": "vector"}, {}),
    "reciprocal rank fusion": ({f"{HYBRID}.fusion": "rrf", "query.min_score": 0}, {}),
    "no noise gate": ({"query.min_score": 0}, {}),
    "gate at 0.25": ({"query.min_score": 0.25}, {}),
    "gate at 0.3": ({"query.min_score": 0.3}, {}),
    "gate at 0.35": ({"query.min_score": 0.35}, {}),
    "gate at 0.45": ({"query.min_score": 0.45}, {}),
    "no neighbours": ({f"{HYBRID}.neighbour_weight": 0}, {}),
    "no evidence from the whole page": ({f"{HYBRID}.file_weight": 0}, {}),
    "MMR, lambda 0.7": ({"query.mmr.enabled": True}, {}),
    "chunks of 200 tokens": ({"chunking.tokens": 200, "chunking.overlap": 40}, {}),
    "one leg alone counts nothing": ({}, {"search.fusion.SOLE_EVIDENCE": 0.0}),
    "common words weigh as much as rare ones": ({}, {"text.analysis.rarity": lambda word: 1.0}),
    "unknown words count nothing": ({}, {"adapters.sqlite.evidence.UNKNOWN_WORD": 0.0}),
    "days in questions are mere words": ({}, {"search.request.time_spans": lambda query, today: []}),
    "misspelt words are not corrected": (
        {},
        {"adapters.sqlite.misspelt.meant": lambda connection, word: ()},
    ),
    "function words count": ({}, {"text.analysis._query_stop_words": lambda query, languages: frozenset()}),
    "no stemming": ({}, {"text.analysis.stemmer": lambda language: _fold()}),
    "messages are not embedded with the one before": ({}, {"text.passages.BEFORE_CHARS": 1}),
    "messages are packed into chunks": ({}, {"text.passages.message_lines": lambda lines: frozenset()}),
}
"""Changed settings, and changed parts of the library by dotted name."""


def _fold() -> Callable[[str], str]:
    from memweave_core.text.spelling import fold

    return fold


def variant(sets: list[QuestionSet], settings: Change, parts: Change) -> list[dict[str, Any]]:
    """One row per question of all sets, under a change."""
    from memweave_core.text import analysis

    analysis._memo.cache_clear()
    with ExitStack() as stack:
        for name, part in parts.items():
            stack.enter_context(patch(f"{PACKAGE}.{name}", part))
        rows = [row for one in sets for row in asyncio.run(measure(one, settings, ""))]
    analysis._memo.cache_clear()
    return rows


def _groups(arguments: argparse.Namespace) -> Iterator[tuple[str, list[QuestionSet]]]:
    yield "own", [own_set()]
    if arguments.locomo:
        yield "locomo", list(locomo(arguments.locomo))
    if arguments.xquad:
        yield "xquad es->en", [xquad(arguments.xquad, "es", "en")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=RAW)
    parser.add_argument("--locomo", type=Path, metavar="FILE")
    parser.add_argument("--xquad", type=Path, metavar="FOLDER")
    parser.add_argument("--only", default="", metavar="TEXT", help="changes whose name holds this")
    arguments = parser.parse_args()
    groups = list(_groups(arguments))
    for name, (settings, parts) in VARIANTS.items():
        if arguments.only not in name:
            continue
        row: dict[str, Any] = {"change": name}
        for group, sets in groups:
            row |= reports(group, variant(sets, settings, parts))
        for report in row.values():
            if isinstance(report, dict):
                report.pop("by_kind", None)
        print(json.dumps(row), flush=True)
        print(f"{name}: done", file=sys.stderr)


if __name__ == "__main__":
    main()
