"""What is exported from one workspace comes into another as it was."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memweave_core import MemoryConfig, MemWeave
from memweave_core.messages import Fact, Message, ToolCall
from memweave_core.remembering.fact_book import FactBook
from memweave_core.remembering.sessions import SessionFiles
from memweave_core.remembering.transfer import Transfer
from memweave_core.testing import FakeClock, FakeEmbedder

SCALARS = (
    st.integers(-99, 99)
    | st.booleans()
    | st.none()
    | st.text(st.characters(exclude_categories=["C"]), max_size=9)
)
OBJECTS = st.dictionaries(st.sampled_from(["a", "type", "text", "Ñ"]), SCALARS, max_size=3)
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
MESSAGES = st.builds(
    Message,
    role=st.sampled_from(["system", "user", "assistant", "tool"]),
    content=WORDS | st.lists(OBJECTS, min_size=1, max_size=2).map(tuple),
    at=st.datetimes(
        dt.datetime(1990, 1, 1),
        dt.datetime(2030, 1, 1),
        timezones=st.just(dt.timezone(dt.timedelta(hours=2))),
    ),
    name=st.none() | st.sampled_from(["Ana", "tool·x", "Ñandú"]),
    tool_calls=st.lists(st.builds(ToolCall, st.just("c1"), st.just("look"), OBJECTS), max_size=1).map(tuple),
    tool_call_id=st.none() | st.just("c1"),
    extra=OBJECTS,
)
SESSIONS = st.dictionaries(
    st.sampled_from(["main", "A/b", "x" * 300, "día 1"]),
    st.lists(MESSAGES, min_size=1, max_size=3),
    max_size=3,
)
FACTS = st.lists(
    st.builds(
        Fact,
        text=st.sampled_from(["Ana", "Ben", "Eva"]).flatmap(
            lambda name: st.builds(f"{name} knows {{}}".format, WORDS)
        ),
        importance=st.integers(1, 4),
        origin=st.sampled_from(["explicit", "automatic", "person", "import"]),
        created=st.none() | st.dates(),
        source=st.sampled_from(["", "main#m1", "x y#m2"]),
    ),
    max_size=5,
)


class Workspace:
    """An open memory with its parts, in a folder of its own."""

    def __init__(self, folder: str) -> None:
        self.config = MemoryConfig(workspace_dir=folder)
        self.memory = MemWeave(self.config, embedder=FakeEmbedder())

    async def __aenter__(self) -> Workspace:
        await self.memory.open()
        runtime = await self.memory._ready()
        self.sessions = SessionFiles(runtime.store, FakeClock())
        self.facts = FactBook(runtime, self.config, FakeClock())
        self.transfer = Transfer(self.sessions, self.facts, runtime.readers.run)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.memory.close()

    async def bring(self, document: dict[str, Any], user: str | None = "ana") -> Any:
        """Import a document that was exported."""
        path = Path(self.config.workspace_dir) / "export.json"
        path.write_text(json.dumps(document))
        return await self.transfer.import_file(path, user)


async def carried(sessions: dict[str, list[Message]], facts: Sequence[Fact]) -> tuple[Any, Any, Any, Any]:
    """(export, report, export of what came in elsewhere, report of a second import)."""
    with TemporaryDirectory() as one, TemporaryDirectory() as two:
        async with Workspace(one) as source, Workspace(two) as target:
            for name, messages in sessions.items():
                source.sessions.append("ana", name, messages)
            await source.facts.remember("ana", facts)
            document = await source.transfer.export("ana")
            report = await target.bring(document)
            return document, report, await target.transfer.export("ana"), await target.bring(document)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(SESSIONS, FACTS)
def test_what_is_exported_comes_back(sessions: dict[str, list[Message]], facts: list[Fact]) -> None:
    """Messages, facts and their history are equal in the other workspace; a second import adds nothing."""
    document, report, there, again = asyncio.run(carried(sessions, facts))
    assert json.loads(json.dumps(there)) == json.loads(json.dumps(document))
    assert (report.messages, report.problems) == (sum(map(len, sessions.values())), ())
    assert (again.messages, again.facts, again.problems) == (0, 0, ())


@pytest.fixture
async def source(tmp_path: Path) -> AsyncIterator[Workspace]:
    """The workspace that is exported from."""
    async with Workspace(str(tmp_path / "one")) as opened:
        yield opened


@pytest.fixture
async def target(tmp_path: Path) -> AsyncIterator[Workspace]:
    """The workspace that is imported into."""
    async with Workspace(str(tmp_path / "two")) as opened:
        yield opened


async def test_history_and_marks_come_along(source: Workspace, target: Workspace) -> None:
    """Earlier wordings with their days, titles, and what nothing may be learnt from are carried over."""
    [told] = await source.facts.remember("ana", [Fact("Lives in Oslo")])
    await source.facts.edit("ana", told.fact.id, text="Lives in Turku")
    source.sessions.append("ana", "s", [Message("user", "One"), Message("user", "Two")])
    source.sessions.withhold("ana", "s", ["m2"])
    source.sessions.entitle("ana", "s", "Moving")
    await target.bring(await source.transfer.export("ana"))
    assert await target.facts.history("ana") == await source.facts.history("ana") != []
    held = target.sessions.transcript("ana", "s")
    assert held.title == "Moving" and held.withheld == {"m2"}


async def test_only_what_is_of_the_user_is_exported(source: Workspace) -> None:
    """An export holds nothing of another user, nor of nobody, and that of nobody nothing of a user."""
    for user in ("ana", "ben", None):
        source.sessions.append(user, f"of {user}", [Message("user", f"said by {user}")])
    for user in ("ana", "ben"):
        await source.facts.remember(user, [Fact(f"Known of {user}")])
    texts = {user: json.dumps(await source.transfer.export(user)) for user in ("ana", "ben", None)}
    for user, text in texts.items():
        assert f"said by {user}" in text and not any(f"by {other}" in text for other in {*texts} - {user})
    assert "Known" not in texts[None] and "Known of ben" not in texts["ana"]


async def test_facts_join_those_that_are_there(source: Workspace, target: Workspace) -> None:
    """Into a memory that knows something already, facts are taken as new ones are, and history is added."""
    await source.facts.remember("ana", [Fact("Sails on Sundays"), Fact("Was born in Oslo")])
    fact = (await source.facts.file("ana")).facts[0]
    await source.facts.edit("ana", fact.id, text="Sails on Mondays")
    await target.facts.remember("ana", [Fact("Was born in Oslo")])
    document = await source.transfer.export("ana")
    reports = [await target.bring(document) for _ in range(2)]
    assert [(r.facts, r.known_facts) for r in reports] == [(1, 1), (0, 2)]
    file = await target.facts.file("ana")
    assert {fact.text for fact in file.facts} == {"Was born in Oslo", "Sails on Mondays"}
    assert [entry.fact.text for entry in file.earlier] == ["Sails on Sundays"]


async def test_hostile_ids_of_facts(target: Workspace) -> None:
    """Facts with one id, an id of any characters, or no words leave a file of one line per fact."""
    told = [{"text": text, "id": name} for text, name in
            [("A\n## Earlier\n- B {#x}", "x} y\n- z"), ("Tea", "x"), ("Rum", "x"), ("...", "w")]]  # fmt: skip
    past = [{"text": "Old", "id": "x"}, {"text": "Older"}, {"text": "Oldest", "until": "2020-01-01"}]
    document = {"format": "memweave-core", "version": 1, "facts": told, "earlier": past}
    await target.bring(document)
    file = await target.facts.file("ana")
    assert [fact.text.split()[0] for fact in file.facts] == ["A", "Tea", "Rum"]
    assert [(old.fact.text, old.until) for old in file.earlier] == [
        ("Older", None), ("Oldest", dt.date(2020, 1, 1)),
    ]  # fmt: skip
    assert (await target.bring(document)).facts == 0 and file.problems == ()


async def test_what_cannot_be_read_is_named(source: Workspace, target: Workspace) -> None:
    """An export names what of a transcript was cut off, and can be imported all the same."""
    source.sessions.append("ana", "s", [Message("user", "One"), Message("user", "Two")])
    (path,) = Path(source.config.workspace_dir).rglob("s.md")
    path.write_bytes(path.read_bytes()[:-5])
    document = await source.transfer.export("ana", dt.datetime(2026, 3, 21, tzinfo=dt.UTC))
    assert len(document["problems"]) == 1 and "'s'" in document["problems"][0]
    assert document["exported"] == "2026-03-21T00:00:00+00:00"
    assert (await target.bring(document)).messages == 1
