"""One question, asked twice: temporal decay decides whether an old vote or tonight's answers it.

Nine notes of a reading club over eighteen months. Older notes speak of votes in plainer words, so that they
score higher; with a half-life of 90 days the newest note comes first and the evergreen one stays in sight.
Runs offline, in the folder of a clone: ``uv run python examples/book_club/book_club.py``
"""

from __future__ import annotations

import datetime as dt
import shutil
import tempfile
from pathlib import Path

from memweave_core import MemoryConfig, SearchResults
from memweave_core.blocking import MemWeave

QUESTION = "What genre did the club vote on most recently?"
TODAY = dt.datetime(2026, 4, 11, 21, tzinfo=dt.UTC)
NOTES = Path(__file__).parent / "memory"


def show(title: str, results: SearchResults) -> None:
    """Print one table: score, what decay multiplied it with, and where the passage stands."""
    print(f"\n{title}\n  score  multiplier  page")
    for result in results:
        multiplier = result.stages.get("decay", {}).get("multiplier", 1.0)
        first_line = result.snippet.strip().splitlines()[0].lstrip("# ")
        print(f"  {result.score:.3f}  {multiplier:10.2f}  {result.path}  {first_line}")


def main() -> None:
    """Ask without decay, then with it."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(NOTES, Path(folder) / "memory")
        with MemWeave(MemoryConfig(workspace_dir=folder), clock=lambda: TODAY) as memory:
            print(QUESTION)
            plain = memory.search(QUESTION, max_results=3, min_score=0.1, explain=True)
            show("Without decay", plain)
            aged = memory.search(
                QUESTION, max_results=3, min_score=0.1, decay_half_life_days=90, explain=True
            )
            show("With a half-life of 90 days", aged)


if __name__ == "__main__":
    main()
