"""The content types of ChatGPT's messages, as text or as blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from .content import as_content
from .json_values import first_string, items, mapping, objects, string

_Block = Mapping[str, Any]
_Content = str | tuple[_Block, ...]


def content_of(body: Mapping[str, Any], metadata: Mapping[str, Any]) -> _Content:
    """The content of a message. What the model thought is a block of type "thinking", not text."""
    kind = string(body.get("content_type"))
    reader = _READERS.get(kind)
    if reader is not None:
        return reader(body)
    if isinstance(body.get("parts"), list):
        return _parts(body) or _instructions(mapping(metadata.get("user_context_message_data")))
    text = first_string(body, ("text", "result", "content", "summary", "output"))
    if text or not kind:
        return text
    rest = {key: value for key, value in body.items() if key != "content_type" and value}
    return ({"type": kind, **rest},) if rest else ""


def _parts(body: Mapping[str, Any]) -> _Content:
    return as_content(block for part in items(body.get("parts")) for block in _part(part))


def _part(part: object) -> Iterator[_Block]:
    if isinstance(part, str):
        yield {"type": "text", "text": part}
    elif isinstance(part, dict):
        kind = string(part.get("content_type"))
        if isinstance(part.get("text"), str) and (not kind or kind in ("text", "audio_transcription")):
            yield {"type": "text", "text": part["text"]}
        else:
            values = {key: value for key, value in part.items() if key not in ("content_type", "type")}
            yield {"type": kind or "unknown", **values}


def _code(body: Mapping[str, Any]) -> str:
    text, language = string(body.get("text")), string(body.get("language"))
    if not text.strip() or language in ("", "unknown"):
        return text
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"


def _quote(body: Mapping[str, Any]) -> str:
    source = [string(body.get("title")), string(body.get("url")) or string(body.get("domain"))]
    head = " ".join(part for part in source if part)
    return "\n\n".join(part for part in (head, string(body.get("text"))) if part)


def _browsing(body: Mapping[str, Any]) -> str:
    return first_string(body, ("result", "summary"))


def _error(body: Mapping[str, Any]) -> str:
    return ": ".join(part for part in (string(body.get("name")), string(body.get("text"))) if part)


def _instructions(body: Mapping[str, Any]) -> str:
    """Custom instructions, in the older spelling too."""
    keys = ("user_profile", "about_user_message", "user_instructions", "about_model_message")
    return "\n\n".join(text for key in keys if (text := string(body.get(key)).strip()))


def _model_context(body: Mapping[str, Any]) -> str:
    return string(body.get("model_set_context"))


def _thoughts(body: Mapping[str, Any]) -> _Content:
    said = [
        "\n".join(part for part in (string(thought.get("summary")), string(thought.get("content"))) if part)
        for thought in objects(body.get("thoughts"))
    ]
    return _thinking("\n\n".join(text for text in said if text))


def _recap(body: Mapping[str, Any]) -> _Content:
    return _thinking(string(body.get("content")))


def _thinking(text: str) -> _Content:
    return ({"type": "thinking", "thinking": text},) if text else ""


_READERS: Final[dict[str, Callable[[Mapping[str, Any]], _Content]]] = {
    "multimodal_text": _parts,
    "code": _code,
    "tether_quote": _quote,
    "tether_browsing_display": _browsing,
    "system_error": _error,
    "user_editable_context": _instructions,
    "model_editable_context": _model_context,
    "thoughts": _thoughts,
    "reasoning_recap": _recap,
}
