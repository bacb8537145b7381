"""Notes of a conversation in the note of the day."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Sequence
from pathlib import Path

import pytest

from memweave_core import ConfigError, MemoryConfig, ModelError
from memweave_core._errors import ModelInputError
from memweave_core.adapters.markdown.store import MarkdownFiles
from memweave_core.adapters.models.resolve import resolve_model
from memweave_core.conversation_config import FlushConfig
from memweave_core.messages import Message
from memweave_core.remembering.flushing import flush
from memweave_core.testing import ScriptedModel

TODAY = dt.date(2026, 3, 21)
TALK = [Message("user", "We decided to ship on Friday."), Message("assistant", "Noted.")]


class Notebook:
    """A workspace in which conversations are flushed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = MarkdownFiles(MemoryConfig(workspace_dir=str(root)))

    async def append(self, path: str, text: str) -> str:
        """As the engine appends to a page."""
        return await asyncio.to_thread(self.store.append, path, text)

    def flush(
        self,
        model: ScriptedModel | None,
        conversation: str | Sequence[Message] = TALK,
        settings: FlushConfig | None = None,
        instructions: str | None = None,
    ) -> str | None:
        """Flush a conversation with scripted replies."""
        return asyncio.run(
            flush(
                conversation,
                model=resolve_model(model),
                settings=settings or FlushConfig(),
                append=self.append,
                today=TODAY,
                instructions=instructions,
            )
        )

    @property
    def pages(self) -> dict[str, str]:
        """The pages of the memory by name."""
        return {path.name: path.read_text() for path in (self.root / "memory").glob("*.md")}


@pytest.fixture
def notebook(tmp_path: Path) -> Notebook:
    """An empty workspace."""
    return Notebook(tmp_path)


def test_notes_go_into_the_note_of_the_day(notebook: Notebook) -> None:
    """The notes are appended below what the day's page holds, are given back, and no other page changes."""
    (notebook.root / "memory").mkdir()
    (notebook.root / "memory" / "MEMORY.md").write_text("# Kept\n")
    (notebook.root / "memory" / "2026-03-21.md").write_text("- Rain\n")
    assert notebook.flush(ScriptedModel(["- Ships on Friday"])) == "- Ships on Friday"
    assert notebook.pages == {"MEMORY.md": "# Kept\n", "2026-03-21.md": "- Rain\n- Ships on Friday\n"}


@pytest.mark.parametrize("reply", ["NOTHING", "NO_REPLY", "<think>hm</think> nothing."])
def test_nothing_to_keep_writes_nothing(notebook: Notebook, reply: str) -> None:
    """When the model finds nothing to keep there is no page and the answer is None."""
    assert notebook.flush(ScriptedModel([reply])) is None
    assert notebook.pages == {}


@pytest.mark.parametrize("reply", ["NOTHING\n- Ships on Friday", "- Ships on Friday\n\nNO_REPLY"])
def test_a_sentinel_beside_notes_costs_none(notebook: Notebook, reply: str) -> None:
    """Notes that stand beside a sentinel are kept, without it."""
    assert notebook.flush(ScriptedModel([reply])) == "- Ships on Friday"


@pytest.mark.parametrize("bad", ["", "I'm sorry, but I can't help with that."])
def test_no_answer_is_asked_for_again(notebook: Notebook, bad: str) -> None:
    """After an empty reply or a refusal the model is asked a second time, with the same request."""
    model = ScriptedModel([bad, "- Ships on Friday"])
    assert notebook.flush(model) == "- Ships on Friday"
    assert len(set(model.prompts)) == 1 and len(model.prompts) == 2


def test_no_answer_twice_is_an_error(notebook: Notebook) -> None:
    """A model that twice gives no answer raises an error that says what to do, and nothing is written."""
    with pytest.raises(ModelError, match=r"'scripted' .*reply is empty.*flush\.model"):
        notebook.flush(ScriptedModel(["", " "]))
    assert notebook.pages == {}


def test_an_error_of_the_model_is_raised(notebook: Notebook) -> None:
    """An error of the model comes out as a `ModelError`, without a second call."""
    model = ScriptedModel([RuntimeError("down")])
    with pytest.raises(ModelError, match="down"):
        notebook.flush(model)
    assert (len(model.prompts), notebook.pages) == (1, {})


@pytest.mark.parametrize("conversation", ["", "  \n", [], [Message("assistant", "Hello!")]])
def test_without_words_of_anybody_no_model_is_asked(
    notebook: Notebook, conversation: str | list[Message]
) -> None:
    """Of a conversation in which nobody said anything there are no notes, and no call."""
    model = ScriptedModel([])
    assert notebook.flush(model, conversation) is None
    assert model.prompts == []


def test_secrets_are_masked_both_ways(notebook: Notebook) -> None:
    """A key is seen neither by the model nor in the page."""
    key = "ghp_" + "a1B2c3D4" * 5
    model = ScriptedModel([f"- The token is {key}, ships Friday"])
    notebook.flush(model, f"Ship on Friday with {key} please")
    assert key not in model.prompts[0] and key not in notebook.pages["2026-03-21.md"]
    assert "ships Friday" in notebook.pages["2026-03-21.md"]


def test_prose_begins_a_paragraph(notebook: Notebook) -> None:
    """A reply without bullets is kept as a paragraph of its own."""
    notebook.flush(ScriptedModel(["- One"]))
    notebook.flush(ScriptedModel(["We ship on Friday."]))
    assert notebook.pages["2026-03-21.md"] == "- One\n\nWe ship on Friday.\n"


def test_instructions(notebook: Notebook) -> None:
    """Instructions of the settings take the place of the built-in ones, those of a call that of both."""
    model = ScriptedModel(["NOTHING"] * 2)
    settings = FlushConfig(instructions="Only ports.")
    notebook.flush(model, settings=settings)
    notebook.flush(model, settings=settings, instructions="Only ships.")
    assert [request[0].text for request in model.requests] == ["Only ports.", "Only ships."]


def test_a_conversation_too_long_is_read_in_parts(notebook: Notebook) -> None:
    """When the model refuses a request for its length, either half is asked about and no note is lost."""
    talk = [Message("user", "We ship on Friday."), Message("user", "Ana brings the tea.")]
    model = ScriptedModel([ModelInputError("too long"), "- Friday", "- Tea"])
    assert notebook.flush(model, talk) == "- Friday\n- Tea"
    assert "Ana" not in model.prompts[1] and "Friday" not in model.prompts[2]


def test_one_message_too_long_is_an_error(notebook: Notebook) -> None:
    """One message that is too long for the model raises the model's error."""
    with pytest.raises(ModelInputError):
        notebook.flush(ScriptedModel([ModelInputError("too long")]), "We ship on Friday.")


@pytest.mark.parametrize(
    ("settings", "said"),
    [(FlushConfig(), r'flush\.model.*pip install "memweave-core\[litellm\]"'),
     (FlushConfig(enabled=False), r"flush\.enabled")],
)  # fmt: skip
def test_what_is_missing_is_named(notebook: Notebook, settings: FlushConfig, said: str) -> None:
    """Without a model, and when flushing is off, the error names the setting."""
    with pytest.raises(ConfigError, match=said):
        notebook.flush(None, settings=settings)
