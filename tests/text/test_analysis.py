"""What text becomes in the index, and what a query asks of it."""

from __future__ import annotations

import time
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core.text.analysis import (
    MAX_TERMS,
    PART_WEIGHT,
    Term,
    detect_language,
    document_counts,
    document_tokens,
    query_terms,
)
from memweave_core.text.stopwords import LANGUAGES, stop_words


def found(query: str, text: str, language: str = "en") -> list[bool]:
    """Which terms of the query the text has."""
    tokens = set(document_tokens(text, language))
    return [not tokens.isdisjoint(term.variants) for term in query_terms(query, [language])]


@pytest.mark.parametrize(
    ("language", "asked", "written"),
    [
        ("en", "picking storages", "picked a storage"),
        ("es", "migracion decisiones", "La migración y la decisión"),
        ("es", "decisión", "las decisiones del equipo"),
        ("de", "Häuser", "ein Haus"),
        ("fr", "école", "l'école"),
        ("fr", "l’école", "les écoles"),
        ("pt", "reuniao", "a reunião"),
        ("ru", "ёлка", "красивая елка"),
        ("en", "STRASSE", "straße"),
        ("en", "john", "John's dog"),
        ("en", "email", "send an e-mail"),
    ],
)
def test_inflected_and_accented_forms_meet(language: str, asked: str, written: str) -> None:
    """Every term of the query is found in another form of its word."""
    assert all(found(asked, written, language))


@pytest.mark.parametrize("query", ["会", "会议", "项目评审会议", "评审会", "下午三点开项"])
def test_chinese_is_found_by_any_number_of_characters(query: str) -> None:
    """A query of one, two, three or six characters finds the run that holds it."""
    assert all(found(query, "今天下午三点开项目评审会议", ""))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("しりとり", "子供としりとりをした"),
        ("天気", "明日の天気は晴れ"),
        ("데이터베이스", "데이터베이스를 고쳤다"),
        ("ประชุม", "การประชุมวันนี้"),
        ("飞书 plugin", "安装飞书plugin完成"),
        ("ｶﾀｶﾅ", "カタカナ"),
        ("हिन्दी", "यह हिन्दी है"),
    ],
)
def test_other_scripts_are_found(query: str, text: str) -> None:
    """Unspaced scripts, widths and combining vowels need no special query."""
    assert all(found(query, text, ""))


def test_another_chinese_phrase_is_found_in_part() -> None:
    """A longer run that shares one pair of characters matches that pair only."""
    assert found("会议室", "项目评审会议", "") == [True, False]


@pytest.mark.parametrize(
    "literal",
    [
        "BENCH-100821",
        "GB/s",
        "C++",
        "C#",
        ".NET",
        "v1.2.3",
        "foo_bar.baz",
        "user@example.org",
        "--force",
        "src/main.rs",
        "grammar::fa",
        "10,000",
        "c++17",
        "getUserName",
        "https://example.org/a/page-2.html?x=1",
    ],
)
def test_a_literal_is_kept_whole_among_punctuation(literal: str) -> None:
    """Quotes, brackets and a full stop around an identifier do not hide it."""
    whole = query_terms(literal, ["en"])[0]
    assert whole.weight == 1.0
    assert whole.variants[0] in document_tokens(f"See (“{literal}”). **{literal}**, [{literal}]!", "en")


@pytest.mark.parametrize(
    ("literal", "other"),
    [
        ("GB/s", "GBs"),
        ("C++", "C"),
        ("C#", "C"),
        (".NET", "net"),
        ("v1.2.3", "v1.2.4"),
        ("BENCH-1", "BENCH-2"),
    ],
)
def test_a_literal_is_not_its_likeness(literal: str, other: str) -> None:
    """The whole identifier, which weighs most, is not found in a text with a similar one."""
    assert not found(literal, other)[0]


def test_parts_of_an_identifier_weigh_less_than_the_whole() -> None:
    """A text with one part only holds a small share of the query."""
    whole, *parts = query_terms("BENCH-100821", ["en"])
    assert whole == Term("bench-100821", ("bench-100821",), False)
    assert [(part.text, part.weight) for part in parts] == [("bench", PART_WEIGHT), ("100821", PART_WEIGHT)]


def test_a_name_with_capitals_within_is_one_word() -> None:
    """GitHub is asked for as github, and its parts are indexed besides."""
    assert [term.variants for term in query_terms("GitHub", ["en"])] == [("github",)]
    assert document_tokens("GitHub", "en") == ["git", "hub", "github"]
    assert document_tokens("APIs", "en") == ["api"]


def test_hyphenated_words_meet_separate_ones() -> None:
    """The words of long-term count as words; the hyphen is a small extra."""
    assert found("long-term memory", "long term memory") == [True, True, False, True]


def test_stop_words_are_flagged_but_indexed() -> None:
    """Function words stay in the index, and a query names them as such."""
    assert "the" in document_tokens("the cat", "en")
    stops = {term.text: term.stop for term in query_terms("what is the name of the system?", ["en"])}
    assert stops == {"what": True, "is": True, "the": True, "name": False, "of": True, "system": False}


@pytest.mark.parametrize("word", ["work", "system", "important", "name", "value", "world", "page", "first"])
def test_content_words_are_not_stop_words(word: str) -> None:
    """Frequent words that carry meaning are left to their rarity."""
    assert word not in stop_words("en")


def test_a_function_word_of_another_language_is_not_one_here() -> None:
    """ "son" is a verb form in Spanish and a child in an English question."""
    terms = query_terms("what is the age of my son", ["en", "es"])
    assert {term.text for term in terms if not term.stop} == {"age", "son"}


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "We decided to move the database because it was too slow."),
        ("es", "Decidimos mover la base de datos porque era muy lenta y no había tiempo."),
        ("fr", "Nous avons choisi de changer la base, parce que c’est trop lent pour nous."),
        ("de", "Wir haben die Datenbank gewechselt, weil sie nicht schnell war."),
        ("pt", "Decidimos mudar o banco porque não era rápido e nós já estávamos em cima da hora."),
        ("it", "Abbiamo deciso di cambiare il database perché non era più veloce."),
        ("nl", "Wij hebben de database vervangen omdat het te langzaam was voor ons."),
        ("ru", "Мы решили сменить базу, потому что она была слишком медленной для нас."),
        ("pl", "Zmieniliśmy bazę, ponieważ nie była już szybka i to się nam nie podobało."),
        ("", "今天下午三点开项目评审会议"),
        ("", "BENCH-100821 ok"),
        ("", ""),
    ],
)
def test_the_language_is_told_by_its_function_words(language: str, text: str) -> None:
    """A sentence is enough; too little to tell gives the empty string."""
    assert detect_language(text) == language


def test_a_word_is_asked_for_under_every_language_of_the_index() -> None:
    """One term with the stems of each, so that it counts once wherever it is found."""
    (term,) = query_terms("documentos", ["en", "es"])
    assert term.variants == ("documento", "document")


def test_a_page_of_unsure_language_is_found_by_inflected_words() -> None:
    """Both sides take it as English."""
    tokens = document_tokens("Deploy checklist: rotate keys", "")
    assert set(query_terms("key", [""])[0].variants) & set(tokens)


def test_repeating_a_word_asks_for_it_once() -> None:
    """Terms are distinct, in any case or inflection."""
    (term,) = query_terms("Key key KEYS key", ["en"])
    assert term.variants == ("key",)


def test_common_words_weigh_less() -> None:
    """What a word counts in a question depends on how common it is anywhere, in any language."""
    way, label, adhesive = query_terms("way label adhesive", ["en"])
    assert way.weight < label.weight < adhesive.weight == 1
    assert query_terms("dinero", ["es"])[0].weight < 1


def test_a_huge_query_is_cut_to_its_longest_terms() -> None:
    """20,000 characters give at most 64 terms, and a rare-looking identifier is among them."""
    query = " ".join(f"w{number}" for number in range(4000)) + " BENCH-100821"
    terms = query_terms(query, ["en"])
    assert len(terms) == MAX_TERMS
    assert "bench-100821" in [term.text for term in terms]


@pytest.mark.parametrize("query", ["", " ", '"', "*", "(", "\x00", "\ud83d", "—", "'''", "___", "C" * 20_000])
def test_odd_queries_are_answered(query: str) -> None:
    """No string is refused, and no token is longer than the limit."""
    assert all(len(variant) <= 128 for term in query_terms(query, ["en", "es"]) for variant in term.variants)


@pytest.mark.parametrize("operator", ["a AND b", "NEAR(a b)", "text:deploy", "-foo", "a*", '"a b"', "^a"])
def test_nothing_is_an_operator(operator: str) -> None:
    """What looks like query syntax is found literally in a text that holds it."""
    assert all(found(operator, f"so: {operator} it stands"))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=120), st.sampled_from(["", *LANGUAGES]))
def test_tokens_never_hold_white_space(text: str, language: str) -> None:
    """Tokens can be joined by spaces and split again, and hold no NUL and no lone surrogate."""
    tokens = document_tokens(text, language)
    assert " ".join(tokens).split() == tokens
    assert not any("\ud800" <= character <= "\udfff" or character == "\x00" for character in "".join(tokens))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60), st.sampled_from(["", "en", "es", "ru"]))
def test_a_text_answers_itself(text: str, language: str) -> None:
    """Asked for its own words, a text has every term."""
    assert all(found(text, text, language))


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_a_memoised_answer_is_the_same(text: str) -> None:
    """Tokens do not depend on what was analysed before."""
    assert document_tokens(text, "en") == document_tokens(text, "en")


def test_analysis_is_fast_once_warm() -> None:
    """A thousand texts of 1.4 kB take well under half a second of CPU."""
    text = "Melanie: I went to the support group yesterday and it was so powerful, really! " * 18
    document_tokens(text, "en")
    start = time.process_time()
    for _ in range(1000):
        document_tokens(text, "en")
    assert time.process_time() - start < 0.5


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.sampled_from(["REF-0001-02", "a/b.md", "don't", "Häuser", "会议", "long-term", "x", "2024", "."])
    )
)
def test_counts_are_those_of_the_tokens(runs: list[str]) -> None:
    """Counting the words of a text gives every token as often as the list of tokens has it."""
    text = " ".join(runs)
    assert document_counts(text, "de") == Counter(document_tokens(text, "de"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_number_is_its_own_stem(language: str) -> None:
    """No stemmer changes a number, alone or within an identifier."""
    assert document_tokens("2024 007", language) == ["2024", "007"]
    assert {"17", "0042", "no-0042-17"} <= set(document_tokens("NO-0042-17", language))
