"""Conversations in files: recorded once, read cheaply, edited by people, kept apart."""

from __future__ import annotations

import datetime as dt
import unicodedata
from pathlib import Path

import pytest

from memweave_core._errors import NameRefusedError, StorageError, UsageError
from memweave_core.adapters.markdown.store import MarkdownFiles
from memweave_core.config import MemoryConfig
from memweave_core.conversation.summary import Summary
from memweave_core.conversation.transcript import Transcript, parse
from memweave_core.conversation.window import to_summarise
from memweave_core.messages import Message, ToolCall
from memweave_core.remembering import session_cache
from memweave_core.remembering.sessions import SessionFiles
from memweave_core.testing.fakes import FakeClock

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
HOSTILE = [
    "john_doe", "john-doe", "johnXdoe", "john%doe", "100%", "%", "..", "../x", "x/../y", "a/b", "con", "s",
    "ana@example.org", "ANA@example.org", "x~summary", "x", "facts", ".hidden", "*", "[a-z]", "a\nb", "\0",
    unicodedata.normalize("NFC", "josé"), unicodedata.normalize("NFD", "josé"), "日本", "x" * 300, "x" * 301,
]  # fmt: skip


def opened(folder: Path, memory: str = "memory") -> SessionFiles:
    """The sessions of a workspace, as another process would open them."""
    config = MemoryConfig(workspace_dir=str(folder), memory_dir=memory)
    return SessionFiles(MarkdownFiles(config), FakeClock())


@pytest.fixture
def files(tmp_path: Path) -> SessionFiles:
    """The sessions of an empty workspace."""
    return opened(tmp_path)


def user(*texts: str) -> list[Message]:
    """Messages of a user."""
    return [Message("user", text) for text in texts]


def page(folder: Path, name: str = "users/ana/sessions/s.md") -> Path:
    """A file of the memory."""
    return folder / "memory" / name


def test_messages_come_back_with_ids_and_times(files: SessionFiles) -> None:
    """What is appended without id and time gets the next id and the present, and reads as it was returned."""
    first = files.append("ana", "s", user("one", "two"))
    second = files.append("ana", "s", [Message("assistant", "three", "own"), *user("four")])
    assert [message.id for message in first + second] == ["m1", "m2", "own", "m3"]
    assert all(message.at is not None for message in first)
    assert files.messages("ana", "s") == first + second == opened_again(files).messages("ana", "s")


def test_the_present_is_stamped_in_seconds(tmp_path: Path) -> None:
    """A message without a time gets the present second; a time that is given keeps its microseconds."""
    now = dt.datetime(2026, 3, 21, 12, 0, 5, 123456, tzinfo=dt.UTC)
    files = SessionFiles(MarkdownFiles(MemoryConfig(workspace_dir=str(tmp_path))), FakeClock(now))
    files.append("ana", "s", [Message("user", "one"), Message("user", "two", at=now)])
    text = page(tmp_path).read_text("utf-8")
    assert "2026-03-21 12:00:05+00:00 {#m1}" in text and "12:00:05.123456+00:00 {#m2}" in text


def opened_again(files: SessionFiles) -> SessionFiles:
    """The same workspace, with nothing known of it."""
    return opened(files.trash.parents[1])


def test_the_same_ids_again_add_nothing(files: SessionFiles, tmp_path: Path) -> None:
    """Messages whose ids are there are returned as they were recorded, and no byte is written."""
    stored = files.append("ana", "s", user("one", "two"))
    before = page(tmp_path).stat()
    again = files.append("ana", "s", [*stored, Message("user", "changed", "m1")])
    assert again == (*stored, stored[0])
    assert opened_again(files).append("ana", "s", stored) == stored
    assert page(tmp_path).stat() == before


def test_an_id_twice_in_one_call_is_one_message(files: SessionFiles) -> None:
    """The first of two messages with one id is recorded."""
    files.append("ana", "s", [Message("user", "one", "x"), Message("user", "two", "x")])
    assert [message.text for message in files.messages("ana", "s")] == ["one"]


def test_given_numbers_are_not_given_again(files: SessionFiles) -> None:
    """The next id is above every number that came with a message, of this call or an earlier one."""
    files.append("ana", "s", [Message("user", "one", "m7")])
    stored = files.append("ana", "s", [*user("two"), Message("user", "three", "m9")])
    assert [message.id for message in stored] == ["m10", "m9"]


def test_secrets_are_never_written(files: SessionFiles, tmp_path: Path) -> None:
    """A token in text, blocks, arguments, names or `extra` reaches neither the file nor what is returned."""
    call = ToolCall("1", "push", {"auth": [TOKEN]})
    blocks = ({"type": "text", "text": TOKEN}, {"type": "other", "x": {"y": TOKEN}})
    said = [Message("user", TOKEN), Message("assistant", blocks, tool_calls=(call,), extra={"a": TOKEN})]
    assert TOKEN not in repr(files.append("ana", "s", said))
    assert all(TOKEN not in file.read_text("utf-8") for file in tmp_path.rglob("*.md"))


def test_what_is_to_be_written_is_announced(files: SessionFiles) -> None:
    """Just before the write the new messages are handed over as they will stand there; else nothing is."""
    told: list[tuple[Message, ...]] = []
    stored = files.append("ana", "s", user("one"), before_write=told.append)
    files.append("ana", "s", stored, before_write=told.append)
    assert told == [stored]


def test_what_cannot_be_written_leaves_everything(files: SessionFiles, tmp_path: Path) -> None:
    """One bad message, or an announcement that fails, and none of the call is recorded."""
    files.append("ana", "s", user("one"))
    before = page(tmp_path).read_bytes()
    with pytest.raises(UsageError):
        files.append("ana", "s", [*user("two"), Message("user", "x", extra={"a": object()})])
    with pytest.raises(ZeroDivisionError):
        files.append("ana", "s", user("two"), before_write=lambda new: print(1 // 0))
    assert page(tmp_path).read_bytes() == before


@pytest.mark.parametrize("cut", [1, 8, 12, 20, 60, 61])
def test_a_torn_message_is_cut_off_before_the_next(files: SessionFiles, tmp_path: Path, cut: int) -> None:
    """What a crash left of a last message goes into the trash, and the next one stands behind whole ones."""
    files.append("ana", "s", user("one", "second"))
    data = page(tmp_path).read_bytes()
    page(tmp_path).write_bytes(data[:-cut])
    files.append("ana", "s", user("three"))
    read = files.transcript("ana", "s")
    whole = ["one", "second", "three"] if cut == 1 else ["one", "three"]
    assert [message.text for message in read.messages] == whole and read.problems == ()
    kept = [file.read_bytes() for file in files.trash.glob("*-s.md")]
    assert kept == ([] if cut == 1 else [data[data.index(b"**user**", len(data) - 80) : -cut]])


def test_every_byte_of_a_person_stays(files: SessionFiles, tmp_path: Path) -> None:
    """Text, keys and messages that a person put into the file outlive appends, and are read."""
    files.append("ana", "s", user("one"))
    mine = page(tmp_path).read_text("utf-8").replace("session: s", "session: s\nmood: good # really")
    mine = mine.replace("one", "One, mended") + "\n**user**\n\nBy hand"
    page(tmp_path).write_text(mine, "utf-8")
    files.append("ana", "s", user("two"))
    assert page(tmp_path).read_text("utf-8").startswith(mine)
    assert [message.text for message in files.messages("ana", "s")] == ["One, mended", "By hand", "two"]


def test_old_and_new_messages_come_back_together(files: SessionFiles, tmp_path: Path) -> None:
    """A call with some that are recorded already returns all as they stand, whatever the file's encoding."""
    stored = files.append("ana", "s", user("uno"))
    page(tmp_path).write_text(page(tmp_path).read_text("utf-8"), "utf-16")
    more = files.append("ana", "s", [*user("dos"), *stored])
    assert [message.id for message in more] == ["m2", "m1"]
    assert files.messages("ana", "s") == (more[1], more[0])


@pytest.mark.parametrize(
    ("encoding", "newline"), [("utf-16", "\n"), ("utf-8-sig", "\r\n"), ("utf-8", "\r\n")]
)
def test_files_stay_of_their_kind(files: SessionFiles, tmp_path: Path, encoding: str, newline: str) -> None:
    """A transcript saved in another encoding or with other line ends is gone on with in the same."""
    files.append("ana", "s", user("uno", "año"))
    text = page(tmp_path).read_text("utf-8")
    page(tmp_path).write_text(text, encoding, newline=newline)
    files.append("ana", "s", user("día"))
    files.append("ana", "s", user("niño"))
    known = files.messages("ana", "s")
    assert [message.text for message in known] == ["uno", "año", "día", "niño"]
    assert known == opened_again(files).messages("ana", "s")
    assert "\n" not in page(tmp_path).read_bytes().decode(encoding).replace(newline, "")


def test_what_others_append_is_read_alone(files: SessionFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    """A transcript that is known is not parsed again for what this or another process appends."""
    files.append("ana", "s", user("one"))
    files.append("ana", "s", user("two"))
    read: list[str] = []

    def counted(text: str) -> Transcript:
        read.append(text)
        return parse(text)

    monkeypatch.setattr(session_cache, "parse", counted)
    files.append("ana", "s", user("three"))
    assert read == []
    opened_again(files).append("ana", "s", user("four"))
    read.clear()
    assert [message.id for message in files.messages("ana", "s")] == ["m1", "m2", "m3", "m4"]
    assert files.messages("ana", "s") is files.messages("ana", "s") and read == []


def test_edits_by_hand_are_seen(files: SessionFiles, tmp_path: Path) -> None:
    """A change anywhere in the file, with something appended or not, is in the next reading."""
    files.append("ana", "s", user("one", "two"))
    for old, new in (("one", "uno!"), ("uno!", "one!\n\nMore\n\nand more of it"), ("two", "")):
        text = page(tmp_path).read_text("utf-8").replace(old, new)
        page(tmp_path).write_text(text, "utf-8")
        assert files.messages("ana", "s") == opened_again(files).messages("ana", "s")
        assert new in "".join(message.text for message in files.messages("ana", "s"))


def test_few_transcripts_are_kept(files: SessionFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many sessions are read, what is kept of them is bounded, and nothing is lost by it."""
    monkeypatch.setattr(session_cache, "MOST", 2)
    for k in range(5):
        files.append("ana", f"s{k}", user(f"text {k}"))
    for k in range(5):
        files.append("ana", f"s{k}", user("more"))
        assert [message.id for message in files.messages("ana", f"s{k}")] == ["m1", "m2"]
    assert len(files._cache._known) == 2


def test_t4_what_is_summarised_is_not_summarised_again(files: SessionFiles) -> None:
    """The messages up to `until` are flagged by it, in this process and the next."""
    stored = files.append("ana", "s", user(*(f"text {k}" for k in range(30))))
    assert files.write_summary("ana", "s", Summary("They talked.", "m10", 10), Summary())
    for seen in (files, opened_again(files)):
        due = to_summarise(seen.messages("ana", "s"), keep=20, after_id=seen.summary("ana", "s").until)
        assert due == ()
    files.append("ana", "s", user("another"))
    due = to_summarise(files.messages("ana", "s"), keep=20, after_id=files.summary("ana", "s").until)
    assert due == (stored[10],)


def test_a_summary_replaces_only_what_it_was_made_of(files: SessionFiles, tmp_path: Path) -> None:
    """Where somebody wrote another one meanwhile, that one stays."""
    assert files.write_summary("ana", "s", Summary("First.", "m1", 1), Summary())
    assert not files.write_summary("ana", "s", Summary("Late.", "m1", 1), Summary())
    mine = page(tmp_path, "users/ana/sessions/s~summary.md")
    mine.write_text(mine.read_text("utf-8").replace("First.", "Mine."), "utf-8")
    assert not files.write_summary("ana", "s", Summary("Late.", "m2", 2), Summary("First.", "m1", 1))
    assert files.summary("ana", "s").text == "Mine."


def test_t16_no_user_sees_another(files: SessionFiles, tmp_path: Path) -> None:
    """A user of any name, and nobody, has files of its own inside the memory and sees no other's."""
    everybody = [None, *HOSTILE]
    for owner in everybody:
        files.append(owner, "s", user(f"said by {owner!r}"))
        files.write_summary(owner, "s", Summary(f"About {owner!r}.", "m1", 1), Summary())
    for owner in everybody:
        assert [message.text for message in files.messages(owner, "s")] == [f"said by {owner!r}"]
        assert [(info.user, info.session) for info in files.sessions(owner)] == [(owner, "s")]
    assert len(list(tmp_path.rglob("*.md"))) == 2 * len(everybody)
    assert {file.relative_to(tmp_path).parts[0] for file in tmp_path.rglob("*")} == {"memory", ".memweave"}


def test_t16_deleting_reaches_nobody_else(files: SessionFiles) -> None:
    """What one user deletes, clears, strikes or withholds stays with all others whose names are alike."""
    alike = ["john_doe", "john-doe", "johnXdoe", None]
    for owner in alike:
        files.append(owner, "s", user("I like peanuts", "two"))
        files.write_summary(owner, "s", Summary("Likes peanuts.", "m1", 1), Summary())
    files.withhold("john_doe", "s", ["m2"])
    files.delete("john_doe", "s", ["m1"], keep_in=None)
    files.clear("john_doe", "s", keep_in=None)
    for owner in alike[1:]:
        read = files.transcript(owner, "s")
        assert (len(read.messages), read.withheld) == (2, frozenset())
        assert files.summary(owner, "s").text == "Likes peanuts."


def test_t16_sessions_of_any_name_are_apart(files: SessionFiles) -> None:
    """Each of a user's sessions holds its own messages and is listed under its own name, long ones too."""
    for name in HOSTILE:
        files.append("ana", name, user(name))
        files.write_summary("ana", name, Summary(f"About {name!r}.", "m1", 1), Summary())
    assert sorted(info.session for info in files.sessions("ana")) == sorted(HOSTILE)
    for name in HOSTILE:
        assert [message.text for message in files.messages("ana", name)] == [name]
        assert repr(name) in files.summary("ana", name).text
    assert files.sessions() == files.sessions("bob") == () and files.messages(None, "s") == ()


@pytest.mark.parametrize("memory", [".", "users", "sessions", ".notes"])
def test_t16_users_are_apart_wherever_the_memory_lies(tmp_path: Path, memory: str) -> None:
    """A memory folder that is called like one of ours, or is the workspace, changes nothing."""
    files = opened(tmp_path, memory)
    for owner in (None, "ana", "sessions", "users"):
        files.append(owner, "s", user(f"{owner}"))
    for owner in (None, "ana", "sessions", "users"):
        assert [message.text for message in files.messages(owner, "s")] == [f"{owner}"]
    store = MarkdownFiles(MemoryConfig(workspace_dir=str(tmp_path), memory_dir=memory))
    assert sorted(str(store.owner_of(key)) for key in store.scan()[0]) == ["None", "ana", "sessions", "users"]


@pytest.mark.parametrize("name", ["", "\ud800", "x%~" + "0" * 64])
def test_names_that_name_nothing_are_refused(files: SessionFiles, tmp_path: Path, name: str) -> None:
    """An empty name and one that is no text raise, for users and sessions, and nothing is made."""
    for owner, session in ((name, "s"), ("ana", name)):
        with pytest.raises(NameRefusedError):
            files.append(owner, session, user("one"))
        with pytest.raises(NameRefusedError):
            files.messages(owner, session)
    assert list(tmp_path.iterdir()) == []


def test_reading_makes_nothing(files: SessionFiles, tmp_path: Path) -> None:
    """A session nobody has spoken in is empty, and stays unmade."""
    assert files.messages("ana", "s") == () and files.summary("ana", "s") == Summary()
    assert files.append("ana", "s", []) == ()
    assert list(tmp_path.iterdir()) == []


def test_sessions_say_when_they_changed(files: SessionFiles) -> None:
    """Sessions are listed with size and time, those that changed last first, without summaries."""
    files.append("ana", "old", user("one"))
    files.append("ana", "new", user("one", "two"))
    files.write_summary("ana", "new", Summary("x", "m1", 1), Summary())
    new, old = files.sessions("ana")
    assert (new.session, old.session, new.user) == ("new", "old", "ana")
    assert new.size > old.size and new.changed >= old.changed and new.changed.tzinfo == dt.UTC


def test_a_file_that_is_no_text_is_not_spoilt(files: SessionFiles, tmp_path: Path) -> None:
    """Bytes that cannot be read raise, and stay."""
    page(tmp_path).parent.mkdir(parents=True)
    page(tmp_path).write_bytes(b"\0\1\2" * 50)
    with pytest.raises(StorageError):
        files.append("ana", "s", user("one"))
    assert page(tmp_path).read_bytes() == b"\0\1\2" * 50


def test_wherever_a_file_was_cut_it_goes_on(files: SessionFiles, tmp_path: Path) -> None:
    """A last message cut at any byte is gone or whole, and what is appended then is read with no problem."""
    files.append("ana", "s", user("one"))
    start = page(tmp_path).stat().st_size
    files.append("ana", "s", user("ñandú\n\nwith ```json memweave"))
    data = page(tmp_path).read_bytes()
    for end in range(start, len(data) + 1):
        page(tmp_path).write_bytes(data[:end])
        files.append("ana", "s", [Message("user", "three", "x")])
        read = files.transcript("ana", "s")
        assert [message.id for message in read.messages] in (["m1", "x"], ["m1", "m2", "x"]), end
        assert read.problems == () and read.messages == opened_again(files).messages("ana", "s")


@pytest.mark.parametrize("largest", ["m" + "9" * 18, "m" + "9" * 15, "m1000000000000000000"])
def test_a_long_number_in_an_id_costs_no_message(files: SessionFiles, largest: str) -> None:
    """After an id with a number of many digits each message still gets an id of its own."""
    files.append("ana", "s", [Message("user", "first", id=largest)])
    for text in ("second", "third"):
        files.append("ana", "s", [Message("user", text), Message("user", f"{text} too")])
    said = [message.text for message in files.messages("ana", "s")]
    assert said == ["first", "second", "second too", "third", "third too"]


def test_long_names(files: SessionFiles) -> None:
    """Users and sessions have names of up to a thousand characters; longer ones are refused alike."""
    longest, longer = "ñ" * 1_000, "ñ" * 1_001
    files.append(longest, longest, user("Hello"))
    assert [info.session for info in files.sessions(longest)] == [longest]
    for owner, session in ((longer, "s"), ("ana", longer), (None, longer)):
        with pytest.raises(NameRefusedError, match=r"1,001 characters.*1,000"):
            files.append(owner, session, user("Hello"))
