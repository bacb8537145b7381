"""The piece of text a result shows."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core.search.snippet import ELLIPSIS, snippet

FILLER = "Nothing of interest happened on that day at all. " * 12


def test_a_short_text_is_shown_as_it_is() -> None:
    """White space and line ends included."""
    assert snippet("  one\n two \n", "one", 700) == "  one\n two \n"


def test_a_long_text_is_shown_around_the_match() -> None:
    """The words that answer are in the snippet wherever they stand."""
    text = FILLER + "The pool size of pgbouncer is forty. " + FILLER
    shown = snippet(text, "pgbouncer pool size", 120)
    assert "pool size of pgbouncer" in shown
    assert shown.startswith(ELLIPSIS) and shown.endswith(ELLIPSIS)
    assert len(shown) <= 120


def test_without_a_match_the_beginning_is_shown() -> None:
    """A hit by meaning has no words to centre on."""
    shown = snippet("Start here. " + FILLER, "zebra", 60)
    assert shown.startswith("Start here.") and shown.endswith(ELLIPSIS)


def test_function_words_do_not_attract_the_snippet() -> None:
    """The rare word wins over many small ones."""
    text = "What is the what of the is of the. " * 8 + "A zebra. " + FILLER
    assert "zebra" in snippet(text, "what is the zebra of the", 80)


def test_cuts_fall_between_words() -> None:
    """No word is halved."""
    shown = snippet(FILLER + "zebra " + FILLER, "zebra", 100)
    assert set(shown.strip(ELLIPSIS).split()) <= set((FILLER + "zebra").split())


@pytest.mark.parametrize("query", ["会议", "审"])
def test_a_run_without_spaces_is_shown_around_the_match(query: str) -> None:
    """Chinese has no word boundaries, and the match is found within the run."""
    text = "数据库连接池设置" * 40 + "项目评审会议" + "服务器部署完成" * 40
    assert query in snippet(text, query, 60)


@pytest.mark.parametrize("cluster", ["👨‍👩‍👧", "👍🏽", "e\u0301", "한", "🇪🇸", "ก็", "\r\n"])
@pytest.mark.parametrize("limit", range(11, 17))
def test_a_visible_character_is_never_halved(cluster: str, limit: int) -> None:
    """Families, skin tones, accents, flags, jamo and CR LF stay together."""
    cluster = unicodedata.normalize("NFD", cluster)
    shown = snippet(cluster * 40, "", limit).removesuffix(ELLIPSIS)
    assert shown.replace(cluster, "") == ""


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200), st.text(max_size=20), st.integers(1, 80))
def test_a_snippet_is_a_bounded_piece_of_the_text(text: str, query: str, limit: int) -> None:
    """At most `max_chars` long, and but for the ellipses a part of the text."""
    shown = snippet(text, query, limit)
    assert len(shown) <= limit
    assert shown in text or shown.removeprefix(ELLIPSIS).removesuffix(ELLIPSIS) in text
