"""Commands that read."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Program


def tree(folder: Path) -> set[str]:
    """Everything in a folder, by relative name."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_search_prints_score_file_and_lines(program: Program) -> None:
    """In a pipe each hit is one line with score, file, lines, source and text."""
    done = program("search", "which database keeps the bookings?")
    first = done.out.splitlines()[0]
    assert done.code == 0
    assert first[:4].replace(".", "").isdigit()
    assert "  memory/decisions/database.md:" in first
    assert "  (decisions)  " in first and "PostgreSQL keeps the bookings." in first


def test_low_confidence_is_noted(program: Program) -> None:
    """A guess is marked by a note on stderr, and in JSON in each result too; finding nothing is no guess."""
    program("write", "notes.md", "The heron stands on the pier of the old harbour.")
    asked = (
        "search",
        "which salary do the gardener and the plumber of the castle get with the heron?",
        "--min-score",
        "0",
    )
    done = program(*asked, "--json")
    assert "low confidence" in done.err and not any(hit["confident"] for hit in done.json)
    assert "low confidence" not in program("search", "zebra", "--min-score", "0.9").err


def test_why_takes_explain(program: Program) -> None:
    """The stages are always shown; who asks for them gets them too."""
    plain = program("why", "INC-0093", "memory/2026-03-17.md")
    assert program("why", "INC-0093", "memory/2026-03-17.md", "--explain").out == plain.out
    assert "fusion(" in plain.out


def test_search_as_json_is_a_list_of_results(program: Program) -> None:
    """With --json the output is a list of results with every documented field."""
    [hit] = program("search", "INC-0093", "--json").json
    assert hit["path"] == "memory/2026-03-17.md" and hit["date"] == "2026-03-17"
    assert set(hit) == {
        "path", "start_line", "end_line", "score", "snippet", "source", "vector_score", "text_score",
        "heading", "tier", "date", "tags", "stages", "rerank_score",
        "superseded_by", "confident",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "path"),
    [
        (["--tag", "storage"], "memory/decisions/database.md"),
        (["--source-filter", "runbooks"], "memory/runbooks/gate.md"),
        (["--tier", "procedural"], "memory/runbooks/gate.md"),
        (["--since", "2026-03-01", "--until", "2026-03-31"], "memory/2026-03-17.md"),
        (["--user", "ana", "--source-filter", "users"], "memory/users/ana/tea.md"),
    ],
)
def test_search_is_narrowed_by_options(program: Program, options: list[str], path: str) -> None:
    """Each filter leaves only the pages it names."""
    question = "bookings certificate gate bridge tea"
    found = program("search", question, "--min-score", "0", "--json", *options).json
    assert {hit["path"] for hit in found} == {path}


def test_search_keeps_private_pages_private(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a user no private page is found; MEMWEAVE_USER names one as --user does."""
    asked = ("search", "tea without sugar", "--min-score", "0", "--json")
    assert program(*asked).json == []
    monkeypatch.setenv("MEMWEAVE_USER", "ana")
    assert [hit["path"] for hit in program(*asked).json] == ["memory/users/ana/tea.md"]


def test_search_that_finds_nothing_succeeds_and_says_so(program: Program) -> None:
    """Nothing found is a note on stderr, an empty stdout and exit code 0."""
    done = program("search", "xylophone")
    assert (done.code, done.out) == (0, "")
    assert "no results" in done.err


def test_fail_if_empty_is_for_pipelines(program: Program) -> None:
    """With --fail-if-empty nothing found exits with 1, and something found with 0."""
    assert program("search", "xylophone", "--fail-if-empty").code == 1
    assert program("search", "INC-0093", "--fail-if-empty").code == 0


def test_explain_shows_the_stages(program: Program) -> None:
    """With --explain the numbers of the stages follow each hit."""
    done = program("search", "INC-0093", "--explain")
    assert "fusion(" in done.out.splitlines()[1]


def test_options_of_a_search_take_effect(program: Program) -> None:
    """Number of results and length of snippets are those asked for."""
    found = program("search", "bookings certificate gate", "--min-score", "0", "-n", "2", "--json").json
    short = program("search", "INC-0093", "--snippet-chars", "20", "--json").json
    assert len(found) == 2
    assert len(short[0]["snippet"]) <= 21


@pytest.mark.parametrize(
    "arguments",
    [["search", "bookings"], ["files"], ["stats"], ["why", "bookings", "memory/2026-03-17.md"], ["doctor"]],
)
def test_reading_creates_nothing(program: Program, workspace: Path, arguments: list[str]) -> None:
    """A command that only reads leaves the folder as it was."""
    before = tree(workspace)
    assert program(*arguments).code == 0
    assert tree(workspace) == before


def test_files_lists_what_is_indexed(program: Program) -> None:
    """After a search `files` names every page with source, tier and date, and can be narrowed."""
    program("index", "--quiet")
    done = program("files")
    assert "memory/2026-03-17.md  (memory)  episodic, 2026-03-17, 1 chunk\n" in done.out
    assert [file["path"] for file in program("files", "--source", "runbooks", "--json").json] == [
        "memory/runbooks/gate.md"
    ]


def test_stats_shows_counts_and_staleness(program: Program, workspace: Path) -> None:
    """`stats` counts files and says when the index is behind them."""
    program("index", "--quiet")
    assert "files: 4\n" in program("stats").out
    (workspace / "memory" / "new.md").write_text("A new page.", encoding="utf-8")
    assert program("stats", "--json").json["dirty"] is True
    assert "behind the files" in program("stats").err


def test_why_says_what_became_of_a_page(program: Program) -> None:
    """`why` gives a verdict in words and the same as an object."""
    arguments = ("why", "which database keeps the bookings?", "memory/users/ana/tea.md")
    assert program(*arguments).out.startswith("memory/users/ana/tea.md: private")
    assert program(*arguments, "--json").json["verdict"] == "private"


def test_doctor_finds_a_sound_memory_sound(program: Program) -> None:
    """`doctor` lists its checks and exits with 0 when none is an error."""
    program("index", "--quiet")
    levels = {finding["level"] for finding in program("doctor", "--json").json}
    assert program("doctor").code == 0
    assert "error" not in levels


def test_get_prints_a_page_exactly(program: Program, workspace: Path) -> None:
    """`get` prints the bytes of the page and nothing else."""
    page = workspace / "memory" / "exact.md"
    page.write_text("no newline at the end", encoding="utf-8")
    assert program("get", "memory/exact.md").out == "no newline at the end"
    assert program("get", "memory/none.md").code == 1


def test_notes_elsewhere_get_a_hint(program: Program, workspace: Path, tmp_path: Path) -> None:
    """A folder with Markdown but no memory/ is answered with the settings that would take it in."""
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "note.md").write_text("A note.", encoding="utf-8")
    done = program("search", "note", "--workspace", str(vault))
    assert done.code == 0
    assert "memory_dir" in done.err and "extra_paths" in done.err


def test_control_characters_never_reach_the_terminal(program: Program, workspace: Path) -> None:
    """A note cannot steer the terminal that shows it."""
    (workspace / "memory" / "evil.md").write_text("zebra \x1b[2J\x07 crossing", encoding="utf-8")
    out = program("search", "zebra crossing").out
    assert "zebra" in out and "\x1b" not in out and "\x07" not in out


def test_get_takes_a_page_from_the_current_folder(
    program: Program, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page is found by its name in the current folder, in the memory, or in the workspace."""
    monkeypatch.chdir(workspace / "memory" / "decisions")
    for name in ("database.md", "decisions/database.md", "memory/decisions/database.md"):
        assert "PostgreSQL" in program("get", name, "-w", str(workspace)).out


def test_an_empty_query_is_pointed_out(program: Program) -> None:
    """A query of nothing succeeds, finds nothing, and a note says why."""
    done = program("search", " ")
    assert (done.code, done.out) == (0, "")
    assert "the query is empty" in done.err


def test_an_unknown_label_gets_the_known_ones(program: Program) -> None:
    """When nothing is found and no page has the source label, a note lists the labels there are."""
    assert (
        "Labels: decisions, memory, runbooks, users." in program("search", "x", "--source-filter", "no").err
    )
    assert "Labels" not in program("search", "x", "--source-filter", "runbooks").err


def test_chunks_without_vectors_are_counted_with_the_way_out(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that could embed only a few chunks says how to embed the rest at once."""
    program("index", "--quiet")
    monkeypatch.setenv("MEMWEAVE_EMBEDDING__MODEL", "bundled")
    monkeypatch.setenv("MEMWEAVE_SYNC__EMBED_ON_SEARCH", "1")
    said = program("search", "certificate").err
    assert "chunk" in said and "up to 1; `memweave-core index` embeds all at once" in said


def test_stats_tells_of_read_only_where_it_is_true(program: Program) -> None:
    """An ordinary workspace is not called read-only for being looked at."""
    assert "read only" not in program("stats").out


def test_doctor_writes_whole_sentences(program: Program) -> None:
    """What to do stands in a sentence of its own."""
    assert "since the last indexing. The next search" in program("doctor").out


def test_search_says_what_replaces_a_page(program: Program, workspace: Path) -> None:
    """A superseded page comes back with --include-superseded only, and its line names the other page."""
    page = "---\nsuperseded_by: memory/new.md\n---\nThe ferry leaves from the quokka pier.\n"
    (workspace / "memory" / "old.md").write_text(page, encoding="utf-8")
    (workspace / "memory" / "new.md").write_text("The boat has another pier.\n", encoding="utf-8")
    assert "old.md" not in program("search", "quokka pier").out
    line = program("search", "quokka pier", "--include-superseded").out
    assert "memory/old.md" in line and "(superseded by memory/new.md)" in line
