"""Content blocks of LlamaIndex in the neutral form of transcripts, and back, without loss.

Text, pictures, recordings, files and reasoning become the blocks that other frameworks know (``type`` and
``base64``, ``url``, ``mime_type``); what only LlamaIndex knows of them stands under ``extras.llama_index``.
Blocks that only LlamaIndex has are kept whole. Tool calls are no content: see `conversion`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from llama_index.core.base.llms.types import (
    AudioBlock,
    CachePoint,
    CitableBlock,
    CitationBlock,
    DocumentBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    VideoBlock,
)
from llama_index.core.bridge.pydantic import ValidationError
from llama_index.core.utils import resolve_binary
from pydantic_core import to_jsonable_python

Block: TypeAlias = (
    TextBlock
    | ImageBlock
    | AudioBlock
    | VideoBlock
    | DocumentBlock
    | CachePoint
    | CitableBlock
    | CitationBlock
    | ThinkingBlock
    | ToolCallBlock
)

OURS: Final = "llama_index"
"""The name under which a transcript holds what only LlamaIndex has."""


class _Media(NamedTuple):
    """How a kind of media is called: its class, neutral type, the field of its bytes and that of its type."""

    made: type[ImageBlock | AudioBlock | VideoBlock | DocumentBlock]
    neutral: str
    data: str
    mime: str


_MEDIA: Final = {
    "image": _Media(ImageBlock, "image", "image", "image_mimetype"),
    "audio": _Media(AudioBlock, "audio", "audio", "format"),
    "video": _Media(VideoBlock, "video", "video", "video_mimetype"),
    "document": _Media(DocumentBlock, "file", "data", "document_mimetype"),
}
_BY_NEUTRAL: Final = {media.neutral: media for media in _MEDIA.values()}
_WHOLE: Final[dict[str, type[CachePoint | CitableBlock | CitationBlock]]] = {
    "cache": CachePoint,
    "citable": CitableBlock,
    "citation": CitationBlock,
}
_DATA_ADDRESS: Final = re.compile(r"data:(?P<mime>[\w/+.-]*)(?:;[\w=.-]+)*;base64,(?P<data>.*)", re.DOTALL)


def jsonable(value: Any) -> Any:
    """`value` as JSON values. Models become objects, and what is no JSON value becomes its text."""
    return to_jsonable_python(value, fallback=str, bytes_mode="base64")


def neutral(block: Block) -> dict[str, Any]:
    """A content block that is no tool call, as transcripts hold it."""
    if isinstance(block, TextBlock):
        return {"type": "text", "text": block.text}
    if isinstance(block, ThinkingBlock):
        rest = {
            "num_tokens": block.num_tokens,
            "additional_information": jsonable(block.additional_information),
        }
        text = {} if block.content is None else {"reasoning": block.content}
        return _with_extras({"type": "reasoning", **text}, rest)
    media = _MEDIA.get(block.block_type)
    if media is not None:
        return _neutral_media(block, media)
    return {"type": "non_standard", "value": {OURS: _dumped(block)}}


def _neutral_media(block: Block, media: _Media) -> dict[str, Any]:
    fields = _dumped(block)
    mime = fields.pop(media.mime)
    made = {"type": media.neutral, "base64": fields.pop(media.data), "url": fields.pop("url")}
    if media.mime == "format":  # of a recording: "wav"
        made["mime_type"] = f"audio/{mime}" if mime else None
    else:
        made["mime_type"] = mime
    made["filename"] = fields.pop("title", None)
    del fields["block_type"]
    return _with_extras({key: value for key, value in made.items() if value is not None}, fields)


def _dumped(block: Block) -> dict[str, Any]:
    """The fields of a block as JSON values: bytes in base64, and paths and addresses as text."""
    return {name: _plain(value) for name, value in block.model_dump().items()}


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return resolve_binary(value, as_base64=True).read().decode("ascii")
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return jsonable(value)


def _with_extras(block: dict[str, Any], rest: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in rest.items() if value not in (None, {})}
    return {**block, "extras": {OURS: kept}} if kept else block


# --- and back ------------------------------------------------------------------------------------------


def from_neutral(block: Mapping[str, Any]) -> Block:
    """A block of a transcript, whoever wrote it; one that LlamaIndex has no block for becomes text."""
    kind = block.get("type", "text")
    if kind in ("text", "input_text", "output_text") and isinstance(block.get("text"), str):
        return TextBlock(text=block["text"])
    if kind in ("reasoning", "thinking"):
        return _thinking(block)
    if kind in ("tool_call", "tool_use"):
        return _call(block)
    media = _BY_NEUTRAL.get(str(kind))
    if media is not None and "source_type" in block:
        return _older(block, media)
    if media is not None and "file_id" not in block and not isinstance(block.get("source"), Mapping):
        return _media(block, media)
    value = block.get("value")
    if kind == "non_standard" and isinstance(value, Mapping) and isinstance(value.get(OURS), Mapping):
        fields = dict(value[OURS])
        made = _WHOLE.get(fields.get("block_type", ""))
        if made is not None:
            return made(**fields)
    return _foreign(block)


def _extras(block: Mapping[str, Any]) -> dict[str, Any]:
    extras = block.get("extras")
    ours = extras.get(OURS) if isinstance(extras, Mapping) else None
    return dict(ours) if isinstance(ours, Mapping) else {}


def _thinking(block: Mapping[str, Any]) -> ThinkingBlock:
    text = block.get("reasoning", block.get("thinking"))
    rest = _extras(block)
    if "signature" in block:
        rest.setdefault("additional_information", {"signature": block["signature"]})
    return ThinkingBlock(content=text if isinstance(text, str) else None, **rest)


def _call(block: Mapping[str, Any]) -> ToolCallBlock:
    given = block.get("args", block.get("input", {}))
    return ToolCallBlock(
        tool_call_id=block.get("id") or None,
        tool_name=str(block.get("name", "")),
        tool_kwargs=given if isinstance(given, str) else dict(given or {}),
    )


def _media(block: Mapping[str, Any], media: _Media) -> Block:
    fields = _extras(block)
    mime = block.get("mime_type")
    if media.mime == "format" and isinstance(mime, str):
        mime = mime.removeprefix("audio/")
    data, url = block.get("base64"), block.get("url")
    fields |= {media.mime: mime, "url": url, media.data: data.encode() if isinstance(data, str) else None}
    if media.neutral == "file":
        fields["title"] = block.get("filename")
    return _made(media.made, fields)


def _older(block: Mapping[str, Any], media: _Media) -> Block:
    """Media as LangChain wrote them before its version 1."""
    if block["source_type"] == "base64":
        return _media({**block, "base64": block.get("data")}, media)
    return _media(block, media) if block["source_type"] == "url" else _foreign(block)


def _made(made: type[ImageBlock | AudioBlock | VideoBlock | DocumentBlock], fields: dict[str, Any]) -> Block:
    try:
        return made(**fields)
    except ValidationError:  # such as a path to a file that is gone by now: the message is still to be read
        path = fields.get("path")
        return made.model_construct(**{**fields, "path": Path(path) if path else None})


def _foreign(block: Mapping[str, Any]) -> Block:
    """Media as the APIs of OpenAI and Anthropic write them; anything else becomes text."""
    kind = str(block.get("type"))
    inner = block.get(kind)
    if kind in ("image_url", "video_url"):
        url = inner.get("url") if isinstance(inner, Mapping) else inner
        return _at(str(url), _BY_NEUTRAL[kind.removesuffix("_url")])
    if kind == "input_audio" and isinstance(inner, Mapping):
        return AudioBlock(audio=str(inner.get("data", "")).encode(), format=inner.get("format"))
    source = block.get("source")
    if isinstance(source, Mapping) and kind in ("image", "document"):
        media = _MEDIA[kind]
        if source.get("type") == "base64":
            return _media({"base64": source.get("data"), "mime_type": source.get("media_type")}, media)
        if source.get("type") == "url":
            return _media({"url": source.get("url")}, media)
    text = block.get("text", block.get("content"))
    if not isinstance(text, str):
        text = json.dumps(jsonable(block), ensure_ascii=False)
    return TextBlock(text=text)


def _at(url: str, media: _Media) -> Block:
    inline = _DATA_ADDRESS.fullmatch(url)
    if inline is None:
        return _media({"url": url}, media)
    return _media({"base64": inline["data"], "mime_type": inline["mime"] or None}, media)
