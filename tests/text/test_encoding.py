"""Decoding of files: UTF-8 first, others named, nothing replaced in silence."""

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core.text.encoding import decode, encode_like

GERMAN = "# Tägliche Notizen\n\nGrüße aus München, schöne Straße.\n"


def test_utf8_is_read_without_remark() -> None:
    """UTF-8 needs no mark and gives no problem."""
    found = decode(GERMAN.encode())
    assert (found.text, found.encoding, found.bom, found.problem) == (GERMAN, "utf-8", False, None)


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
    ],
)
def test_a_byte_order_mark_decides(mark: bytes, encoding: str) -> None:
    """A mark names the encoding and is taken off the text."""
    found = decode(mark + GERMAN.encode(encoding))
    assert (found.text, found.encoding, found.bom, found.problem) == (GERMAN, encoding, True, None)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_seen(encoding: str) -> None:
    """Western text in UTF-16 is recognised by its NULs, and said to be."""
    found = decode(GERMAN.encode(encoding))
    assert found.text == GERMAN
    assert found.problem and encoding in found.problem


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "cp1252"),
        ("café", "cp1252"),
        ("It’s “quoted” — and costs €5.\n", "cp1252"),
        ("Zażółć gęślą jaźń, notatki ze spotkania.", "cp1250"),
        ("Привет, это заметки со встречи в понедельник.", "cp1251"),
        ("会議のメモです。明日また話します。", "cp932"),
    ],
)
def test_an_old_encoding_is_detected_and_named(text: str, encoding: str) -> None:
    """A file that is not UTF-8 is read right, and the guess is put into a sentence."""
    found = decode(text.encode(encoding))
    assert found.text == text
    assert found.problem and encoding in found.problem


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n" + bytes(200), b"\0\1\2\3" * 50])
def test_binary_data_are_no_text(data: bytes) -> None:
    """Bytes full of NULs give no text and say so."""
    found = decode(data)
    assert found.text is None
    assert found.problem == "It is not text but binary data."


def test_a_stray_nul_is_text() -> None:
    """One NUL in a note does not make it binary."""
    assert decode(b"one\0two").text == "one\0two"


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), max_size=200))
def test_text_is_written_back_in_kind(text: str) -> None:
    """Decoding what was encoded like a file gives the text again, in each marked encoding."""
    for encoding in ("utf-8", "utf-16-le", "utf-16-be", "utf-32-be"):
        assert decode(encode_like(text, encoding, True)).text == text
    assert decode(encode_like(text, "utf-8", False)).text == text


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=60))
def test_no_character_is_replaced_in_silence(data: bytes) -> None:
    """Any bytes give a text that is theirs in the named encoding, or no text and a reason."""
    found = decode(data)
    if found.text is None:
        assert found.problem
    else:
        mark = len(encode_like("", found.encoding, found.bom))
        whole = data[mark if found.bom else 0 : len(data) - len(found.half)]
        assert whole.decode(found.encoding).endswith(found.text)
        assert bool(found.problem) >= bool(found.half)


@given(st.text(max_size=20), st.characters(min_codepoint=0x80, exclude_categories=["Cs"]), st.integers(1, 3))
def test_a_file_cut_within_a_character_stays_utf8(text: str, last: str, kept: int) -> None:
    """Half a last character is left out and named; what was before it is read as it was written."""
    half = last.encode()[:kept] if kept < len(last.encode()) else b""
    data = ("é" + text.replace("\0", "")).encode("utf-8", "ignore") + half
    read = decode(data)
    assert read.encoding == "utf-8" and read.half == half and bool(read.problem) == bool(half)
    assert (read.text or "").encode() + read.half == data


def test_an_old_encoding_with_one_letter_is_not_taken_for_a_cut() -> None:
    """Without another character of UTF-8 before it a last byte is a letter of another encoding."""
    assert decode("un café".encode("cp1252")).text == "un café"
