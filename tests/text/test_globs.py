"""Glob patterns as ignore files have them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core.text.globs import path_matcher


@pytest.mark.parametrize(
    ("pattern", "path", "covered"),
    [
        ("*.tmp.md", "a/b/c.tmp.md", True),
        ("*.tmp.md", "a.md", False),
        ("drafts/", "x/drafts/a.md", True),
        ("drafts/", "drafts", False),
        ("drafts", "drafts", True),
        ("a/*.md", "a/b.md", True),
        ("a/*.md", "a/b/c.md", False),
        ("a/*.md", "z/a/b.md", False),
        ("a/**/c.md", "a/c.md", True),
        ("a/**/c.md", "a/x/y/c.md", True),
        ("**/c.md", "c.md", True),
        ("a/**", "a/b/c.md", True),
        ("[!a-c]?.md", "dz.md", True),
        ("[!a-c]?.md", "az.md", False),
        ("[]x].md", "].md", True),
        ("a.md", "aXmd", False),
        ("[", "[", True),
        ("[z-a]x", "bx", False),
        ("[a-]", "-", True),
        ("[]", "[]", True),
        ("Ta\u0308g.md", "Täg.md", True),
    ],
)
def test_patterns_mean_what_ignore_files_mean(pattern: str, path: str, covered: bool) -> None:
    """Stars stop at folders, two stars do not, a name matches at any depth, a folder covers its content."""
    matcher = path_matcher([pattern])
    assert matcher is not None and matcher(path) is covered


def test_no_pattern_is_no_matcher() -> None:
    """Without patterns there is nothing to ask."""
    assert path_matcher([]) is None and path_matcher(["", "/"]) is None


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("[]!^-*?/ab\\.("), min_size=1, max_size=8))
def test_any_text_is_a_pattern(pattern: str) -> None:
    """No pattern is an error, and one without special characters covers its own name."""
    matcher = path_matcher([pattern])
    assert matcher is None or matcher("ab") in (True, False)
    if matcher is not None and not set(pattern) & set("[]*?/\\"):
        assert matcher(pattern)
