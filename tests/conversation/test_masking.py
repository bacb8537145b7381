"""Secrets in messages, wherever they stand."""

from __future__ import annotations

from memweave_core.conversation.masking import masked
from memweave_core.messages import Message, ToolCall

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_every_string_of_a_message_is_masked() -> None:
    """Content blocks, names, arguments, keys and `extra` lose a token however deep it stands."""
    said = Message(
        "assistant",
        ({"type": "text", "text": f"It is {TOKEN}."}, {"type": "tool_use", "input": {"a": [TOKEN]}}),
        "m1",
        name=TOKEN,
        tool_calls=(ToolCall("1", TOKEN, {"x": {"y": [TOKEN]}}), ToolCall("2", "f", f'{{"t": "{TOKEN}"}}')),
        extra={"headers": {TOKEN: TOKEN}, "n": 1},
    )
    assert TOKEN not in repr(masked(said)) and "github" in repr(masked(said))


def test_a_value_is_masked_by_the_name_it_stands_under() -> None:
    """A password says nothing by itself, but its key does; other values and numbers stay."""
    call = ToolCall("1", "login", {"password": "corr3ct-horse", "user": "ana", "tokens": 12345678})
    (safe,) = masked(Message("assistant", tool_calls=(call,))).tool_calls
    assert safe.arguments == {"password": "[secret: password]", "user": "ana", "tokens": 12345678}


def test_what_holds_no_secret_is_the_same() -> None:
    """A message without secrets is equal to itself masked, pictures and ids included."""
    picture = {"type": "image", "source": {"type": "base64", "data": "iVBORw0KGgo" * 1_000}}
    said = Message(
        "user", (picture, {"type": "text", "text": "See?"}), "m1", tool_call_id="call_7", extra={"a": [1]}
    )
    assert masked(said) == said


def test_masking_twice_changes_nothing() -> None:
    """What was masked is not masked again."""
    once = masked(Message("user", f"password: hunter2xyz and {TOKEN}", extra={"password": "corr3ct-horse"}))
    assert masked(once) == once


def test_escapes_hide_nothing() -> None:
    """Arguments of calls are masked by what they say, however their JSON writes it; others stay."""
    hidden = '{"note": "pass\\u0077ord: Tr0ub4dor\\u0026three", "n": [1]}'
    call, plain = ToolCall("c1", "save", hidden), ToolCall("c2", "save", '{"a":  "\\u00e9"}')
    safe = masked(Message("assistant", tool_calls=(call, plain))).tool_calls
    assert safe[0].arguments == '{"note": "password: [secret: password]", "n": [1]}'
    assert safe[1] == plain


def test_ids_that_are_secrets_are_masked_and_still_match() -> None:
    """A call and its result keep the same id without the secret, other ids stay and differ."""
    one, two = ("gh" + "p_" + letter * 2 + "a1B2c3D4e5F6" * 3 for letter in "xy")
    asked = masked(Message("assistant", id=two, tool_calls=(ToolCall(one, "f", {}), ToolCall("c1", "f", {}))))
    answer = masked(Message("tool", "ok", id="m2", tool_call_id=one))
    assert asked.tool_calls[0].id == answer.tool_call_id != asked.id
    assert one not in repr((asked, answer)) and two not in repr(asked)
    assert (asked.tool_calls[1].id, answer.id) == ("c1", "m2") and masked(asked) == asked
