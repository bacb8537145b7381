"""Exports of other products are imported: conversations into transcripts, facts into the file of facts."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from memweave_core import ImportFormatError, MemWeave, NotFoundError, UsageError
from memweave_core.messages import Fact, ImportReport, Message
from memweave_core.ports import Progress
from memweave_core.remembering.fact_book import FactBook
from memweave_core.remembering.sessions import SessionFiles
from memweave_core.remembering.transfer import Transfer
from memweave_core.testing import FakeClock

T = TypeVar("T")
DAY = dt.datetime(2024, 5, 1, 8, tzinfo=dt.UTC)
KEY = "ghp_" + "a1B2c3D4" * 5


class Bench:
    """An open memory into which files are imported."""

    def __init__(self, memory: MemWeave, sessions: SessionFiles, facts: FactBook, folder: Path) -> None:
        self.memory = memory
        self.sessions = sessions
        self.facts = facts
        self.folder = folder
        self.calls = 0
        self.transfer = Transfer(sessions, facts, self.run)

    def run(self, call: Callable[[], T]) -> Awaitable[T]:
        """Make a blocking call on a thread."""
        self.calls += 1
        return asyncio.to_thread(call)

    async def take(
        self, value: Any, user: str | None = "ana", progress: Progress | None = None, **how: Any
    ) -> ImportReport:
        """Import a JSON value, or text as it is."""
        path = self.folder / "an export.json"
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return await self.transfer.import_file(path, user, progress=progress, **how)

    async def told(self, user: str = "ana") -> list[str]:
        """The facts of a user."""
        return [fact.text for fact in (await self.facts.file(user)).facts]

    def names(self, user: str | None = "ana") -> set[str]:
        """The names of the conversations of a user."""
        return {info.session for info in self.sessions.sessions(user)}


@pytest.fixture
async def bench(memory: MemWeave, clock: FakeClock, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A memory, and a folder for exports beside it."""
    runtime = await memory._ready()
    sessions = SessionFiles(runtime.store, clock)
    return Bench(
        memory, sessions, FactBook(runtime, memory.config, clock), tmp_path_factory.mktemp("exports")
    )


def chat(name: str = "c-1", *texts: str, title: str = "Boats") -> dict[str, Any]:
    """A conversation as Claude exports it, of questions and answers a minute apart."""
    messages = [
        {
            "uuid": f"{name}-{k}",
            "sender": ("human", "assistant")[k % 2],
            "created_at": (DAY + dt.timedelta(minutes=k)).isoformat(),
            "text": text,
        }
        for k, text in enumerate(texts or ("I sail.", "Good."))
    ]
    return {"uuid": name, "name": title, "created_at": DAY.isoformat(), "chat_messages": messages}


def tree(name: str, text: str) -> dict[str, Any]:
    """A conversation of one message as ChatGPT exports it."""
    said = {"id": "q", "author": {"role": "user"}, "create_time": DAY.timestamp()}
    said["content"] = {"content_type": "text", "parts": [text]}
    return {"id": name, "title": None, "mapping": {"q": {"id": "q", "parent": None, "message": said}}}


MEM0 = {"results": [{"id": "a1", "memory": "Sails on Sundays", "created_at": "2024-07-26T22:44:41Z"}]}
GRAPH = "\n".join(
    json.dumps({"type": "entity", "name": name, "entityType": "person", "observations": ["Likes tea"]})
    for name in ("Ana", "Ben")
)
LINES = '{"role": "user", "content": "Hi", "session_id": "s"}\n{"role": "assistant", "content": "Ho"}'


@pytest.mark.parametrize(
    ("value", "format", "counts"),
    [
        ([tree("t-1", "Hi"), tree("t-2", "Ho")], "chatgpt", (2, 2, 0)),
        ([chat(), chat("c-2")], "claude", (2, 4, 0)),
        (MEM0, "mem0", (0, 0, 1)),
        (GRAPH, "mcp-memory", (0, 0, 2)),
        (LINES, "transcript", (2, 2, 0)),
    ],
)
async def test_every_format_comes_in_once(bench: Bench, value: Any, format: str, counts: Any) -> None:
    """Each format is told by its shape; a second import adds nothing, to no page, and says so."""
    first = await bench.take(value)
    pages = {path: path.read_bytes() for path in bench.memory.config.workspace.rglob("users/**/*.md")}
    again = await bench.take(value, format=format)
    assert first == ImportReport(format, *counts)
    assert again == ImportReport(format, 0, 0, 0, *counts)
    assert {path: path.read_bytes() for path in pages} == pages and pages


async def test_conversations_keep_ids_dates_and_title(bench: Bench) -> None:
    """A transcript has the ids and the days that the export has, and the title of the conversation."""
    await bench.take([chat()])
    held = bench.sessions.transcript("ana", "c-1")
    assert [(m.id, m.at, m.text) for m in held.messages] == [
        ("c-1-0", DAY, "I sail."),
        ("c-1-1", DAY + dt.timedelta(minutes=1), "Good."),
    ]
    assert (held.title, held.date, held.problems) == ("Boats", DAY.date(), ())


async def test_a_conversation_that_grew(bench: Bench) -> None:
    """Of a conversation that has grown since the last import the new messages are added."""
    await bench.take([chat("c-1", "One")])
    report = await bench.take([chat("c-1", "One", "Two", "Three"), chat("c-2")])
    assert (report.conversations, report.messages) == (2, 4)
    assert (report.known_conversations, report.known_messages) == (0, 1)
    assert [m.text for m in bench.sessions.messages("ana", "c-1")] == ["One", "Two", "Three"]


async def test_bad_conversations_are_named(bench: Bench) -> None:
    """What is damaged is counted and named by its title, and the others come in."""
    bad = {"uuid": "c-2", "name": "Torn", "chat_messages": [{"sender": "elf", "text": "x"}]}
    report = await bench.take(
        [chat(), bad, {"uuid": "c-3", "name": "Empty", "chat_messages": []}, chat("c-4")]
    )
    assert (report.conversations, report.skipped, len(report.problems)) == (2, 2, 2)
    assert '"Torn"' in report.problems[0] and '"Empty"' in report.problems[1]


@pytest.mark.parametrize(
    "name",
    [
        "../../../etc/passwd",
        "CON",
        "a/b\\c",
        "x" * 500,
        "é\u202e\x00\nz",
        "sub/../..",
        "-->{#m1}",
        "~summary",
    ],
)
async def test_hostile_ids_and_titles_stay_in_their_file(bench: Bench, name: str) -> None:
    """Whatever a conversation is called, it becomes one transcript below the user, under its own name."""
    value = [{**chat("c", "Hi", title=f"---\nuser: ben\n{name} {KEY}"), "uuid": name}]
    assert (await bench.take(value)).conversations == 1
    (path,) = bench.memory.config.workspace.rglob("*.md")
    assert path.parent == bench.memory.config.workspace / "memory" / "users" / "ana" / "sessions"
    held = bench.sessions.transcript("ana", name)
    assert (held.session, held.user, held.problems) == (name, "ana", ())
    assert held.title.startswith("---") and KEY not in path.read_text(encoding="utf-8")


async def test_ids_that_are_no_names_are_named(bench: Bench) -> None:
    """A conversation whose id cannot be a name is refused in a sentence, and the others come in."""
    value = {"format": "memweave-core", "version": 1, "conversations": []}
    for name in ("", "\ud800", "fine"):
        value["conversations"] += [{"id": name, "title": "T", "messages": [{"role": "user", "content": "x"}]}]  # type: ignore[operator]  # a list
    report = await bench.take(value)
    assert (report.conversations, report.skipped, bench.names()) == (1, 2, {"fine"})
    assert all(problem.startswith('Conversation "T" was not taken: ') for problem in report.problems)


async def test_another_conversation_of_the_same_id(bench: Bench) -> None:
    """Messages whose ids are those of others here are not taken for known: the conversation is refused."""
    bench.sessions.append("ana", "main", [Message("user", "Ours")])
    said = {"role": "user", "content": "Theirs", "id": "m1", "at": DAY.isoformat()}
    value = {
        "format": "memweave-core",
        "version": 1,
        "conversations": [{"id": "main", "messages": [said] * 2}],
    }
    report = await bench.take(value)
    assert (report.messages, report.skipped) == (0, 1) and "another one of this id" in report.problems[0]
    assert [m.text for m in bench.sessions.messages("ana", "main")] == ["Ours"]


async def test_messages_without_ids_are_recognised(bench: Bench) -> None:
    """Messages that the export gives no id, or no timezone, are known again by what they say."""
    said = [{"role": "user", "content": text, "at": "2024-05-01T08:00:00"} for text in ("One", "Two", "One")]
    value = {"format": "memweave-core", "version": 1, "conversations": [{"id": "s", "messages": said}]}
    assert (await bench.take(value)).messages == 3
    assert (await bench.take(value)).messages == 0


async def test_secrets_are_masked(bench: Bench) -> None:
    """A key in a message or a fact reaches no page."""
    await bench.take([chat("c-1", f"My key is {KEY}")])
    await bench.take([{"memory": f"The key is {KEY}, rotated monthly"}])
    pages = [path.read_text() for path in bench.memory.config.workspace.rglob("*.md")]
    assert len(pages) == 2 and not any(KEY in page for page in pages)


async def test_facts_are_imported_as_such(bench: Bench) -> None:
    """A fact keeps its id and day, and says that it was imported, and from what."""
    await bench.take(MEM0)
    (fact,) = (await bench.facts.file("ana")).facts
    assert (fact.id, fact.created, fact.origin) == ("a1", dt.date(2024, 7, 26), "import")
    assert (fact.source, fact.seen) == ("import:mem0", 1)


async def test_a_known_fact_is_merged_once(bench: Bench) -> None:
    """The same words in a conversation and in an export are one fact; the export counts as one source."""
    await bench.facts.remember("ana", [Fact("Sails on Sundays", origin="automatic", source="s#m1")])
    reports = [await bench.take(MEM0) for _ in range(3)]
    assert [(r.facts, r.known_facts) for r in reports] == [(0, 1)] * 3
    (fact,) = (await bench.facts.file("ana")).facts
    assert fact.seen == 2


async def test_history_does_not_come_back(bench: Bench) -> None:
    """A fact that was edited since it was imported is not brought back by the same export."""
    await bench.take(MEM0)
    await bench.facts.edit("ana", "a1", text="Sails on Mondays")
    report = await bench.take(MEM0)
    assert (report.facts, report.known_facts) == (0, 1)
    assert await bench.told() == ["Sails on Mondays"]


@pytest.mark.parametrize(
    ("day", "left"), [("2023-04-01", "Lives in Lisbon"), ("2026-04-01", "Lives in Madrid")]
)
async def test_what_is_newer_holds(bench: Bench, day: str, left: str) -> None:
    """An imported fact supersedes what is older than it, and never what is newer."""
    await bench.facts.remember("ana", [Fact("Lives in Lisbon", origin="automatic")])
    for _ in range(2):
        report = await bench.take([{"memory": "Lives in Madrid", "created_at": day}])
        assert await bench.told() == [left]
    assert (report.facts, report.skipped) == (0, int(day < "2026"))


BOTH = [
    {"id": "1", "memory": "Ana sails", "user_id": "ana"},
    {"id": "2", "memory": "Ben rows", "user_id": "ben"},
    {"id": "3", "memory": "Nobody knows", "user_id": None},
]


async def test_facts_of_other_users_are_refused(bench: Bench) -> None:
    """Of a file with several users only the facts of the one asked for come in; others are named."""
    report = await bench.take(BOTH)
    assert (await bench.told(), report.skipped) == (["Ana sails", "Nobody knows"], 1)
    assert report.problems == ("1 memory of the user 'ben' not read: only those of 'ana' were asked for.",)


async def test_facts_of_all_users_on_demand(bench: Bench) -> None:
    """Asked for expressly, the facts of each user of a file go to that user, the others to the one named."""
    report = await bench.take(BOTH, only_owner=False)
    assert (report.facts, report.facts_of, report.problems) == (3, {"ana": 2, "ben": 1}, ())
    assert len(await bench.told()) == 2
    assert len(await bench.told("ben")) == 1
    again = await bench.take(BOTH, only_owner=False)
    assert (again.facts, again.known_facts, again.facts_of) == (0, 3, {})


async def test_a_file_of_another_format_than_said_is_refused(bench: Bench) -> None:
    """A file of which nothing can be read in the format that was named is an error that says what it is."""
    with pytest.raises(ImportFormatError, match="as 'chatgpt'; it is of the format 'claude'"):
        await bench.take([chat()], format="chatgpt")
    with pytest.raises(ImportFormatError, match="no known format"):
        await bench.take([{"a": 1}], format="chatgpt")


async def test_facts_need_a_user(bench: Bench) -> None:
    """Without a user no fact comes in, and a problem says why; conversations belong to nobody then."""
    report = await bench.take(BOTH, None)
    assert (report.facts, report.skipped) == (0, 3)
    assert report.problems == ("3 facts not taken: a fact belongs to a user, and none was named.",)
    assert (await bench.take([chat()], None)).conversations == 1
    assert (bench.names(None), bench.names("ana")) == ({"c-1"}, set())


async def test_our_export_of_another_user_is_refused(bench: Bench) -> None:
    """Our export of one user is not read for another or for nobody, unless that is asked for."""
    await bench.take([chat()])
    document = await bench.transfer.export("ana")
    for user in ("ben", None):
        report = await bench.take(document, user)
        assert (report.conversations, report.skipped, bench.names(user)) == (0, 1, set())
        assert report.problems[0].startswith("The export of the user 'ana' was not read: ")
    assert (await bench.take(document, "ben", only_owner=False)).conversations == 1


async def test_facts_without_room_are_counted(bench: Bench) -> None:
    """Above the limit the least important facts are not kept, and the report counts them."""
    await bench.facts.remember("ana", [Fact("Was born in Oslo", importance=1, origin="automatic")])
    names = ("Oak", "Elm", "Fir", "Yew", "Ash", "Fig")
    entries = [{"memory": f"{name} street {k} was flooded in {1900 + k}"} for k, name in enumerate(names)]
    object.__setattr__(bench.memory.config.facts, "limit", 4)
    report = await bench.take(entries)
    assert (report.facts, report.skipped, len(await bench.told())) == (4, 2, 4)
    assert "facts.limit" in report.problems[0] and "1 fact known before made room" in report.problems[1]


@pytest.mark.parametrize(
    ("path", "error"), [("missing.json", NotFoundError), (".", UsageError), ("a\0b", UsageError)]
)
async def test_what_is_no_file(bench: Bench, path: str, error: type[Exception]) -> None:
    """A path without a file raises an error that names it."""
    with pytest.raises(error):
        await bench.transfer.import_file(bench.folder / path, "ana")


@pytest.mark.parametrize(("value", "how"), [("hello", {}), ("[]", {}), (MEM0, {"format": "gemini"})])
async def test_what_is_no_export(bench: Bench, value: Any, how: Any) -> None:
    """What is of no known format raises one clear error and writes nothing."""
    with pytest.raises(ImportFormatError):
        await bench.take(value, **how)
    assert list(bench.memory.config.workspace.rglob("*.md")) == []


async def test_progress(bench: Bench) -> None:
    """Progress is told after each conversation; done and total are equal at the end and only there."""
    told: list[tuple[str, int, int]] = []
    await bench.take([chat(f"c-{k}") for k in range(4)], progress=lambda *call: told.append(call))
    assert [done for _, done, _ in told] == [1, 2, 3, 4, 4]
    assert [done == total for _, done, total in told] == [False] * 4 + [True]
    assert {what for what, _, _ in told} == {"Importing conversations"}


async def test_a_cancelled_import_leaves_whole_conversations(bench: Bench) -> None:
    """After a cancellation each conversation is there wholly or not at all, and the rest can be imported."""
    value = [chat(f"c-{k}", *map(str, range(30))) for k in range(40)]

    def stop_at_the_third(_: str, done: int, __: int) -> None:
        if done == 3:
            task.cancel()

    task = asyncio.create_task(bench.take(value, progress=stop_at_the_third))
    with pytest.raises(asyncio.CancelledError):
        await task
    sizes = [len(bench.sessions.messages("ana", name)) for name in bench.names()]
    assert sizes == [30] * len(sizes) and 3 <= len(sizes) < 40
    assert (await bench.take(value)).known_messages >= 90
    assert len(bench.names()) == 40


async def test_the_loop_stays_free(bench: Bench) -> None:
    """Each conversation is a call of its own on a thread, so that others get their turn between them."""
    await bench.take([chat(f"c-{k}") for k in range(5)])
    assert bench.calls >= 5


async def test_an_export_leaves_out_what_cannot_be_read(memory: MemWeave, workspace: Path) -> None:
    """One conversation beyond reading is named in the export, which holds the others."""
    await memory.record("ana", "good", [Message("user", "Hello")])
    (workspace / "memory/users/ana/sessions/bad.md").write_bytes(bytes(range(256)))
    document = await memory.export("ana")
    assert [one["id"] for one in document["conversations"]] == ["good"]
    assert ["'bad'" in problem for problem in document["problems"]] == [True]
