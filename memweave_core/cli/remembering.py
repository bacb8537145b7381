"""Commands for what is known of a user: facts are remembered, recalled, listed, edited and forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from .._errors import NotFoundError
from .given import at_terminal, text_or_stdin
from .options import Common, common_options, embedding_option, open_memory, user_option
from .output import clean, counted, emit, emit_json, emit_table, note, note_all, one_line

if TYPE_CHECKING:
    from ..blocking import MemWeave
    from ..messages import Fact, FactVersion, Forgotten, Remembered

_IMPORTANCE = click.IntRange(1, 5)


@click.command()
@click.argument("text", required=False)
@click.option(
    "--importance", type=_IMPORTANCE, default=5, show_default=True,
    help="1 (a detail) to 5; from 4 on no program drops it.",
)  # fmt: skip
@common_options
@embedding_option
@user_option
def remember(common: Common, user: str, text: str | None, *, importance: int) -> None:
    """Keep TEXT, or what comes in on stdin, as a fact about the user, and say what became of it."""
    said = text_or_stdin(text).strip()
    if not said:
        raise click.UsageError("There is nothing to remember: give the fact as an argument or on stdin.")
    with open_memory(common, read_only=False) as memory:
        kept = memory.remember(user, said, importance=importance)
    if common.as_json:
        emit_json(kept)
    else:
        emit(outcome_line(kept))


def outcome_line(kept: Remembered) -> str:
    """What became of a fact: ``superseded f3a9c10  Drinks tea (before: Drinks coffee). …``."""
    old = kept.replaced.text if kept.replaced is not None else kept.fact.text
    before = f" (before: {one_line(old)})" if one_line(old) != one_line(kept.fact.text) else ""
    named = f"{kept.outcome} {clean(kept.fact.id)}".rstrip()
    return f"{named}  {one_line(kept.fact.text)}{before}\n    {one_line(kept.reason)}".rstrip()


@click.command()
@click.argument("query")
@click.option("--max-results", "-n", type=click.IntRange(min=1), help="How many facts at most.")
@common_options
@embedding_option
@user_option
def recall(common: Common, user: str, query: str, *, max_results: int | None) -> None:
    """Show the facts about the user that are nearest to QUERY, the most important first."""
    with open_memory(common, read_only=True) as memory:
        found = memory.recall(user, query, top=max_results)
    if common.as_json:
        emit_json(found)
    else:
        _show_facts(found.facts)
    if not found.facts:
        _note_nothing(user)
    if found.left_out:
        note(f"{counted(found.left_out, 'fact')} further away; `memweave-core facts` lists all.")
    note_all([found.note] if found.note else [])


@click.command()
@click.argument("fact_id", metavar="[ID]", required=False)
@click.option("--history", is_flag=True, help="Earlier wordings and values: of ID, or of all facts.")
@common_options
@user_option
def facts(common: Common, user: str, fact_id: str | None, *, history: bool) -> None:
    """List what is known of the user, or show the fact ID with all that is known about it.

    ID may be the beginning of an id.
    """
    with open_memory(common, read_only=True) as memory, words_of_the_terminal(user):
        if fact_id is None and not history:
            listed = memory.facts(user)
            if common.as_json:
                emit_json(listed)
            else:
                _show_facts(listed)
            if not listed:
                _note_nothing(user)
            _note_unread(memory, user)
            return
        versions = memory.fact_history(user, fact_id)
    if fact_id is not None and not history:
        versions = _named(versions, fact_id)
    if common.as_json:
        emit_json(versions)
    elif fact_id is not None and not history:
        _show_details(versions)
    else:
        _show_versions(versions)
    if not versions:
        note(f"nothing that was known of {user!r} has changed or been replaced.")


def _named(versions: Sequence[FactVersion], fact_id: str) -> list[FactVersion]:
    """Of all versions of a fact the one with this id."""
    wanted = fact_id.strip().removeprefix("#").casefold()
    return [one for one in versions if one.fact.id.casefold().startswith(wanted)][:1]


def _note_nothing(user: str) -> None:
    note(f"nothing is known of the user {user!r}; name another with --user.")


def _note_unread(memory: MemWeave, user: str) -> None:
    """Name the lines of the file that a person wrote and that are not taken as they stand."""
    from ..remembering.checking import unread
    from ..remembering.places import facts_path

    path = facts_path(user)
    try:
        found = unread(memory.get(path).text)
    except NotFoundError:
        return
    note_all(f"{path}: {problem}" for problem in found)


def _show_facts(listed: Sequence[Fact]) -> None:
    rows = [(fact.id, fact.importance, fact.updated or fact.created or "", fact.text) for fact in listed]
    if listed:
        emit_table(("ID", "Importance", "Date", "Detail"), rows, map(_fact_line, listed))


def _fact_line(fact: Fact) -> str:
    day = fact.updated or fact.created
    about = ", ".join([fact.origin, *([str(day)] if day else [])])
    return f"{clean(fact.id)}  {fact.importance}  {one_line(fact.text)}  ({about})"


def _show_versions(versions: Sequence[FactVersion]) -> None:
    rows = [(one.fact.id, _until(one), one.fact.text) for one in versions]
    lines = (f"{clean(name)}  {until}  {one_line(text)}" for name, until, text in rows)
    if versions:
        emit_table(("ID", "Until", "Detail"), rows, lines)


def _until(version: FactVersion) -> str:
    return "now" if version.current else str(version.until or "unknown")


def _show_details(versions: Sequence[FactVersion]) -> None:
    for one in versions:
        fact = one.fact
        about = {
            "id": fact.id,
            "text": fact.text,
            "importance": fact.importance,
            "seen": fact.seen,
            "origin": fact.origin,
            "created": fact.created,
            "updated": fact.updated,
            "source": fact.source,
            "supersedes": fact.supersedes,
            "holds": "now" if one.current else f"until {_until(one)}",
        }
        rows = [(name, one_line(str(value))) for name, value in about.items() if value not in (None, "")]
        emit_table(("What", "Detail"), rows, (f"{name}: {value}" for name, value in rows))


@click.command()
@click.argument("fact_id", metavar="ID")
@click.option("--text", metavar="TEXT", help="What it is to say; its words before stay in the history.")
@click.option("--importance", type=_IMPORTANCE, help="1 (a detail) to 5; from 4 on no program drops it.")
@common_options
@user_option
def edit(common: Common, user: str, fact_id: str, *, text: str | None, importance: int | None) -> None:
    """Change the words or the importance of the fact ID.

    ID may be the beginning of an id. The file of facts can as well be edited by hand.
    """
    if text is None and importance is None:
        raise click.UsageError("Say what to change, with --text or --importance.")
    with open_memory(common, read_only=False) as memory, words_of_the_terminal(user):
        fact = memory.edit_fact(user, fact_id, text=text, importance=importance)
    if common.as_json:
        emit_json(fact)
    else:
        emit(_fact_line(fact))


@click.command()
@click.argument("fact_id", metavar="[ID]", required=False)
@click.option("--purge", is_flag=True, help="Keep no copy, and delete the messages that say it.")
@click.option("--restore", "kept_in", metavar="KEPT", help="Undo: bring back the facts of this copy.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@common_options
@user_option
def forget(
    common: Common, user: str, fact_id: str | None, *, purge: bool, kept_in: str | None, yes: bool
) -> None:
    """Delete the fact ID from the file, the index and the summaries, and say where its words still stand.

    ID may be the beginning of an id. A copy stays in .memweave/trash, unless --purge.
    """
    if (fact_id is None) == (kept_in is None) or (purge and kept_in is not None):
        raise click.UsageError("Give the ID of a fact, or --restore with the name of a copy.")
    with open_memory(common, read_only=False) as memory, words_of_the_terminal(user):
        if kept_in is not None:
            _restore(memory, common, user, kept_in)
        elif fact_id is not None:
            if not yes and at_terminal() and not _agreed(memory, user, fact_id, purge=purge):
                click.get_current_context().exit(1)
            _say_forgotten(memory.forget(user, fact_id, purge=purge), common)


def _agreed(memory: MemWeave, user: str, fact_id: str, *, purge: bool) -> bool:
    [named] = _named(memory.fact_history(user, fact_id), fact_id)
    more = ", with the messages that say it and for good" if purge else ""
    return click.confirm(f"Forget “{one_line(named.fact.text)}”{more}?", err=True)


def _restore(memory: MemWeave, common: Common, user: str, kept_in: str) -> None:
    back = memory.restore(user, kept_in)
    if common.as_json:
        emit_json(back)
        return
    for fact in back:
        emit(f"restored {_fact_line(fact)}")
    if not back:
        note("what the copy holds is there already.")


def _say_forgotten(gone: Forgotten, common: Common) -> None:
    if common.as_json:
        emit_json(gone)
    else:
        emit(f"forgotten {clean(gone.fact.id)}  {one_line(gone.fact.text)}")
        for line in _lines_about(gone):
            emit(f"    {line}")
    note_all(gone.still_in)
    if gone.kept_in:
        note(f"to undo it: memweave-core forget --restore {gone.kept_in}")


def _lines_about(gone: Forgotten) -> Iterable[str]:
    """What went besides the fact itself."""
    for other in gone.facts:
        if other.id != gone.fact.id:
            yield f"and {clean(other.id)}  {one_line(other.text)}"
    for sentence in gone.struck:
        yield f"struck from a summary: {one_line(sentence)}"
    if gone.deleted:
        yield f"deleted messages: {one_line(', '.join(gone.deleted))}"
    withheld = [place for place in gone.withheld if place not in gone.deleted]
    if withheld:
        yield f"withheld from summaries and learning: {one_line(', '.join(withheld))}"


@contextmanager
def words_of_the_terminal(user: str) -> Iterator[None]:
    """Within it, advice that names a method names the command instead."""
    try:
        yield
    except NotFoundError as error:
        method = f"`facts({user!r})` lists them with their ids"
        command = "`memweave-core facts` (with the same --user) lists them with their ids"
        raise NotFoundError(str(error).replace(method, command)) from error


FACTS = (remember, recall, facts, edit, forget)
