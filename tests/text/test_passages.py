"""What the index takes of a page."""

from __future__ import annotations

from memweave_core.text.passages import BEFORE_CHARS, passages
from memweave_core.types import FileStamp, Page, PageMeta


def _page(text: str, path: str = "memory/sessions/one.md") -> Page:
    meta = PageMeta(path=path, source="sessions", title="Talk")
    return Page(meta, text, FileStamp(0, 0, 0), "hash")


def test_a_message_is_embedded_with_the_one_before_it() -> None:
    """What is embedded of a message holds the end of the one before; what is shown and searched does not."""
    text = f"Ana: {'x' * 500} in June?\n\nBo: Yes.\n\nAna: Good.\n\nBo: Fine."
    first, second, *_ = passages(_page(text), tokens=400, overlap=80)
    assert "Yes." not in first.embed_text
    assert second.chunk.text == "Bo: Yes." and second.embed_text.endswith("in June?\nBo: Yes.")
    assert len(second.embed_text) <= BEFORE_CHARS + len("Talk\n\nBo: Yes.")


def test_other_pages_are_embedded_chunk_by_chunk() -> None:
    """Outside conversations the text to embed is the headings and the chunk alone."""
    made = passages(_page("# One\n\nFirst.\n\n# Two\n\nSecond."), tokens=400, overlap=80)
    assert [passage.embed_text for passage in made] == ["Talk\n# One\n\nFirst.", "Talk\n# Two\n\nSecond."]
