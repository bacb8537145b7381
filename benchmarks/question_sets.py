"""Sets of pages and questions, each read from where its data lies and written as Markdown.

Public data is not part of this repository; a set is read from a path, in the format its authors publish.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memweave_core.text.analysis import detect_language, document_tokens, query_terms
from memweave_core.text.chunker import chunk
from memweave_core.text.timespans import time_spans

PLAIN = 0.5
OWN_SET = Path(__file__).parent / "own_set"


@dataclass(frozen=True, slots=True)
class Place:
    """Lines `start` to `end` of a page (from 1, inclusive)."""

    path: str
    start: int
    end: int

    def meets(self, path: str, start: int, end: int) -> bool:
        return path == self.path and start <= self.end and self.start <= end


@dataclass(frozen=True)
class Question:
    """A question, where its answers stand (nowhere, if it cannot be answered), and the day it is asked.

    Of several answers all are wanted, or, with `any_of`, any one. `plain` says that at least half of its
    content words, in some inflection, stand in the passages that answer it.
    """

    text: str
    answers: tuple[Place, ...]
    kind: str = ""
    split: str = ""
    today: dt.date | None = None
    plain: bool = True
    any_of: bool = False

    def wanted(self, ranked: Sequence[Place]) -> tuple[Place, ...]:
        """The answers that a ranking has to hold: of alternatives the one that it holds first."""
        if not self.any_of:
            return self.answers
        return next(((place,) for place in ranked if place in self.answers), self.answers[:1])


@dataclass(frozen=True)
class QuestionSet:
    """Pages by path, questions about them, and the items that are ranked.

    `items` are places that tile the pages (turns of a dialogue, whole pages); empty when every result is an
    item of its own.
    """

    name: str
    pages: dict[str, str]
    questions: list[Question]
    items: list[Place] = field(default_factory=list)


# --- dialogues ---------------------------------------------------------------------------------------------

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}


def locomo(path: Path) -> Iterator[QuestionSet]:
    """One set per conversation of a LoCoMo file; each session is a page, each message a block.

    Evidence that names no turn is left out, and so are questions without any.
    """
    for sample in json.loads(path.read_text(encoding="utf-8")):
        conversation = sample["conversation"]
        pages: dict[str, str] = {}
        turns: dict[str, Place] = {}
        for number in _sessions(conversation):
            date = conversation[f"session_{number}_date_time"]
            page = f"memory/sessions/{_day(date)}-session-{number:02}.md"
            lines = [f"# Session {number}, {date}", ""]
            for turn in conversation[f"session_{number}"]:
                caption = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
                said = f"**{turn['speaker']}:** {' '.join(turn.get('text', '').split())}{caption}"
                turns[turn["dia_id"]] = Place(page, len(lines) + 1, len(lines) + 1)
                lines += [said, ""]
            pages[page] = "\n".join(lines)
        questions = [
            Question(item["question"], answers, CATEGORIES[item["category"]])
            for item in sample["qa"]
            if (answers := tuple(turns[turn] for turn in _evidence(item, turns)))
        ]
        yield QuestionSet(sample["sample_id"], pages, questions, list(turns.values()))


def _sessions(conversation: dict[str, Any]) -> list[int]:
    found = (
        re.fullmatch(r"session_(\d+)", key) for key, value in conversation.items() if isinstance(value, list)
    )
    return sorted(int(match[1]) for match in found if match)


def _day(date: str) -> str:
    return dt.datetime.strptime(date.split(" on ")[1].replace(",", ""), "%d %B %Y").date().isoformat()


def _evidence(item: dict[str, Any], turns: dict[str, Place]) -> list[str]:
    """Ids of the evidence turns; "D8:6; D9:17" and "D30:05" are read as they are meant."""
    ids = (
        f"D{int(a)}:{int(b)}" for one in item["evidence"] for a, b in re.findall(r"D:?(\d+):(\d+)", str(one))
    )
    return [one for one in dict.fromkeys(ids) if one in turns]


# --- paragraphs --------------------------------------------------------------------------------------------


def xquad(folder: Path, asked: str, answered: str) -> QuestionSet:
    """Questions in one language about paragraphs in one language; each paragraph is a page.

    The folder holds parallel files ``xquad.en.json``, ``xquad.es.json``.
    """
    there, here = _paragraphs(folder, answered), _paragraphs(folder, asked)
    paths = [f"memory/{answered}{number:03}.md" for number in range(len(there))]
    pages = {path: paragraph["context"] + "\n" for path, paragraph in zip(paths, there, strict=True)}
    items = {path: Place(path, 1, text.count("\n") + 1) for path, text in pages.items()}
    questions = [
        Question(item["question"], (items[path],), f"{asked}->{answered}")
        for path, paragraph in zip(paths, here, strict=True)
        for item in paragraph["qas"]
    ]
    return QuestionSet(f"{asked}->{answered}", pages, questions, list(items.values()))


def _paragraphs(folder: Path, language: str) -> list[dict[str, Any]]:
    data = json.loads((folder / f"xquad.{language}.json").read_text(encoding="utf-8"))["data"]
    return [paragraph for article in data for paragraph in article["paragraphs"]]


# --- our own -----------------------------------------------------------------------------------------------


def own_set(folder: Path = OWN_SET) -> QuestionSet:
    """The set in this repository: notes, logs, decisions, code, Spanish, and questions nothing answers."""
    root = folder / "workspace"
    pages = {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(root.rglob("*.md"))
    }
    questions = []
    for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        answers = tuple(_place(answer["path"], answer["text"], pages) for answer in row["answers"])
        today = dt.date.fromisoformat(row["today"]) if row.get("today") else None
        plain = _is_plain(row["question"], answers, pages)
        any_of = row["kind"] != "multi" and len(answers) > 1
        questions.append(Question(row["question"], answers, row["kind"], row["split"], today, plain, any_of))
    return QuestionSet("own", pages, questions)


def _is_plain(question: str, answers: tuple[Place, ...], pages: dict[str, str]) -> bool:
    """See `Question`. Words that only name a day are no content: a page may bear its date in its name."""
    for span in reversed(time_spans(question, dt.date(2026, 3, 25))):
        question = question[: span.text_start] + " " + question[span.text_end :]
    shares = []
    for place in answers:
        text = pages[place.path]
        language = detect_language(text)
        passages = [one for one in chunk(text) if place.meets(place.path, one.start_line, one.end_line)]
        words = {word for one in passages for word in document_tokens(f"{one.heading} {one.text}", language)}
        words |= set(document_tokens(place.path, language))
        terms = [term for term in query_terms(question, [language]) if not term.stop]
        shares.append(sum(not words.isdisjoint(term.variants) for term in terms) / max(1, len(terms)))
    return not answers or sum(shares) / len(shares) >= PLAIN


def _place(path: str, text: str, pages: dict[str, str]) -> Place:
    before = pages[path].index(text)
    first = pages[path].count("\n", 0, before) + 1
    return Place(path, first, first + text.strip("\n").count("\n"))
