"""How pages are cut into chunks."""

import time
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core._errors import ConfigError
from memweave_core.text.blocks import scan
from memweave_core.text.chunker import chunk
from memweave_core.text.tokens import estimate_tokens
from memweave_core.types import Chunk

SENTENCE = "We moved the billing service to a pool of sixteen connections after the review. "
PARAGRAPH = SENTENCE * 18
BUDGET = 40


def texts(chunks: Sequence[Chunk]) -> list[str]:
    return [one.text for one in chunks]


def test_a_small_page_is_one_chunk_with_its_heading() -> None:
    """Heading and text below it stand together, and the chunk knows its lines and heading path."""
    (only,) = chunk("# Guide\n\nPick a name.\nThen start.\n")
    assert only == Chunk(0, 1, 4, "# Guide\n\nPick a name.\nThen start.", "Guide", only.tokens)
    assert only.tokens == estimate_tokens(only.text)


@pytest.mark.parametrize("text", ["", "\n", "  \n\t\n", "\ufeff", "\r\n\r\n", "\u3000\n"])
def test_a_blank_page_has_no_chunks(text: str) -> None:
    """Nothing but white space is nothing to index."""
    assert chunk(text) == []


def test_each_section_has_its_heading_path() -> None:
    """The path names all headings above, of both kinds, without inline markup."""
    page = "Intro\n\nTitle\n=====\na\n\n## **Use** `it`\nb\n\nDeep [one](http://x)\n---\nc\n\n"
    page += "### [[page|Shown]] ##\nd\n# End {#end}\ne"
    assert [one.heading for one in chunk(page)] == [
        "", "Title", "Title > Use it", "Title > Deep one", "Title > Deep one > Shown", "End",
    ]  # fmt: skip


def test_sections_are_kept_apart() -> None:
    """Small neighbouring sections are not merged: each can be found and cited by itself."""
    assert texts(chunk("## A\nx\n\n## B\ny")) == ["## A\nx", "## B\ny"]


def test_headings_without_text_join_what_follows() -> None:
    """A heading with nothing of its own goes with the next section, and is alone only at the end."""
    chunks = chunk("# T\n\n## Empty\n\n## Full\n\ntext\n\n## Last")
    assert texts(chunks) == ["# T\n\n## Empty\n\n## Full\n\ntext", "## Last"]
    assert [one.heading for one in chunks] == ["T > Full", "T > Last"]


def test_empty_headings_at_the_end_share_a_chunk() -> None:
    """Headings that no text follows are one chunk under the heading they have in common."""
    (only,) = chunk("# T\n## A\n## B\n")
    assert (only.text, only.heading) == ("# T\n## A\n## B", "T")


@pytest.mark.parametrize("mark", ["```", "~~~~", "`````"])
def test_a_fence_that_fits_is_never_cut(mark: str) -> None:
    """A code fence with blank lines, headings and shorter fences inside it stays in one chunk."""
    fence = f"{mark}md\n# not a heading\n\n~~~\n\n- not a list\n{mark}"
    chunks = chunk(f"# T\n\n{PARAGRAPH}\n\n{fence}\n\n{PARAGRAPH}", tokens=300, overlap=40)
    assert sum(fence in one.text for one in chunks) >= 1
    assert all(one.text.count(f"{mark}md") == one.text.count("# not a heading") for one in chunks)
    assert {one.heading for one in chunks} == {"T"}


def test_an_unclosed_fence_runs_to_the_end() -> None:
    """What looks like a heading after a fence that nobody closed is code."""
    chunks = chunk("# T\n\n```\ncode\n\n# more\n")
    assert texts(chunks) == ["# T\n\n```\ncode\n\n# more"]


BLOCKS = {
    "bullet": "- a bullet that goes on\n  in a line\n\n  and a second paragraph\n  - with a nested item",
    "ordered": "1. a step\n\n   ```\n   # code in it\n\n   - x\n   ```",
    "table": "| name | value |\n| ---- | ----- |\n| a | 1 |\n| b | 2 |",
    "quote": "> a quote\n> of three\nlazy lines",
    "comment": "<!-- a comment\n\n# not a heading\n\n-->",
    "indented code": "    code\n\n    # more code",
}


@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS.keys())
@pytest.mark.parametrize("before", range(5, 80, 7))
def test_a_block_that_fits_is_never_cut(block: str, before: int) -> None:
    """Wherever the budget ends, an item, table, quote, comment or code block is in one chunk."""
    filler = "\n\n".join(["word " * before] * 2)
    chunks = chunk(f"{filler}\n\n{block}\n\n{filler}", tokens=60, overlap=10)
    assert any(block in one.text for one in chunks)


def test_a_list_is_cut_between_items_at_the_highest_level_that_fits() -> None:
    """An item too large for a chunk is cut between the items nested in it, which stay whole."""
    inner = [f"  - point {k}\n    - its reason is written out here at some length" for k in range(12)]
    chunks = chunk("- parent\n" + "\n".join(inner), tokens=BUDGET, overlap=0)
    assert len(chunks) > 3
    assert all(any(one in text for text in texts(chunks)) for one in inner)


FACT = (
    "- Prefers Python to JavaScript {#f3a9c1 importance=4 seen=2 updated=2026-04-01 from=session:ana-1#m12}"
)


def test_a_fact_is_a_chunk_of_its_own() -> None:
    """A bullet that ends in attributes shares its chunk with its continuation lines and its heading only."""
    page = (
        f"# Facts\n\n{FACT}\n- Lives in Rome {{#b}}\n  since 2020\n- bare\n- also bare\n- Likes tea {{#c}}\n"
    )
    chunks = chunk(page)
    assert texts(chunks) == [
        f"# Facts\n\n{FACT}", "- Lives in Rome {#b}\n  since 2020", "- bare\n- also bare", "- Likes tea {#c}",
    ]  # fmt: skip
    assert [one.start_line for one in chunks] == [1, 4, 6, 8]


def test_a_fact_nested_in_a_bullet_is_a_chunk_of_its_own() -> None:
    """Facts are found at any depth of a list."""
    assert texts(chunk("- about Ana\n  - likes tea {#a}\n  - lives in Rome {#b}\n  - bare\n- next")) == [
        "- about Ana", "  - likes tea {#a}", "  - lives in Rome {#b}", "  - bare\n- next",
    ]  # fmt: skip


def test_a_fact_too_long_for_a_chunk_is_cut_but_shares_none() -> None:
    """All parts of an overlong fact are chunks without other bullets."""
    chunks = chunk(f"- before\n- {SENTENCE * 40}{{#a}}\n- after")
    assert (chunks[0].text, chunks[-1].text) == ("- before", "- after")
    assert len(chunks) > 3 and all(one.start_line == one.end_line == 2 for one in chunks[1:-1])


def test_long_paragraphs_do_not_repeat_as_subsets() -> None:
    """Long one-line paragraphs give chunks within the budget, none twice, and little text is repeated."""
    page = "\n\n".join([PARAGRAPH.strip()] * 6)
    chunks = chunk(page)
    assert all(one.tokens <= 400 for one in chunks)
    spans = [(one.start_line, one.end_line, one.text) for one in chunks]
    assert len(set(spans)) == len(spans)
    assert sum(map(len, texts(chunks))) < 1.4 * len(page)


@pytest.mark.parametrize(
    "line",
    ["x" * 20_000, "字" * 20_000, "🙂" * 5_000, "e\u0301" * 8_000, "QUJD" * 5_000, "0123456789," * 2_000],
    ids=["letters", "chinese", "emoji", "combining", "base64", "digits"],
)
def test_a_line_without_spaces_is_cut_by_the_estimate(line: str) -> None:
    """Every part is within the budget, on the one line there is, and together they are the line."""
    chunks = chunk("\n" + line, overlap=0)
    assert "".join(texts(chunks)) == line
    assert all(estimate_tokens(one.text) <= 400 and one.start_line == one.end_line == 2 for one in chunks)
    assert all(one.tokens > 300 for one in chunks[:-1])


def test_long_lines_are_cut_at_sentences() -> None:
    """A long line with sentences is cut after one, in Latin and Chinese script."""
    assert all(text.endswith("review.") for text in texts(chunk((SENTENCE * 100).strip())))
    assert all(text.endswith("。") for text in texts(chunk("今天下午三点开项目评审会议。" * 200)))


def test_long_code_is_cut_between_lines() -> None:
    """Code that does not fit is cut between lines, and indents are kept."""
    code = [f"    value_{k} = compute({k})" for k in range(300)]
    chunks = chunk("```\n" + "\n".join(code) + "\n```", tokens=100)
    assert all(line in code or line == "```" for text in texts(chunks) for line in text.split("\n"))


def test_overlap_is_whole_sentences_of_the_same_section() -> None:
    """A chunk begins with the last sentences of the one before it, if that is of the same section."""
    chunks = chunk(f"# A\n\n{SENTENCE * 60}\n\n# B\n\n{SENTENCE * 3}", tokens=200, overlap=50)
    firsts = [one for one in chunks if one.heading == "A"][1:]
    assert all(one.text.startswith("We moved") for one in firsts)
    assert sum(one.text.count("review.") for one in chunks if one.heading == "A") > 60
    assert chunks[-1].text.count("review.") == 3


def test_overlap_is_whole_blocks() -> None:
    """Bullets are repeated whole, as many as fit in the overlap."""
    chunks = chunk("\n".join(f"- bullet number {k} of the list" for k in range(40)), tokens=80, overlap=20)
    for before, after in pairwise(chunks):
        shared = before.end_line - after.start_line + 1
        assert 1 <= shared <= 2
        assert before.text.endswith("\n".join(after.text.split("\n")[:shared]))


def test_no_overlap_when_none_is_asked() -> None:
    """With an overlap of 0 no line stands in two chunks."""
    chunks = chunk("\n".join(f"- bullet {k}" for k in range(200)), tokens=50, overlap=0)
    assert [one.start_line for one in chunks[1:]] == [one.end_line + 1 for one in chunks[:-1]]


def test_text_under_a_heading_is_cut_rather_than_parted_from_it() -> None:
    """A paragraph that fills the budget by itself still begins in the chunk of its heading."""
    paragraph = " ".join(f"word{k}" for k in range(400))
    while estimate_tokens(paragraph) > 100:
        paragraph = paragraph.rpartition(" ")[0]
    first = chunk(f"# Heading\n\n{paragraph}", tokens=100)[0]
    assert first.text.startswith("# Heading\n\nword0")


def test_front_matter_lines_are_skipped_and_counted() -> None:
    """Skipped lines are in no chunk, but line numbers are those of the file."""
    (only,) = chunk("---\ntitle: x\n---\n# H\ntext", skip_lines=3)
    assert (only.start_line, only.end_line, only.text) == (4, 5, "# H\ntext")
    (only,) = chunk("# H\ntext", first_line=4)
    assert (only.start_line, only.end_line) == (4, 5)


@pytest.mark.parametrize(("tokens", "overlap"), [(15, 0), (0, 0), (100, 100), (100, -1)])
def test_an_impossible_size_is_refused(tokens: int, overlap: int) -> None:
    """A budget too small for any sentence, or an overlap as large as the budget, is an error."""
    with pytest.raises(ConfigError):
        chunk("text", tokens=tokens, overlap=overlap)


HOSTILE = {
    "one character": "a" * 1_000_000,
    "spaces": " " * 1_000_000 + "x",
    "pipes": "|" * 500_000 + "\n" + "|-" * 250_000,
    "markers": "- " * 300_000,
    "quotes": "> " * 300_000,
    "hashes": "#" * 500_000,
    "brackets": "# " + "[[" * 300_000,
    "braces": "- " + "{#" * 300_000 + "}",
    "deep list": "\n".join("  " * k + "- x" for k in range(800)),
    "fence in fence": "```\n" + "`" * 500_000,
    "comments": "<!--" * 100_000,
    "tables": "| a |\n|-|\n" * 20_000,
    "blank lines": "x" + "\n" * 500_000 + "y",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_pages_are_cut_in_linear_time(text: str) -> None:
    """A megabyte of anything takes a moment, and the budget holds."""
    started = time.process_time()
    chunks = chunk(text)
    assert time.process_time() - started < 10
    assert chunks and all(estimate_tokens(one.text) <= 400 for one in chunks)


SOURCE = (
    "# A¦## B¦### C¦Title¦===¦---¦```¦```py¦~~~¦````¦> quote¦> ```¦- a¦  - b¦    - c¦1. x¦2. y¦"
    "   more text¦  more¦¦¦¦    code¦\tcode¦<!-- c -->¦<!--¦-->¦| a | b |¦| - | - |¦- fact {#a1}¦"
    "  - fact {#b2}¦plain words here¦a sentence. And one more! Yes?¦会议记录。 数据库连接池。¦"
    "* * *¦#tag¦-¦+ ¦　x"
)
LONG = ["word " * 30, "- " + "item words " * 12]
LINE = st.sampled_from([*SOURCE.split("¦"), *LONG])
PAGE = st.lists(LINE, max_size=40)
SIZE = st.tuples(st.integers(16, 80), st.integers(0, 15))


@given(PAGE, SIZE, st.sampled_from([0, 0, 3]))
@settings(max_examples=150, deadline=None)
def test_invariants(lines: list[str], size: tuple[int, int], skip: int) -> None:
    """Budget, ordinals, exact lines, full coverage, and no chunk inside another hold for any page."""
    chunks = chunk("\n".join(lines), tokens=size[0], overlap=size[1], skip_lines=skip)
    assert [one.ordinal for one in chunks] == list(range(len(chunks)))
    covered: dict[int, str] = {}
    for one in chunks:
        assert one.tokens == estimate_tokens(one.text) <= size[0]
        assert skip < one.start_line <= one.end_line <= len(lines)
        parts = one.text.split("\n")
        assert len(parts) == one.end_line - one.start_line + 1
        assert one.text in "\n".join(lines[one.start_line - 1 : one.end_line])
        assert parts[0].strip() and parts[-1].strip()
        for k, part in enumerate(parts):
            covered[one.start_line + k] = covered.get(one.start_line + k, "") + " " + part
    for number, line in enumerate(lines[skip:], skip + 1):
        assert Counter("".join(line.split())) <= Counter(covered.get(number, ""))


@given(PAGE, SIZE)
@settings(max_examples=150, deadline=None)
def test_no_block_that_fits_is_cut(lines: list[str], size: tuple[int, int]) -> None:
    """Code, items, tables, quotes and comments within the budget each stand whole in some chunk."""
    chunks = chunk("\n".join(lines), tokens=size[0], overlap=size[1])
    for block in scan(lines):
        whole = "\n".join(lines[block.start : block.end])
        if block.kind in ("text", "heading") or block.facts or estimate_tokens(whole) > size[0]:
            continue
        around = [one for one in chunks if one.start_line <= block.start + 1 and block.end <= one.end_line]
        assert any(whole in one.text for one in around)


@given(PAGE, SIZE)
@settings(max_examples=100, deadline=None)
def test_chunks_advance(lines: list[str], size: tuple[int, int]) -> None:
    """Each chunk begins after the one before it began and ends after it ended."""
    numbered = [f"{line}{k}" if line.strip() and not line.startswith(("-", "=", "`", "~", "<", "|")) else line
                for k, line in enumerate(lines)]  # fmt: skip
    chunks = chunk("\n".join(numbered), tokens=size[0], overlap=size[1])
    for before, after in pairwise(chunks):
        assert before.start_line <= after.start_line and before.end_line <= after.end_line
        if before.heading != after.heading and before.end_line != after.start_line:
            assert before.end_line < after.start_line


@given(PAGE, SIZE)
@settings(max_examples=60, deadline=None)
def test_line_endings_and_bom_change_nothing(lines: list[str], size: tuple[int, int]) -> None:
    """LF, CRLF, CR and a BOM give the same chunks, so that hashes of text agree between systems."""
    wanted = chunk("\n".join(lines), tokens=size[0], overlap=size[1])
    for newline in ("\r\n", "\r"):
        assert chunk(newline.join(lines), tokens=size[0], overlap=size[1]) == wanted
    assert chunk("\ufeff" + "\n".join(lines), tokens=size[0], overlap=size[1]) == wanted


@given(st.one_of(st.text(max_size=300), PAGE.map("\n".join)), SIZE)
@settings(max_examples=150, deadline=None)
def test_any_text_is_covered(text: str, size: tuple[int, int]) -> None:
    """Without overlap, the characters that are not white space are all there, once, and in order."""
    chunks = chunk(text, tokens=size[0], overlap=0)
    kept = "".join("".join(one.text.split()) for one in chunks)
    assert kept == "".join(text.removeprefix("\ufeff").split())
