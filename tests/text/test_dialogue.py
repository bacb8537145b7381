"""Conversations written down in Markdown, and the chunks made of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memweave_core.text.blocks import lines_of
from memweave_core.text.chunker import chunk
from memweave_core.text.dialogue import message_lines

DIALOGUES = {
    "bold": "**Ana:** hi\n\n**Bo:** ho\n\n**Ana:** he\n\n**Bo:** hu",
    "colon outside": "**Ana**: hi\n\n**Bo**: ho\n\n**Ana**: he\n\n**Bo**: hu",
    "times": "[10:32] Ana: hi\n\n[10:33] Bo: ho\n\n[10:33] Ana: he\n\n[10:34] Bo: hu",
    "time after": "**Ana** (10:32): hi\n\n**Bo** (10:33): ho\n\n**Ana** (10:33): he\n\n**Bo** (10:34): hu",
    "one paragraph": "Ana: hi\nBo: ho\nAna: he\nBo: hu",
    "list": "- **Ana**: hi\n- **Bo**: ho\n- **Ana**: he\n- **Bo**: hu",
    "quotes": "> Ana: hi\n\n> Bo: ho\n\n> Ana: he\n\n> Bo: hu",
    "own line": "**u** · 2026-03-21 10:32 {#1}\n\nhi\n\n**m** · now {#2}\n\nho\n\n"
    "**u** · 2026 {#3}\n\nhe\n\n**m** · 2026 {#4}\n\nhu",
    "Chinese": "\u5c0f\u660e\uff1a \u4f60\u597d\n\n\u5c0f\u7ea2\uff1a \u597d\n\n"
    "\u5c0f\u660e\uff1a \u6211\n\n\u5c0f\u7ea2\uff1a \u5bf9",
    "Chinese without spaces": "小明：你好\n小红：你好啊\n小明：明天去哪儿？\n小红：去公园。",
    "Japanese without spaces": "田中:おはよう\n佐藤:おはよう\n田中:元気？\n佐藤:はい",
}
OTHERS = {
    "Chinese definitions": "状态：已接受\n\n日期：三月\n\n作者：小明\n\n预算：三万",
    "Chinese sentences": "我们昨天下午一起讨论的问题：预算。\n" * 4,
    "addresses": "https://a\nhttps://b\nhttps://c\nhttps://d",
    "definitions": "**Status:** a\n\n**Date:** b\n\n**Owner:** c\n\n**Scope:** d",
    "keys": "name: a\nsize: b\nname: c\nsize: d",
    "too few": "Ana: hi\n\nBo: ho",
    "notes in prose": "\n\n".join(["Some text."] * 20 + ["Note: this."] * 4),
    "code": "```\nexport: a\nexport: b\nexport: c\nexport: d\n```",
}


@pytest.mark.parametrize("text", DIALOGUES.values(), ids=DIALOGUES)
def test_each_message_is_a_chunk(text: str) -> None:
    """However speakers are marked, every message of a conversation is a chunk of its own."""
    chunks = chunk(text, messages=message_lines(lines_of(text)))
    assert len(chunks) == 4


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_other_labels_are_no_messages(text: str) -> None:
    """Definitions, settings, code and a few notes in prose are no conversation."""
    assert message_lines(lines_of(text)) == frozenset()


def test_a_message_keeps_its_paragraphs() -> None:
    """What stands below a speaker up to the next one is one message, whatever blocks it has."""
    said = "**user:** Plan it.\n\n**assistant:** Yes:\n\n- one\n- two\n\n```\ncode\n```"
    said += "\n\n**user:** Good.\n\n**assistant:** So."
    chunks = chunk(said, messages=message_lines(lines_of(said)))
    assert [piece.text for piece in chunks] == [
        "**user:** Plan it.", "**assistant:** Yes:\n\n- one\n- two\n\n```\ncode\n```",
        "**user:** Good.", "**assistant:** So.",
    ]  # fmt: skip


def test_a_long_message_is_cut_within_the_budget() -> None:
    """A message that is longer than a chunk becomes several, and the next one begins anew."""
    said = f"Ana: {'Long words here. ' * 200}\n\nBo: ho\n\nAna: he\n\nBo: hu"
    chunks = chunk(said, tokens=100, overlap=0, messages=message_lines(lines_of(said)))
    assert len(chunks) > 6 and all(piece.tokens <= 100 for piece in chunks)
    assert [piece.text for piece in chunks[-3:]] == ["Bo: ho", "Ana: he", "Bo: hu"]


@given(
    st.lists(st.sampled_from(["Ana: hi", "**Bo**: ho", "- **Ana:** x", "text", "", "# H", "> q", "    code"]))
)
def test_cutting_at_messages_loses_nothing(lines: list[str]) -> None:
    """Every line that holds text stands in some chunk, and chunks keep the order of the page."""
    text = "\n".join(lines)
    chunks = chunk(text, messages=message_lines(lines_of(text)))
    covered = {number for piece in chunks for number in range(piece.start_line - 1, piece.end_line)}
    assert {number for number, line in enumerate(lines) if line.strip()} <= covered
    assert [piece.start_line for piece in chunks] == sorted(piece.start_line for piece in chunks)


@given(st.text(alphabet="Ab:*\uff1a {}#[]()\n·1", max_size=300))
def test_any_text_can_be_asked(text: str) -> None:
    """Finding messages never fails, and names only lines that exist."""
    lines = lines_of(text)
    assert all(0 <= number < len(lines) for number in message_lines(lines))
