"""Options that several commands share, and how a command opens its memory."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click
from click.core import ParameterSource

from .._errors import NotFoundError, StrategyError

if TYPE_CHECKING:
    from ..blocking import MemWeave
    from ..config import MemoryConfig

Command: TypeAlias = Callable[..., None]
_DATE = click.DateTime(["%Y-%m-%d"])
_TIERS = click.Choice(["working", "episodic", "semantic", "procedural"])
_UNIT = click.FloatRange(0, 1)


@dataclass(frozen=True, slots=True)
class Common:
    """What every command is told: which workspace, which embedder (None: as set), and JSON or text."""

    workspace: str
    as_json: bool
    model: str | None = None

    def config(self, *, quiet: bool = False, background: bool = False) -> MemoryConfig:
        """The settings that hold for this command line. Raises when the workspace is not there.

        Without `background` no job is begun: a command that ends at once would only break it off.
        """
        from ..settings import load_config

        folder = Path(self.workspace).expanduser()
        if not folder.is_dir():
            raise NotFoundError(
                f"There is no folder {self.workspace}. Name another with --workspace, "
                f"or make a new one with: memweave-core init --workspace {self.workspace}"
            )
        overrides: dict[str, Any] = {"embedding": {"model": self.model}} if self.model else {}
        if quiet:
            overrides["progress"] = False
        if not background:
            overrides["jobs"] = {"background": False}
        return load_config(folder, environ=os.environ, overrides=overrides)


def common_options(command: Command) -> Command:
    """Adds --workspace and --json and hands them on as `common`."""

    @click.option(
        "--workspace", "-w", default=".", show_default=True, envvar="MEMWEAVE_WORKSPACE", metavar="FOLDER",
        help="The folder that holds memory/. Also: MEMWEAVE_WORKSPACE.",
    )  # fmt: skip
    @click.option("--json", "as_json", is_flag=True, help="Print JSON for other programs.")
    @functools.wraps(command)
    def wrapper(*args: Any, workspace: str, as_json: bool, **rest: Any) -> None:
        command(*args, common=Common(workspace, as_json), **rest)

    return wrapper


def embedding_option(command: Command) -> Command:
    """Adds --embedding-model, for commands that embed; stands below `common_options`."""

    @click.option("--embedding-model", metavar="NAME", help="Embedder to use, such as bundled or none.")
    @functools.wraps(command)
    def wrapper(*args: Any, common: Common, embedding_model: str | None, **rest: Any) -> None:
        command(*args, common=replace(common, model=embedding_model), **rest)

    return wrapper


def _needed(_: click.Context, option: click.Parameter, name: str | None) -> str | None:
    if name == "":
        raise click.BadParameter("a user has a name that is not empty.", param=option)
    return name


_USER = click.option(
    "--user", default="default", show_default=True, envvar="MEMWEAVE_USER", metavar="ID", callback=_needed,
    help="Whose memory. Also: MEMWEAVE_USER.",
)  # fmt: skip


def user_option(command: Command) -> Command:
    """Adds --user and hands it on as `user`; stands below `common_options`."""
    return _USER(command)


def owner_options(command: Command) -> Command:
    """Adds --user and --nobody and hands on `owner`: the user, or None; stands below `common_options`."""

    @_USER
    @click.option("--nobody", is_flag=True, help="Of no user: conversations only, without facts.")
    @functools.wraps(command)
    def wrapper(*args: Any, user: str, nobody: bool, **rest: Any) -> None:
        given = click.get_current_context().get_parameter_source("user")
        if nobody and given is ParameterSource.COMMANDLINE:
            raise click.UsageError("Give --user or --nobody, not both.")
        command(*args, owner=None if nobody else user, **rest)

    return wrapper


def named() -> bool:
    """Whether a user was named, by the option or the variable, and not just taken by default."""
    return click.get_current_context().get_parameter_source("user") is not ParameterSource.DEFAULT


_SEARCH_OPTIONS = (
    click.option("--max-results", "-n", type=click.IntRange(min=1), help="How many results at most."),
    click.option("--min-score", type=_UNIT, help="Leave out what scores lower."),
    click.option("--strategy", type=click.Choice(["hybrid", "keyword", "vector"]), help="How to search."),
    click.option("--source-filter", metavar="LABEL", help="Only this source label, such as sessions."),
    click.option("--mmr-lambda", type=_UNIT, help="Diversity: 1 is pure relevance, 0 the most diverse."),
    click.option(
        "--decay-half-life-days", type=click.FloatRange(min=0, min_open=True),
        help="Dated pages lose half their score in so many days.",
    ),
    click.option("--rerank/--no-rerank", default=None, help="Whether the reranker orders the best."),
    click.option("--snippet-chars", type=click.IntRange(min=1), help="Longest snippet, in characters."),
    click.option("--include-superseded", is_flag=True, default=None, help="Also pages that were replaced."),
    click.option("--as-of", metavar="REV", help="Search as of a date or git revision; needs git."),
    click.option(
        "--user", envvar="MEMWEAVE_USER", metavar="ID", callback=_needed,
        help="Also search the private pages of this user. Also: MEMWEAVE_USER.",
    ),
    click.option("--tag", "tags", multiple=True, help="Only pages with this tag; repeat for all of several."),
    click.option("--tier", type=_TIERS, multiple=True, help="Only this tier; repeat for any of several."),
    click.option("--since", type=_DATE, metavar="DATE", help="Only pages dated this day or later."),
    click.option("--until", type=_DATE, metavar="DATE", help="Only pages dated this day or earlier."),
)  # fmt: skip

_RENAMED = {"snippet_chars": "snippet_max_chars", "user": "user_id"}
_WHERE = ("tags", "tier", "since", "until")
_DATES = ("since", "until")
_NAMES = (
    "max_results", "min_score", "strategy", "source_filter", "mmr_lambda", "decay_half_life_days",
    "rerank", "snippet_chars", "include_superseded", "as_of", "user", *_WHERE,
)  # fmt: skip


def search_options(command: Command) -> Command:
    """Adds everything that narrows or ranks a search and hands it on as `overrides` of `MemWeave.search`."""

    @functools.wraps(command)
    def wrapper(*args: Any, **given: Any) -> None:
        chosen = {name: given.pop(name) for name in _NAMES}
        command(*args, overrides=_overrides(chosen), **given)

    for option in reversed(_SEARCH_OPTIONS):
        wrapper = option(wrapper)
    return wrapper


def _overrides(chosen: dict[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in chosen.items() if value not in (None, ())}
    for name in _DATES:
        if name in given:
            given[name] = given[name].date()
    where = {name: given.pop(name) for name in _WHERE if name in given}
    overrides = {_RENAMED.get(name, name): value for name, value in given.items()}
    return overrides | ({"where": where} if where else {})


@contextmanager
def open_memory(
    common: Common, *, read_only: bool, quiet: bool = False, background: bool = False
) -> Iterator[MemWeave]:
    """The memory of the workspace; long work shows a bar on a terminal's stderr unless `quiet`.

    With `background` it works on jobs, if the settings let it.
    """
    config = common.config(quiet=quiet, background=background)
    from ..blocking import MemWeave

    with MemWeave(config, read_only=read_only) as memory:
        try:
            yield memory
        except StrategyError as error:  # the terminal has no strategies but ours, and --strategy is checked
            from ..settings import place_of

            place = place_of("query.strategy", common.workspace, environ=os.environ)
            raise StrategyError(f"{str(error).rstrip('.')} (query.strategy in {place}).") from error
