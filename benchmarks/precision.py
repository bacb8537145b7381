"""Whether a search returns what answers and nothing else: PrecisionMemBench; prints one JSON object.

    uv run python benchmarks/precision.py path/to/fixtures               # the counts and every failed case
    uv run python benchmarks/precision.py path/to/fixtures --explain     # with what made up each score
    uv run python benchmarks/precision.py path/to/fixtures --feed text   # stored as for other systems
    uv run python benchmarks/precision.py path/to/fixtures --where kind  # no old pages, no open questions

The folder holds `beliefs.seed.json` and `retrieval.cases.json` of github.com/tenurehq/precisionMemBench.

The benchmark judges as follows, and so does this file. A case is a question, a user, one or more scopes and a
budget (20 beliefs unless it says otherwise). Pinned facts, pinned open questions and the persona are taken
from the data, not from the system under test. What the system returns is completed and judged like this:

1. Pinned facts of the scope are taken out: they are in the context already. Pinned open questions are not.
2. After a belief of type "relation" follow its participants in the scope, but no open or pinned ones.
3. The list is cut to the budget less the number of pinned facts. That is `relevantBeliefs`.
4. A case passes when `relevantBeliefs` is exactly the set `shouldOnlyInclude`, and the few other lists
   (`mustInclude`, `mustExclude`, `orderedBefore`, pinned facts, open questions) hold as well.
5. Precision is the share of `relevantBeliefs` that is expected, 0 when nothing came back though something was
   expected, and not counted when nothing was expected and nothing came. An *active pass* is that of a case
   which expects something: 43 of the 77. The others ask that nothing comes back. (The benchmark's own runner
   would also count its one case that only forbids a belief, when other beliefs come back; not counted here.)

One unexpected belief, however low it ranks, fails a case: neither everything nor nothing passes.

With `--feed pages` a belief is a page as a user of this library would write it, and a scope is a folder of
the user's private pages. With `--feed text` it is the string that the benchmark hands to every system: name,
aliases, content and reason, with no word on whether the belief is superseded.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from memweave_core import MemoryConfig, SearchResult
from memweave_core.blocking import MemWeave

USER = "test-user"
BUDGET = 20
PERSONA = "You prefer direct answers without preamble."
"""Stands for the text of the benchmark, of which cases ask whether it is there; no system writes it."""

Belief = Mapping[str, Any]


@dataclass(frozen=True)
class Context:
    """What the runner builds of one answer: ids of beliefs, in order."""

    pinned: list[str]
    relevant: list[str]
    questions: list[str]
    persona: str


@dataclass(frozen=True)
class Verdict:
    """The judgement of one case. `precision` and `recall` are None where they do not count."""

    case: str
    category: str
    precision: float | None
    recall: float | None
    failures: list[str]

    @property
    def active(self) -> bool:
        """Whether this is a pass that counts: something was expected, and it came alone."""
        return not self.failures and self.recall is not None


def folder(user: str, scope: str) -> str:
    """Where the pages of a user and scope lie, from the workspace."""
    return f"memory/users/{user}/{scope.partition(':')[2] or scope}"


def page_path(belief: Belief) -> str:
    """The file of a belief, from the workspace."""
    return f"{folder(belief['user_id'], belief['scope'][0])}/{belief['canonical_name']}.md"


def page(belief: Belief, beliefs: Mapping[str, Belief]) -> str:
    """A belief as a Markdown page."""
    front: dict[str, Any] = {
        "title": belief["canonical_name"].replace("_", " "),
        "aliases": belief["aliases"],
        "kind": belief["type"],
        "tier": "semantic",
        "pinned": belief["pinned"],
    }
    if belief["superseded_by"]:
        front["superseded_by"] = page_path(beliefs[belief["superseded_by"]])
    if belief["resolved_at"]:
        front["resolved_at"] = belief["resolved_at"][:10]
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in front.items() if value != []]
    return "\n".join(["---", *lines, "---", "", belief["content"], "", belief["why_it_matters"], ""])


def text(belief: Belief) -> str:
    """A belief as the one string that the runner gives to every system."""
    parts = [belief["canonical_name"], *belief["aliases"], belief["content"], belief["why_it_matters"]]
    return " ".join(filter(None, parts)) + "\n"


def write_pages(workspace: Path, beliefs: Mapping[str, Belief], feed: str) -> dict[str, str]:
    """Write a page per belief; returns the id of the belief by the path of its page."""
    ids: dict[str, str] = {}
    for number, (belief_id, belief) in enumerate(beliefs.items()):
        name = page_path(belief)
        if feed == "text":
            name = f"{name.rpartition('/')[0]}/{number:03d}.md"
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text(
            page(belief, beliefs) if feed == "pages" else text(belief), encoding="utf-8"
        )
        ids[name] = belief_id
    return ids


def ask(memory: MemWeave, case: Mapping[str, Any], where: str, *, explain: bool) -> Sequence[SearchResult]:
    """The results of a case's question; the runner does not ask an empty question or for no results."""
    limit = case.get("budget", {}).get("maxBeliefs", BUDGET)
    if not case["query"].strip() or limit < 1:
        return []
    user = case.get("userId", USER)
    filters: dict[str, Any] = {"path": [folder(user, scope) for scope in case["scope"]]}
    if where == "kind":
        kinds = ["preference", "decision", "entity", "relation"]
        filters["metadata"] = {"kind": kinds, "superseded_by": None}
    return memory.search(case["query"], max_results=limit, where=filters, user_id=user, explain=explain)


def in_scope(belief: Belief, user: str, scopes: Sequence[str]) -> bool:
    """Whether a belief is the user's and of one of the scopes."""
    return belief["user_id"] == user and any(scope in scopes for scope in belief["scope"])


def build(case: Mapping[str, Any], found: Iterable[str], beliefs: Mapping[str, Belief]) -> Context:
    """The runner's steps 1 to 3."""
    user, scopes, budget = case.get("userId", USER), case["scope"], case.get("budget", {})
    cap = budget.get("maxBeliefs", BUDGET)
    mine = {key: one for key, one in beliefs.items() if in_scope(one, user, scopes)}
    pinned = [
        key
        for key, one in mine.items()
        if one["pinned"]
        and one["type"] != "open_question"
        and not one["superseded_by"]
        and not one["resolved_at"]
    ]
    questions = [
        key
        for key, one in mine.items()
        if one["pinned"] and one["type"] == "open_question" and not one["resolved_at"]
    ]
    hits = [key for key in dict.fromkeys(found) if key not in pinned]
    more = [
        key
        for hit in hits
        if beliefs[hit]["type"] == "relation"
        for key in beliefs[hit]["participants"]
        if key in mine and key not in pinned and key not in hits and mine[key]["type"] != "open_question"
    ]
    relevant = list(dict.fromkeys([*hits, *more]))
    persona = PERSONA if user == USER else ""
    return Context(pinned[:cap], relevant[: max(0, cap - len(pinned[:cap]))], questions, persona)


def judge(case: Mapping[str, Any], context: Context, pinned_in_seed: set[str]) -> Verdict:
    """The runner's steps 4 and 5."""
    expect = case["expect"]
    beliefs = expect.get("relevantBeliefs", {})
    only = beliefs.get("shouldOnlyInclude")
    wanted = set(beliefs.get("mustInclude", [])) - pinned_in_seed if only is None else set(only)
    relevant = set(context.relevant)
    hits = len(wanted & relevant)
    precision = hits / len(relevant) if relevant else (0.0 if wanted else None)
    failures = [*_tiers(expect, context), *_counts(beliefs, context), *_persona(expect, context)]
    if only is not None:
        failures += [f"unexpected: {key}" for key in context.relevant if key not in wanted]
        failures += [f"missing: {key}" for key in sorted(wanted - relevant)]
    recall = hits / len(wanted) if wanted else None
    return Verdict(case["caseId"], case["category"], precision, recall, failures)


def _tiers(expect: Mapping[str, Any], context: Context) -> list[str]:
    tiers = {
        "relevantBeliefs": {*context.pinned, *context.relevant},
        "pinnedFacts": set(context.pinned),
        "openQuestions": set(context.questions),
    }
    failures = []
    for tier, got in tiers.items():
        asked = expect.get(tier, {})
        must = [*asked.get("mustInclude", []), *asked.get("shouldInclude", [])]
        failures += [f"{tier} without {key}" for key in must if key not in got]
        failures += [f"{tier} with {key}" for key in asked.get("mustExclude", []) if key in got]
    return failures


def _counts(asked: Mapping[str, Any], context: Context) -> list[str]:
    got = context.relevant
    failures = []
    if len(got) > asked.get("maxCount", len(got)) or len(got) < asked.get("minCount", 0):
        failures.append(f"{len(got)} beliefs")
    for first, second in asked.get("orderedBefore", []):
        if not (first in got and second in got and got.index(first) < got.index(second)):
            failures.append(f"{first} not before {second}")
    return failures


def _persona(expect: Mapping[str, Any], context: Context) -> list[str]:
    asked, got = expect.get("personaPrelude", {}), context.persona
    wrong = (asked.get("nonEmpty") and not got) or (asked.get("isNull") and got)
    wrong = wrong or any(part not in got for part in asked.get("contains", []))
    wrong = wrong or any(part in got for part in asked.get("mustNotContain", []))
    return ["persona"] if wrong else []


def mean(numbers: Iterable[float | None]) -> float | None:
    """The mean of those that count."""
    counted = [number for number in numbers if number is not None]
    return round(statistics.fmean(counted), 4) if counted else None


def summary(cases: Sequence[Mapping[str, Any]], verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Counts over all cases and per category."""
    can_be_active = {case["caseId"] for case in cases if _wants_something(case)}
    categories: dict[str, dict[str, Any]] = {}
    for verdict in verdicts:
        empty = {"cases": 0, "passed": 0, "active_cases": 0, "active_passes": 0}
        counts = categories.setdefault(verdict.category, empty)
        counts["cases"] += 1
        counts["passed"] += not verdict.failures
        counts["active_cases"] += verdict.case in can_be_active
        counts["active_passes"] += verdict.active
    return {
        "active_passes": sum(verdict.active for verdict in verdicts),
        "active_cases": len(can_be_active),
        "passed": sum(not verdict.failures for verdict in verdicts),
        "cases": len(verdicts),
        "mean_precision": mean(verdict.precision for verdict in verdicts),
        "mean_recall": mean(verdict.recall for verdict in verdicts),
        "categories": categories,
    }


def _wants_something(case: Mapping[str, Any]) -> bool:
    asked = case["expect"].get("relevantBeliefs", {})
    return bool(asked.get("shouldOnlyInclude") or asked.get("mustInclude"))


def run(fixtures: Path, feed: str, where: str, *, explain: bool) -> dict[str, Any]:
    """Write the pages, ask every question, judge every answer."""
    seed = json.loads((fixtures / "beliefs.seed.json").read_text(encoding="utf-8"))
    cases = json.loads((fixtures / "retrieval.cases.json").read_text(encoding="utf-8"))
    beliefs: dict[str, Belief] = {belief["_id"]: belief for belief in seed}
    pinned = {key for key, one in beliefs.items() if one["pinned"] and one["user_id"] == USER}
    verdicts, failed, times = [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        ids = write_pages(Path(scratch), beliefs, feed)
        with MemWeave(MemoryConfig(workspace_dir=scratch, progress=False)) as memory:
            memory.index()
            for case in cases:
                began = time.perf_counter()
                results = ask(memory, case, where, explain=explain)
                times.append(time.perf_counter() - began)
                context = build(case, [ids[result.path] for result in results], beliefs)
                verdict = judge(case, context, pinned)
                verdicts.append(verdict)
                if verdict.failures:
                    failed.append(_failed(case, verdict, results, ids))
    figures = {**summary(cases, verdicts), "median_ms": round(statistics.median(times) * 1000, 2)}
    return {"benchmark": "PrecisionMemBench", "feed": feed, "where": where, **figures, "failed": failed}


def _failed(
    case: Mapping[str, Any], verdict: Verdict, results: Sequence[SearchResult], ids: Mapping[str, str]
) -> dict[str, Any]:
    """A failed case with what was asked, expected and returned."""
    returned = []
    for result in results:
        shown = {"id": ids[result.path], "score": result.score}
        shown |= {"vector": result.vector_score, "text": result.text_score}
        rounded = {key: round(one, 3) if isinstance(one, float) else one for key, one in shown.items()}
        returned.append(rounded | ({"stages": dict(result.stages)} if result.stages else {}))
    expected = case["expect"].get("relevantBeliefs", {})
    told = {"query": case["query"], "scope": case["scope"], "expected": dict(expected), "returned": returned}
    return asdict(verdict) | told


def main() -> None:
    """Run and print; `--brief` leaves the failed cases out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("fixtures", type=Path, help="folder with the two JSON files")
    parser.add_argument(
        "--feed", choices=["pages", "text"], default="pages", help="what is stored of a belief"
    )
    parser.add_argument("--where", choices=["scope", "kind"], default="scope", help="what searches narrow by")
    parser.add_argument("--explain", action="store_true", help="say what made up each score of a failed case")
    parser.add_argument("--brief", action="store_true", help="only the counts")
    args = parser.parse_args()
    report = run(args.fixtures, args.feed, args.where, explain=args.explain)
    if args.brief:
        del report["failed"]
    json.dump(report, sys.stdout, indent=2, ensure_ascii=False, default=str)
    print()


if __name__ == "__main__":
    main()
