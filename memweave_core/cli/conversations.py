"""Commands for conversations: what a model is given before it answers, and what is kept of what was said."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._errors import NotFoundError
from .given import messages_in, needed_messages, text_of, text_or_piped
from .options import Common, common_options, embedding_option, named, open_memory, owner_options
from .output import clean, counted, emit, emit_json, emit_table, note, note_all, one_line
from .remembering import outcome_line

if TYPE_CHECKING:
    from ..blocking import MemWeave
    from ..messages import Message, Recorded

_SESSION = click.option("--session", "-s", metavar="ID", required=True, help="Which conversation.")
_LEARNING_SECONDS = 600.0


@click.command()
@click.argument("message", required=False)
@_SESSION
@click.option("--max-tokens", type=click.IntRange(min=1), help="All of it in so many tokens, estimated.")
@common_options
@embedding_option
@owner_options
def context(
    common: Common, owner: str | None, message: str | None, *, session: str, max_tokens: int | None
) -> None:
    """Show what a model would be given before it answers MESSAGE, exactly.

    Facts about the user, the summary of the conversation, its last messages, and MESSAGE, which can
    come in on stdin instead. Nothing is written.
    """
    said = text_or_piped(message).strip()
    with open_memory(common, read_only=True) as memory:
        made = memory.preview(owner, session, said, max_tokens=max_tokens)
    if common.as_json:
        names = ("messages", "text", "facts", "summary", "tokens", "left_out", "notes")
        emit_json({name: getattr(made, name) for name in names})
    elif made.messages:
        emit(clean(made.render()))
    if not made.messages:
        note("there is nothing to give: no facts, no conversation and no message.")
    note_all([*made.left_out, *made.notes])


@click.command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@_SESSION
@click.option("--message", metavar="TEXT", help="What the user said, instead of JSON.")
@click.option("--answer", metavar="TEXT", help="What the model answered, instead of JSON.")
@click.option("--wait", is_flag=True, help="Also do what follows in the background, before the end.")
@common_options
@embedding_option
@owner_options
def record(common: Common, owner: str | None, file: Path | None, **given: Any) -> None:
    """Write down what was said, and do what the user asked to remember or forget.

    Messages are JSON, as the APIs of models have them, in FILE or on stdin: a list of objects with role and
    content, or one on each line. For one exchange --message and --answer are enough.
    """
    said = _said(file, given["message"], given["answer"])
    with open_memory(common, read_only=False) as memory:
        done = memory.record(owner, given["session"], said)
        if common.as_json:
            emit_json(done)
        else:
            _show_recorded(done, given["session"])
        note_all(f"nothing known says “{one_line(text)}”, so nothing was forgotten." for text in done.unknown)
        note_all([done.note] if done.note else [])
        if given["wait"]:
            finished = memory.run_jobs(_LEARNING_SECONDS)
            _note_jobs(memory.status().jobs.waiting if finished else done.jobs)
        else:
            _note_jobs(done.jobs)


def _said(file: Path | None, message: str | None, answer: str | None) -> list[dict[str, Any]]:
    if message is None and answer is None:
        found = needed_messages(text_of(file))
    elif file is not None:
        raise click.UsageError("Give FILE, or --message and --answer, not both.")
    else:
        spoken = (("user", message), ("assistant", answer))
        found = [{"role": role, "content": text} for role, text in spoken if text]
    if not found:
        raise click.UsageError("There is nothing to record: no message was given.")
    return found


def _note_jobs(waiting: int) -> None:
    if waiting:
        note(f"{counted(waiting, 'job')} for the background; `memweave-core jobs run` does them now.")


def _show_recorded(done: Recorded, session: str) -> None:
    names = ", ".join(message.id for message in done.messages)
    emit(f"recorded {counted(len(done.messages), 'message')} in {one_line(session)}: {one_line(names)}")
    for kept in done.remembered:
        emit(outcome_line(kept))
    for fact in done.forgotten:
        emit(f"forgotten {clean(fact.id)}  {one_line(fact.text)}")


@click.command()
@common_options
@owner_options
def sessions(common: Common, owner: str | None) -> None:
    """List the conversations of the user, those that changed last first."""
    with open_memory(common, read_only=True) as memory:
        found = memory.sessions(owner)
    if common.as_json:
        emit_json(found)
        return
    rows = [(one.session, f"{one.changed:%Y-%m-%d %H:%M}", one.size, one.title) for one in found]
    lines = (
        f"{one_line(name)}  {changed}  {size} bytes  {one_line(title)}".rstrip()
        for name, changed, size, title in rows
    )
    if found:
        emit_table(("Session", "Changed", "Bytes", "Detail"), rows, lines)
    else:
        note(f"there is no conversation {_whose(owner)}.")


def _whose(owner: str | None) -> str:
    return "without a user" if owner is None else f"of the user {owner!r}"


@click.command()
@click.argument("session")
@click.option("--last", metavar="N", type=click.IntRange(min=1), help="Only the last so many messages.")
@common_options
@owner_options
def show(common: Common, owner: str | None, session: str, *, last: int | None) -> None:
    """Print the conversation SESSION: its summary, and its messages with their ids.

    SESSION can be the title of a conversation when only one has it.
    """
    with open_memory(common, read_only=True) as memory:
        messages = memory.chat(session, owner).messages()
        if not messages:
            session = _titled(memory, owner, session)
            messages = memory.chat(session, owner).messages()
        summary = memory.chat(session, owner).summary()
    left_out = max(0, len(messages) - last) if last else 0
    if common.as_json:
        emit_json({"session": session, "summary": summary.text, "messages": messages[left_out:]})
    else:
        if summary.text:
            emit(f"[summary up to {one_line(summary.until)}]\n{clean(summary.text)}\n")
        emit("\n\n".join(_shown(messages[left_out:])))
    if left_out:
        note(f"{counted(left_out, 'earlier message')} not shown.")


def _titled(memory: MemWeave, owner: str | None, title: str) -> str:
    """The id of the only conversation of this title. Raises `NotFoundError` for none, and for several."""
    found = [one.session for one in memory.sessions(owner) if one.title.casefold() == title.casefold()]
    if not title or not found:
        raise NotFoundError(_unknown(owner, title))
    if len(found) > 1:
        several = ", ".join(map(one_line, found[:8]))
        raise NotFoundError(
            f"{len(found)} conversations have the title {title!r}; name one by its id: {several}."
        )
    return found[0]


def _unknown(owner: str | None, session: str) -> str:
    return (
        f"There is no conversation {session!r} {_whose(owner)}; "
        "`memweave-core sessions` lists those there are."
    )


def _shown(messages: Iterable[Message]) -> Iterable[str]:
    for message in messages:
        at = f" {message.at:%Y-%m-%d %H:%M}" if message.at is not None else ""
        label = f"[{one_line(f'{message.id} {message.role}')}{at}]"
        calls = (f"calls {one_line(f'{call.name} {call.written}')}" for call in message.tool_calls)
        text = message.text or ("" if isinstance(message.content, str) else "(no text)")
        yield "\n".join([label, *([clean(text)] if text else []), *calls])


@click.command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--session", "-s", metavar="ID", help="Read this conversation of the memory instead of FILE.")
@click.option("--model", metavar="NAME", help="The language model to ask, such as openai/gpt-4o-mini.")
@common_options
@embedding_option
@owner_options
def flush(
    common: Common, owner: str | None, file: Path | None, *, session: str | None, model: str | None
) -> None:
    """Have a language model note what of a conversation will matter later, in the note of today.

    Notes of a conversation of a user, or made with --user, are that user's own; others are shared.

    The conversation is text or JSON messages, in FILE or on stdin, or one of the memory with --session.
    """
    if file is not None and session is not None:
        raise click.UsageError("Give FILE or --session, not both.")
    text = text_of(file) if session is None else ""
    with open_memory(common, read_only=False) as memory:
        said = (messages_in(text) or text) if session is None else _of_session(memory, owner, session)
        added = memory.flush(said, user_id=owner if session is not None or named() else None, model=model)
    if common.as_json:
        emit_json({"added": added})
    elif added is not None:
        emit(clean(added))
    if added is None:
        note("there was nothing to keep.")


def _of_session(memory: MemWeave, owner: str | None, session: str) -> tuple[Message, ...]:
    said = memory.chat(session, owner).messages()
    if not said:
        raise NotFoundError(_unknown(owner, session))
    return said


CONVERSATIONS = (context, record, sessions, show, flush)
