"""How any text stands on one line of Markdown, and any value in one attribute, reversibly.

Text uses the numeric character references of Markdown (``&#10;``), so that a viewer shows what was meant.
Values use percent signs, as addresses do.
"""

from __future__ import annotations

import re
from typing import Final

_REFERENCE: Final = re.compile(r"&#(\d{1,7});", re.ASCII)
_UNSAFE: Final = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]"  # line ends, controls, what UTF-8 cannot hold
    r"|&(?=#[0-9]{1,7};)"  # what would be read as a reference
    r"|\{(?=#)|<(?=!--)"  # what would look like attributes, or hide the rest of the file
    r"|\A[-+*#>~`|=<\s\[_]|\A[0-9](?=[0-9]{0,8}[.)](?:\s|\Z))"  # what would begin a block of Markdown
    r"|\s\Z"
)
_VALUE: Final = re.compile(r"[\s\x00-\x1f\x7f-\x9f{}%\ud800-\udfff]")
_ESCAPE: Final = re.compile(r"%([0-9A-F]{2,6});")
_LAST: Final = 0x10FFFF


def encode_text(text: str) -> str:
    """`text` on one line, without anything at its beginning or end that Markdown or the file would take."""
    return _UNSAFE.sub(lambda found: f"&#{ord(found[0])};", text)


def decode_text(written: str) -> str:
    """What `encode_text` was given; references written by hand are read as Markdown reads them."""
    return _REFERENCE.sub(_character, written)


def encode_value(value: str) -> str:
    """`value` without white space, braces and line ends."""
    return _VALUE.sub(lambda found: f"%{ord(found[0]):02X};", value)


def decode_value(written: str) -> str:
    """What `encode_value` was given."""
    return _ESCAPE.sub(lambda found: chr(code) if (code := int(found[1], 16)) <= _LAST else found[0], written)


def _character(found: re.Match[str]) -> str:
    code = int(found[1])
    return chr(code) if code <= _LAST else found[0]
