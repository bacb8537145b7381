"""What of a conversation may give facts, and which statements are no facts about a person.

Before a model is asked, everything that nobody said is taken out: system prompts and boot files, memories
that were put into the context, the output of programs, small talk. After it, statements about the
conversation, about the assistant, refusals and smuggled instructions are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..messages import Message, Role
from ..text.secrets import mask
from . import patterns

LONGEST_TOOL_TEXT = 1_200
"""Characters; a tool that says more has dumped something."""

LONGEST_TEXT = 6_000
"""Characters of one message that a model is shown; the middle of a longer one is left out."""

LONGEST_CONTEXT = 600
"""Characters of an assistant's message that a model is shown: it only explains what is answered to it."""

LONGEST_FACT = 500
"""Characters of one fact; more is a document."""

_TOOL_LINES = 25
_FENCED_LINES = 6
_DUMP_LINES = 10
_DUMP_SHARE = 0.6
_DOCUMENT_LINES, _DOCUMENT_HEADINGS = 15, 3
_SMALL_TALK_WORDS = 8


def _same(text: str) -> str:
    return text


def _never(text: str) -> bool:
    del text
    return False


@dataclass(frozen=True, slots=True)
class Guard:
    """How to tell what came out of the memory itself.

    `without_recall` gives a text without the blocks of recalled facts; `was_injected` says whether a
    sentence is one that was put into this session's context.
    """

    without_recall: Callable[[str], str] = _same
    was_injected: Callable[[str], bool] = _never


@dataclass(frozen=True, slots=True)
class Said:
    """What is left of one message. Only that of a user or a tool is evidence for a fact."""

    role: Role
    text: str
    id: str = ""

    @property
    def evidence(self) -> bool:
        return self.role in ("user", "tool")


def said(messages: Sequence[Message], guard: Guard | None = None) -> tuple[Said, ...]:
    """The messages a model may be asked about: cleaned, secrets masked, empty ones left out."""
    guard = guard or Guard()
    kept = []
    for message in messages:
        text = _cleaned(message, guard)
        if text:
            kept.append(Said(message.role, text, message.id))
    return tuple(kept)


def objection(fact: str, quote: str = "", guard: Guard | None = None) -> str:
    """Why a statement is not to be stored, in a few words; "" when nothing speaks against it."""
    guard = guard or Guard()
    plain = " ".join(fact.split())
    if len(re.findall(r"\w", plain)) < 3:
        return "too short"
    if len(plain) > LONGEST_FACT:
        return "too long"
    if patterns.INJECTION.search(plain) or patterns.INJECTION.search(quote):
        return "an instruction to the model"
    for pattern, reason in patterns.NOT_FACTS:
        if pattern.search(plain):
            return reason
    if small_talk(plain):
        return "small talk"
    if guard.was_injected(plain) or (quote and guard.was_injected(quote)):
        return "recalled, not said"
    if not re.search(r"\w{3}", re.sub(r"\[secret: [^\]]*\]", "", mask(plain).text)):
        return "a secret"
    return ""


def is_refusal(output: str) -> bool:
    """Whether a model's reply says that it will not or cannot do what was asked."""
    return bool(patterns.REFUSAL.match(output.lstrip()))


def small_talk(text: str) -> bool:
    """Whether a message holds nothing but greetings, thanks and agreement."""
    words = re.findall(r"[^\W\d_]+", text.casefold().replace("’", "").replace("'", ""))
    return (
        len(words) <= _SMALL_TALK_WORDS
        and all(word in patterns.SMALL_TALK for word in words)
        and not (re.search(r"\d", text))
    )


def _cleaned(message: Message, guard: Guard) -> str:
    if message.role == "system":
        return ""
    text = guard.without_recall(message.text).replace("\r\n", "\n").replace("\0", "")
    if message.role == "tool" and (len(text) > LONGEST_TOOL_TEXT or text.count("\n") >= _TOOL_LINES):
        return ""
    text = _without_blocks(text)
    if message.role == "user":
        text = _without_boot_file(_without_dumps(text))
    lines = (line for line in text.split("\n") if not (line.strip() and guard.was_injected(line.strip())))
    text = mask(neutral("\n".join(lines)).strip()).text
    if not text or (message.role != "assistant" and small_talk(text)):
        return ""
    return _shortened(text, LONGEST_CONTEXT if message.role == "assistant" else LONGEST_TEXT)


def neutral(text: str) -> str:
    """`text` with the tokens of chat templates broken, so that no model takes them for its own."""
    return patterns.TEMPLATE_TOKEN.sub(lambda found: f"{found[0][0]} {found[0][1:]}", text)


def _shortened(text: str, limit: int) -> str:
    half = limit // 2
    return text if len(text) <= limit else f"{text[:half]}\n[…]\n{text[-half:]}"


def _without_blocks(text: str) -> str:
    """Without what stands in tags that programs put around context; an open one reaches to the end."""
    parts, at = [], 0
    for tag in patterns.BLOCK_TAG.finditer(text):
        if tag.start() < at:
            continue
        close = text.casefold().find(f"</{tag[1].casefold()}", tag.end())
        parts.append(text[at : tag.start()])
        if close < 0:
            at = len(text)
            break
        end = text.find(">", close)
        at = end + 1 if end >= 0 else len(text)
    return "".join([*parts, text[at:]])


def _without_dumps(text: str) -> str:
    """Without long code blocks, tracebacks, and lines of logs where those are most of the message."""
    kept: list[str] = []
    block: list[str] | None = None
    fence = ""
    for line in text.split("\n"):
        mark = patterns.FENCE.match(line)
        if block is None and mark:
            block, fence = [line], mark[1]
        elif block is None:
            kept.append(line)
        else:
            block.append(line)
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                kept += block if len(block) - 2 < _FENCED_LINES else []
                block = None
    kept += block if block is not None and len(block) - 1 < _FENCED_LINES else []
    paragraphs = re.split(r"\n[ \t]*\n", "\n".join(kept))
    paragraphs = [part for part in paragraphs if not patterns.TRACEBACK.search(part)]
    lines = [line for part in paragraphs for line in (*part.split("\n"), "")]
    full = [line for line in lines if line.strip()]
    machine = [line for line in full if patterns.MACHINE_LINE.search(line[:300])]
    if len(full) >= _DUMP_LINES and len(machine) >= _DUMP_SHARE * len(full):
        lines = [line for line in lines if not patterns.MACHINE_LINE.search(line[:300])]
    return "\n".join(lines)


def _without_boot_file(text: str) -> str:
    """Without the instructions of an agent that were sent as if the user had said them."""
    lines = text.strip().split("\n")
    full = [line for line in lines if line.strip()]
    if not full:
        return ""
    if patterns.PERSONA.match(full[0]) and (len(full) >= 4 or len(text) >= 300):
        return ""
    headings = [line for line in full if patterns.HEADING.match(line)]
    if len(full) >= _DOCUMENT_LINES and len(headings) >= _DOCUMENT_HEADINGS:
        return ""
    for number, line in enumerate(lines):
        if patterns.BOOT_FILE.match(line[:300]) and sum(1 for x in lines[number + 1 :] if x.strip()) >= 2:
            return "\n".join(lines[:number])
    return text
