"""Nodes as records, and back, without loss: the text as text, so that a person can read and edit the page."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from llama_index.core.schema import BaseNode, Document, ImageDocument, ImageNode, IndexNode, Node, TextNode

from .blocks import jsonable
from .conditions import METADATA, SOURCE

logger = logging.getLogger(__name__)

TEXT: Final = "text"
MODEL: Final = "embedding"
"""Fields of a record: the text of the node, and what made its vector."""

_KINDS: Final[dict[str, type[BaseNode]]] = {
    kind.class_name(): kind for kind in (Node, Document, TextNode, ImageNode, ImageDocument, IndexNode)
}
_ELSEWHERE: Final = frozenset({"id_", "embedding", "metadata", "class_name", "text"})
_RESOURCE: Final = "text_resource"
_MEDIA: Final = ("image_resource", "audio_resource", "video_resource")


def value_of(node: BaseNode, model: str, size: int) -> dict[str, Any]:
    """The record of a node whose vector of `size` numbers `model` made. The node is not changed."""
    plain = node.model_copy(update={"metadata": jsonable(node.metadata), "embedding": None})
    fields = plain.model_dump(mode="json")
    for name in _MEDIA:
        media = getattr(node, name, None)
        if media is not None and media.data is not None:  # which LlamaIndex leaves out
            fields[name]["data"] = media.data.decode("ascii")
    resource = fields.get(_RESOURCE)
    text = fields.get("text", "")
    if isinstance(resource, dict) and isinstance(resource.get("text"), str):
        text = resource.pop("text")
        fields[_RESOURCE] = {key: value for key, value in resource.items() if value is not None}
    usual = _defaults(type(node))
    kept = {
        key: value
        for key, value in fields.items()
        if key not in _ELSEWHERE and not (key in usual and usual[key] == value)
    }
    return {
        TEXT: text,
        METADATA: fields["metadata"],
        SOURCE: node.ref_doc_id,
        "type": node.class_name(),
        "node": kept,
        MODEL: {"model": model, "size": size},
    }


def node_of(key: str, value: Mapping[str, Any]) -> BaseNode:
    """The node of a record; of a page that a person made by hand, a node of its text under its name.

    What stands in a page and is of no use for a node, after an edit, is left out, for it must not keep the
    other nodes from being read.
    """
    kind = _KINDS.get(str(value.get("type")), TextNode)
    kept, metadata = (_mapping(value.get(name)) for name in ("node", METADATA))
    own = {"id_": key, "metadata": metadata}
    try:
        return _made(kind, {**kept, **own}, str(value.get(TEXT, "")))
    except (AttributeError, LookupError, TypeError, ValueError) as error:  # of pydantic, and of LlamaIndex
        logger.warning("Of the page of node %r only text and metadata are read: %s", key, _line(error))
        return _made(TextNode, own, str(value.get(TEXT, "")))


def _made(kind: type[BaseNode], fields: dict[str, Any], text: str) -> BaseNode:
    if issubclass(kind, TextNode):
        fields["text"] = text
    elif _RESOURCE in fields or text:
        fields[_RESOURCE] = {**(fields.get(_RESOURCE) or {}), "text": text}
    return kind.from_dict(fields)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]


def _mapping(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


@cache
def _defaults(kind: type[BaseNode]) -> dict[str, Any]:
    """What fields hold that nobody has given a value, as JSON."""
    fields = {name: field for name, field in kind.model_fields.items() if not field.is_required()}
    return {
        field.serialization_alias or field.alias or name: jsonable(
            field.get_default(call_default_factory=True)
        )
        for name, field in fields.items()
    } | {name: jsonable(field.get_default(call_default_factory=True)) for name, field in fields.items()}
