"""What the index takes of a page."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memweave_core.facts.bullets import parse
from memweave_core.text.passages import BEFORE_CHARS, embed_hash, passages
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


def _facts(text: str, path: str = "memory/users/ana/facts.md", owner: str | None = "ana") -> Page:
    meta = PageMeta(path=path, source="users", title="Facts", owner=owner)
    return Page(meta, text, FileStamp(0, 0, 0), "hash")


def test_each_fact_is_a_passage() -> None:
    """On a page of facts every bullet that holds now is one chunk, embedded as what it says alone."""
    text = "# Facts\n\nProse.\n\n- Likes tea {#f1 importance=4}\n- Bare\n  goes on\n"
    text += "- Also &#38;#10; x {#f2}\n- Over {#f3 until=2026-01-01}\n## Earlier\n- Old {#f4}\n"
    made = passages(_facts(text), tokens=400, overlap=80)
    assert [one.embed_text for one in made] == [
        "# Facts\n\nProse.",
        "Likes tea",
        "Bare goes on",
        "Also &#10; x",
    ]
    assert [(one.chunk.start_line, one.chunk.end_line) for one in made] == [(1, 3), (5, 5), (6, 7), (8, 8)]
    assert [one.chunk.heading for one in made[1:]] == ["Facts", "Facts", "Facts"]
    assert [one.embed_hash for one in made] == [embed_hash(one.embed_text) for one in made]


def test_a_huge_fact_is_cut() -> None:
    """A fact that fits no chunk is several, with all of its words and none too large."""
    made = passages(_facts(f"- Short\n- {'word ' * 3000}{{#f1}}\n"), tokens=100, overlap=20)
    assert max(one.chunk.tokens for one in made) <= 100
    assert "".join(one.chunk.text for one in made).count("word") == 3000


def test_only_files_of_facts_are_cut_so() -> None:
    """A page of another name, place or without an owner is cut as any other page."""
    text = "- One\n- Two\n"
    for path, owner in [("memory/facts.md", None), ("memory/users/ana/x/facts.md", "ana"), ("a/b.md", "ana")]:
        assert len(passages(_facts(text, path, owner), tokens=400, overlap=80)) == 1
    assert len(passages(_facts(text), tokens=400, overlap=80)) == 2


@given(st.text(alphabet=st.sampled_from("-*#`> \n\r\t{}=a1.<!"), max_size=80))
def test_the_index_sees_the_facts_that_are_read(text: str) -> None:
    """Whatever a file holds, what is embedded are the texts of the facts that are read from it."""
    made = passages(_facts(text), tokens=400, overlap=80)
    known = [entry.fact.text for entry in parse(text).entries]
    embedded = [one.embed_text for one in made]
    assert [fact for fact in known if fact not in embedded] == []
