"""The block scanner, held against a complete Markdown parser."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memweave_core.text.blocks import document_title, lines_of, scan

SOURCE = (
    "# A¦## B ##¦Title¦===¦---¦```¦```py¦~~~¦````¦> q¦> ```¦> # h¦- a¦  - b¦    - c¦1. x¦2. y¦"
    "   text¦  text¦¦¦¦    code¦\tcode¦<!-- c -->¦<!--¦-->¦* * *¦| a | b |¦| --- | --- |¦"
    "| 1 | 2 |¦plain text¦  ```¦   ```¦    ```¦#tag¦-¦+ z¦  # in¦10) t¦<pre># x</pre>¦- ```¦"
    "  ===¦- # h¦a | b"
)
LINE = st.sampled_from(SOURCE.split("¦"))
PARSER = MarkdownIt("commonmark").enable("table")


@given(st.lists(LINE, max_size=12))
@settings(max_examples=400, deadline=None)
def test_headings_and_fences_agree_with_the_parser(lines: list[str]) -> None:
    """Headings and code fences outside of containers begin and end where CommonMark says."""
    tokens = [token for token in PARSER.parse("\n".join(lines)) if token.level == 0]
    wanted = [
        (*token.map, int(token.tag[1])) for token in tokens if token.type == "heading_open" and token.map
    ]
    wanted += [(*_trimmed(lines, *token.map), 0) for token in tokens if token.type == "fence" and token.map]
    blocks = list(scan(lines))
    found = [(block.start, block.end, block.level) for block in blocks if block.kind == "heading"]
    found += [(block.start, block.end, 0) for block in blocks if _is_fence(block.kind, lines[block.start])]
    assert found == wanted


def _trimmed(lines: list[str], start: int, end: int) -> tuple[int, int]:
    while end > start + 1 and (end > len(lines) or not lines[end - 1].strip()):
        end -= 1
    return start, end


def _is_fence(kind: str, line: str) -> bool:
    return kind == "code" and not line.startswith(("    ", "\t"))


@given(st.lists(LINE, max_size=20))
@settings(max_examples=100, deadline=None)
def test_blocks_cover_the_page(lines: list[str]) -> None:
    """Blocks stand in order, do not overlap, begin and end with ink, and leave out blank lines only."""
    end = 0
    for block in scan(lines):
        assert not "".join(lines[end : block.start]).strip()
        assert end <= block.start < block.end
        assert lines[block.start].strip() and lines[block.end - 1].strip()
        end = block.end
    assert not "".join(lines[end:]).strip()


def test_lines_know_three_endings_only() -> None:
    """LF, CRLF and CR end lines; form feeds and Unicode separators do not."""
    assert lines_of("\ufeffa\r\nb\rc\nd\x0ce\u2028f\x85g") == ["a", "b", "c", "d\x0ce\u2028f\x85g"]


def test_the_title_is_the_first_top_heading() -> None:
    """The first heading of level 1 names the page, without markup; a page without one has no name."""
    assert (
        document_title("---\n# no\n---\n## a\n# The *one* `page` \\#\n# two", skip_lines=3)
        == "The one page \\#"
    )
    assert document_title("Title of\nthe page\n===\n") == "Title of the page"
    assert document_title("```\n# code\n```\ntext") == ""


def test_underscores_in_names_stay() -> None:
    """Light markup removal does not harm identifiers and arithmetic."""
    assert document_title("# use snake_case_name and 2 * 3 __init__") == "use snake_case_name and 2 * 3 init"


LONG = 200_000


@pytest.mark.parametrize(
    "text",
    [
        "# x" + " " * LONG + "y",
        "# x" + " #" * LONG + "y",
        "a|b\n" + " " * LONG + "|-x",
        "a|b\n   |" + " " * LONG + "-x",
        "a|b\n" + "|-" * LONG + "x",
        "a|b\n" + "-" * LONG + " " * LONG + "x|",
        "a\n" + "=" * LONG + " " * LONG + "x",
        "=" * LONG + " " * LONG + "x",
        "# " + "{#" * LONG + "}",
        "# " + "[" * LONG,
        "- " * LONG + "x",
        "-" + " " * LONG,
        "\r   " * LONG + "x",
        "> " * LONG,
        "<" * LONG,
    ],
)
def test_a_very_long_line_is_read_in_linear_time(text: str) -> None:
    """No pattern tries the same characters again and again: each of these texts comes to an end."""
    document_title(text)
    assert list(scan(lines_of(text)))
