"""Names made safe: reversible, without collisions on any file system, refused when they could escape."""

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core._errors import NameRefusedError
from memweave_core.text.names import (
    MAX_SEGMENT_BYTES,
    check_portable,
    decode_segment,
    encode_segment,
    is_device_name,
    is_shortened,
    safe_relative_path,
    stored_name,
)

characters = st.characters(exclude_categories=["Cs"]) | st.sampled_from("/\\:.% ~éE\u0301\u1161\u11a8가ßıſI")
names = st.text(characters, min_size=1, max_size=12)
long_names = st.text(characters, min_size=1, max_size=400)


def folded(segment: str) -> str:
    """What a file system that ignores case and normalises would compare."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFC", segment).casefold())


@settings(max_examples=150, deadline=None)
@given(names)
def test_a_short_name_survives_the_round_trip(name: str) -> None:
    """Decoding gives back every name, also from a file system that stores decomposed letters."""
    segment = encode_segment(name)
    assert decode_segment(segment) == name
    assert decode_segment(unicodedata.normalize("NFD", segment)) == name


@settings(max_examples=150, deadline=None)
@given(long_names)
def test_a_segment_is_portable(name: str) -> None:
    """A segment has no separator, hides nothing, is no device, and is bounded in length."""
    segment = encode_segment(name)
    assert not set(segment) & set('/\\:*?"<>|\0')
    assert segment[0] not in ". " and segment[-1] not in ". "
    assert not is_device_name(segment)
    assert len(segment.encode()) <= MAX_SEGMENT_BYTES
    check_portable(safe_relative_path(segment + ".md"))


@settings(max_examples=150, deadline=None)
@given(names, names)
def test_two_names_never_share_a_file(one: str, other: str) -> None:
    """Different names stay different under case folding and Unicode normalisation."""
    assert (folded(encode_segment(one)) == folded(encode_segment(other))) == (one == other)


@settings(max_examples=100, deadline=None)
@given(names)
def test_spellings_of_a_name_do_not_collide(name: str) -> None:
    """The upper-case, lower-case, NFC and NFD forms of a name have files of their own."""
    forms = {name, name.upper(), name.lower(), unicodedata.normalize("NFC", name)}
    forms |= {unicodedata.normalize("NFD", form) for form in forms}
    assert len({folded(encode_segment(form)) for form in forms}) == len(forms)


@pytest.mark.parametrize(
    ("name", "segment"),
    [
        ("ana@example.org", "ana@example.org"),
        ("Ana:1", "%41na%3A1"),
        ("a/b", "a%2Fb"),
        ("..", "%2E%2E"),
        (".hidden", "%2Ehidden"),
        ("con", "%63on"),
        ("nul.txt", "%6Eul.txt"),
        ("node_modules", "%6Eode_modules"),
        ("trailing. ", "trailing%2E%20"),
        ("%41", "%2541"),
        ("日本", "日本"),
    ],
)
def test_names_are_spelled_as_documented(name: str, segment: str) -> None:
    """What is portable stays readable; what is not is percent-encoded."""
    assert encode_segment(name) == segment


def test_a_name_of_300_characters_is_shortened_and_matched() -> None:
    """A long name ends in its sha-256, differs from its neighbours, and is known by its stored name."""
    name = "x" * 300
    assert is_shortened(encode_segment(name))
    assert encode_segment(name) == encode_segment("x" * 300) != encode_segment("x" * 301)
    assert decode_segment(encode_segment(name)) == stored_name(name) == encode_segment(name)
    assert stored_name("ana") == "ana"


def test_a_shortened_segment_cannot_be_claimed_as_a_name() -> None:
    """A name spelled like another one's shortened form is refused."""
    with pytest.raises(NameRefusedError, match="too long"):
        encode_segment(encode_segment("x" * 300))


@pytest.mark.parametrize("name", ["", "\ud800", "a\udc80"])
def test_what_is_no_name_is_refused(name: str) -> None:
    """An empty name and half a surrogate pair are refused."""
    with pytest.raises(NameRefusedError):
        encode_segment(name)


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters() | st.sampled_from("%2F~"), max_size=20))
def test_decoding_never_raises(segment: str) -> None:
    """A folder that a person named anything at all has a name."""
    assert isinstance(decode_segment(segment), str)


@pytest.mark.parametrize("segment", ["100%", "%zz", "%ff", "Ana"])
def test_a_name_a_person_gave_is_its_own_name(segment: str) -> None:
    """Percent signs that encode nothing are left as they are."""
    assert decode_segment(segment) == segment


@pytest.mark.parametrize(
    ("path", "normal"),
    [
        ("notes/2026-01-01.md", "notes/2026-01-01.md"),
        ("./a//b/./C.md", "a/b/C.md"),
        ("Ta\u0308gliche/x.md", "Tägliche/x.md"),
        ("日記/今日.md", "日記/今日.md"),
    ],
)
def test_a_page_path_is_normalised(path: str, normal: str) -> None:
    """Case stays, Unicode becomes NFC, empty and single-dot segments go."""
    assert str(safe_relative_path(path)) == normal


@pytest.mark.parametrize(
    "path",
    [
        *(
            "",
            ".",
            "/etc/passwd",
            "../x.md",
            "a/../../x.md",
            "a/..",
            "C:/x.md",
            "c:x.md",
            "..\\x.md",
            "a\\b.md",
        ),
        *(
            "a\\b.md",
            "a\0b.md",
            "a\nb.md",
            ".git/config",
            "a/.memweave/x.md",
            "a/.hidden.md",
            "x\udcff.md",
            "é" * 200,
        ),
    ],
)
def test_a_path_that_could_escape_is_refused(path: str) -> None:
    """Absolute, climbing, hidden, over-long and unprintable paths raise."""
    with pytest.raises(NameRefusedError):
        safe_relative_path(path)


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("./\\ab~:é\0"), max_size=12))
def test_a_path_that_is_accepted_stays_inside(path: str) -> None:
    """No accepted path is absolute or has a segment that begins with a dot."""
    try:
        parts = safe_relative_path(path).parts
    except NameRefusedError:
        return
    assert parts and not any(re.match(r"[./]|\.\.$", part) for part in parts)


@pytest.mark.parametrize("path", ["CON.md", "a:b.md", "a/x?.md", "x./y.md", " x.md", "node_modules/x.md"])
def test_a_new_page_needs_a_portable_path(path: str) -> None:
    """A name that some system cannot hold is refused for a new page."""
    with pytest.raises(NameRefusedError):
        check_portable(safe_relative_path(path))
