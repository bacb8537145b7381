"""Deleting from conversations: everywhere, nothing else, and not brought back by work under way."""

from __future__ import annotations

from pathlib import Path

import pytest

from memweave_core._errors import UsageError
from memweave_core.adapters.markdown.store import MarkdownFiles
from memweave_core.config import MemoryConfig
from memweave_core.conversation.summary import Summary
from memweave_core.conversation.transcript import parse
from memweave_core.messages import Message
from memweave_core.remembering.sessions import SessionFiles
from memweave_core.testing.fakes import FakeClock

SUMMARY = Summary("She lives in Lisbon. She is allergic to peanuts.", "m3", 3)


@pytest.fixture
def files(tmp_path: Path) -> SessionFiles:
    """A session of three messages, all of them summarised, and a fourth."""
    made = SessionFiles(MarkdownFiles(MemoryConfig(workspace_dir=str(tmp_path))), FakeClock())
    texts = ("I live in Lisbon.", "I am allergic to peanuts.", "What is new?", "Bye.")
    made.append("ana", "s", [Message("user", text) for text in texts])
    made.write_summary("ana", "s", SUMMARY, Summary())
    return made


def page(files: SessionFiles) -> Path:
    """The transcript."""
    return files.trash.parents[1] / "memory/users/ana/sessions/s.md"


def test_t17_a_deleted_message_is_nowhere(files: SessionFiles) -> None:
    """It is gone from the file, the messages and the summary, and every byte of the others is as before."""
    before = page(files).read_bytes()
    (gone,) = files.delete("ana", "s", ["m2", "unknown"], keep_in=None)
    piece = b"\n**user** \xc2\xb7 2026-03-21 12:00:00+00:00 {#m2}\n\nI am allergic to peanuts.\n\n<!--/-->\n"
    assert gone.text == "I am allergic to peanuts." and page(files).read_bytes() == before.replace(piece, b"")
    assert [message.id for message in files.messages("ana", "s")] == ["m1", "m3", "m4"]
    assert files.summary("ana", "s") == Summary("She lives in Lisbon.", "m3", 2)
    assert not any(b"peanuts" in file.read_bytes() for file in files.trash.parents[1].rglob("*.md"))


def test_a_copy_is_kept_where_told(files: SessionFiles) -> None:
    """What was taken out lies in the trash as a transcript of its own."""
    gone = files.delete("ana", "s", ["m1", "m4"], keep_in=files.trash)
    (kept,) = files.trash.glob("*-s.md")
    read = parse(kept.read_text("utf-8"))
    assert (read.messages, read.session, read.user) == (gone, "s", "ana")


def test_a_copy_that_cannot_be_kept_prevents_the_deletion(files: SessionFiles) -> None:
    """Without its copy the message stays in the transcript."""
    files.trash.parent.joinpath("trash").write_text("a file in the way")
    with pytest.raises(Exception, match="could not be kept"):
        files.delete("ana", "s", ["m2"], keep_in=files.trash)
    assert len(files.messages("ana", "s")) == 4


def test_ids_of_deleted_messages_are_not_given_again(files: SessionFiles) -> None:
    """The message after a deleted last one has a new id, so no summary takes it for an old one."""
    files.delete("ana", "s", ["m3", "m4"], keep_in=None)
    (new,) = files.append("ana", "s", [Message("user", "Another")])
    assert new.id == "m5" and files.summary("ana", "s").until == "m2"


def test_deleting_what_is_not_there_changes_nothing(files: SessionFiles) -> None:
    """Unknown ids, and a session that is not there, are passed over."""
    before = page(files).stat()
    assert files.delete("ana", "s", ["m9"], keep_in=files.trash) == ()
    assert files.delete("bob", "s", ["m1"], keep_in=files.trash) == ()
    assert page(files).stat() == before and not files.trash.exists()


def test_t17_a_summary_under_way_does_not_bring_it_back(files: SessionFiles) -> None:
    """A summary made of messages of which one was deleted or withheld since is not written."""
    old, used = files.summary("ana", "s"), files.messages("ana", "s")
    new = Summary("She says bye and has an allergy.", "m4", 4)
    files.withhold("ana", "s", ["m4"])
    assert not files.write_summary("ana", "s", new, old, used[3:])
    files.withhold("ana", "s", [])
    files.delete("ana", "s", ["m4"], keep_in=None)
    assert files.summary("ana", "s") == old and not files.write_summary("ana", "s", new, old, used[3:])
    assert files.write_summary("ana", "s", new, old, used[:1])


def test_an_interrupted_deletion_can_be_repeated(
    files: SessionFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it breaks off the message is withheld or gone, and the next attempt completes it."""
    with monkeypatch.context() as broken:
        broken.setattr("memweave_core.remembering.sessions.without", lambda text, ids: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            files.delete("ana", "s", ["m2"], keep_in=None)
    assert files.transcript("ana", "s").withheld == {"m2"}
    assert [message.id for message in files.delete("ana", "s", ["m2"], keep_in=None)] == ["m2"]
    assert files.transcript("ana", "s").withheld == frozenset()
    assert "peanuts" not in files.summary("ana", "s").text


def test_withheld_messages_are_named_in_the_file(files: SessionFiles) -> None:
    """Withholding lasts, adds up, names only messages that are there, and leaves them readable."""
    files.withhold("ana", "s", ["m2", "nobody"])
    files.withhold("ana", "s", ["m1", "m2"])
    files.append("ana", "s", [Message("user", "more")])
    read = files.transcript("ana", "s")
    assert read.withheld == {"m1", "m2"} and len(read.messages) == 5
    assert "withheld:" in page(files).read_text("utf-8")


def test_front_matter_broken_by_hand_is_not_rewritten(files: SessionFiles) -> None:
    """Withholding and deleting then raise, say so, and change nothing."""
    page(files).write_text(page(files).read_text("utf-8").replace("user: ana", "user: [ana"), "utf-8")
    before = page(files).read_bytes()
    for take in (
        lambda: files.withhold("ana", "s", ["m1"]),
        lambda: files.delete("ana", "s", ["m1"], keep_in=None),
    ):
        with pytest.raises(UsageError, match="mend it by hand"):
            take()
    assert page(files).read_bytes() == before and files.summary("ana", "s") == SUMMARY


def test_striking_takes_sentences_out_of_one_summary(files: SessionFiles) -> None:
    """What was struck is named; nothing to strike, or no summary, changes nothing."""
    assert files.strike("ana", "s", "Allergic to peanuts") == ("She is allergic to peanuts.",)
    assert files.strike("ana", "s", "Allergic to peanuts") == files.strike("ana", "other", "x") == ()
    assert files.summary("ana", "s").text == "She lives in Lisbon."


def test_clearing_moves_both_files(files: SessionFiles) -> None:
    """Transcript and summary go into the trash, whole, and the session begins anew."""
    before = page(files).read_bytes()
    assert files.clear("ana", "s", keep_in=files.trash) and not files.clear("ana", "s", keep_in=None)
    (kept,) = files.trash.glob("*-s.md")
    assert kept.read_bytes() == before and len(list(files.trash.glob("*-s~summary.md"))) == 1
    assert files.messages("ana", "s") == () and files.summary("ana", "s") == Summary()
    assert files.append("ana", "s", [Message("user", "Again")])[0].id == "m1"
