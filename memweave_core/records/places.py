"""Where records lie: one folder for each label of a namespace, one page for each key. Pure.

Labels and keys are encoded by `text.names.encode_segment`, so whatever they are, they stay below their root
and no two share a page. The folder of a label never ends as a page does: ``b.md`` becomes ``b%2Emd``.
A namespace is known in the database by its folder with "/" after each label: what is below it begins so.
"""

from __future__ import annotations

from functools import lru_cache

from .._errors import NameRefusedError
from ..text.names import decode_segment, encode_segment, is_markdown, is_shortened
from .record import Namespace

SUFFIX = ".md"
_MOST_BYTES = 3_000


@lru_cache(maxsize=4096)
def folder_of(namespace: Namespace) -> str:
    """The folder of a namespace below the root, with "/" at its end; "" for the empty one.

    Raises `NameRefusedError` for labels that cannot be names, and for a path too long.
    """
    folder = "".join(f"{_label(label)}/" for label in namespace)
    if len(folder.encode()) > _MOST_BYTES:
        raise NameRefusedError(f"The namespace {namespace[:3]!r}… is too long to be a folder.")
    return folder


def _label(label: str) -> str:
    segment = encode_segment(label)
    if is_markdown(segment):
        start, _, suffix = segment.rpartition(".")
        return f"{start}%2E{suffix}"
    return segment


@lru_cache(maxsize=4096)
def file_of(folder: str, key: str) -> str:
    """The page of a key, below the root. Raises `NameRefusedError` for a key that cannot be a name."""
    return f"{folder}{encode_segment(key)}{SUFFIX}"


@lru_cache(maxsize=4096)
def namespace_of(folder: str) -> Namespace:
    """The namespace whose folder this is, as far as the names tell."""
    return tuple(decode_segment(part) for part in folder.split("/")[:-1])


def key_of(file: str) -> str:
    """The key whose page this is, as far as the name tells."""
    return decode_segment(file.rpartition("/")[2].rpartition(".")[0])


def is_told(path: str) -> bool:
    """Whether the names of a path tell what they were made of: none of them was shortened."""
    return "%~" not in path or not any(is_shortened(part.removesuffix(SUFFIX)) for part in path.split("/"))


def after(folder: str) -> str:
    """The least text that sorts after everything that begins with `folder`, which ends in "/"."""
    return folder[:-1] + "0"  # "0" follows "/"
