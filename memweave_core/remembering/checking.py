"""What `doctor` says of facts and jobs."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from .._errors import MemWeaveError
from ..facts.bullets import parse
from ..ports import MarkdownStore
from ..status_types import Finding
from ..text.frontmatter import split
from .places import FACTS

if TYPE_CHECKING:
    from .background import Background


def findings(store: MarkdownStore, background: Background) -> list[Finding]:
    """Lines of facts that are not understood, and jobs that wait for a person. Blocks."""
    return [*_facts(store), *_jobs(background)]


def unread(text: str) -> list[str]:
    """A sentence for each line of a file of facts that looks like one and is none, or is not understood."""
    file = parse(text)
    taken = {number for entry in file.entries for number in range(entry.line, entry.line + entry.lines)}
    lines = text.split("\n")
    first = split(text).body_start_line
    plain = [
        number
        for number, line in enumerate(lines[first - 1 :], first)
        if number not in taken and line[:1].isalnum()
    ]
    told = [
        f"Line {number} begins with no bullet and is no fact: {lines[number - 1].strip()[:60]}"
        for number in plain
    ]
    return [*file.problems, *told]


def _facts(store: MarkdownStore) -> list[Finding]:
    found, files = [], 0
    for key in store.scan()[0]:
        if PurePosixPath(key).name != FACTS or store.owner_of(key) is None:
            continue
        files += 1
        try:
            problems = parse(store.get(key).text).problems
        except MemWeaveError:
            continue  # the check of the files names it
        found += [
            Finding(
                "facts", "warning", f"{key}: {problem}", "Mend the line; nothing of it is lost meanwhile."
            )
            for problem in problems
        ]
    if not found and files:
        found.append(Finding("facts", "ok", f"{files} users, every line understood"))
    return found


def _jobs(background: Background) -> list[Finding]:
    counts = background.counts()
    if counts.parked:
        return [
            Finding(
                "jobs",
                "warning",
                f"{counts.parked} jobs failed for good and are parked",
                "memweave-core jobs shows why; when that is mended: memweave-core jobs retry ID",
            )
        ]
    if not background.there:
        return []
    return [Finding("jobs", "ok", f"{counts.waiting} waiting, {counts.running} running, {counts.done} done")]
