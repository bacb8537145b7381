"""Detection of formats, encodings and archives."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memweave_core._errors import ImportFormatError, UsageError
from memweave_core.conversation.transcript import header, serialise
from memweave_core.conversation.transcript import parse as transcript
from memweave_core.exchange.exported import export
from memweave_core.exchange.formats import FORMATS, detect, read

from .made_exports import archive, claude_chat, lines, packed, said, tea

MESSAGE = {"role": "user", "content": "Hi"}
SAMPLES: dict[str, list[Any]] = {
    "chatgpt": [[tea()], tea(), {"conversations": [tea()]}, [None, {"title": "torn"}, tea()]],
    "claude": [[claude_chat(said("m", "human", "x"))], claude_chat(said("m", "human", "x"))],
    "mcp-memory": [
        {"entities": [{"name": "A", "entityType": "t", "observations": ["x"]}], "relations": []},
        {"type": "entity", "name": "A", "entityType": "t", "observations": []},
    ],
    "mem0": [[{"id": "1", "memory": "x"}], {"results": [{"id": "1", "text": "x", "user_id": "u"}]}],
    "memweave": [export([], [])],
    "transcript": [[MESSAGE], MESSAGE, {"messages": [MESSAGE]}, [[MESSAGE]], [{"conversations": [MESSAGE]}]],
}
CASES = [(name, value) for name, values in SAMPLES.items() for value in values]


@pytest.mark.parametrize(("name", "value"), CASES)
def test_formats_are_told_by_their_shape(name: str, value: Any) -> None:
    """Each shape of each format is detected, whatever the file is called, and is then read."""
    assert detect("some.file", packed(value)) == name
    assert read("some.file", packed(value)) == read("other", packed(value), name)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_encodings(encoding: str) -> None:
    """JSON in UTF-8, UTF-16 and UTF-32, with and without a mark, is read."""
    data = json.dumps([{"role": "user", "content": "Señor 😀"}], ensure_ascii=False).encode(encoding)
    found = read("x.json", data)
    assert found.conversations[0].messages[0].text == "Señor 😀"
    assert found.problems == ()


def test_bytes_that_are_no_utf8_are_named() -> None:
    """A damaged character and a file in an old encoding are read, and a problem says so."""
    damaged = read("a", '[{"role": "user", "content": "é?"}]'.encode().replace(b"?", b"\xff"))
    legacy = read("b", '[{"role": "user", "content": "El señor y la niña"}]'.encode("cp1252"))
    assert [p.conversations[0].messages[0].text for p in (damaged, legacy)] == [
        "é\ufffd",
        "El señor y la niña",
    ]
    assert len(damaged.problems) == len(legacy.problems) == 1


def test_lines_that_cannot_be_read_are_counted() -> None:
    """In JSON lines a broken line is named by its number, and the others come in."""
    found = read("x.jsonl", lines(MESSAGE, {**MESSAGE, "content": "Ho"}) + b'\r\n\r\n{"role": "us\r\n')
    assert [m.text for m in found.conversations[0].messages] == ["Hi", "Ho"]
    assert found.problems == ("The file 'x.jsonl': line 4 of it cannot be read as JSON.",)


def test_an_archive_gives_its_conversations() -> None:
    """Of an archive the files with conversations are read, in any folder, and no others."""
    data = archive(export_to_user__json=b'{"id": "u"}', export_to_conversations__json=packed([tea()]))
    assert detect("export.zip", data) == "chatgpt"
    assert read("export.zip", data) == read("x", packed([tea()]))


def test_shards_are_one_export() -> None:
    """Sharded conversations are read together, each once, and a broken shard is named."""
    grown = tea() | {"id": "conv-2"}
    shards = {
        "conversations-000__json": packed([tea()]),
        "conversations-001__json": packed([grown, tea()]),
        "conversations-002__json": b"[{",
    }
    found = read("export.zip", archive(**shards))
    assert [c.id for c in found.conversations] == ["conv-1", "conv-2"]
    assert len(found.problems) == 1 and "conversations-002.json" in found.problems[0]


def test_an_archive_of_other_files() -> None:
    """Without a file of conversations, every JSON file of a known format in an archive is read."""
    found = read(
        "x.zip",
        archive(chat__jsonl=lines(MESSAGE, MESSAGE), facts__json=packed([{"memory": "x"}]), n__txt=b"n"),
    )
    assert (len(found.conversations), len(found.facts), found.problems) == (1, 1, ())


def test_an_archive_cannot_fill_the_memory() -> None:
    """An archive that would unpack to more than the limit is refused."""
    data = archive(conversations__json=b"[" + b" " * 3_000_000 + b"]")
    assert len(data) < 10_000
    with pytest.raises(ImportFormatError, match="unpacks to more than 1,000,000 bytes"):
        read("x.zip", data, most_bytes=1_000_000)


def test_a_header_that_lies_about_the_size() -> None:
    """An archive whose directory gives too small a size is refused, and no more than that is unpacked."""
    data = bytearray(archive(conversations__json=b"[" + b" " * 500_000 + b"]"))
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = data.index(mark) + offset
        data[start : start + 4] = (50).to_bytes(4, "little")
    with pytest.raises(ImportFormatError):
        read("x.zip", bytes(data), most_bytes=1000)


@pytest.mark.parametrize(
    "data",
    [b"", b"\xef\xbb\xbf", b"hello", b"{", b"[]", b"{}", b"[1, 2]", b'{"a": 1}', b"PK\x03\x04junk",
     b"\x00" * 9, b"[" * 100_000, b'{"conversations":[' * 5000 + b"]}" * 5000,
     b"1" * 9999, b"[" + b"1" * 9999 + b"]"],
)  # fmt: skip
def test_what_is_no_export_is_refused(data: bytes) -> None:
    """What is of no known format raises one clear error, which is a mistake of use."""
    with pytest.raises(ImportFormatError) as caught:
        read("thing.json", data)
    assert isinstance(caught.value, UsageError) and "thing.json" in str(caught.value)


def test_an_encrypted_archive_is_refused() -> None:
    """An archive with a password raises the same error."""
    data = bytearray(archive(conversations__json=packed([tea()])))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    with pytest.raises(ImportFormatError, match="cannot be unpacked"):
        read("x.zip", bytes(data))


def test_an_unknown_format_is_refused() -> None:
    """The error for an unknown name of a format lists the known ones."""
    with pytest.raises(ImportFormatError, match="chatgpt, claude"):
        read("x", packed([tea()]), "gemini")


def test_memories_of_one_user_can_be_chosen() -> None:
    """Of a file with memories of several users those of one are read."""
    both = packed(
        [{"id": "1", "memory": "A", "user_id": "ana"}, {"id": "2", "memory": "B", "user_id": "ben"}]
    )
    assert [fact.text for fact in read("m.json", both, user="ben").facts] == ["B"]


@pytest.mark.parametrize(("name", "value"), CASES)
def test_a_second_import_adds_nothing(name: str, value: Any) -> None:
    """Read twice, an export gives the same ids, and each id once."""
    one, two = read("a", packed(value)), read("b", packed(value))
    assert one == two
    ids = [(c.id, m.id) for c in one.conversations for m in c.messages]
    assert len(set(ids)) == len(ids) and all(all(pair) for pair in ids)
    assert all(fact.id for fact in one.facts)


@pytest.mark.parametrize(("name", "value"), CASES)
def test_what_comes_in_can_be_written_down(name: str, value: Any) -> None:
    """Every message that is read can stand in a transcript and comes back from it equal."""
    for conversation in read("x", packed(value), name).conversations:
        written = header(conversation.id) + "".join(serialise(message) for message in conversation.messages)
        assert transcript(written).messages == conversation.messages


KEYS = st.sampled_from([
    "mapping", "current_node", "message", "author", "role", "content", "parts", "content_type", "metadata",
    "create_time", "children", "parent", "id", "title", "chat_messages", "sender", "text", "attachments",
    "results", "memory", "type", "name", "observations", "relations", "entities", "from", "to", "data",
    "conversations", "messages", "tool_calls", "function", "arguments", "facts", "version", "format",
    "kwargs", "value", "created_at", "user_id", "thoughts",
])  # fmt: skip
WORDS = st.sampled_from(["user", "human", "tool_use", "text", "a"]) | st.text(max_size=4)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)


def quietly(data: bytes, format: str = "auto") -> None:
    """Reads `data`, content with `ImportFormatError`."""
    try:
        read("x", data, format)
    except ImportFormatError as error:
        assert str(error)


@settings(max_examples=150, deadline=None)
@given(JUNK, st.sampled_from(["auto", *FORMATS]))
def test_junk_in_json_raises_one_error_only(value: Any, format: str) -> None:
    """JSON of any shape is read in any format, or raises `ImportFormatError`."""
    quietly(json.dumps(value).encode(), format)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(CASES), st.data())
def test_a_value_replaced_by_junk_raises_one_error_only(case: tuple[str, Any], data: st.DataObject) -> None:
    """An export in which any one value is replaced by junk is read, or raises `ImportFormatError`."""
    name, value = case
    copied = json.loads(json.dumps(value))
    spots: list[tuple[Any, Any]] = []
    stack = [copied]
    while stack:
        here = stack.pop()
        inner = here.items() if isinstance(here, dict) else enumerate(here) if isinstance(here, list) else ()
        for key, item in inner:
            spots.append((here, key))
            stack.append(item)
    here, key = data.draw(st.sampled_from(spots))
    here[key] = data.draw(JUNK)
    quietly(json.dumps(copied).encode(), data.draw(st.sampled_from(["auto", name])))


@settings(max_examples=150, deadline=None)
@given(
    st.binary(max_size=60), st.sampled_from([b"", b"[", b"{", b"PK\x03\x04", b"\xff\xfe", b"\xef\xbb\xbf["])
)
@example(b"\xd8\x00", b"\xff\xfe")
def test_random_bytes_raise_one_error_only(data: bytes, start: bytes) -> None:
    """Bytes of any kind are read, or raise `ImportFormatError`."""
    quietly(start + data)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_damaged_archive_raises_one_error_only(data: st.DataObject) -> None:
    """An archive with one byte changed or its end cut off is read, or raises `ImportFormatError`."""
    whole = bytearray(archive(conversations__json=packed([tea()])))
    at = data.draw(st.integers(0, len(whole) - 1))
    whole[at] = data.draw(st.integers(0, 255))
    cut = data.draw(st.just(len(whole)) | st.integers(0, len(whole)))
    quietly(bytes(whole[:cut]))


def test_zip_of_nothing() -> None:
    """An archive without JSON is refused."""
    with pytest.raises(ImportFormatError, match="no JSON file"):
        read("x.zip", archive(readme__txt=b"hi"))
