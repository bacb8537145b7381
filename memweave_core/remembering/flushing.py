"""Durable notes of a conversation into the note of the day, before the conversation is forgotten."""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable, Sequence

from .._errors import ConfigError, ModelError, ModelInputError
from ..adapters.models.checked import CheckedModel
from ..conversation_config import FlushConfig
from ..facts import flushing as notes
from ..messages import Message

_OFF = "Flushing is switched off; set flush.enabled to true to make notes of a conversation."
_NO_MODEL = (
    "Flushing needs a language model and none is named. Set llm.model or flush.model, for example to "
    "'openai/gpt-4o-mini' (pip install \"memweave-core[litellm]\"), or give the memory a model of your own."
)


async def flush(
    conversation: str | Sequence[Message],
    *,
    model: CheckedModel | None,
    settings: FlushConfig,
    append: Callable[[str, str], Awaitable[str]],
    today: dt.date,
    instructions: str | None = None,
) -> str | None:
    """Ask `model` what of a conversation will matter later, and append that to ``memory/<today>.md``.

    Gives the Markdown that was appended, None when there was nothing to keep. Secrets are masked before the
    model sees them and again in what it replies. A reply that is no answer is asked for once more. A
    conversation too long for the model is read in parts. `append` takes the name of a page and the text.

    Raises `ConfigError` when flushing is off or there is no model, `ModelError` when the model fails or gives
    no answer twice; then nothing has been written.
    """
    if not settings.enabled:
        raise ConfigError(_OFF)
    if model is None:
        raise ConfigError(_NO_MODEL)
    messages = [Message("user", conversation)] if isinstance(conversation, str) else list(conversation)
    text = await _noted(model, messages, instructions or settings.instructions)
    if text is not None:
        # Bullets go on with a list that is there; a sentence would become part of its last bullet.
        await append(f"{today.isoformat()}.md", text if text.startswith(("- ", "* ")) else f"\n{text}")
    return text


async def _noted(model: CheckedModel, messages: Sequence[Message], instructions: str | None) -> str | None:
    """The notes of messages; of more than the model can take at once, those of either half."""
    asked = notes.prompt(messages, instructions=instructions)
    if not asked:
        return None
    try:
        return await _answered(model, asked)
    except ModelInputError:
        if len(messages) < 2:
            raise
    middle = len(messages) // 2
    parts = [await _noted(model, half, instructions) for half in (messages[:middle], messages[middle:])]
    return "\n".join(part for part in parts if part is not None) or None


async def _answered(model: CheckedModel, asked: Sequence[Message]) -> str | None:
    """The notes in the model's reply, or in its second when the first was none."""
    problem = ""
    for _ in range(2):
        found = notes.read(await model.complete(asked))
        if not found.problem:
            return found.text
        problem = found.problem
    raise ModelError(
        f"Language model {model.identity!r} gave no notes of the conversation in two replies. {problem} "
        "Nothing was written: flush again later, or name another model in flush.model."
    )
