"""``chat-demo``: three conversations of a user with scripted models, and the memory between them.

The models know nothing but what they are given: they find the name and the layout of the note in it or say
that they do not know them. So what they answer shows what the memory gave them.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from .options import Common
from .output import clean, emit, emit_json

if TYPE_CHECKING:
    from ..blocking import MemWeave
    from ..config import MemoryConfig
    from ..messages import Message
    from ..types import PageText

USER = "chat-demo"
_FIRST_WEEK = dt.datetime(2026, 3, 5, 16, 0, tzinfo=dt.UTC)
_JOB_SECONDS = 60.0

_LAYOUT = re.compile(r"weekly note has three parts: ([\w ]+, [\w ]+, [\w ]+)")
_NAME = re.compile(r"\b(?:I am|User is called) ([A-Z]\w+)")
_POINTS = re.compile(r"from this: (.+)\.")
_INTRODUCTION = "I am Ines and I look after the tide gauges of Vigo"


@dataclass(frozen=True, slots=True)
class Scene:
    """One conversation: in which week, with which model, and what the user says in it."""

    week: int
    model: str
    lines: Sequence[str]

    @property
    def session(self) -> str:
        """Its name."""
        return f"week-{self.week}"

    @property
    def at(self) -> dt.datetime:
        """When it takes place."""
        return _FIRST_WEEK + dt.timedelta(weeks=self.week - 1)


SCENES = (
    Scene(
        1,
        "amber",
        (
            "Write my weekly note from this: 14 levels read; the storm test; no boat.",
            f"{_INTRODUCTION}. Please remember that my weekly note has three parts: measured, next, stuck.",
        ),
    ),
    Scene(2, "amber", ("Write my weekly note from this: 9 levels read; a new cable; nothing.",)),
    Scene(3, "cobalt", ("Write my weekly note from this: 11 levels read; the report; a lost key.",)),
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What a user said, what the memory put before the model, and what the model answered."""

    session: str
    model: str
    user: str
    injected: str
    answer: str


@click.command("chat-demo")
@click.option(
    "--workspace", "-w", metavar="FOLDER", help="Where to keep what is said; by default a temporary folder."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for other programs.")
def chat_demo(workspace: str | None, *, as_json: bool) -> None:
    """Play three conversations that show what the memory does; needs no key and no network.

    A user says once who she is and how her weekly note is laid out. The models are scripted and know only
    what they are given. Between the conversations the memory is closed; for the last the model is swapped.
    """
    with _folder(workspace) as folder:
        # So few facts are all recalled: no embedder is needed, least of all one across a network.
        config = Common(folder, as_json, None if workspace else "none").config(quiet=True)
        turns: list[Turn] = []
        for number, scene in enumerate(SCENES):
            played, file = _played(scene, config)
            turns += played
            if not as_json:
                _show(scene, played)
                if not number:
                    _dim(f"{clean(file.path)} is now:", file.text.strip())
                    emit("")
        if as_json:
            emit_json({"turns": turns, "file": file})
        elif workspace is None:
            emit("The workspace was a temporary one; --workspace FOLDER keeps it.")
        else:
            emit(f"{clean(file.path)} in {clean(folder)} holds what is known now.")


@contextmanager
def _folder(given: str | None) -> Iterator[str]:
    if given is not None:
        yield given
        return
    import tempfile  # slow to import, and no other command needs it

    with tempfile.TemporaryDirectory(prefix="memweave-demo-") as folder:
        yield folder


# --- the conversations ---------------------------------------------------------------------------------


def _played(scene: Scene, config: MemoryConfig) -> tuple[list[Turn], PageText]:
    """One conversation, in a memory that is opened for it and closed after it, and the facts then known."""
    from ..blocking import MemWeave
    from ..remembering.places import facts_path

    with MemWeave(config, llm=_looks_for_facts, clock=lambda: scene.at) as memory:
        turns = [_turn(memory, scene, line) for line in scene.lines]
        memory.run_jobs(_JOB_SECONDS)
        return turns, memory.get(facts_path(USER))


def _turn(memory: MemWeave, scene: Scene, said: str) -> Turn:
    """The two calls around a model: `context` before it answers, `record` after."""
    context = memory.context(USER, scene.session, said)
    answer = ANSWERS[scene.model](context.messages)
    memory.record(
        USER, scene.session, [{"role": "user", "content": said}, {"role": "assistant", "content": answer}]
    )
    return Turn(scene.session, scene.model, said, context.text, answer)


# --- the scripted models -------------------------------------------------------------------------------


def _amber(messages: Sequence[Message]) -> str:
    """Answers in lines."""
    name, parts, points = _understood(messages)
    if not parts:
        return "I do not know how your weekly note is laid out, nor who you are. Tell me?"
    return "\n".join(
        [f"Weekly note of {name}", *(f"- {part}: {point}" for part, point in _pairs(parts, points))]
    )


def _cobalt(messages: Sequence[Message]) -> str:
    """Answers in a sentence."""
    name, parts, points = _understood(messages)
    if not parts:
        return "Which parts should the note have, and whose is it?"
    return f"{name}, here it is. " + " ".join(
        f"{part.upper()} {point}." for part, point in _pairs(parts, points)
    )


ANSWERS = {"amber": _amber, "cobalt": _cobalt}


def _understood(messages: Sequence[Message]) -> tuple[str, str, str]:
    """(name, parts, points), each as it was last said; "" for what was not."""
    text = "\n".join(message.text for message in messages)
    name, parts, points = (pattern.findall(text) for pattern in (_NAME, _LAYOUT, _POINTS))
    return (name or ["somebody"])[-1], (parts or [""])[-1], (points or [""])[-1]


def _pairs(parts: str, points: str) -> Iterator[tuple[str, str]]:
    return zip(parts.strip().split(", "), points.split("; "), strict=False)


def _looks_for_facts(messages: Sequence[Mapping[str, str]]) -> str:
    """What a language model replies when it is asked, in the background, for facts in what was said."""
    asked = messages[-1]["content"].rpartition("Messages:")[2]
    fact = {
        "text": "User is called Ines and looks after the tide gauges of Vigo",
        "importance": 4,
        "quote": _INTRODUCTION,
        "kind": "work",
    }
    return json.dumps({"facts": [fact] if _INTRODUCTION in asked else []})


# --- showing it ----------------------------------------------------------------------------------------


def _show(scene: Scene, turns: Sequence[Turn]) -> None:
    swapped = ", another model" if scene.model != SCENES[0].model else ""
    emit(f"== Week {scene.week}, {scene.at:%Y-%m-%d}: a new conversation with {scene.model}{swapped} ==\n")
    for turn in turns:
        emit(f"user: {clean(turn.user)}\n")
        _dim("from the memory:", turn.injected or "(nothing yet)")
        emit(f"\n{turn.model}: {clean(turn.answer)}\n")


def _dim(label: str, text: str) -> None:
    """Lines that nobody says, set apart; dim on a terminal."""
    bright = not sys.stdout.isatty() or bool(os.environ.get("NO_COLOR"))
    for line in (label, *clean(text).splitlines()):
        emit(f"  | {line}" if bright else click.style(f"  | {line}", dim=True))
