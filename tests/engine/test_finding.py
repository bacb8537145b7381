"""The right lines come first: identifiers, questions, languages, odd input, and nobody else's memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memweave_core import ConfigError, MemoryConfig, MemWeave, SearchResult, StrategyError
from memweave_core.testing import FakeEmbedder
from memweave_core.text.names import encode_segment

from .conftest import WriteNote


@pytest.fixture
async def bundled(config: MemoryConfig) -> AsyncIterator[MemWeave]:
    """A memory with the embedder that comes in the box."""
    async with MemWeave(config) as memory:
        yield memory


QUESTIONS = ["BENCH-100821", "what did run BENCH-100821 show?", "bench-100821"]


@pytest.mark.parametrize("strategy", ["hybrid", "keyword"])
@pytest.mark.parametrize("question", QUESTIONS)
async def test_an_identifier_among_two_notes(
    bundled: MemWeave, note: WriteNote, strategy: str, question: str
) -> None:
    """An exact identifier is the first hit under default settings in a tiny memory."""
    note("memory/a.md", "Run BENCH-100821 showed a slower cache after the upgrade.")
    note("memory/b.md", "Run BENCH-100822 showed what one would expect of the cache.")
    results = await bundled.search(question, strategy=strategy)
    assert results[0].path == "memory/a.md"


async def test_an_identifier_among_ten_thousand_notes(config: MemoryConfig, tmp_path: Path) -> None:
    """An exact identifier is the first hit under default settings in a large memory."""
    folder = tmp_path / "memory"
    folder.mkdir()
    for number in range(10_000):
        text = f"Run BENCH-{100_000 + number} of the cache took {number} seconds and showed a result."
        (folder / f"run{number}.md").write_text(text, encoding="utf-8")
    async with MemWeave(config, embedder=FakeEmbedder()) as memory:
        await memory.index()
        for question in QUESTIONS:
            for strategy in ("hybrid", "keyword"):
                results = await memory.search(question, strategy=strategy)
                assert results[0].path == "memory/run821.md", (question, strategy)


async def test_the_result_names_file_and_lines(bundled: MemWeave, note: WriteNote) -> None:
    """A hit carries path, exact lines, heading, source and date."""
    note("memory/ops/2026-02-03.md", "# Log\n\nQuiet.\n\n## Deploy\n\nThe deploy key is rotated in May.\n")
    result = (await bundled.search("when is the deploy key rotated?"))[0]
    assert result.path == "memory/ops/2026-02-03.md"
    assert result.start_line <= 7 <= result.end_line
    assert (result.source, str(result.date), result.tier) == ("ops", "2026-02-03", "episodic")
    assert "rotated in May" in result.snippet


async def test_spanish_questions_find_spanish_and_english_notes(bundled: MemWeave, note: WriteNote) -> None:
    """A question in Spanish finds the note in Spanish and its counterpart in English."""
    note("memory/es.md", "Elegimos una base de datos relacional para los pedidos de los clientes.")
    note("memory/en.md", "We chose a relational database for the orders of our customers.")
    note("memory/cats.md", "The cat sleeps on the warm roof all afternoon.")
    note("memory/rain.md", "Mañana lloverá en la costa y hará viento.")
    results = await bundled.search("¿qué base de datos elegimos para los pedidos?")
    assert [result.path for result in results][:2] == ["memory/es.md", "memory/en.md"]


@pytest.mark.parametrize("query", ["会", "会议", "项目评审会议"])
async def test_chinese_words_of_any_length(memory: MemWeave, note: WriteNote, query: str) -> None:
    """Chinese words of 1, 2 and 6 characters are found inside running text by keywords."""
    note("memory/zh.md", "今天下午三点开项目评审会议，请准时参加。")
    note("memory/other.md", "数据库连接池的大小是二十。")
    results = await memory.search(query, strategy="keyword")
    assert [result.path for result in results] == ["memory/zh.md"]


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("C++", "memory/cpp.md"),
        ("GB/s", "memory/rate.md"),
        ("don't", "memory/dont.md"),
        ("foo_bar.baz", "memory/dotted.md"),
        ("ana@example.org", "memory/mail.md"),
    ],
)
async def test_odd_words_are_meant_literally(
    memory: MemWeave, note: WriteNote, query: str, path: str
) -> None:
    """Punctuation inside a word counts: C++ is not C, and GB/s is not GBs."""
    note("memory/cpp.md", "The parser is written in C++ by hand.")
    note("memory/c.md", "The parser is written in C by hand.")
    note("memory/rate.md", "The disk reads 3 GB/s when idle.")
    note("memory/gbs.md", "The disk holds many GBs when idle.")
    note("memory/dont.md", "Please don't restart the queue.")
    note("memory/dotted.md", "Set foo_bar.baz before start.")
    note("memory/mail.md", "Write to ana@example.org about it.")
    results = await memory.search(query, strategy="keyword")
    assert results[0].path == path


ODD = ["", " ", '"', "'", "*", "(", "NEAR(", "a AND", "-x", "col:x", "\x00", "a\x00b", "\ud83d", "x" * 20_000]


@pytest.mark.parametrize("strategy", ["hybrid", "keyword", "vector"])
@pytest.mark.parametrize("query", ODD, ids=repr)
async def test_no_query_is_an_error(memory: MemWeave, note: WriteNote, strategy: str, query: str) -> None:
    """Any string is a valid query in every mode."""
    note("memory/a.md", "The lantern is green.")
    assert len(await memory.search(query[:25_000], strategy=strategy)) <= 6


async def test_a_page_is_found_by_its_name(memory: MemWeave, note: WriteNote) -> None:
    """File name, title, alias and tag are searchable though they are not in the text."""
    note(
        "memory/Tägliche Notizen.md",
        "---\naliases: [Journal]\ntags: [routine]\n---\nEin Satz ohne jedes davon.",
    )
    note("memory/other.md", "Something else entirely.")
    for query in ("tagliche notizen", "journal", "routine"):
        results = await memory.search(query, strategy="keyword")
        assert results[0].path == "memory/Tägliche Notizen.md", query


@pytest.fixture
def private_notes(note: WriteNote) -> None:
    note("memory/users/ana/facts.md", "- Ana's locker code is plum.")
    note("memory/users/anabel/facts.md", "- Anabel's locker code is pear.")
    note("memory/house.md", "Every locker code is changed in June.")


@pytest.mark.usefixtures("private_notes")
@pytest.mark.parametrize("strategy", ["hybrid", "keyword", "vector"])
@pytest.mark.parametrize(
    ("user", "seen"),
    [
        (None, {"memory/house.md"}),
        ("ana", {"memory/house.md", "memory/users/ana/facts.md"}),
        ("anabel", {"memory/house.md", "memory/users/anabel/facts.md"}),
        ("a%", {"memory/house.md"}),
        ("../ana", {"memory/house.md"}),
    ],
)
async def test_a_users_pages_are_seen_by_that_user_alone(
    memory: MemWeave, strategy: str, user: str | None, seen: set[str]
) -> None:
    """What lies under users/<id>/ shows only in a search that names exactly that user."""
    results = await memory.search("locker code", strategy=strategy, user_id=user, min_score=0)
    assert {result.path for result in results} == seen


async def test_filters_apply_before_the_best_are_taken(memory: MemWeave, note: WriteNote) -> None:
    """A filter never yields fewer hits because better ones outside it filled the places."""
    for number in range(60):
        note(f"memory/loud/{number}.md", "engine engine engine torque")
    note("memory/quiet/a.md", "---\ntags: [keep]\nowner: ana\n---\nA remark that names the engine once.")
    for where in ({"source": "quiet"}, {"tags": ["keep"]}, {"metadata": {"owner": "ana"}}):
        results = await memory.search("engine torque", where=where, max_results=1, min_score=0)
        assert [result.path for result in results] == ["memory/quiet/a.md"], where


async def test_a_mistyped_keyword_is_refused(memory: MemWeave) -> None:
    """Unknown overrides, filters and strategies are errors that name the nearest known one."""
    with pytest.raises(ConfigError, match="max_results"):
        await memory.search("x", max_result=1)
    with pytest.raises(ConfigError, match="source"):
        await memory.search("x", where={"sorce": "a"})
    with pytest.raises((ConfigError, StrategyError), match="hybrid"):
        await memory.search("x", strategy="hybird")
    for bad in (
        {"user_id": ""},
        {"max_results": 0},
        {"min_score": 5},
        {"mmr_lambda": 9},
        {"decay_half_life_days": 0},
    ):
        with pytest.raises(ConfigError):
            await memory.search("x", **bad)


async def test_a_processor_that_raises_is_named_and_skipped(memory: MemWeave, note: WriteNote) -> None:
    """A broken post-processor costs no result and is named in the warnings."""

    class Broken:
        def process(self, results: list[SearchResult], query: str, now: object) -> list[SearchResult]:
            raise RuntimeError("boom")

    note("memory/a.md", "The lantern is green.")
    memory.register_postprocessor(Broken())  # type: ignore[arg-type]
    results = await memory.search("lantern")
    assert results[0].path == "memory/a.md"
    assert any("Broken" in warning for warning in results.warnings)


async def test_why_names_the_reason(memory: MemWeave, note: WriteNote) -> None:
    """`why` tells a returned page from one that is private, filtered, without a match or not there."""
    note("memory/a.md", "The lantern is green.")
    note("memory/b.md", "Nothing of the kind.")
    note("memory/users/ana/c.md", "A private lantern.")
    verdicts = {
        path: (await memory.why("lantern", path, strategy="keyword")).verdict
        for path in ("memory/a.md", "memory/b.md", "memory/users/ana/c.md", "memory/none.md")
    }
    assert verdicts == {
        "memory/a.md": "returned",
        "memory/b.md": "no match",
        "memory/users/ana/c.md": "private",
        "memory/none.md": "not a page",
    }
    filtered = await memory.why("lantern", "memory/a.md", source_filter="elsewhere")
    assert filtered.verdict == "filtered"


async def test_a_user_id_of_any_length_finds_its_own_pages(memory: MemWeave, note: WriteNote) -> None:
    """Ids too long or too odd for a file name still see their own pages, and no twin's."""
    for user in ("ana@example.org:" + "x" * 300, "Ana", "ana", "caf\u00e9", "cafe\u0301", "100%"):
        folder = encode_segment(user)
        note(f"memory/users/{folder}/facts.md", f"The locker of {user} is blue.")
        results = await memory.search("locker blue", strategy="keyword", user_id=user)
        assert [result.path for result in results] == [f"memory/users/{folder}/facts.md"]


async def test_a_page_of_properties_alone_is_found(memory: MemWeave, note: WriteNote) -> None:
    """A page with front matter and no body is found by its name and by its properties, with their lines."""
    note("memory/films/Metropolis.md", '---\ndirector:\n  - "[[Fritz Lang]]"\nyear: 1927\n---\n\n')
    note("memory/other.md", "Nothing about films here.")
    for query in ("metropolis", "fritz lang"):
        result = (await memory.search(query))[0]
        assert (result.path, result.start_line, result.end_line) == ("memory/films/Metropolis.md", 2, 4)


async def test_private_pages_change_nobody_elses_scores(memory: MemWeave, note: WriteNote) -> None:
    """What a user keeps private shows in no score, order or gate of a search that may not see it."""
    note("memory/2026-01-10.md", "Standup: the deploy took nine minutes.")
    note("memory/2026-03-10.md", "Standup: the deploy took four minutes.")
    queries = ("how long did the deploy take?", "zanzibar deploy", "deploy minutes")
    before = [await memory.search(query, min_score=0) for query in queries]
    note("memory/users/ana/d.md", "Ana takes the deploy to Zanzibar: too long a standup.")
    after = [await memory.search(query, min_score=0) for query in queries]
    for then, now in zip(before, after, strict=True):
        assert [result.path for result in now] == [result.path for result in then]
        assert [r.score for r in now] == pytest.approx([r.score for r in then], abs=1e-5)
    assert (await memory.search("zanzibar", user_id="ana"))[0].path == "memory/users/ana/d.md"


async def test_warnings_tell_nothing_of_private_pages(memory: MemWeave, note: WriteNote) -> None:
    """What is wrong with a private page is told to its owner alone."""
    note("memory/users/ana/visit.md", "---\ndate: positive result at the clinic\n---\nhello")
    assert (await memory.search("hello", user_id="ben")).warnings == ()
    note("memory/users/ana/visit.md", "---\ndate: another result at the clinic\n---\nhello again")
    assert any("visit.md" in w for w in (await memory.search("hello", user_id="ana")).warnings)
