"""What conversations and what is learned from them consist of: messages, facts, and what a write did."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
Origin: TypeAlias = Literal["explicit", "automatic", "person", "import"]
Outcome: TypeAlias = Literal["stored", "merged", "superseded", "skipped"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that an assistant message asks for. `arguments` is what the model wrote, parsed or not."""

    id: str
    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)

    @property
    def written(self) -> str:
        """The arguments as text: what the model wrote, or JSON."""
        given = self.arguments
        return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, default=str)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation.

    `content` is text, or a list of content blocks as the model API had them (JSON values). `id` names it
    within its session; "" lets the transcript choose one. `at` is when it was said, with a timezone. A tool
    message answers the call `tool_call_id`. `extra` holds whatever else must come back unchanged (JSON
    values): usage, additional kwargs, response metadata.
    """

    role: Role
    content: str | tuple[Mapping[str, Any], ...] = ""
    id: str = ""
    at: dt.datetime | None = None
    name: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The text of the content: all of it, or that of its text blocks, joined by blank lines."""
        if isinstance(self.content, str):
            return self.content
        texts = (block.get("text") for block in self.content if block.get("type", "text") == "text")
        return "\n\n".join(text for text in texts if isinstance(text, str))


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A conversation that is written down: the `size` of its transcript in bytes, and when it last changed.

    `user` is None for one that belongs to nobody. `title` is that of its front matter, "" for none; imported
    conversations have one.
    """

    session: str
    user: str | None
    size: int
    changed: dt.datetime
    title: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing known of a user.

    `importance` is 1 (a detail) to 5 (said to be remembered; never deleted by a machine). `seen` counts the
    sessions it came up in. `id` is "" for a bullet that a person wrote and no write has touched yet. `source`
    is ``session#message`` or "" ; `supersedes` is the id of the fact it took the place of.
    """

    text: str
    id: str = ""
    importance: int = 3
    seen: int = 1
    origin: Origin = "person"
    created: dt.date | None = None
    updated: dt.date | None = None
    source: str = ""
    supersedes: str = ""


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of one fact that was to be remembered.

    `fact` is the fact as it stands now (for "skipped" as it was given); `replaced` what it took the place of;
    `reason` says why, in a sentence.
    """

    outcome: Outcome
    fact: Fact
    reason: str = ""
    replaced: Fact | None = None


@dataclass(frozen=True, slots=True)
class Recalled:
    """The facts that are nearest to what was said, the most important first.

    `similarities` has one value for each of `facts`: the cosine in [-1, 1], or the share of the words in
    [0, 1] when the embedder could not be asked, which `note` then says; None where nothing was compared.
    `left_out` counts the facts of the user that are further away.
    """

    facts: tuple[Fact, ...] = ()
    similarities: tuple[float | None, ...] = ()
    left_out: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class FactVersion:
    """A wording or value that a fact had. `until` is the day it stopped being current, None if unknown."""

    fact: Fact
    until: dt.date | None = None
    current: bool = False


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was done to forget `fact`.

    `facts` are all entries that went: the fact, its earlier wordings, and what said the very same. `struck`
    are sentences taken out of summaries; `withheld` the messages (``session#message``) that no summary and
    no extraction uses any more, `deleted` those that were taken out of their transcripts. `kept_in` names
    the copy from which it can be restored, "" when there is none. `still_in` says in sentences where its
    words still stand.
    """

    fact: Fact
    facts: tuple[Fact, ...] = ()
    struck: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    kept_in: str = ""
    still_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Heeded:
    """What came of what a user asked to be remembered or forgotten.

    `unknown` are the things to be forgotten that were not known.
    """

    remembered: tuple[Remembered, ...] = ()
    forgotten: tuple[Fact, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recorded(Heeded):
    """What became of recorded messages: as they are stored, with their ids, and what they asked for.

    `jobs` is how many jobs follow in the background. `note` says why a request was left to one of them.
    """

    messages: tuple[Message, ...] = ()
    jobs: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did.

    `conversations` are those that got `messages`, `facts` those that were not known in any words. What was
    there already is `known_…`: an import done again adds nothing. `skipped` counts what of the file was not
    taken, damaged or another user's; `problems` says so in sentences. `format` is what the file was read as.
    `facts_of` has how many of `facts` each user got, when users besides the one named got some.
    """

    format: str = ""
    conversations: int = 0
    messages: int = 0
    facts: int = 0
    known_conversations: int = 0
    known_messages: int = 0
    known_facts: int = 0
    skipped: int = 0
    problems: tuple[str, ...] = ()
    facts_of: Mapping[str, int] = field(default_factory=dict)
