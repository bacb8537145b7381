"""The program itself: the group of commands, exit codes, and what becomes of errors and signals."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from .._errors import MemWeaveError
from .carrying import CARRYING
from .conversations import CONVERSATIONS
from .demo import chat_demo
from .jobs import jobs
from .output import ReaderGoneError, complain
from .reading import READING
from .remembering import FACTS
from .scaffold import init
from .watching import watch
from .writing import WRITING

OK, FAILED, INTERRUPTED = 0, 1, 130

_HELP = """Search and keep agent memory in Markdown files.

The Markdown files are the truth; the index is derived from them and can be deleted at any time. Commands
that only read create nothing in the workspace.

What is known of a user and what was said stand in Markdown files, too: context gives a model what it needs
before it answers, record keeps what was said.

Settings: memweave.toml in the workspace, then MEMWEAVE_... variables, then options, in rising order.

\b
Exit codes:
  0    done, also when nothing was found
  1    an error, or nothing found with --fail-if-empty, or doctor found an error, or jobs are left
  2    the command line was wrong
  130  interrupted
"""


@click.group(help=_HELP, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="memweave-core", message="%(prog)s %(version)s")
def app() -> None:
    """The group; its text is `_HELP`."""


for _command in (*READING, *WRITING, *FACTS, *CONVERSATIONS, *CARRYING, jobs, watch, init, chat_demo):
    app.add_command(_command)


def main(args: Sequence[str] | None = None) -> None:
    """Run the program with `args` (default: the command line) and exit with its code."""
    sys.exit(run(args))


def run(args: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; errors become one line on stderr."""
    _prepare_streams()
    try:
        code = app.main(args, prog_name="memweave-core", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except (BrokenPipeError, ReaderGoneError):
        _discard_stdout()
        return OK
    except MemWeaveError as error:
        complain(f"Error: {error}")
        return FAILED
    except OSError as error:
        complain(f"Error: {error.strerror or error}{f': {error.filename}' if error.filename else ''}")
        return FAILED
    return code if isinstance(code, int) else OK


def _prepare_streams() -> None:
    """Make stdout and stderr safe to write to, whatever the caller has made of them.

    One that is closed (``>&-``) leads nowhere. A character that the encoding lacks becomes an escape.
    """
    # Python has None for a closed stream, which its types do not say.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for as long as the process
            setattr(sys, name, nowhere)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _discard_stdout() -> None:
    """The reader of our output has gone (``| head``): make the interpreter's own last flush harmless."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, io.UnsupportedOperation):  # no real file behind stdout: there is nothing to flush either
        sys.stdout = io.StringIO()
