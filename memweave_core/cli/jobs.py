"""``jobs``: the work in the background, looked at, done now, tried again, or taken away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from .._errors import NotFoundError
from .options import Common, common_options, embedding_option, open_memory
from .output import clean, counted, emit, emit_json, emit_table, note, one_line

if TYPE_CHECKING:
    from ..blocking import MemWeave
    from ..job_types import Job, JobCounts, JobState

_STATES = ("waiting", "running", "parked", "done")
_TO_DO: Sequence[JobState] = ("waiting", "running", "parked")
_NEEDS_IDS = ("retry", "remove")


@click.command()
@click.argument("action", type=click.Choice(["list", "run", "retry", "remove"]), default="list")
@click.argument("job_ids", metavar="[ID]...", type=int, nargs=-1)
@click.option(
    "--state",
    type=click.Choice(_STATES),
    multiple=True,
    help="Of list: only this; can be repeated. By default all but done.",
)
@click.option(
    "--limit", type=click.IntRange(min=1), default=100, show_default=True, help="Of list: how many."
)
@click.option(
    "--timeout", type=click.FloatRange(min=0, min_open=True), default=60.0, show_default=True,
    metavar="SECONDS", help="Of run: how long to work at most.",
)  # fmt: skip
@common_options
@embedding_option
def jobs(
    common: Common,
    action: str,
    job_ids: Sequence[int],
    *,
    state: Sequence[JobState],
    limit: int,
    timeout: float,
) -> None:
    """The work in the background: summaries, and facts that a language model finds.

    \b
    jobs [list]       what is to be done, in order
    jobs run          do all that is due now; exits with 1 when some is left
    jobs retry ID...  let jobs that failed for good (parked) run again
    jobs remove ID... take jobs away
    """
    if bool(job_ids) != (action in _NEEDS_IDS):
        wanted = "needs the ID of a job" if action in _NEEDS_IDS else "takes no ID"
        raise click.UsageError(f"jobs {action} {wanted}; `memweave-core jobs` lists them.")
    if state and action != "list":
        raise click.UsageError("--state is for jobs list.")
    with open_memory(common, read_only=action == "list") as memory:
        if action == "list":
            _list(memory, common, state, limit)
        elif action == "run":
            _run(memory, common, timeout)
        elif action == "retry":
            _retry(memory, common, job_ids)
        else:
            _remove(memory, common, job_ids)


def _list(memory: MemWeave, common: Common, states: Sequence[JobState], limit: int) -> None:
    found = memory.jobs(states=states or _TO_DO, limit=limit)
    if common.as_json:
        emit_json(found)
    else:
        _show_jobs(found)
    if not found:
        note(f"no job is {' or '.join(states or _TO_DO)}.")
    if len(found) == limit:
        note(f"there may be more than {counted(limit, 'job')}; --limit shows more.")
    if any(job.state == "parked" for job in found):
        note("parked jobs wait for you: `memweave-core jobs retry ID` or `memweave-core jobs remove ID`.")
    if not states and (done := memory.status().jobs.done):
        note(f"{counted(done, 'job')} done in the last days; `memweave-core jobs --state done` lists them.")


def _show_jobs(found: Sequence[Job]) -> None:
    rows = [
        (job.id, job.kind, job.state, job.attempts, f"{job.ready_at:%Y-%m-%d %H:%M}", _about(job))
        for job in found
    ]
    if rows:
        columns = ("ID", "Kind", "State", "Attempts", "Ready", "Detail")
        emit_table(columns, rows, ("  ".join(one_line(str(cell)) for cell in row).rstrip() for row in rows))


def _about(job: Job) -> str:
    """Whose conversation it is about, and why it failed last."""
    names = [str(job.payload[name]) for name in ("user", "session") if job.payload.get(name)]
    return one_line(": ".join(part for part in ("/".join(names), clean(job.error)) if part))


def _run(memory: MemWeave, common: Common, timeout: float) -> None:
    finished = memory.run_jobs(timeout)
    counts = memory.status().jobs
    if common.as_json:
        emit_json({"finished": finished, "jobs": counts})
    else:
        emit(f"{counts.done} done, {counts.waiting + counts.running} left, {counts.parked} parked")
    _note_left(counts, finished=finished, timeout=timeout)
    if not finished or counts.waiting or counts.running:
        click.get_current_context().exit(1)


def _note_left(counts: JobCounts, *, finished: bool, timeout: float) -> None:
    if not finished:
        note(f"{timeout:g} s were not enough; run it again, or with a longer --timeout.")
    elif counts.waiting:
        note(
            f"{counted(counts.waiting, 'job')} cannot run yet: without a language model (llm.model) "
            "summaries and facts are not made, and what failed pauses; `memweave-core jobs` says which."
        )
    if counts.parked:
        note("parked jobs failed for good; `memweave-core jobs --state parked` says why.")


def _retry(memory: MemWeave, common: Common, job_ids: Sequence[int]) -> None:
    for job_id in job_ids:
        try:
            memory.retry_job(job_id)
        except NotFoundError as error:  # its advice is for Python
            raise NotFoundError(
                f"No job {job_id} is parked; those that are: memweave-core jobs --state parked"
            ) from error
    if common.as_json:
        emit_json({"retried": job_ids})
    else:
        emit(f"{counted(len(job_ids), 'job')} will run again")


def _remove(memory: MemWeave, common: Common, job_ids: Sequence[int]) -> None:
    removed = memory.remove_jobs(job_ids)
    if common.as_json:
        emit_json({"removed": removed})
    else:
        emit(f"{counted(removed, 'job')} removed")
    if removed < len(set(job_ids)):
        note(f"{len(set(job_ids)) - removed} of them were not there; `memweave-core jobs` lists what is.")
        click.get_current_context().exit(1)
