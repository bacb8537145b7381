"""Exports read piece by piece."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core._errors import ImportFormatError
from memweave_core.exchange.exported import export
from memweave_core.exchange.formats import FORMATS, read
from memweave_core.exchange.imported import Imported, merged
from memweave_core.exchange.json_list import NoListError, is_utf8, values
from memweave_core.exchange.pieces import pieces
from memweave_core.messages import Fact, FactVersion

from .made_exports import archive, claude_chat, lines, node, packed, said, tea, tree
from .test_formats import CASES, JUNK

TORN = packed([tea(), tea() | {"id": "conv-2"}])[:-40]


def in_bits(data: bytes, most: int = 3) -> Callable[[int], bytes]:
    """A `read` that gives few bytes at a time."""
    file = io.BytesIO(data)
    return lambda size: file.read(min(size, most))


def taken(data: bytes, format: str = "auto", **how: Any) -> Imported:
    """All pieces of an export as one."""
    return merged(pieces("x", io.BytesIO(data), format, **how))


@pytest.mark.parametrize(("name", "value"), CASES)
def test_pieces_make_the_whole(name: str, value: Any) -> None:
    """The pieces of an export of each format are together what reading it whole gives."""
    assert taken(packed(value)) == read("x", packed(value))
    assert taken(packed(value), name) == read("x", packed(value), name)


def test_a_conversation_is_a_piece() -> None:
    """Of a list of conversations, also in an archive, each is a piece, and a bad one has its number."""
    data = packed([tea(), None, tea() | {"id": "conv-2"}])
    for whole in (data, archive(conversations__json=data)):
        found = list(pieces("x", io.BytesIO(whole)))
        assert [[c.id for c in piece.conversations] for piece in found] == [["conv-1"], [], ["conv-2"]]
        assert found[1].problems == ("Conversation number 2 was not read: it is not an object.",)
        assert [piece.skipped for piece in found] == [0, 1, 0]


def test_a_long_list_is_not_read_ahead() -> None:
    """The first conversations are there before the end of a long list has been read a second time."""
    chat = claude_chat(said("m", "human", "tea " * 100_000))
    file = io.BytesIO(packed([chat | {"uuid": f"c-{k}"} for k in range(12)]))
    first = next(pieces("x", file))
    assert (first.conversations[0].id, first.format) == ("c-0", "claude")
    assert file.tell() < 2_000_000 < len(file.getvalue())


def test_a_list_that_breaks_off() -> None:
    """Of a download that was cut off the whole conversations come in, and a problem says where it ends."""
    found = taken(TORN)
    assert [c.id for c in found.conversations] == ["conv-1"]
    assert (found.skipped, len(found.problems)) == (1, 1)
    assert "cannot be read any further after 1 conversation: it breaks off" in found.problems[0]


@pytest.mark.parametrize("data", [packed([tea()])[:200], b"[", b"", b"hello", b"[1, 2]"])
def test_without_anything_whole_it_is_refused(data: bytes) -> None:
    """A file of which nothing can be read raises the error that reading it whole does."""
    with pytest.raises(ImportFormatError) as whole:
        read("x", data)
    with pytest.raises(ImportFormatError) as caught:
        taken(data)
    assert str(caught.value) == str(whole.value)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252"])
def test_other_encodings_are_read_whole(encoding: str) -> None:
    """A list of conversations in another encoding than UTF-8 is read as well."""
    value = [tree(node("q", None, "user", "El señor y la niña"))]
    found = taken(json.dumps(value, ensure_ascii=False).encode(encoding))
    assert found.conversations[0].messages[0].text == "El señor y la niña"


def test_a_broken_file_in_an_archive() -> None:
    """A file of an archive that cannot be read is named and counted, and those beside it come in."""
    found = taken(archive(a__json=b"[{", b__jsonl=lines({"role": "user", "content": "Hi"}), c__json=b"{}"))
    assert (len(found.conversations), found.skipped) == (1, 1)
    assert "a.json" in found.problems[0]


def test_an_encrypted_archive_is_refused() -> None:
    """An archive with a password raises one clear error."""
    data = bytearray(archive(conversations__json=packed([tea()])))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    with pytest.raises(ImportFormatError, match="cannot be unpacked"):
        taken(bytes(data))


def test_skipped_lines_and_memories_are_counted() -> None:
    """Lines that cannot be read, and memories of other users, are counted and named."""
    broken = lines({"role": "user", "content": "Hi"}, {"role": "user", "content": "Ho"}) + b"\n{"
    assert taken(broken).skipped == 1
    both = packed([{"memory": "A", "user_id": "ana"}] + [{"memory": f"B{k}", "user_id": "ben"} for k in "12"])
    found = taken(both, user="ana")
    assert ([fact.text for fact in found.facts], found.skipped) == (["A"], 2)
    assert found.problems == ("2 memories of the user 'ben' not read: only those of 'ana' were asked for.",)
    assert len(taken(both, user="ana", only_owner=False).facts) == 3


def test_facts_name_where_they_are_from() -> None:
    """Facts of other products have their format for a source; those of our own export keep theirs."""
    assert taken(packed([{"id": "1", "memory": "Tea"}])).facts[0].source == "import:mem0"
    own = taken(packed(export([], [Fact("Tea", source="s#m1"), Fact("Sails")], "ana")))
    assert [fact.source for fact in own.facts] == ["s#m1", ""]
    assert (own.user, own.format) == ("ana", "memweave")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.text(min_size=1, max_size=9), st.none() | st.dates()), max_size=3))
def test_earlier_facts_come_back(old: list[tuple[str, Any]]) -> None:
    """What held until a day comes back from our own export with that day."""
    earlier = [FactVersion(Fact(text, id=str(k)), until) for k, (text, until) in enumerate(old)]
    assert list(taken(packed(export([], [], earlier=earlier))).earlier) == earlier


@settings(max_examples=150, deadline=None)
@given(st.lists(JUNK | st.floats(allow_nan=False), max_size=5), st.booleans(), st.sampled_from([None, 2]))
def test_values_of_a_list(value: list[Any], plain: bool, indent: int | None) -> None:
    """Read a few bytes at a time, a list gives the values it has, numbers and characters whole."""
    data = json.dumps(value, ensure_ascii=plain, indent=indent).encode("utf-8", "surrogatepass")
    if is_utf8(io.BytesIO(data).read):
        assert json.dumps(list(values(in_bits(data)))) == json.dumps(json.loads(data))


@pytest.mark.parametrize(
    ("data", "whole"),
    [(b"[1, 2", 1), (b"[1 2]", 1), (b"[1,]", 1), (b"[1] x", 1), (b"{}", 0), (b"", 0), (b'["a', 0),
     (b"[" * 100_000, 0)],
)  # fmt: skip
def test_what_is_no_list(data: bytes, whole: int) -> None:
    """Text that is no list, or stops being one, raises one error after the values before that."""
    found = values(in_bits(data, 1000))
    assert [next(found) for _ in range(whole)] == [1][:whole]
    with pytest.raises(NoListError):
        list(found)


@settings(max_examples=100, deadline=None)
@given(
    st.binary(max_size=40),
    st.sampled_from([b"", b"[", packed([tea()])[:-1] + b",", TORN, archive(conversations__json=TORN)[:-9]]),
    st.sampled_from(["auto", *FORMATS]),
)
def test_random_bytes_raise_one_error_only(data: bytes, start: bytes, format: str) -> None:
    """Bytes of any kind are read, or raise `ImportFormatError`."""
    try:
        taken(start + data, format)
    except ImportFormatError as error:
        assert str(error)
