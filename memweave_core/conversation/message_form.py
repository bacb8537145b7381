r"""One message as Markdown, and back, without loss.

.. code-block:: text

    **user** · Ana · 2026-03-21 10:32:05+01:00 {#m12}

    Its text, as text.

    ```json memweave
    {"tool_call_id": "call_7"}
    ```

    <!--/-->

The block holds what text cannot carry and is left out when there is nothing. The comment is the end mark: a
message without one was cut off. Only whole lines of these three forms mean anything; a line of the text that
looks like one (or is one behind backslashes) gets a backslash in front, so no text can end its message.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
from collections import deque
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, cast, get_args
from urllib.parse import unquote_to_bytes

from .._errors import UsageError
from ..messages import Message, Role, ToolCall
from ..text.blocks import scan
from ..text.markdown_lines import fence_run

END: Final = "<!--/-->"
OPEN: Final = "```json memweave"
CLOSE: Final = "```"
ROLES: Final[tuple[str, ...]] = get_args(Role)

_SPEAKER: Final = rf"\*\*(?:{'|'.join(ROLES)})\*\*"
_OURS: Final = rf"(?=\\*(?:{_SPEAKER}[ \t]*(?:·|\{{#|\r?$)|```+json memweave|<!--/-->))"
_TO_ESCAPE: Final = re.compile(rf"^{_OURS}", re.MULTILINE)
_ESCAPED: Final = re.compile(rf"^\\{_OURS}", re.MULTILINE)
_TIME: Final = (
    r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?(?::\d\d(?:\.\d+)?)?)?)?"
)
LABEL: Final = re.compile(
    rf"""^\*\*(?P<role>{"|".join(ROLES)})\*\*[ \t]{{0,9}}
    (?:·[ \t]{{0,9}}(?:(?P<name>[^\n·{{}}]{{0,99}}?)[ \t]{{0,9}}·[ \t]{{0,9}})?(?P<at>{_TIME})
      |·[ \t]{{0,9}}(?P<only>[^\n·{{}}]{{0,99}}?)[ \t]{{0,9}}(?=\{{)
      |(?=\r?$))?
    [ \t]{{0,9}}(?:\{{\#(?P<id>[^\s{{}}]*)(?:[ \t][^\n{{}}]*)?\}})?[ \t]*\r?$""",
    re.VERBOSE | re.MULTILINE,
)
"""Bounded where it repeats within what repeats, so that no line takes long."""
_NOT_TEXT: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_NOT_IN_JSON: Final = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_LONGEST_NAME: Final = 20
_LONGEST_MIDDLE: Final = 58
"""With more between speaker and id the index would not take the line for the start of a message."""
_LINE_WIDTH: Final = 110


class Parsed(NamedTuple):
    """A message read back, and what was wrong with it: a sentence without its subject, or ""."""

    message: Message
    problem: str = ""


def serialise(message: Message) -> str:
    """What to append to a transcript for `message`: it begins with an empty line and ends a line.

    Everything comes back from it as it was, but a time zone only as its offset, and two halves of a surrogate
    pair side by side as the character they make. Raises `UsageError` for a message without an id, of an
    unknown role, or with values that are not JSON.
    """
    if not message.id or message.role not in ROLES:
        what = "no id" if not message.id else f"the role {message.role!r}"
        raise UsageError(f"A message with {what} cannot be written; give it one (roles: {', '.join(ROLES)}).")
    body, beside = _content(message)
    label, name_beside = _label(message)
    beside |= name_beside
    if message.tool_calls:
        beside["tool_calls"] = [
            {"id": call.id, "name": call.name, "arguments": call.arguments} for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        beside["tool_call_id"] = message.tool_call_id
    if message.extra:
        beside["extra"] = message.extra
    parts = [label, body, _block(beside) if beside else "", END]
    return "\n" + "\n\n".join(part for part in parts if part) + "\n"


def encode_id(name: str) -> str:
    """`name` with everything percent-encoded that could end it within ``{#...}``."""
    return "".join(c if c.isprintable() and not c.isspace() and c not in "%{}" else _percent(c) for c in name)


def decode_id(text: str) -> str:
    """What `encode_id` made `text` of; malformed percent signs stay."""
    if "%" not in text:
        return text
    try:
        return unquote_to_bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
    except UnicodeError:
        return text


def derived_id(message: Message) -> str:
    """The id of a message that a person wrote without one: it depends on nothing but what is in it."""
    parts = (message.role, message.name or "", str(message.at or ""), message.text)
    return "h" + hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:10]


# --- writing -------------------------------------------------------------------------------------------


def _percent(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "surrogatepass"))


def _label(message: Message) -> tuple[str, dict[str, Any]]:
    """The first line, and the name when it does not fit there."""
    at = message.at.isoformat(" ") if message.at else ""
    name = message.name
    plain = name is not None and name[:1].isalpha() and name.isprintable() and name == name.strip()
    plain = plain and len(name or "") <= _LONGEST_NAME and not re.search("[·{}]", name or "")
    middle = " · ".join(part for part in (name if plain else "", at) if part)
    if len(middle) > _LONGEST_MIDDLE:
        plain, middle = False, at
    label = f"**{message.role}** · {middle + ' ' if middle else ''}{{#{encode_id(message.id)}}}"
    return label, {} if plain or name is None else {"name": name}


def _content(message: Message) -> tuple[str, dict[str, Any]]:
    """The text to show, and what else of the content has to stand in the block."""
    if isinstance(message.content, str):
        return _text(message.content)
    blocks: list[Any] = [dict(block) for block in message.content]
    for k, block in enumerate(blocks):
        if block.get("type") == "text" and isinstance(block.get("text"), str) and block["text"].strip():
            body, beside = _text(block["text"])
            block["text"] = None
            return body, {"content": blocks, "text_of": k, **beside}
    return "", {"content": blocks}


def _text(text: str) -> tuple[str, dict[str, Any]]:
    beside: dict[str, Any] = {}
    if "\r\n" in text and len(re.findall("\r\n?|\n", text)) == text.count("\r\n"):
        beside["newline"] = "\r\n"
        text = text.replace("\r\n", "\n")
    core = text.strip()
    if _NOT_TEXT.search(core):
        newline = beside.pop("newline", "\n")
        return "", {"text": text.replace("\n", newline)}
    if core != text:
        start = len(text) - len(text.lstrip())
        beside["edges"] = [text[:start], text[start + len(core) :]]
    body = _TO_ESCAPE.sub(r"\\", core)
    closer = _closer(body)
    if closer:
        beside["closed"] = closer
        body += "\n" + closer
    return body, beside


def _closer(body: str) -> str:
    """The line that ends a fence or raw element left open, so that it does not swallow what follows."""
    if "```" not in body and "~~~" not in body and "<" not in body:
        return ""
    lines = [*body.split("\n"), "", END, "", "end"]
    last = deque(scan(lines), maxlen=1)[0]
    if last.start == len(lines) - 1:
        return ""
    first = lines[last.start].strip()
    if first[0] == "<":
        tag = re.match("<[A-Za-z]+", first)
        return f"</{tag[0][1:]}>" if tag else "-->"
    return first[0] * fence_run(first)


def _block(values: Mapping[str, Any]) -> str:
    line = _json(values)
    if len(line) > _LINE_WIDTH and len(values) > 1:
        line = "{\n" + ",\n".join(f"{_json(key)}: {_json(value)}" for key, value in values.items()) + "\n}"
    return f"{OPEN}\n{line}\n{CLOSE}"


def _json(value: Any) -> str:
    try:
        made = json.dumps(_json_value(value), ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"A message can only hold JSON values: {error}.") from error
    return _NOT_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", made)


def _json_value(value: Any) -> Any:
    """`value` as lists and dictionaries. Raises `TypeError` where JSON would change a key in silence."""
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise TypeError(f"keys must be strings, unlike those of {str(value)[:80]}")
        return {key: _json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(item) for item in value]
    return value


# --- reading -------------------------------------------------------------------------------------------


def parse_message(label: re.Match[str], body: str) -> Parsed:
    """The message of a `LABEL` and what stands below it up to its end mark; id "" when none is given."""
    lines = [line.rstrip("\r") for line in body.split("\n")] if "\r" in body else body.split("\n")
    text, beside, problem = _split_block(lines)
    try:
        message = _message(label, text, beside)
    except (TypeError, ValueError, LookupError, AttributeError):
        message = _message(label, text, {})
        problem = "has a block that does not say what a message is made of; only its text was read"
    return Parsed(message, problem)


def _split_block(lines: list[str]) -> tuple[str, dict[str, Any], str]:
    """The text of a message, the values of its block, and what is wrong with that."""
    stripped = [line.rstrip() for line in lines] if any(line.startswith(OPEN) for line in lines) else []
    if OPEN not in stripped:
        return "\n".join(lines), {}, ""
    start = stripped.index(OPEN)
    text = "\n".join(lines[:start])
    try:
        end = stripped.index(CLOSE, start)
        values = json.loads("\n".join(lines[start + 1 : end]))
        if not isinstance(values, dict):
            raise ValueError("no object")
    except (ValueError, RecursionError):
        return text, {}, "has a block that is no JSON object; only its text was read"
    below = "\n".join(lines[end + 1 :]).strip()
    return text, values, "has text below its block, which is not part of it" if below else ""


def _message(label: re.Match[str], body: str, beside: Mapping[str, Any]) -> Message:
    """Raises `ValueError` and its like for values that no message was written with."""
    content: Any = _read_text(body, beside)
    if "content" in beside:
        blocks = [dict(block) for block in beside["content"]]
        if "text_of" in beside:
            blocks[beside["text_of"]]["text"] = content
        content = tuple(blocks)
    calls = tuple(ToolCall(**call) for call in beside.get("tool_calls", ()))
    if not all(isinstance(call.arguments, str | dict) for call in calls):
        raise TypeError("arguments")
    answers, extra = beside.get("tool_call_id"), beside.get("extra", {})
    name = beside.get("name", label["name"] or label["only"] or None)
    if not isinstance(extra, dict) or not all(isinstance(v, str | None) for v in (answers, name)):
        raise TypeError("extra")
    return Message(
        role=cast("Role", label["role"]),
        content=content,
        id=decode_id(label["id"] or ""),
        at=_time(label["at"]),
        name=name,
        tool_calls=calls,
        tool_call_id=answers,
        extra=extra,
    )


def _read_text(body: str, beside: Mapping[str, Any]) -> str:
    if "text" in beside:
        return str(beside["text"])
    core = body.strip()
    closer = beside.get("closed")
    if closer:
        core = core.removesuffix("\n" + closer)
    core = _ESCAPED.sub("", core)
    before, after = beside.get("edges", ("", ""))
    text = f"{before}{core}{after}"
    return text.replace("\n", beside["newline"]) if "newline" in beside else text


def _time(text: str | None) -> dt.datetime | None:
    """The time of a label; None where a person wrote one that is none."""
    try:
        return dt.datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
